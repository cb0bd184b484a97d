"""A step that was launched, and whose tokens were not read yet."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from labutils.engine import Generation

from .account import StepRecord, Watched


class Sampled:
    """The next tokens of ``rows``, in their order. On CUDA they travel while the host goes on.

    Made just before the model runs. ``tokens`` stay on the device. ``device_s`` are the seconds
    from there to the chosen tokens, on CUDA as the device saw them; ``blocked_s`` those in which
    the host could do nothing else.
    """

    tokens: torch.Tensor

    def __init__(
        self, rows: Sequence[Generation], device: torch.device, clock: Callable[[], float]
    ):
        self.rows, self._clock = rows, clock
        self.device_s = self.blocked_s = 0.0
        self._events = None
        if device.type == "cuda":
            self._events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            self._events[0].record()
        self._start_s = clock()

    def send(self, tokens: torch.Tensor) -> None:
        """All work of the step is queued; start the copy of ``tokens``."""
        self.tokens = self._copy = tokens
        if self._events is None:
            self.device_s = self.blocked_s = self._clock() - self._start_s
            return
        self._copy = torch.empty(tokens.shape, dtype=tokens.dtype, pin_memory=True)
        self._copy.copy_(tokens, non_blocking=True)
        self._events[1].record()

    def read(self) -> list[int]:
        """The tokens; waits until they are there."""
        if self._events:
            began_s = self._clock()
            self._events[1].synchronize()
            self.blocked_s = self._clock() - began_s
            self.device_s = self._events[0].elapsed_time(self._events[1]) / 1000
        return self._copy.tolist()


@dataclass(slots=True)
class Flight:
    """A launched step: its tokens on their way, and what it took so far (seconds).

    It has several parts where the model raised and its requests were computed one by one.
    """

    parts: list[Sampled]
    record: StepRecord

    @classmethod
    def launched(cls, parts: list[Sampled], watched: Watched, pool, now_s: float) -> "Flight":
        """The step that ``watched`` has just heard of."""
        start_s, schedule_s = watched.asked_s, watched.spent_s
        plan, in_use = watched.newest, pool.num_pages - pool.num_free
        host_s = now_s - start_s - schedule_s - sum(part.blocked_s for part in parts)
        steps = watched.shape, len(plan.chunks), in_use, len(plan.preempted)
        return cls(parts, StepRecord(start_s, schedule_s, host_s, 0.0, 0.0, *steps))

    @property
    def rows(self) -> list[Generation]:
        """The requests that get a token."""
        return [request for part in self.parts for request in part.rows]

    @property
    def tokens(self) -> torch.Tensor:
        """Their tokens, on the device."""
        return torch.cat([part.tokens for part in self.parts])

    @property
    def blocked_s(self) -> float:
        """Seconds in which the host only waited for the device, as far as they have passed."""
        return sum(part.blocked_s for part in self.parts)

    def landed(self, *, schedule_s: float, delivered_s: float, end_s: float) -> StepRecord:
        """Its record: delivery took ``delivered_s``, of which ``schedule_s`` in the scheduler."""
        before = self.record
        return before._replace(
            schedule_s=before.schedule_s + schedule_s,
            host_s=max(before.host_s + delivered_s - schedule_s, 0.0),
            device_s=sum(part.device_s for part in self.parts),
            wall_s=end_s - before.start_s,
        )
