"""Where the time of a step goes: a clock beside the scheduler, and a record of each step."""

import math
from collections.abc import Callable
from typing import NamedTuple

from labutils.engine import Generation, Plan
from labutils.serving.scheduling.step_shape import StepShape, attention_pairs


class StepRecord(NamedTuple):
    """One step of an engine. Times are seconds on the engine's clock.

    ``schedule_s``: the scheduler and the memory's books. ``host_s``: inputs, launches, bookkeeping
    and callbacks. ``device_s``: the model and the choice of tokens; on CUDA from events, so it may
    pass while the host does something else. ``wall_s``: from the start of this step to its tokens
    being known. ``rows`` are the requests that took part; ``pages_in_use`` are counted with the
    step's own memory; ``preempted`` are requests that lost theirs just before.
    """

    start_s: float
    schedule_s: float
    host_s: float
    device_s: float
    wall_s: float
    shape: StepShape
    rows: int
    pages_in_use: int
    preempted: int


class Watched:
    """A scheduler with a clock beside it; all else is the scheduler's own.

    ``asked_s`` is when it was last asked for a step, ``spent_s`` the seconds in its verbs since
    then. ``newest`` is the step that it last heard of, as it ran, and ``shape`` what that held.
    ``idle_until_s`` is None after a plan; else the time until which there is nothing to compute,
    infinity if it named none.
    """

    def __init__(self, scheduler, clock: Callable[[], float]):
        self._scheduler, self._clock = scheduler, clock
        self.asked_s = self.spent_s = 0.0
        self.newest, self.shape = Plan([]), StepShape()
        self.idle_until_s: float | None = None

    def __getattr__(self, name: str):
        return getattr(self._scheduler, name)

    def schedule(self, now_s: float) -> Plan | None:
        """Whatever the scheduler answers."""
        self.asked_s, self.spent_s = now_s, 0.0
        answer = self._timed(self._scheduler.schedule, now_s)
        planned = hasattr(answer, "chunks")
        self.idle_until_s = None if planned else getattr(answer, "t_s", math.inf)
        return answer

    def commit(self, plan: Plan) -> None:
        """``plan`` runs."""
        self.newest, self.shape = plan, shape_of(plan)
        self._timed(self._scheduler.commit, plan)

    def finish(self, request: Generation) -> None:
        """``request`` has ended."""
        self._timed(self._scheduler.finish, request)

    def _timed(self, verb: Callable, *arguments):
        began_s = self._clock()
        try:
            return verb(*arguments)
        finally:
            self.spent_s += self._clock() - began_s


def shape_of(plan: Plan) -> StepShape:
    """What ``plan`` holds, counted before anything of it is computed."""
    prompts = [(new, one.computed) for one, new in plan.chunks if one.to_compute > 1]
    contexts = [one.computed + 1 for one, _ in plan.chunks if one.to_compute == 1]
    return StepShape(
        sum(new for new, _ in prompts),
        sum(attention_pairs(new, computed) for new, computed in prompts),
        len(contexts),
        sum(contexts),
    )
