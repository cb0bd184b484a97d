"""A dashboard of an error budget: one panel does not follow from the others."""

from labutils.capacity import budget_lasts_s, burn_rate
from labutils.drills.draw import Draw
from labutils.drills.drill import Drill, Mistake, Step
from labutils.drills.template import Decision, Form, template
from labutils.units import format_quantity as say

_DAY = 86_400.0


@template(
    "board_budget",
    "The lying panel: an error budget",
    level=2,
    decision=Decision.limit,
    topics=("A15", "L11", "P10"),
    form=Form.dashboard,
    minutes=4,
    rough=False,
)
def board_budget(draw: Draw) -> Drill:
    objective, days = draw.one_of((0.99, 0.995, 0.998, 0.999)), draw.one_of((28, 30))
    total, left = 1000 * draw.whole(40, 900), draw.one_of((0.2, 0.35, 0.45, 0.6, 0.7))
    bad = round(total * (1 - objective) * draw.number(1.8, 9))
    share = bad / total
    burn, lasts = burn_rate(share, objective), budget_lasts_s(share, objective, days * _DAY)
    gone = left * lasts
    draw.require(share < 0.08)
    true = {"share": share, "burn": burn, "gone": gone}
    lies = {
        "share": (share / 10, "it counts the bad requests of one replica in ten"),
        "burn": (share / objective * 100, "a bad share over the objective, in per cent"),
        "gone": (lasts, "the time of a full budget"),
    }
    liar = draw.one_of(list(true))
    value, cause = lies[liar]
    shown = {**true, liar: value}
    texts = {
        "counts": f"Last hour: {total:,} requests, {bad:,} of them bad",
        "share": f"Bad, share of the last hour: {100 * shown['share']:.3g} %",
        "objective": f"Objective: {100 * objective:g} % good over {days} d",
        "left": f"Budget left: {100 * left:.0f} %",
        "burn": f"Burn rate: {say(shown['burn'], '1')}",
        "gone": f"Budget gone in: {say(shown['gone'], 's')}, if it goes on so",
    }
    unit = {"gone": "s", "burn": "1", "share": "%"}[liar]
    scale = 100 if liar == "share" else 1
    return Drill(
        story=(
            "You take over on call. Six panels of one service, all for the same hour; yesterday "
            "somebody rewrote the queries, and one panel has been wrong since."
        ),
        question="What should that panel read?",
        answer=scale * true[liar],
        unit=unit,
        tolerance=0.02,
        mistakes=(
            Mistake(
                "as-shown",
                scale * value,
                "That is what it reads. From which panels would it follow?",
            ),
            *_slips(liar, share=share, objective=objective, lasts=lasts, left=left, days=days),
        ),
        options=draw.options(
            texts[liar],
            {texts[key]: _follows(key, liar) for key in texts if key != liar},
            question="Which panel is it?",
        ),
        hints=(
            "Start from the counts, which nobody computes.",
            "Share = bad ÷ all; burn = share ÷ (1 − objective); gone = left × window ÷ burn.",
            f"{bad:,} ÷ {total:,}; then ÷ {1 - objective:.4g}; then {left:g} × {days} d ÷ that.",
        ),
        steps=(
            Step(f"Share: {bad:,} ÷ {total:,} = {say(share, '1')}", name="share", value=share),
            Step(f"Burn: ÷ {1 - objective:.4g} = {say(burn, '1')}", name="burn", value=burn),
            Step(f"Gone in {left:g} × {days} d ÷ {say(burn, '1')} = {say(gone, 's')}"),
            Step(
                f"“{texts[liar]}” is wrong ({cause}); it should read "
                f"{say(scale * true[liar], unit)}",
                name="reading",
                value=scale * true[liar],
                unit=unit,
            ),
        ),
        sanity=(
            f"More than {100 * (1 - objective):.2g} % are bad, so it burns faster than allowed and "
            f"is gone in less than {days} days."
        ),
        moral=(
            "Counts, share, burn rate and time left hang together: recompute one from the others "
            "before you wake somebody."
        ),
    )


def _slips(liar: str, *, share, objective, lasts, left, days) -> list[Mistake]:
    slips = {
        "share": Mistake(
            "good-share", 100 * (1 - share), "Those are the good ones. Which does the panel count?"
        ),
        "burn": Mistake(
            "over-the-objective",
            share / objective,
            "You divide by the objective. Which share may be bad?",
        ),
        "gone": Mistake(
            "allowed-pace",
            left * days * _DAY,
            "That is how long it lasts at the allowed pace. How fast does it burn?",
        ),
    }
    return [slips[liar]]


def _follows(key: str, liar: str) -> str:
    return {
        "counts": "The counts are counted, not computed. Which panels are made from them?",
        "objective": "The objective is agreed, not computed. Which panels use it?",
        "left": "What is left depends on the whole window, of which the board shows an hour: "
        "nothing speaks against it.",
        "share": "Bad over all, from the counts: it holds.",
        "burn": "Bad over all, divided by what may be bad: it holds.",
        "gone": "Share left × window, divided by the burn that the counts give: it holds.",
    }[key]
