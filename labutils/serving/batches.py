"""Batches that are closed when they start: what continuous batching replaced."""

from collections import deque
from collections.abc import Hashable

from labutils import arguments

from .kv_memory import kv_memory
from .plan import StepPlan, WaitUntil
from .request import Request
from .running import Running
from .sequence import Sequence
from .step_draft import StepDraft


class DynamicBatches:
    """Collect up to ``max_batch`` requests, then serve them until the last answer has ended.

    A batch starts when it is full, or when its oldest request has waited ``window_s`` since it
    arrived. Its first step computes all prompts, the others decode. An answer that ends early
    leaves its place empty until the whole batch has ended (the step does not pay for empty places,
    which flatters these policies).

    *Fairness*: first come, first served.
    """

    blocks = None

    def __init__(self, max_batch: int, window_s: float):
        self.max_sequences = arguments.whole("max_batch", max_batch)
        self.window_s = arguments.non_negative("window_s", window_s)
        self.waiting: deque[Sequence] = deque()
        self.running = Running(kv_memory(None))

    def add(self, request: Request) -> None:
        """Let a request wait behind those that came before it."""
        self.waiting.append(Sequence(request))

    def schedule(self, now_s: float) -> StepPlan | WaitUntil | None:
        """The next step of the batch; or the first of the next batch, once that may start."""
        step, decoding = StepDraft(0), self.running.decoding
        if decoding.members:
            step.decode(decoding)
            return step.plan(repeat=decoding.steps_to_limit)
        if self.running or not self.waiting:
            return None
        starts_s = self._starts_s()
        if now_s < starts_s:
            return WaitUntil(starts_s)
        for _ in range(min(self.max_sequences, len(self.waiting))):
            sequence = self.waiting.popleft()
            self.running.start(sequence)
            step.start(sequence, sequence.to_compute)
        return step.plan()

    def commit(self, plan: StepPlan, steps: int = 1) -> None:
        """``plan`` runs, ``steps`` times over."""
        self.running.commit(plan, steps)

    def finish(self, request_id: Hashable) -> None:
        """Leave the place empty, and the batch goes on; or forget a request that waits."""
        if not self.running.remove(request_id):
            waiting = next((one for one in self.waiting if one.id == request_id), None)
            if waiting is None:
                raise ValueError(f"request_id = {request_id!r}: expected one that runs or waits")
            self.waiting.remove(waiting)

    def _starts_s(self) -> float:
        """When the requests that wait may start, were nobody else to come."""
        if len(self.waiting) >= self.max_sequences:
            return float("-inf")
        return self.waiting[0].request.arrival_s + self.window_s


class StaticBatches(DynamicBatches):
    """Take what waits, up to ``batch`` requests, whenever the last batch has ended."""

    def __init__(self, batch: int):
        super().__init__(batch, 0.0)
