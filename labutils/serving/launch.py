"""From the scheduler's plan to a launched step."""

import math
from collections.abc import Callable, Hashable

from .block_manager import OutOfBlocks
from .errors import BadPlan
from .flight import Flight, plan_of
from .open_request import OpenRequest, Part
from .plan import StepPlan, WaitUntil
from .runner import Runner
from .sampled import Sampled
from .scheduler import Scheduler


class Launcher:
    """Asks ``scheduler`` for a plan, checks it against the requests in ``open``, and launches it.

    ``idle_until_s`` is what the last ``launch`` found: None, or the time before which there is
    nothing to compute.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        runner: Runner,
        open: dict[Hashable, OpenRequest],
        clock: Callable[[], float],
    ):
        self.scheduler, self.runner, self.open, self.clock = scheduler, runner, open, clock
        self.idle_until_s: float | None = None

    def launch(self) -> Flight | None:
        """The next step, under way; None if there is nothing to compute.

        Who cannot be computed stands in ``failed``; the scheduler hears of the others alone.
        """
        start_s = self.clock()
        plan = self.scheduler.schedule(start_s)
        self.idle_until_s = _idle_until_s(plan)
        if not isinstance(plan, StepPlan):
            return None
        planned_s = self.clock()
        parts = self._parts(plan, start_s)
        failed: dict[Hashable, Exception] = {}
        sampled = self._compute(self._placed(parts, failed), failed)
        ran = [part for part in parts if part.request.id not in failed]
        for part in ran:
            part.request.move_on(part)
        plan = plan_of(plan, ran)
        flight = Flight(start_s, plan, sampled, failed, len(ran), self.runner.layout.in_use)
        launched_s = self.clock()
        self.scheduler.commit(plan)
        flight.host_s = launched_s - planned_s - flight.blocked_s
        flight.schedule_s = planned_s - start_s + self.clock() - launched_s
        return flight

    def _parts(self, plan: StepPlan, now_s: float) -> list[Part]:
        """What each request computes; ``BadPlan`` if it cannot."""
        for id in plan.preempted:
            self._request(id, "preempted").lose_memory()
            self.runner.layout.release(id)
        for id, tokens in plan.cached:
            self._request(id, "cached").find(tokens)
        if len({id for id, _ in plan.chunks}) < len(plan.chunks):
            raise BadPlan(f"chunks = {plan.chunks!r}: expected each request at most once")
        return [
            self._request(id, "scheduled").part(new_tokens, now_s) for id, new_tokens in plan.chunks
        ]

    def _request(self, id: Hashable, what: str) -> OpenRequest:
        if id not in self.open:
            raise BadPlan(f"request {id!r} is {what}: expected one that has not ended")
        return self.open[id]

    def _placed(self, parts: list[Part], failed: dict[Hashable, Exception]) -> list[Part]:
        """The parts for which there is memory."""
        placed = []
        for part in parts:
            try:
                self.runner.place(part)
                placed.append(part)
            except OutOfBlocks as error:
                failed[part.request.id] = error
        return placed

    def _compute(self, parts: list[Part], failed: dict[Hashable, Exception]) -> list[Sampled]:
        """Run ``parts`` together; if that raises, in halves, until whoever is at fault is alone.

        To compute a part again changes nothing: it writes the same keys to the same places.
        """
        if not parts:
            return []
        try:
            return [self.runner.run(parts)]
        except Exception as error:
            if len(parts) == 1:
                failed[parts[0].request.id] = error
                return []
        half = len(parts) // 2
        return self._compute(parts[:half], failed) + self._compute(parts[half:], failed)


def _idle_until_s(answer) -> float | None:
    if isinstance(answer, StepPlan):
        return None
    if answer is None:
        return math.inf
    if isinstance(answer, WaitUntil) and math.isfinite(answer.t_s):
        return answer.t_s
    raise BadPlan(f"schedule returned {answer!r}: expected a StepPlan, WaitUntil or None")
