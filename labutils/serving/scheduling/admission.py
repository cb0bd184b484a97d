"""Whether the head of the queue may start: what a rule sees, and a scheduler that asks it."""

from collections.abc import Callable
from typing import NamedTuple

from labutils.engine import Request, Scheduler
from labutils.serving.memory.reservation import ContiguousReservation


class AdmissionView(NamedTuple):
    """What may be known about the head of the queue and the server when a step is planned.

    ``prompt_tokens`` are all that have to be computed or found: after a preemption the tokens of
    the answer so far count too. ``cached_tokens`` of them are still in memory. ``free_pages`` are
    the pages of ``page_tokens`` tokens that can be had beside those (infinitely many where memory
    is not limited; where it is reserved in one piece, the slots of the longest hole, and a page is
    one slot). ``tokens_to_hold`` are the tokens for which memory is taken at admission: the prompt,
    or with reservation everything up to the longest answer.
    """

    prompt_tokens: int
    cached_tokens: int
    free_pages: int
    page_tokens: int
    running: int
    max_sequences: int
    tokens_to_hold: int

    @property
    def pages_needed(self) -> int:
        """Pages that admission takes from the free ones."""
        whole = -(-self.tokens_to_hold // self.page_tokens)
        return whole - self.cached_tokens // self.page_tokens


def admit_what_fits(view: AdmissionView) -> bool:
    """The rule of ``Scheduler``: a place is free, and there is memory for the whole prompt."""
    return view.running < view.max_sequences and view.pages_needed <= view.free_pages


class ByRule(Scheduler):
    """A ``Scheduler`` that asks ``rule(view)`` whether the head of the queue may start.

    Places and memory are then the rule's affair: one that admits what does not fit is a ``BadPlan``
    in the making. The token budget stays the scheduler's.
    """

    def __init__(self, *args, rule: Callable[[AdmissionView], bool], **options):
        super().__init__(*args, **options)
        self.rule = rule

    def admits(self, request: Request) -> bool:
        """What the rule says."""
        return bool(self.rule(self.view(request)))

    def view(self, request: Request) -> AdmissionView:
        """What the rule may know about ``request`` and about the server."""
        pool = self.pool
        found = pool.find(request) if hasattr(pool, "find") else []
        reserves = isinstance(pool, ContiguousReservation)
        free = pool.longest_hole if reserves else pool.num_free
        return AdmissionView(
            prompt_tokens=request.known,
            cached_tokens=len(found) * pool.page_tokens,
            free_pages=free - sum(not pool.owners[page] for page in found),
            page_tokens=pool.page_tokens,
            running=len(self.running),
            max_sequences=self.max_sequences,
            tokens_to_hold=request.most if reserves else request.known,
        )
