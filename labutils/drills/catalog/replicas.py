"""Replicas for requests in flight, with the batch that a promise per token allows."""

import math
from dataclasses import dataclass

from labutils.batching import AffineBatchTime
from labutils.capacity import replicas_for_concurrency
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say


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


@template(
    "replicas_in_flight",
    "Replicas by Little's law, batch by TPOT",
    level=3,
    number=32,
    decision=Decision.limit,
    topics=("B04", "B25", "C01", "T06"),
    minutes=4,
)
def replicas_in_flight(draw: Draw) -> Drill:
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
    return Drill(
        story=(
            f"A chat service gets {say(load.rate, 'req/s')}; an answer has {load.tokens} tokens, "
            f"the first of which comes after {say(load.first_s, 's')}. On one replica a decode "
            f"step takes {fixed} ms plus {item} µs for each sequence that runs, and the memory "
            f"holds {load.memory} sequences. A request holds a slot from its arrival to its last "
            f"token. You promise {promise} ms per token at most. Every slot may be filled."
        ),
        question="How many replicas hold this traffic within the promise?",
        answer=plan,
        tolerance=0,
        absolute=1,
        unsafe="below",
        mistakes=(
            Mistake(
                "rounded-down",
                plan - 1,
                f"{plan - 1} replicas have {(plan - 1) * slots:,} slots. How many requests are "
                "inside?",
            ),
            Mistake(
                "memory-alone" if limited else "promise-alone",
                load.replicas(wide, load.stay_s(wide))
                if limited
                else load.replicas(
                    math.floor((promise - fixed) * 1000 / item + 1e-9), load.stay_s(slots)
                ),
                "You fill the memory. What does a step take then, and what did you promise?"
                if limited
                else "You fill a step up to the promise. Where do so many caches lie?",
            ),
            Mistake(
                "time-of-one-alone",
                load.replicas(slots, alone),
                "You take the time of an answer that runs alone. How long does a step take with "
                "all slots filled?",
            ),
            Mistake(
                "one-per-second",
                max(1, math.ceil(load.rate / slots)),
                "You divide requests per second by slots. For how long does each hold its slot?",
            ),
        ),
        hints=(
            "How many run at once on one replica, and how many are inside in all?",
            "Slots = min(what the promise allows, what memory holds); stay = first token + "
            "(n − 1) steps at that batch; replicas = ⌈rate × stay ÷ slots⌉.",
            f"Slots = min(({promise} − {fixed}) ms ÷ {item} µs, {load.memory}); then "
            f"{say(load.rate, 'req/s')} × ({say(load.first_s, 's')} + {load.tokens - 1} steps).",
        ),
        steps=(
            Step(
                f"Slots: min(⌊({promise} − {fixed}) ms ÷ {item} µs⌋, {load.memory}) = {slots}",
                name="slots",
                value=slots,
            ),
            Step(
                f"A step with {slots}: {say(load.step(slots), 's')}",
                name="step",
                value=load.step(slots),
                unit="s",
            ),
            Step(
                f"Stay: {say(load.first_s, 's')} + {load.tokens - 1} × "
                f"{say(load.step(slots), 's')} = {say(stay, 's')}",
                name="stay",
                value=stay,
                unit="s",
            ),
            Step(
                f"Inside: {say(load.rate, 'req/s')} × {say(stay, 's')} = "
                f"{say(load.rate * stay, 'req')}",
                name="inside",
                value=load.rate * stay,
                unit="req",
            ),
            Step(f"÷ {slots} slots, rounded up: {plan}", name="replicas", value=plan),
        ),
        sanity=(
            f"At {promise} ms a token an answer takes at most "
            f"{say(load.first_s + (load.tokens - 1) * promise / 1000, 's')}."
        ),
        moral=(
            "Little's law (inside = rate × stay) sizes a fleet if the stay is that at the batch "
            "you plan. With the stay of an idle machine you get too few replicas; with slots from "
            "memory alone you break the promise. Full slots leave nothing for randomness: divide "
            "by a utilization once you know the target."
        ),
        follow_up=_tighter(draw, load=load, promise=promise, fixed=fixed, plan=plan),
    )


def _tighter(draw: Draw, *, load: _Load, promise: int, fixed: int, plan: int) -> Drill:
    slots = load.slots(promise / 1000)
    tight = fixed + max(2, round((promise - fixed) * draw.one_of((0.4, 0.5, 0.6))))
    new = load.plan(tight / 1000)
    fewer = load.slots(tight / 1000)
    draw.require(fewer < 0.9 * slots and fewer >= 4 and new <= 200)
    stay = load.stay_s(fewer)
    return Drill(
        story=f"Sales has sold a better promise: {tight} ms per token instead of {promise} ms.",
        question="How many replicas does the same traffic take now?",
        answer=new,
        tolerance=0,
        absolute=1,
        unsafe="below",
        mistakes=(
            Mistake(
                "rounded-down",
                new - 1,
                f"{new - 1} replicas have {(new - 1) * fewer:,} slots. How many requests are "
                "inside?",
            ),
            Mistake("unchanged", plan, "That is the old fleet. How many may share a step now?"),
            Mistake(
                "by-the-ratio-of-promises",
                math.ceil(plan * promise / tight),
                "You scale with the promise. A step has a fixed part: what is left of the promise "
                "for sequences?",
            ),
            Mistake(
                "old-stay",
                load.replicas(fewer, load.stay_s(slots)),
                "Your slots are new and your stay is old. How fast does an answer come now?",
            ),
        ),
        hints=(
            "Both the slots and the stay change.",
            "Slots from the new promise, stay from the new step, then rate × stay ÷ slots.",
            f"Slots = ⌊({tight} − {fixed}) ms ÷ {load.step.per_item_s * 1e6:g} µs⌋, no more than "
            f"{load.memory}.",
        ),
        steps=(
            Step(f"Slots: {fewer}", name="slots", value=fewer),
            Step(
                f"Stay: {say(load.first_s, 's')} + {load.tokens - 1} × "
                f"{say(load.step(fewer), 's')} = {say(stay, 's')}",
                name="stay",
                value=stay,
                unit="s",
            ),
            Step(
                f"{say(load.rate, 'req/s')} × {say(stay, 's')} ÷ {fewer}, rounded up: {new}",
                name="replicas",
                value=new,
            ),
        ),
        sanity="More than before: fewer share a step, and the time saved is the smaller effect.",
        moral=(
            "The price of a promise per token grows as the promise nears the fixed part of a step: "
            "each replica then carries a few sequences and reads all weights for them."
        ),
    )
