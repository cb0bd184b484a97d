"""Who computes what in the next step: continuous batching, prompts first or in chunks.

A scheduler never reads a clock or a tensor and never learns how long an answer will be. It is told
what arrives (``add``), asked for the next step (``schedule``), told that the step runs (``commit``)
and which answers have ended (``finish``, which may come a step late). So the same scheduler serves
a simulated clock and a real engine.
"""

from collections import deque
from collections.abc import Callable, Hashable
from typing import Protocol

from labutils import arguments

from .admission import AdmissionView
from .kv_memory import kv_memory
from .plan import StepPlan, WaitUntil
from .request import Request
from .running import Running
from .sequence import Sequence
from .step_draft import StepDraft


class Scheduler(Protocol):
    """What the simulator and the engine ask of a scheduler: these four methods.

    Attributes that the simulator looks at where a scheduler has them: ``max_sequences`` and
    ``token_budget``, limits that its plans must keep, and ``blocks``, the memory that it plans
    with.
    """

    def add(self, request: Request) -> None:
        """Take in a request that has arrived. ``RequestTooLong`` if it can never be served."""

    def schedule(self, now_s: float) -> StepPlan | WaitUntil | None:
        """The next step; a time to wait for; or None: nothing to do before the next arrival."""

    def commit(self, plan: StepPlan, steps: int = 1) -> None:
        """``plan`` runs, ``steps`` times over (at most ``plan.repeat``). Its shape is filled in."""

    def finish(self, request_id: Hashable) -> None:
        """The answer has ended; the request gives back what it holds."""


class Continuous:
    """Continuous batching: requests join in any step and leave as soon as their answers end.

    After Orca (Yu et al., 2022). At most ``max_sequences`` requests run at a time. *Prompts first*
    (``chunked=False``): a step holds whole prompts while some in the queue may start, together
    up to ``token_budget`` tokens (a longer prompt goes alone); otherwise one token for each request
    that runs. *Chunked* (Sarathi-Serve, Agrawal et al., 2024): each step decodes one token for
    everybody, and what the budget leaves goes to prompts, of which the last is cut to fit.

    ``blocks`` is a ``BlockManager``, a ``ContiguousReservation``, or None for memory without end.
    If a decode finds no free page, the request admitted last loses its memory, returns to the head
    of the queue, and later computes again what it knew; such a step admits nobody. A request that
    might outgrow the whole memory is refused with ``RequestTooLong`` when it arrives.

    ``admission(view) -> bool`` replaces the rule by which the head of the queue starts
    (``admission.admit_what_fits``; the view is an ``AdmissionView``).

    *Fairness*: first come, first served. Whoever runs arrived before whoever waits, since a
    preempted request returns to the head. So the oldest request is never preempted, always moves
    on, and nobody starves.
    """

    def __init__(
        self,
        max_sequences: int,
        blocks=None,
        *,
        token_budget: int = 8192,
        chunked: bool = False,
        admission: Callable[[AdmissionView], bool] | None = None,
    ):
        self.max_sequences = arguments.whole("max_sequences", max_sequences)
        self.token_budget = arguments.whole("token_budget", token_budget)
        if chunked and token_budget < max_sequences:
            raise ValueError(
                f"token_budget = {token_budget}: expected at least max_sequences = "
                f"{max_sequences}, so that everybody can decode in every step"
            )
        self.blocks, self.chunked, self.admission = blocks, chunked, admission
        self.memory = kv_memory(blocks)
        self.waiting: deque[Sequence] = deque()
        self.running = Running(self.memory)

    def add(self, request: Request) -> None:
        """Let a request wait behind those that came before it."""
        self.memory.refuse_too_long(request)
        self.waiting.append(Sequence(request))

    def schedule(self, now_s: float) -> StepPlan | None:
        """The next step; None when nobody runs or waits."""
        step = StepDraft(self.token_budget)
        if self.chunked:
            self._decode(step)
            self._prefill(step)
        else:
            self._prefill(step)
            if not step.has_prompts:
                self._decode(step)
        return step.plan(self._repeat(step))

    def commit(self, plan: StepPlan, steps: int = 1) -> None:
        """``plan`` runs, ``steps`` times over."""
        self.running.commit(plan, steps)

    def finish(self, request_id: Hashable) -> None:
        """Take back the memory of a request, or forget it if it waits."""
        if not self.running.remove(request_id):
            waiting = next((one for one in self.waiting if one.id == request_id), None)
            if waiting is None:
                raise ValueError(f"request_id = {request_id!r}: expected one that runs or waits")
            self.waiting.remove(waiting)

    def _decode(self, step: StepDraft) -> None:
        """Everybody who has caught up computes a token; the newest give way if memory is short."""
        decoding = self.running.decoding
        while self.memory.is_short(decoding):
            sequence = self.running.preempt_newest()
            self.waiting.appendleft(sequence)
            step.preempted.append(sequence.id)
        self.memory.grow(decoding, 0, 1)
        step.decode(decoding)

    def _prefill(self, step: StepDraft) -> None:
        """The prompt that was cut goes on; then the head of the queue starts, while it may."""
        for sequence in self.running.prefilling:
            step.prefill(sequence, min(sequence.to_compute, step.tokens_left))
        while self.waiting and self._may_start(self.waiting[0], step):
            sequence = self.waiting.popleft()
            self.running.start(sequence)
            most = step.tokens_left if self.chunked else sequence.to_compute
            step.start(sequence, min(sequence.to_compute, most))

    def _may_start(self, sequence: Sequence, step: StepDraft) -> bool:
        """Whether the head of the queue may start in this step.

        Never in a step that preempted somebody, nor once the token budget is spent or too short
        for it (``_in_budget``). A rule of the owner's (``admission``) decides by ``_view``; without
        one there must be a place among ``max_sequences``, and memory.
        """
        if step.preempted or step.tokens_left <= 0 or not self._in_budget(sequence, step):
            return False
        if self.admission is not None:
            return bool(self.admission(self._view(sequence, step)))
        return len(self.running) < self.max_sequences and self.memory.fits(sequence)

    def _in_budget(self, sequence: Sequence, step: StepDraft) -> bool:
        """A prompt that is not to be cut needs its whole length, unless it is the step's first."""
        if self.chunked or not step.has_prompts or sequence.known <= step.tokens_left:
            return True
        return sequence.known - self.memory.look_up(sequence)[0] <= step.tokens_left

    def _view(self, sequence: Sequence, step: StepDraft) -> AdmissionView:
        cached_tokens, free_pages = self.memory.look_up(sequence)
        return AdmissionView(
            prompt_tokens=sequence.known,
            cached_tokens=cached_tokens,
            free_blocks=free_pages,
            page_tokens=self.memory.page_tokens,
            running=len(self.running),
            max_sequences=self.max_sequences,
            tokens_left=step.tokens_left,
            tokens_to_hold=self.memory.tokens_to_hold(sequence),
        )

    def _repeat(self, step: StepDraft) -> int:
        """For how many steps nothing changes but contexts, which grow."""
        decoding = self.running.decoding
        if step.has_prompts or step.preempted or not decoding.members:
            return 1
        if self.waiting and self.admission is not None:
            return 1  # nobody knows what a rule says next; memory and places only get scarcer
        return self.memory.steps_with_room(decoding, decoding.steps_to_limit)
