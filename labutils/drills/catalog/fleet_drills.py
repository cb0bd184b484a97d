"""How many GPUs a peak takes, and how many a lost zone."""

from labutils.capacity import gpus_for_tokens
from labutils.capacity.fleet import rounded_up
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say


@template(
    "gpus_at_peak",
    "Capacity plan: GPUs at peak",
    level=2,
    number=29,
    decision=Decision.estimate,
    topics=("B25", "M03", "C08", "N04"),
)
def gpus_at_peak(draw: Draw) -> Drill:
    mean, peak = draw.number(8, 60), draw.one_of((2, 2.5, 3, 4))
    tokens, prompt = draw.whole(120, 600), draw.whole(300, 3000)
    rate, used = draw.number(900, 4000), draw.one_of((0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8))
    top = mean * peak
    plan = gpus_for_tokens(top, tokens, rate, utilization=used)
    draw.require(8 <= plan <= 90)
    return Drill(
        story=(
            f"Capacity meeting for {draw.one_of(('a support chat', 'a coding aid', 'a tutor'))}. "
            f"It sees {say(mean, 'req/s')} averaged over the day and {peak:g} times that at the "
            f"peak. Prompts have {prompt:,} tokens, answers {tokens}. One GPU, prompts of that "
            f"length included, keeps up {say(rate, 'tok/s')} of output. The house rule: at the "
            f"peak no GPU is used beyond {100 * used:.0f} % of that."
        ),
        question="How many GPUs do you ask for?",
        answer=plan,
        tolerance=0,
        absolute=1,
        unsafe="below",
        mistakes=(
            Mistake(
                "rounded-down",
                plan - 1,
                f"With {plan - 1} each GPU runs at {100 * top * tokens / rate / (plan - 1):.3g} % "
                "at the peak. Which way does the rule make you round?",
            ),
            Mistake(
                "the-average",
                gpus_for_tokens(mean, tokens, rate, utilization=used),
                "You plan for the average. What do users meet at the busiest hour?",
            ),
            Mistake(
                "no-headroom",
                gpus_for_tokens(top, tokens, rate),
                "You run the GPUs at their full rate at the peak. What does the house rule say?",
            ),
            Mistake(
                "headroom-twice",
                gpus_for_tokens(top, tokens, rate, utilization=used**2),
                "The headroom is in there twice. State one policy, and apply it once.",
            ),
            Mistake(
                "prompts-too",
                gpus_for_tokens(top, tokens + prompt, rate, utilization=used),
                "You add the prompt to the output tokens. What does the measured rate count, and "
                "what does it already include?",
            ),
        ),
        hints=(
            "Output tokens a second that users want, against those that one GPU may make.",
            "⌈peak rate × tokens per answer ÷ (rate of one × share allowed)⌉, rounded up once.",
            f"{say(mean, 'req/s')} × {peak:g} × {tokens} ÷ ({say(rate, 'tok/s')} × {used:g}).",
        ),
        steps=(
            Step(
                f"Demand at the peak: {say(mean, 'req/s')} × {peak:g} × {tokens} tok = "
                f"{say(top * tokens, 'tok/s')}",
                name="demand",
                value=top * tokens,
                unit="tok/s",
            ),
            Step(
                f"One GPU may make {say(rate, 'tok/s')} × {used:g} = {say(rate * used, 'tok/s')}",
                name="per_gpu",
                value=rate * used,
                unit="tok/s",
            ),
            Step(f"The quotient, rounded up: {plan}", name="gpus", value=plan),
        ),
        sanity=(
            f"One GPU at its full rate answers {say(rate / tokens, 'req/s')}; the peak brings "
            f"{say(top, 'req/s')}, and the rule can only add to that quotient."
        ),
        moral=(
            "Plan at the peak, in the unit that binds (here output tokens), with one headroom "
            "policy. The measured rate holds for this mix of lengths and no other. Headroom is for "
            "randomness; a lost zone and a cold start need sums of their own."
        ),
        follow_up=_lost_zone(draw, demand=(top, tokens, rate), plan=plan),
    )


def _lost_zone(draw: Draw, *, demand: tuple[float, float, float], plan: int) -> Drill:
    stretch = draw.one_of((0.85, 0.9, 0.95))
    left = gpus_for_tokens(*demand, utilization=stretch)
    zones, whole = 3 * rounded_up(left / 2), 3 * rounded_up(plan / 3)
    both = max(zones, whole)
    draw.require(abs(zones - plan) >= 2)
    other = (
        Mistake(
            "the-old-plan",
            plan,
            "That is the plan without the new rule. With one zone gone, how busy is the rest?",
        )
        if zones > plan
        else Mistake(
            "new-rule-alone",
            zones,
            "You check the new rule and forget the old one. Both must hold.",
        )
    )
    uneven = rounded_up(left * 3 / 2) if zones > plan else plan
    return Drill(
        story=(
            "The reliability review adds a rule. The GPUs stand in three zones, equally many in "
            f"each; with one zone gone at the peak, those left may be used up to "
            f"{100 * stretch:.0f} %. The old rule stays."
        ),
        question="How many GPUs do you ask for now?",
        answer=both,
        tolerance=0,
        mistakes=(
            other,
            *(
                (
                    Mistake(
                        "uneven-zones",
                        uneven,
                        f"{uneven} GPUs do not stand in three equal zones. Which zone is lost, and "
                        "how many does each hold?",
                    ),
                )
                if uneven % 3
                else ()
            ),
            Mistake(
                "survivors",
                left,
                "That many must be left after the loss. How many stood there before?",
            ),
            Mistake(
                "a-third-more",
                rounded_up(left * 4 / 3),
                "You add a third to those that must survive. A third of what is lost?",
            ),
        ),
        hints=(
            "How many must be left? They are two thirds of all.",
            "Survivors = ⌈demand ÷ (rate × share)⌉; all = 3/2 of them, no fewer than before, and a "
            "multiple of three.",
            f"⌈{say(demand[0] * demand[1], 'tok/s')} ÷ ({say(demand[2], 'tok/s')} × {stretch:g})⌉ "
            f"× 3/2, compared with {plan}."
            if zones > plan
            else f"⌈{say(demand[0] * demand[1], 'tok/s')} ÷ ({say(demand[2], 'tok/s')} × "
            f"{stretch:g})⌉ × 3/2, compared with the old plan.",
        ),
        steps=(
            Step(f"Survivors that carry the peak: {left}", name="survivors", value=left),
            Step(f"Three zones of half as many each, rounded up: {zones}"),
            Step(
                f"The old rule asks for {plan}, in three equal zones {whole}; both rules hold with "
                f"{both}.",
                name="gpus",
                value=both,
            ),
        ),
        sanity="Never fewer than before: a rule was added, none was dropped.",
        moral=(
            "Surviving the loss of one zone of n costs a factor n/(n − 1) on the survivors, which "
            "often is the headroom you already have. Say which rule binds; do not multiply both."
        ),
    )
