"""What each step of an engine held, and when it was over."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from labutils.engine import Plan
from labutils.serving.scheduling.step_shape import StepShape, attention_pairs


class StepRecord(NamedTuple):
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

    ``also`` is another callback, called when the record is made.
    """

    def __init__(self, also: Callable[[object, Plan], None] | None = None):
        self.also = also
        self.records: list[StepRecord] = []

    def __call__(self, engine, plan: Plan) -> None:
        shape, outputs = work_of(plan)
        pool = engine.pool
        in_use = pool.num_pages - pool.num_free
        counts = len(plan.chunks), outputs, in_use, len(plan.preempted)
        self.records.append(StepRecord(engine.clock(), shape, *counts))
        if self.also is not None:
            self.also(engine, plan)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def shapes(self) -> tuple[StepShape, ...]:
        """How much work each step held."""
        return tuple(record.shape for record in self.records)

    def durations_s(self, begin_s: float) -> np.ndarray:
        """Seconds from one step's end to the next one's, of an engine that never waits.

        So all that happens in between counts. The first step began at ``begin_s``.
        """
        return np.diff([begin_s, *(record.end_s for record in self.records)])


def work_of(plan: Plan) -> tuple[StepShape, int]:
    """The shape of a step that has just been committed, and how many requests it gives a token.

    A request that has caught up knows one token more than it has computed.
    """
    prefill = pairs = decodes = context = outputs = 0
    for request, new in plan.chunks:
        caught_up = request.known == request.computed + 1
        outputs += caught_up
        if new == 1 and caught_up:
            decodes += 1
            context += request.computed
        else:
            prefill += new
            pairs += attention_pairs(new, request.computed - new)
    return StepShape(prefill, pairs, decodes, context), outputs
