"""Replicas for requests in flight, with the batch that a promise per token allows."""

import math
from dataclasses import dataclass

from labutils.batching import AffineBatchTime
from labutils.capacity import replicas_for_concurrency
from labutils.drills.definition.writing import Draw, Drill, quantity, template


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
