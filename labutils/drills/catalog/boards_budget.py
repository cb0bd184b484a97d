"""A dashboard of an error budget: one panel does not follow from the others."""

from labutils.drills.definition.writing import Draw, Drill, choice, drill, piece, quantity, template
from labutils.laws.capacity import budget_lasts_s, burn_rate

_DAY = 86_400.0


@template("A15 L11 P10", level=2, decision="limit", form="dashboard", minutes=4, rough=False)
def board_budget(draw: Draw) -> Drill:
    """The lying panel: an error budget."""
    objective, days = draw.one_of((0.99, 0.995, 0.998, 0.999)), draw.one_of((28, 30))
    total, left = 1000 * draw.whole(40, 900), draw.one_of((0.2, 0.35, 0.45, 0.6, 0.7))
    bad = round(total * (1 - objective) * draw.number(1.8, 9))
    share = bad / total
    burn, lasts = burn_rate(share, objective), budget_lasts_s(share, objective, days * _DAY)
    gone = left * lasts
    true = {"share": share, "burn": burn, "gone": gone}
    lies = {
        "share": (share / 10, "the bad requests of one replica in ten"),
        "burn": (share / objective * 100, "a bad share over the objective, in per cent"),
        "gone": (left * days * _DAY, "the time at the allowed pace"),
    }
    liar = draw.one_of(list(true))
    # A time that no share up to 100 % explains: else the budget left might be the wrong panel.
    draw.require(share < 0.08 and (liar != "gone" or left * burn > 1.1))
    value, cause = lies[liar]
    shown = {**true, liar: value}
    texts = {
        "counts": f"Last hour: {total:,} requests, {bad:,} of them bad",
        "share": f"Bad, share of the last hour: {100 * shown['share']:.3g} %",
        "objective": f"Objective: {100 * objective:g} % good over {days} d",
        "left": f"Budget left: {100 * left:.0f} %",
        "burn": f"Burn rate: {quantity(shown['burn'], '1')}",
        "gone": f"Budget gone in: {quantity(shown['gone'], 's')}, if it goes on so",
    }
    unit = {"gone": "s", "burn": "1", "share": "%"}[liar]
    scale = 100 if liar == "share" else 1
    asked = draw.drill(f"""
    You take over on call. Six panels of one service, all read at the same moment. Yesterday
    somebody rewrote the queries, and one panel has been wrong since.
    ? Commit to one of them. What it should read comes next.
    ? Which panel is it?
    {choice(texts[liar], {texts[key]: _follows(key, liar) for key in texts if key != liar})}
    > Start from the counts, which nobody computes.
    > Share = bad ÷ all; burn = share ÷ (1 − objective); gone = left × window ÷ burn.
    > {bad:,} ÷ {total:,}; then ÷ {1 - objective:.4g}; then {left:g} × {days} d ÷ that.
    . Share: {bad:,} ÷ {total:,} = {100 * share:.3g} %
    . Burn: that ÷ {100 * (1 - objective):.2g} % = {quantity(burn, "1")}
    . Gone in {left:g} × {days} d ÷ {quantity(burn, "1")} = {quantity(gone, "s")}
    . “{texts[liar]}” is wrong: it shows {cause}.
    ~ More than {100 * (1 - objective):.2g} % are bad, so it burns faster than allowed and is gone
      in less than {days} days.

    Counts, share, burn rate and time left hang together: recompute one from the others before you
    wake somebody.
    """)
    hints = {
        "share": f"""
        - good-share {100 * (1 - share)}: Those are the good ones. Which does the panel count?
        > The counts are on the board.
        > Bad ÷ all.
        > {bad:,} ÷ {total:,}, in per cent.
        """,
        "burn": f"""
        - over-the-objective {share / objective}: You divide by the objective. Which share may be
          bad?
        > How many times the allowed share is bad?
        > Bad share ÷ (1 − objective).
        > ({bad:,} ÷ {total:,}) ÷ {1 - objective:.4g}.
        """,
        "gone": f"""
        - full-budget {lasts}: That is how long a full budget lasts. How much of it is left?
        > How long does a full budget last at this pace, and how much of it is left?
        > Share left × window ÷ burn rate.
        > {left:g} × {days} d ÷ {quantity(burn, "1")}.
        """,
    }
    further = drill(f"""
    So “{texts[liar]}” is wrong.
    ? What should that panel read?
    = {scale * true[liar]} {unit} tolerance=0.02
    - as-shown {scale * value}: That is what it reads. From which panels would it follow?
    {piece(hints[liar])}
    * reading {scale * true[liar]} {unit}: It should read {quantity(scale * true[liar], unit)}.
    ~ {_SANITY[liar]}

    Write the formula of a panel into its title or its help text: then it is checked.
    """)
    return asked.then(further)


_SANITY = {
    "share": "More than the objective allows, for the budget is burning faster than allowed.",
    "burn": "More than 1: a larger share is bad than the objective allows.",
    "gone": "Sooner than at the allowed pace, for it burns faster.",
}


def _follows(key: str, liar: str) -> str:
    return {
        "counts": "The counts are counted, not computed. Which panels are made from them?",
        "objective": "The objective is agreed, not computed. Which panels use it?",
        "left": "No share of a budget up to 100 % would last as long as the board says, at the "
        "burn rate that the counts give. So the fault is not here."
        if liar == "gone"
        else "Share left × window, divided by the burn that the counts give, is the time shown: it "
        "holds.",
        "share": "Bad over all, from the counts: it holds.",
        "burn": "Bad over all, divided by what may be bad: it holds.",
        "gone": "Share left × window, divided by the burn that the counts give: it holds.",
    }[key]
