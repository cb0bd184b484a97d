"""Requests compete for KV memory, step by step: who gets in, who waits, what lies where.

A toy on purpose. In each step every running request writes one token; it arrives, is admitted in
turn when its memory is there, and leaves with its last token. Steps cost nothing, so that memory
alone decides. Run it twice on the same arrivals, with a reservation and with pages.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from labutils import arguments

from .memories import Memory


@dataclass(frozen=True)
class Moment:
    """One recorded step: tokens held and cells given by request, and who else is about.

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
    memory: Memory,
    *,
    steps: int,
    record_every: int = 0,
) -> RaceRun:
    """Run ``steps`` steps; request i arrives before step ``arrival_steps[i]`` (ascending).

    First come, first served: nobody overtakes a request that does not fit. Where a running
    request finds no room to grow, the newest goes back to the head of the queue and starts again
    from the tokens that it has (preemption by recompute); in such a step nobody is admitted.
    ``record_every`` steps a moment is kept (0: none).
    """
    steps = arguments.whole("steps", steps)
    if not len(arrival_steps) == len(prompts) == len(outputs):
        raise ValueError(
            f"{len(arrival_steps)} arrivals, {len(prompts)} prompts, {len(outputs)} outputs: "
            "expected as many of each"
        )
    state = _State(list(prompts), list(outputs), memory)
    come = deque(enumerate(arrival_steps))
    for step in range(steps):
        while come and come[0][1] <= step:
            state.queue.append(come.popleft()[0])
        state.step(step, keep=bool(record_every) and step % record_every == 0)
    return state.run


class _State:
    """Who waits, who runs, and how far each has come."""

    def __init__(self, prompts: list[int], outputs: list[int], memory: Memory):
        self.prompts, self.outputs, self.memory = prompts, outputs, memory
        self.queue: deque[int] = deque()
        self.running: list[int] = []
        self.written: dict[int, int] = {}  # tokens of the answer, of everyone ever admitted
        self.run = RaceRun()

    def step(self, step: int, *, keep: bool) -> None:
        self._finish()
        preempted = self._grow()
        while self.queue and not preempted and self._admit(self.queue[0]):
            self.queue.popleft()
        self._note()
        if keep:
            self._keep(step)

    def _held(self, request: int) -> int:
        return self.prompts[request] + self.written[request]

    def _finish(self) -> None:
        """Each running request has written its token; the last one ends its answer."""
        for request in self.running:
            self.written[request] += 1
            if self.written[request] == self.outputs[request]:
                self.memory.release(request)
                self.run.finished += 1
        self.running = [r for r in self.running if self.written[r] < self.outputs[r]]

    def _grow(self) -> bool:
        before = self.run.preemptions
        for request in tuple(self.running):
            while request in self.running and not self.memory.grow(request, self._held(request)):
                self._preempt(self.running[-1])
        return self.run.preemptions > before

    def _preempt(self, request: int) -> None:
        self.memory.release(request)
        self.running.remove(request)
        self.queue.appendleft(request)
        self.run.preemptions += 1

    def _admit(self, request: int) -> bool:
        held = self.prompts[request] + self.written.get(request, 0)
        fits = self.memory.admit(request, held)
        if fits:
            self.running.append(request)
            self.written.setdefault(request, 0)
        return fits

    def _note(self) -> None:
        run = self.run
        run.held_tokens.append(sum(map(self._held, self.running)))
        run.taken_tokens.append(getattr(self.memory, "taken_tokens", 0))
        run.running.append(len(self.running))
        run.waiting.append(len(self.queue))
        run.admitted.append(len(self.written))

    def _keep(self, step: int) -> None:
        self.run.moments.append(
            Moment(
                step=step,
                tokens={request: self._held(request) for request in self.running},
                given=self.memory.given(),
                admitted=len(self.written),
                waiting=len(self.queue),
                turned_away=self.queue[0] if self.queue else None,
            )
        )
