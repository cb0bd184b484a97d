"""What each step of an engine held, and when it was over."""

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

import numpy as np

from labutils.engine import Plan
from labutils.serving.scheduling.step_shape import StepShape, attention_pairs


class LoggedStep(NamedTuple):
    """One step. ``end_s`` is on the engine's clock, when its tokens are known.

    ``rows`` are the requests that took part, ``outputs`` those that got a token; ``pages_in_use``
    are counted with the step's own memory; ``preempted`` are requests that lost theirs before it.
    """

    end_s: float
    shape: StepShape
    rows: int
    outputs: int
    pages_in_use: int
    preempted: int


class StepLog:
    """Notes a record for each step: ``engine.on_step = log = StepLog()``.

    ``also`` is another callback, called before the record is made.
    """

    def __init__(self, also: Callable[[object, Plan], None] | None = None):
        self.also = also
        self.records: list[LoggedStep] = []
        self._known: dict[Hashable, int] = {}

    def __call__(self, engine, plan: Plan) -> None:
        if self.also is not None:
            self.also(engine, plan)
        shape, outputs = work_of(ran(plan, self._known))
        pool = engine.pool
        in_use = pool.num_pages - pool.num_free
        counts = len(plan.chunks), outputs, in_use, len(plan.preempted)
        self.records.append(LoggedStep(engine.clock(), shape, *counts))

    def __len__(self) -> int:
        return len(self.records)

    def __bool__(self) -> bool:
        """True even without entries, for an engine that tests whether it has a hook."""
        return True

    @property
    def shapes(self) -> tuple[StepShape, ...]:
        """How much work each step held."""
        return tuple(record.shape for record in self.records)

    def durations_s(self, begin_s: float) -> np.ndarray:
        """Seconds from one step's end to the next one's, of an engine that never waits.

        So all that happens in between counts. The first step began at ``begin_s``.
        """
        return np.diff([begin_s, *(record.end_s for record in self.records)])


Part = tuple[int, int, int]
"""What a request does in a step: its new tokens, and before it those computed and those known."""


def planned(plan: Plan) -> list[Part]:
    """The parts of a plan that is still to be committed."""
    return [(new, request.computed, request.known) for request, new in plan.chunks]


def ran(plan: Plan, known: dict[Hashable, int]) -> list[Part]:
    """The parts of a plan that has been committed; ``known`` keeps what was known after each step.

    Its own counts do not say whether a request has caught up or lacks just one token.
    """
    parts = [
        (new, one.computed - new, known.get(one.id, one.prompt_tokens)) for one, new in plan.chunks
    ]
    known |= {one.id: one.known for one, _ in plan.chunks}
    return parts


def work_of(parts: Iterable[Part]) -> tuple[StepShape, int]:
    """The shape of a step, and how many requests it gives a token."""
    prefill = pairs = decodes = context = outputs = 0
    for new, computed, known in parts:
        outputs += computed + new == known
        if computed + 1 == known:
            decodes += 1
            context += known
        else:
            prefill += new
            pairs += attention_pairs(new, computed)
    return StepShape(prefill, pairs, decodes, context), outputs
