"""Requests compete for KV memory, step by step: which run, which wait, which page is whose.

A toy on purpose. In each step every running request writes one token; it arrives, is admitted in
turn when its memory is there, and leaves with its last token. Steps cost nothing, so that memory
alone decides. Run it twice on the same arrivals, with a reservation and with pages.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from labutils.engine import OutOfPages, Request
from labutils.ground import arguments


@dataclass(frozen=True)
class Moment:
    """One recorded step: tokens held and cells given by request, and what else runs.

    ``admitted`` counts first admissions so far, ``turned_away`` is the request at the head of the
    queue that found no room in this step (None: nobody waits).
    """

    step: int
    tokens: dict[int, int]
    given: dict[int, tuple[int, ...]]
    admitted: int
    waiting: int
    turned_away: int | None

    @property
    def newest(self) -> int | None:
        """The request that was admitted last among those inside."""
        return next(reversed(self.tokens), None)


@dataclass
class RaceRun:
    """What happened: a row for each step, and the moments that were recorded."""

    held_tokens: list[int] = field(default_factory=list)
    taken_tokens: list[int] = field(default_factory=list)
    running: list[int] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    admitted: list[int] = field(default_factory=list)
    preemptions: int = 0
    finished: int = 0
    moments: list[Moment] = field(default_factory=list)

    def filled_share(self, num_tokens: int, from_step: int = 0) -> float:
        """Share of a memory of ``num_tokens`` that held a token, averaged over the steps."""
        return float(np.mean(self.held_tokens[from_step:])) / num_tokens


def race(
    arrival_steps: Sequence[int],
    prompts: Sequence[int],
    outputs: Sequence[int],
    memory,
    *,
    steps: int,
    limits: int | Sequence[int] | None = None,
    record_every: int = 0,
    cell_tokens: int = 16,
) -> RaceRun:
    """Run ``steps`` steps; request i arrives before step ``arrival_steps[i]`` (ascending).

    ``memory`` is a ``PagePool``, a ``ContiguousReservation`` (which reserves ``limits`` tokens: one
    number, or one for each request; default: prompt and answer), or a ``Growing`` pool.

    First come, first served: no request overtakes one that does not fit. Where a running request
    finds no room to grow, the newest goes back to the head of the queue and starts again from the
    tokens that it has (preemption by recompute); in such a step none is admitted. Every
    ``record_every`` steps a moment is kept (0: none), in cells of ``cell_tokens``.
    """
    steps = arguments.whole("steps", steps)
    if not len(arrival_steps) == len(prompts) == len(outputs):
        raise ValueError(
            f"{len(arrival_steps)} arrivals, {len(prompts)} prompts, {len(outputs)} outputs: "
            "expected as many of each"
        )
    state = _State(_requests(prompts, outputs, limits), list(outputs), memory, cell_tokens)
    come = deque(enumerate(arrival_steps))
    for step in range(steps):
        while come and come[0][1] <= step:
            state.queue.append(state.requests[come.popleft()[0]])
        state.step(step, keep=bool(record_every) and step % record_every == 0)
    return state.run


def _requests(prompts, outputs, limits) -> list[Request]:
    """Request i has the number i, and may grow to its limit."""
    if limits is None:
        limits = [prompt + output for prompt, output in zip(prompts, outputs)]
    limits = np.broadcast_to(limits, len(prompts)).tolist()
    for row, (prompt, output, limit) in enumerate(zip(prompts, outputs, limits)):
        if prompt + output > limit:
            raise ValueError(f"limits[{row}] = {limit}: expected at least {prompt + output}")
    return [Request(row, n, most - n) for row, (n, most) in enumerate(zip(prompts, limits))]


class _State:
    """Which requests wait and run; ``known`` are the tokens that each holds."""

    def __init__(self, requests: list[Request], outputs: list[int], memory, cell_tokens: int):
        self.requests, self.memory, self.cell_tokens = requests, memory, cell_tokens
        self.ends = [one.prompt_tokens + output for one, output in zip(requests, outputs)]
        self.queue: deque[Request] = deque()
        self.running: list[Request] = []
        self.admitted: set[int] = set()
        self.run = RaceRun()

    def step(self, step: int, *, keep: bool) -> None:
        self._finish()
        preempted = self._grow()
        while self.queue and not preempted and self._admit(self.queue[0]):
            self.queue.popleft()
        self._note()
        if keep:
            self._keep(step)

    def _finish(self) -> None:
        """Each running request has written its token; the last one ends its answer."""
        for request in self.running:
            request.known += 1
            if request.known == self.ends[request.id]:
                self.memory.release(request)
                self.run.finished += 1
        self.running = [one for one in self.running if one.known < self.ends[one.id]]

    def _grow(self) -> bool:
        before = self.run.preemptions
        for request in tuple(self.running):
            while request in self.running and request.known > request.room:
                try:
                    self.memory.grow(request)
                except OutOfPages:
                    self._preempt(self.running.pop())
        return self.run.preemptions > before

    def _preempt(self, request: Request) -> None:
        self.memory.release(request)
        self.queue.appendleft(request)
        self.run.preemptions += 1

    def _admit(self, request: Request) -> bool:
        try:
            self.memory.start(request)
        except OutOfPages:
            return False
        self.running.append(request)
        self.admitted.add(request.id)
        return True

    def _note(self) -> None:
        run, memory = self.run, self.memory
        taken = memory.num_pages - memory.num_free if hasattr(memory, "num_free") else 0
        run.held_tokens.append(sum(one.known for one in self.running))
        run.taken_tokens.append(taken * getattr(memory, "page_tokens", 0))
        run.running.append(len(self.running))
        run.waiting.append(len(self.queue))
        run.admitted.append(len(self.admitted))

    def _keep(self, step: int) -> None:
        self.run.moments.append(
            Moment(
                step=step,
                tokens={one.id: one.known for one in self.running},
                given={one.id: self._cells(one) for one in self.running},
                admitted=len(self.admitted),
                waiting=len(self.queue),
                turned_away=self.queue[0].id if self.queue else None,
            )
        )

    def _cells(self, request: Request) -> tuple[int, ...]:
        """The cells whose first slot is its own; nothing is known of a ``Growing`` pool."""
        if not request.pages:
            return ()
        pages_in_cell = self.cell_tokens // self.memory.page_tokens
        first = -request.pages[0] % pages_in_cell
        return tuple(page // pages_in_cell for page in request.pages[first::pages_in_cell])
