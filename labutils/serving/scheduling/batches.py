"""Batches that are closed when they start: what continuous batching replaced."""

import sys
from typing import NamedTuple

from labutils.engine import Plan, Request, Scheduler
from labutils.ground import arguments
from labutils.serving.memory.unlimited import Unlimited


class WaitUntil(NamedTuple):
    """What ``schedule`` may answer: no step before ``t_s``, unless a request arrives earlier."""

    t_s: float


class StaticBatches(Scheduler):
    """Take what waits, up to ``batch`` requests, whenever the last batch has ended.

    The first step of a batch computes all its prompts, the others decode. An answer that ends early
    leaves its place empty until the whole batch has ended (the step does not pay for empty places,
    which flatters this policy). First come, first served.
    """

    def __init__(self, batch: int, pool=None):
        batch = arguments.whole("batch", batch)
        super().__init__(batch, pool or Unlimited(), token_budget=sys.maxsize)
        self.is_open = True

    def schedule(self, now_s: float) -> Plan | WaitUntil | None:
        """The next step of the batch, or the first of the next batch."""
        self.is_open = not self.running
        return super().schedule(now_s)

    def admits(self, request: Request) -> bool:
        """Whether the batch is still open, and there are a place and memory."""
        return self.is_open and super().admits(request)


class DynamicBatches(StaticBatches):
    """The same, but a batch that is not full waits for company.

    It starts when ``max_batch`` requests wait, or when the oldest of them came ``window_s`` ago.
    """

    def __init__(self, max_batch: int, window_s: float, pool=None):
        super().__init__(arguments.whole("max_batch", max_batch), pool)
        self.window_s = arguments.non_negative("window_s", window_s)

    def schedule(self, now_s: float) -> Plan | WaitUntil | None:
        """The next step of the batch; or when the next batch may start."""
        if not self.running and 0 < len(self.waiting) < self.max_sequences:
            starts_s = self.waiting[0].arrival_s + self.window_s
            if now_s < starts_s:
                return WaitUntil(starts_s)
        return super().schedule(now_s)
