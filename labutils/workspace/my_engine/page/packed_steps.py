"""Some steps of an engine, row by row: what the model was given, and which rows got a token."""

from collections.abc import Hashable
from dataclasses import dataclass
from random import Random
from types import ModuleType

from ..jobs import VOCABULARY
from ..prove import small_model

NAMES, ANSWER = "ABCDEFG", 9
LIMITS = {"num_pages": 15, "page_tokens": 4, "max_sequences": 5, "token_budget": 16}
MOST_STEPS = 200


@dataclass(frozen=True)
class PackedStep:
    """The line of one step: rows of (request, new tokens, whether a token follows), in order.

    ``preempted`` are the requests that lost their memory before it.
    """

    rows: tuple[tuple[Hashable, int, bool], ...]
    preempted: tuple[Hashable, ...]


def packed_steps(room: ModuleType) -> tuple[PackedStep, ...]:
    """Every step of a small job, lab 6's: seven requests, five places, little memory.

    Whatever the engine raises comes out; ``RuntimeError`` if it does not end.
    """
    draws, plans, steps = Random(7), [], []
    engine = room.Engine(small_model(), **LIMITS)
    engine.on_step = lambda _, plan: plans.append(plan)
    for name in NAMES:
        prompt = [draws.randrange(VOCABULARY) for _ in range(draws.randint(5, 13))]
        engine.add_request(prompt, id=name, max_output_tokens=ANSWER)
    while engine.open:
        told = engine.step()
        if told is None or len(steps) >= MOST_STEPS:
            raise RuntimeError(f"no end after {len(steps)} steps; open: {list(engine.open)}")
        steps.append(_packed(plans[-1], {id for id, _ in told}))
    for one in engine.requests.values():
        if one.error is not None:
            raise one.error
    return tuple(steps)


def _packed(plan, told: set) -> PackedStep:
    chunks = sorted(plan.chunks, key=lambda one: (one[1] > 1, one[0].computed - one[1]))
    rows = tuple((request.id, new, request.id in told) for request, new in chunks)
    return PackedStep(rows, tuple(request.id for request in plan.preempted))
