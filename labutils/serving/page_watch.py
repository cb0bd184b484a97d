"""Watch from outside that a scheduler keeps the rules of its memory."""

from collections.abc import Hashable

from .block_manager import PageLeak
from .errors import BadPlan


class PageWatch:
    """The memory of a scheduler, as far as the simulator can see it.

    Tokens are computed only where there is room for them; who ended or was preempted holds nothing;
    when nobody is left, nothing is in use. Without ``blocks`` there is nothing to watch.
    """

    def __init__(self, blocks=None):
        self.blocks = blocks
        self._in_use = "num_used" if hasattr(blocks, "num_used") else "used_tokens"
        self._room = getattr(blocks, "room", None)

    @property
    def in_use(self) -> int:
        """Pages held, or slots reserved; 0 without memory."""
        return getattr(self.blocks, self._in_use) if self._room is not None else 0

    def check_room(self, request_id: Hashable, tokens: int) -> None:
        """``BadPlan`` if a request computed, or is about to, what it has no memory for."""
        if self._room is not None and self._room(request_id) < tokens:
            raise BadPlan(
                f"request {request_id!r} computes {tokens} tokens: expected at most "
                f"{self._room(request_id)}, what its memory holds"
            )

    def check_released(self, request_id: Hashable, what: str) -> None:
        """``BadPlan`` if a request still holds memory after it ended or was preempted."""
        if self._room is not None and self._room(request_id):
            raise BadPlan(
                f"request {request_id!r} {what} and still has memory for "
                f"{self._room(request_id)} tokens: expected that it was freed"
            )

    def check_unused(self, *, nobody_runs: bool) -> None:
        """``BadPlan`` if memory is in use while nobody runs."""
        if nobody_runs and self._room is not None and self.in_use:
            raise BadPlan(f"{self.in_use} pages are in use while nobody runs: expected none")

    def check_books(self) -> None:
        """``BadPlan`` if the memory's own books do not agree: a recount, page by page."""
        if self._room is None:
            return
        try:
            self.blocks.check()
        except PageLeak as leak:
            raise BadPlan(f"at the end of the run {leak}: expected books that agree") from leak
