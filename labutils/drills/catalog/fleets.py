"""How many replicas requests in flight take, how many GPUs a peak, how many a lost zone."""

import math
from dataclasses import dataclass

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.batching import AffineBatchTime
from labutils.laws.capacity import gpus_for_tokens, replicas_for_concurrency
from labutils.laws.capacity.fleet import rounded_up


@dataclass(frozen=True)
class _Load:
    """One replica and the traffic: what a promise of so many seconds per token leads to."""

    step: AffineBatchTime
    memory: int  # sequences that fit
    rate: float
    tokens: int
    first_s: float

    def slots(self, promise_s: float) -> int:
        fits = (promise_s - self.step.fixed_s) / self.step.per_item_s
        return min(math.floor(fits * (1 + 1e-9)), self.memory)

    def stay_s(self, slots: int) -> float:
        return self.first_s + (self.tokens - 1) * self.step(slots)

    def replicas(self, slots: int, stay_s: float) -> int:
        return replicas_for_concurrency(self.rate, stay_s, slots)

    def plan(self, promise_s: float) -> int:
        slots = self.slots(promise_s)
        return self.replicas(slots, self.stay_s(slots))


@template("B04 B25 C01 T06", level=3, decision="limit", number=32, minutes=4)
def replicas_in_flight(draw: Draw) -> Drill:
    """Replicas by Little's law, batch by TPOT."""
    fixed, item = draw.one_of((6, 8, 10, 12, 15)), draw.one_of((100, 150, 200, 250, 300))
    promise = fixed + draw.one_of((5, 8, 10, 12, 15, 20))
    load = _Load(
        step=AffineBatchTime(fixed / 1000, item / 1e6),
        memory=draw.one_of((32, 48, 64, 96, 128)),
        rate=draw.number(30, 150),
        tokens=draw.whole(150, 700),
        first_s=draw.number(0.2, 0.9),
    )
    slots = load.slots(promise / 1000)
    stay = load.stay_s(slots)
    plan, wide = load.plan(promise / 1000), max(load.memory, slots)
    alone = load.stay_s(1)
    draw.require(8 <= plan <= 120)
    limited = slots < load.memory
    filled = math.floor((promise - fixed) * 1000 / item + 1e-9)  # a step up to the promise
    return draw.drill(f"""
    A chat service gets {quantity(load.rate, "req/s")}; an answer has {load.tokens} tokens, the
    first of which comes after {quantity(load.first_s, "s")}. On one replica a decode step takes
    {fixed} ms plus {item} µs for each sequence that runs, and the memory holds {load.memory}
    sequences. A request holds a slot from its arrival to its last token. You promise {promise} ms
    per token at most. Every slot may be filled.
    ? How many replicas hold this traffic within the promise?
    = {plan} tolerance=0 absolute=1 unsafe=below
    - rounded-down {plan - 1}: {plan - 1} replicas have {(plan - 1) * slots:,} slots. How many
      requests are inside?
    - memory-alone {load.replicas(wide, load.stay_s(wide)) if limited else None}: You fill the
      memory. What does a step take then, and what did you promise?
    - promise-alone {None if limited else load.replicas(filled, load.stay_s(slots))}: You fill a
      step up to the promise. Where do so many caches lie?
    - time-of-one-alone {load.replicas(slots, alone)}: You take the time of an answer that runs
      alone. How long does a step take with all slots filled?
    - one-per-second {max(1, math.ceil(load.rate / slots))}: You divide requests per second by
      slots. For how long does each hold its slot?
    > How many run at once on one replica, and how many are inside in all?
    > Slots = min(what the promise allows, what memory holds); stay = first token + (n − 1) steps at
      that batch; replicas = ⌈rate × stay ÷ slots⌉.
    > Slots = min(({promise} − {fixed}) ms ÷ {item} µs, {load.memory}); then
      {quantity(load.rate, "req/s")} × ({quantity(load.first_s, "s")} + {load.tokens - 1} steps).
    * slots {slots}: Slots: min(⌊({promise} − {fixed}) ms ÷ {item} µs⌋, {load.memory}) = {slots}
    * step {load.step(slots)} s: A step with {slots}: {quantity(load.step(slots), "s")}
    * stay {stay} s: Stay: {quantity(load.first_s, "s")} + {load.tokens - 1} ×
      {quantity(load.step(slots), "s")} = {quantity(stay, "s")}
    * inside {load.rate * stay} req: Inside: {quantity(load.rate, "req/s")} × {quantity(stay, "s")}
      = {quantity(load.rate * stay, "req")}
    * replicas {plan}: ÷ {slots} slots, rounded up: {plan}
    ~ At {promise} ms a token an answer takes at most
      {quantity(load.first_s + (load.tokens - 1) * promise / 1000, "s")}.

    Little's law (inside = rate × stay) sizes a fleet if the stay is that at the batch you plan.
    With the stay of an idle machine you get too few replicas; with slots from memory alone you
    break the promise. Full slots leave nothing for randomness: divide by a utilization once you
    know the target.
    """).then(_tighter(draw, load=load, promise=promise, fixed=fixed, plan=plan))


def _tighter(draw: Draw, *, load: _Load, promise: int, fixed: int, plan: int) -> Drill:
    slots = load.slots(promise / 1000)
    tight = fixed + max(2, round((promise - fixed) * draw.one_of((0.4, 0.5, 0.6))))
    new = load.plan(tight / 1000)
    fewer = load.slots(tight / 1000)
    draw.require(fewer < 0.9 * slots and fewer >= 4 and new <= 200)
    stay = load.stay_s(fewer)
    return draw.drill(f"""
    Sales has sold a better promise: {tight} ms per token instead of {promise} ms.
    ? How many replicas does the same traffic take now?
    = {new} tolerance=0 absolute=1 unsafe=below
    - rounded-down {new - 1}: {new - 1} replicas have {(new - 1) * fewer:,} slots. How many requests
      are inside?
    - unchanged {plan}: That is the old fleet. How many may share a step now?
    - by-the-ratio-of-promises {math.ceil(plan * promise / tight)}: You scale with the promise. A
      step has a fixed part: what is left of the promise for sequences?
    - old-stay {load.replicas(fewer, load.stay_s(slots))}: Your slots are new and your stay is old.
      How fast does an answer come now?
    > Both the slots and the stay change.
    > Slots from the new promise, stay from the new step, then rate × stay ÷ slots.
    > Slots = ⌊({tight} − {fixed}) ms ÷ {load.step.per_item_s * 1e6:g} µs⌋, no more than
      {load.memory}.
    * slots {fewer}: Slots: {fewer}
    * stay {stay} s: Stay: {quantity(load.first_s, "s")} + {load.tokens - 1} ×
      {quantity(load.step(fewer), "s")} = {quantity(stay, "s")}
    * replicas {new}: {quantity(load.rate, "req/s")} × {quantity(stay, "s")} ÷ {fewer}, rounded up:
      {new}
    ~ More than before: fewer share a step, and the time saved is the smaller effect.

    The price of a promise per token grows as the promise nears the fixed part of a step: each
    replica then carries a few sequences and reads all weights for them.
    """)


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
