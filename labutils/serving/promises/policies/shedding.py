"""Refuse at once what would come too late: work on a late answer makes the next one late."""

from bisect import bisect_right

from labutils.engine import Request
from labutils.serving.runs.step_cost import StepCost
from labutils.serving.scheduling.refused import Refused

from ..forecast import prefill_s, shape_of
from .promising import Promising


class Shedding(Promising):
    """Predicts the TTFT of each request that arrives, and refuses it if that breaks its promise.

    The prediction is in the answer, and in ``predicted_s`` by id for those that were let in. It is
    the time until the step under way ends, and then the longer one of two: to compute the prompts
    ahead (``forecast``, with ``step_cost``); or, while the head of the queue waits for a place or
    for memory, until its own turn, at the pace at which requests started so far at such times.
    """

    def __init__(self, *args, step_cost: StepCost, **options):
        super().__init__(*args, step_cost=step_cost, **options)
        self.predicted_s, self.started = {}, set()
        self.free_s = 0.0  # when the step under way ends
        self.starts, self.held_s = 0, 0.0  # while it held: requests that started, seconds
        self.holds = False  # whether somebody waits for a place or memory, not for the budget alone

    def add(self, request: Request) -> None:
        """Let it wait, or raise ``Refused`` with the TTFT that it would have had."""
        request.check()
        self.pool.refuse_too_long(request)
        predicted_s, promised_s = self.predict_s(request), self.promises[request.id].ttft_s
        if predicted_s > promised_s:
            why = f"first token after {predicted_s:.3g} s, promised within {promised_s:.3g} s"
            raise Refused(request.id, why, predicted_ttft_s=predicted_s)
        self.predicted_s[request.id] = predicted_s
        self.wait(request)

    def predict_s(self, request: Request) -> float:
        """Predicted seconds from the arrival of ``request`` to its first token, as of now."""
        ahead = list(self.waiting)
        if hasattr(self, "by"):  # a sorted queue: only those that stand before it
            ahead = ahead[: bisect_right(ahead, self.by(request), key=self.by)]
        pace_s = self.held_s / self.starts if self.holds and self.starts else 0.0
        work_s = prefill_s(self, request, ahead, self.step_cost)
        delay_s = max(work_s, (len(ahead) + 1) * pace_s)
        return max(request.arrival_s, self.free_s) - request.arrival_s + delay_s

    def schedule(self, now_s: float):
        """The next step, and when it will have ended."""
        plan = super().schedule(now_s)
        chunks = getattr(plan, "chunks", ())
        new = {one.id for one, _ in chunks} - self.started
        work = [(one.computed, one.known, tokens) for one, tokens in chunks]
        self.free_s = now_s + self.step_cost.time_s(shape_of(work)) if chunks else now_s
        self.starts += len(new) if self.holds else 0
        self.started |= new
        self.holds = len(self.waiting) > 0 and not self.admits(self.waiting[0])
        self.held_s += self.free_s - now_s if self.holds else 0.0
        return plan

    def finish(self, request: Request) -> None:
        """It has ended."""
        super().finish(request)
        self.started.discard(request.id)
