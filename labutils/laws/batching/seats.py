"""Schedules that are small enough to fill by hand: who takes a seat of the batch, and when.

Time is counted in steps, from 1. A request in its seat produces one token a step.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class SeatRequest:
    """A request of a schedule by hand: it comes at the beginning of step ``arrival`` (from 1)."""

    name: str
    arrival: int
    prompt_tokens: int
    output_tokens: int

    def held(self, start: int, step: int) -> int:
        """Tokens whose KV is in memory at the end of a step, if it was admitted in step ``start``.

        Its prompt in the step of its admission, in which its first token comes out, and one token
        more in each later step: the KV of a token is written when the next one is computed.
        """
        running = start <= step < start + self.output_tokens
        return self.prompt_tokens + step - start if running else 0


@dataclass(frozen=True)
class SeatFault:
    """What is wrong with a schedule: a ``kind``, and one sentence that names the step."""

    kind: str
    text: str


Starts = Mapping[str, int]
"""Name of a request → the step in which it is admitted. There is no preemption by hand."""


@dataclass(frozen=True)
class SeatProblem:
    """Requests, in order of arrival, for so many ``seats`` and ``memory_tokens``."""

    requests: tuple[SeatRequest, ...]
    seats: int
    memory_tokens: int

    def last_step(self, starts: Starts) -> int:
        """The step in which the last answer ends."""
        return max(starts[r.name] + r.output_tokens - 1 for r in self.requests)

    def running(self, starts: Starts, step: int) -> list[SeatRequest]:
        """Who holds a seat in this step."""
        return [r for r in self.requests if r.held(starts[r.name], step)]

    def held(self, starts: Starts, step: int) -> int:
        """Tokens in memory at the end of the step."""
        return sum(r.held(starts[r.name], step) for r in self.requests)

    def idle(self, starts: Starts) -> int:
        """Slot-steps without a token until the last answer ends."""
        return self.seats * self.last_step(starts) - sum(r.output_tokens for r in self.requests)

    def fault(self, starts: Starts) -> SeatFault | None:
        """The first thing that makes the schedule impossible, if any."""
        return next(self._faults(starts), None)

    def static_starts(self) -> dict[str, int]:
        """Static batches: waiting requests start together, the next ones when all have ended."""
        starts, step, left = {}, 1, list(self.requests)
        while left:
            step = max(step, left[0].arrival)
            here = [r for r in left[: self.seats] if r.arrival <= step]
            starts |= {r.name: step for r in here}
            step += max(r.output_tokens for r in here)
            left = left[len(here) :]
        return starts

    def continuous_starts(self) -> dict[str, int]:
        """In every step, admit the head of the line while it finds a seat and memory.

        A problem where those who run outgrow the memory later on needs preemption, and is refused
        with ``ValueError``.
        """
        starts, step, left = {}, 1, list(self.requests)
        while left:
            while left and left[0].arrival <= step and self._fits(starts, left[0], step):
                starts[left.pop(0).name] = step
            step += 1
        if fault := self.fault(starts):
            raise ValueError(f"the problem needs preemption: {fault.text}")
        return starts

    def _fits(self, starts: Starts, request: SeatRequest, step: int) -> bool:
        inside = [r for r in self.requests if r.name in starts]
        held = [h for r in inside if (h := r.held(starts[r.name], step))]
        enough = sum(held) + request.prompt_tokens <= self.memory_tokens
        return len(held) < self.seats and enough

    def _faults(self, starts: Starts) -> Iterator[SeatFault]:
        for r in self.requests:
            if starts[r.name] < r.arrival:
                yield SeatFault("too-early", f"{r.name} comes in step {r.arrival}.")
        for before, r in zip(self.requests, self.requests[1:]):
            if starts[r.name] < starts[before.name]:
                yield SeatFault("overtakes", f"{r.name} overtakes {before.name}.")
        for step in range(1, self.last_step(starts) + 1):
            names = ", ".join(r.name for r in self.running(starts, step))
            if len(names.split(", ")) > self.seats:
                yield SeatFault("no-seat", f"In step {step} there run {names}.")
            if (held := self.held(starts, step)) > self.memory_tokens:
                yield SeatFault(
                    "no-memory",
                    f"In step {step} the memory would hold {held} tokens ({names}), and it has "
                    f"room for {self.memory_tokens}.",
                )


def by_hand() -> SeatProblem:
    """The schedule of chapter 07: ten requests, three seats, memory for thirty tokens."""
    rows = (
        ("A", 1, 3, 3), ("B", 1, 2, 16), ("C", 1, 5, 7), ("D", 1, 6, 2), ("E", 6, 3, 3),
        ("F", 7, 5, 12), ("G", 10, 2, 3), ("H", 11, 8, 12), ("I", 11, 2, 4), ("J", 12, 3, 8),
    )  # fmt: skip
    return SeatProblem(tuple(SeatRequest(*row) for row in rows), seats=3, memory_tokens=30)
