"""How many GPUs a peak takes, and how many a lost zone."""

from labutils.capacity import gpus_for_tokens
from labutils.capacity.fleet import rounded_up
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("B25 M03 C08 N04", level=2, decision="estimate", number=29)
def gpus_at_peak(draw: Draw) -> Drill:
    """Capacity plan: GPUs at peak."""
    mean, peak = draw.number(8, 60), draw.one_of((2, 2.5, 3, 4))
    tokens, prompt = draw.whole(120, 600), draw.whole(300, 3000)
    rate, used = draw.number(900, 4000), draw.one_of((0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8))
    top = mean * peak
    plan = gpus_for_tokens(top, tokens, rate, utilization=used)
    draw.require(8 <= plan <= 90)
    headroom_twice = gpus_for_tokens(top, tokens, rate, utilization=used**2)
    prompts_too = gpus_for_tokens(top, tokens + prompt, rate, utilization=used)
    return draw.drill(f"""
    Capacity meeting for {draw.one_of(("a support chat", "a coding aid", "a tutor"))}. It sees
    {quantity(mean, "req/s")} averaged over the day and {peak:g} times that at the peak. Prompts
    have {prompt:,} tokens, answers {tokens}. One GPU, prompts of that length included, keeps up
    {quantity(rate, "tok/s")} of output. The house rule: at the peak no GPU is used beyond
    {100 * used:.0f} % of that.

    ? How many GPUs do you ask for?
    = {plan} tolerance=0 absolute=1 unsafe=below
    - rounded-down {plan - 1}: With {plan - 1} each GPU runs at
      {100 * top * tokens / rate / (plan - 1):.3g} % at the peak. Which way does the rule make you
      round?
    - the-average {gpus_for_tokens(mean, tokens, rate, utilization=used)}: You plan for the average.
      What do users meet at the busiest hour?
    - no-headroom {gpus_for_tokens(top, tokens, rate)}: You run the GPUs at their full rate at the
      peak. What does the house rule say?
    - headroom-twice {headroom_twice}: The headroom is in there twice. State one policy, and apply
      it once.
    - prompts-too {prompts_too}: You add the prompt to the output tokens. What does the measured
      rate count, and what does it already include?
    > Output tokens a second that users want, against those that one GPU may make.
    > ⌈peak rate × tokens per answer ÷ (rate of one × share allowed)⌉, rounded up once.
    > {quantity(mean, "req/s")} × {peak:g} × {tokens} ÷ ({quantity(rate, "tok/s")} × {used:g}).
    * demand {top * tokens} tok/s: Demand at the peak: {quantity(mean, "req/s")} × {peak:g} ×
      {tokens} tok = {quantity(top * tokens, "tok/s")}
    * per_gpu {rate * used} tok/s: One GPU may make {quantity(rate, "tok/s")} × {used:g} =
      {quantity(rate * used, "tok/s")}
    * gpus {plan}: The quotient, rounded up: {plan}
    ~ One GPU at its full rate answers {quantity(rate / tokens, "req/s")}; the peak brings
      {quantity(top, "req/s")}, and the rule can only add to that quotient.

    Plan at the peak, in the unit that binds (here output tokens), with one headroom policy. The
    measured rate holds for this mix of lengths and no other. Headroom is for randomness; a lost
    zone and a cold start need sums of their own.
    """).then(_lost_zone(draw, demand=(top, tokens, rate), plan=plan))


def _lost_zone(draw: Draw, *, demand: tuple[float, float, float], plan: int) -> Drill:
    stretch = draw.one_of((0.85, 0.9, 0.95))
    left = gpus_for_tokens(*demand, utilization=stretch)
    zones, whole = 3 * rounded_up(left / 2), 3 * rounded_up(plan / 3)
    both = max(zones, whole)
    draw.require(abs(zones - plan) >= 2)
    uneven = rounded_up(left * 3 / 2) if zones > plan else plan
    old = plan if zones > plan else "the old plan"
    return draw.drill(f"""
    The reliability review adds a rule. The GPUs stand in three zones, equally many in each; with
    one zone gone at the peak, those left may be used up to {100 * stretch:.0f} %. The old rule
    stays.

    ? How many GPUs do you ask for now?
    = {both} tolerance=0
    - the-old-plan {plan if zones > plan else None}: That is the plan without the new rule. With one
      zone gone, how busy is the rest?
    - new-rule-alone {zones if zones <= plan else None}: You check the new rule and forget the old
      one. Both must hold.
    - uneven-zones {uneven if uneven % 3 else None}: {uneven} GPUs do not stand in three equal
      zones. Which zone is lost, and how many does each hold?
    - survivors {left}: That many must be left after the loss. How many stood there before?
    - a-third-more {rounded_up(left * 4 / 3)}: You add a third to those that must survive. A third
      of what is lost?
    > How many must be left? They are two thirds of all.
    > Survivors = ⌈demand ÷ (rate × share)⌉; all = 3/2 of them, no fewer than before, and a multiple
      of three.
    > ⌈{quantity(demand[0] * demand[1], "tok/s")} ÷ ({quantity(demand[2], "tok/s")} × {stretch:g})⌉
      × 3/2, compared with {old}.
    * survivors {left}: Survivors that carry the peak: {left}
    . Three zones of half as many each, rounded up: {zones}
    * gpus {both}: The old rule asks for {plan}, in three equal zones {whole}; both rules hold with
      {both}.
    ~ Never fewer than before: a rule was added, none was dropped.

    Surviving the loss of one zone of n costs a factor n/(n − 1) on the survivors, which often is
    the headroom you already have. Say which rule binds; do not multiply both.
    """)
