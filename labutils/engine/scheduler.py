"""Which request computes what in the next step: continuous batching, in chunks or prompts first.

A scheduler reads no clock, no tensor, and never learns how long an answer will be. It is told what
arrives (``add``), asked for a step (``schedule``), told that it runs (``commit``) and which answers
have ended (``finish``, perhaps a step late). So it serves a simulated clock and an engine alike.
"""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from labutils.ground import arguments

from .pages import PagePool
from .request import Request


class Plan(NamedTuple):
    """The next step: ``chunks`` are pairs (request, new tokens to compute), each request once.

    A chunk that reaches the last known token of its request yields the next one; a shorter chunk
    yields none. ``preempted`` requests lost their memory just before this step.
    """

    chunks: Sequence[tuple[Request, int]]
    preempted: Sequence[Request] = ()


class Scheduler:
    """Requests join in any step and leave as soon as their answers end (Orca: Yu et al., 2022).

    At most ``max_sequences`` requests run at a time. *Chunked* (Sarathi-Serve: Agrawal et al.,
    2024): each step decodes one token for every running request that has caught up, and what is
    left of ``token_budget`` goes to prompts, of which the last is cut to fit. *Prompts first*
    (``chunked=False``): a step holds whole prompts while some may start, together up to the budget
    (a longer one goes alone); otherwise it decodes.

    ``pool`` is a ``PagePool`` or has its verbs. If a decode finds no free page, the newest request
    is preempted: it loses its memory, waits at the head of the queue, and later computes again what
    it knew. Such a step admits no request.

    First come, first served: the oldest request always moves on, and none starves. Other policies
    override ``wait`` (where a request enters the queue) or ``admits`` (may its head start?).
    """

    def __init__(
        self, max_sequences: int, pool: PagePool, *, token_budget: int = 8192, chunked: bool = False
    ):
        self.max_sequences = arguments.whole("max_sequences", max_sequences)
        self.token_budget = arguments.whole("token_budget", token_budget)
        if chunked and token_budget < max_sequences:
            expected = f"at least max_sequences = {max_sequences}, a token for each request"
            raise ValueError(f"token_budget = {token_budget}: expected {expected}")
        self.pool, self.chunked = pool, chunked
        self.waiting: deque[Request] = deque()
        self.running: list[Request] = []  # in order of admission

    def add(self, request: Request) -> None:
        """Let a request wait. ``RequestTooLong`` (a ``ValueError``) if it can never be served."""
        request.check()
        self.pool.refuse_too_long(request)
        self.wait(request)

    def schedule(self, now_s: float) -> Plan | None:
        """The next step, which may only preempt; None when there is nothing to do."""
        plan = Plan([], [])
        if self.chunked:
            self._decode(plan)
            self._prefill(plan)
        else:
            self._prefill(plan)
            if not plan.chunks:
                self._decode(plan)
        return plan if plan.chunks or plan.preempted else None

    def commit(self, plan: Plan) -> None:
        """``plan`` runs: count what it computes, and the token that each caught-up request gets."""
        for request, new in plan.chunks:
            before, known = request.computed, request.known
            request.computed = before + new
            if before < request.prompt_tokens:
                self.pool.publish(request, new)
            if before + new == known:
                request.known = known + 1

    def finish(self, request: Request) -> None:
        """The answer has ended, or its request was cancelled: it gives back what it holds."""
        if request in self.running:
            self.running.remove(request)
            self.pool.release(request)
        else:
            self.waiting.remove(request)

    def wait(self, request: Request, *, first: bool = False) -> None:
        """Put ``request`` into the queue: last, or ``first`` if it was preempted."""
        if first:
            self.waiting.appendleft(request)
        else:
            self.waiting.append(request)

    def admits(self, request: Request) -> bool:
        """Whether there are a place and memory for ``request``."""
        return len(self.running) < self.max_sequences and self.pool.fits(request)

    def _decode(self, plan: Plan) -> None:
        """Each request that has caught up computes a token; the newest give way for its page."""
        decoding = [one for one in self.running if one.to_compute == 1]
        growing = [one for one in decoding if one.known > one.room]
        while len(growing) > self.pool.num_free:
            newest = self._preempt(plan)
            decoding = [one for one in decoding if one is not newest]
            growing = [one for one in growing if one is not newest]
        for request in growing:
            self.pool.grow(request)
        plan.chunks.extend([(request, 1) for request in decoding])

    def _preempt(self, plan: Plan) -> Request:
        """Take the memory of the newest request that still computes; it waits in front."""
        newest = next(one for one in reversed(self.running) if one.to_compute)
        self.running.remove(newest)
        self.pool.release(newest)
        newest.preemptions += 1
        self.wait(newest, first=True)
        plan.preempted.append(newest)
        return newest

    def _prefill(self, plan: Plan) -> None:
        """The prompt that was cut goes on; then the head of the queue starts, while it may."""
        left = self.token_budget - len(plan.chunks)  # so far all of one token
        for request in self.running[len(plan.chunks) :]:  # behind all that decode
            if request.to_compute > 1 and left > 0:
                plan.chunks.append((request, min(request.to_compute, left)))
                left -= request.to_compute
        while self.waiting and self._may_start(self.waiting[0], plan, left):
            request = self.waiting.popleft()
            self.pool.start(request)
            self.running.append(request)
            new = min(request.to_compute, left) if self.chunked else request.to_compute
            plan.chunks.append((request, new))
            left -= new

    def _may_start(self, request: Request, plan: Plan, left: int) -> bool:
        """Whether the head of the queue may start, with ``left`` tokens of the budget to spend.

        Never in a step that preempted, nor without budget. A prompt that is not to be cut needs its
        whole length, unless it is the step's first. Then ``admits`` decides.
        """
        if plan.preempted or left <= 0:
            return False
        if not self.chunked and plan.chunks and request.known > left:
            return False
        return self.admits(request)
