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
    ahead (``forecast``, with ``step_cost``); or, where all places are taken, until one falls free,
    at the pace at which requests left their places so far.
    """

    def __init__(self, *args, step_cost: StepCost, **options):
        super().__init__(*args, **options)
        self.step_cost, self.free_s = step_cost, 0.0  # free_s: when the step under way ends
        self.predicted_s, self.started_s = {}, {}
        self.stays, self.stay_s = 0, 0.0  # requests that left their places, and their seconds there

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
        """Seconds from its arrival to its first token, as far as can be seen now."""
        ahead = list(self.waiting)
        if hasattr(self, "by"):  # a sorted queue: only those that stand before it
            ahead = ahead[: bisect_right(ahead, self.by(request), key=self.by)]
        behind = len(self.running) + len(ahead) + 1 - self.max_sequences
        pace_s = self.stay_s / self.stays / self.max_sequences if self.stays else 0.0
        work_s = prefill_s(self, request, ahead, self.step_cost)
        delay_s = max(work_s, behind * pace_s)
        return max(request.arrival_s, self.free_s) - request.arrival_s + delay_s

    def schedule(self, now_s: float):
        """The next step, and when it will have ended."""
        plan = super().schedule(now_s)
        chunks = [(one.computed, one.known, new) for one, new in getattr(plan, "chunks", ())]
        for one, _ in getattr(plan, "chunks", ()):
            self.started_s.setdefault(one.id, now_s)
        self.free_s = now_s + self.step_cost.time_s(shape_of(chunks)) if chunks else now_s
        return plan

    def finish(self, request: Request) -> None:
        """It has ended: so long did it keep its place."""
        super().finish(request)
        if request.id in self.started_s:
            self.stays += 1
            self.stay_s += self.free_s - self.started_s.pop(request.id)
