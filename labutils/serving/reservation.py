"""The design that paging replaced: one contiguous piece of memory per request, for the worst case.

Memory is one line of token slots. A request gets a piece as long as it might ever need, at the
first hole that is long enough. What it does not fill is lost to others while it runs (internal
waste), and free slots scattered over short holes serve nobody (external waste).
"""

from bisect import bisect, insort
from collections.abc import Hashable, Sequence

from labutils import arguments

from .block_manager import OutOfBlocks, PageLeak


class ContiguousReservation:
    """``num_tokens`` slots in one line, reserved first fit. Same verbs as ``BlockManager``."""

    def __init__(self, num_tokens: int):
        self.num_tokens = arguments.whole("num_tokens", num_tokens)
        self._spans: dict[Hashable, tuple[int, int]] = {}  # request -> (start, reserved)
        self._filled: dict[Hashable, int] = {}
        self._holes = [(0, self.num_tokens)]  # (start, length), by start, never adjacent

    @property
    def used_tokens(self) -> int:
        """Slots that are reserved, filled or not."""
        return sum(reserved for _, reserved in self._spans.values())

    @property
    def filled_tokens(self) -> int:
        """Slots that hold a token: what ``extend`` was told, request by request."""
        return sum(self._filled.values())

    @property
    def free_tokens(self) -> int:
        """Slots that nobody reserved, in whatever pieces."""
        return self.num_tokens - self.used_tokens

    def holes(self) -> tuple[tuple[int, int], ...]:
        """The free pieces as (start, length), from left to right."""
        return tuple(self._holes)

    def span(self, request_id: Hashable) -> tuple[int, int]:
        """Where a request lies: (start, reserved length)."""
        if request_id not in self._spans:
            raise ValueError(f"request_id = {request_id!r}: expected one that holds a reservation")
        return self._spans[request_id]

    def room(self, request_id: Hashable) -> int:
        """Slots that a request has reserved; 0 if it has none."""
        return self._spans.get(request_id, (0, 0))[1]

    def check(self) -> None:
        """Recount the slots; ``PageLeak`` if spans and holes do not fill the line exactly once."""
        at = 0
        for start, length in sorted([*self._spans.values(), *self._holes]):
            if start != at:
                raise PageLeak(f"slot {min(start, at)} is in no span and no hole, or in two")
            at = start + length
        if at != self.num_tokens:
            raise PageLeak(f"spans and holes end at slot {at}, not at {self.num_tokens}")

    def can_allocate(self, tokens: int, keys: Sequence[Hashable] = ()) -> bool:
        """Whether some hole is at least ``tokens`` long."""
        return self._first_fit(tokens) is not None

    def allocate(
        self, request_id: Hashable, tokens: int, keys: Sequence[Hashable] = (), *, count=True
    ) -> int:
        """Reserve ``tokens`` slots in one piece; returns 0, since nothing is ever shared.

        ``OutOfBlocks``, changing nothing, when no hole is long enough, whatever is free in all.
        """
        if request_id in self._spans:
            raise ValueError(f"request_id = {request_id!r}: expected one without a reservation")
        at = self._first_fit(tokens)
        if at is None:
            raise OutOfBlocks(self._refusal(request_id, tokens))
        start, length = self._holes[at]
        self._holes[at : at + 1] = [(start + tokens, length - tokens)] if length > tokens else []
        self._spans[request_id] = (start, tokens)
        self._filled[request_id] = 0
        return 0

    def can_extend(self, request_id: Hashable, tokens: int) -> bool:
        """Whether ``tokens`` tokens in all fit into what the request reserved."""
        return tokens <= self.span(request_id)[1]

    def extend(self, request_id: Hashable, tokens: int) -> None:
        """Note that a request fills ``tokens`` of its slots; a reservation never grows."""
        if not self.can_extend(request_id, tokens):
            reserved = self.span(request_id)[1]
            raise OutOfBlocks(f"request {request_id!r} reserved {reserved} tokens, not {tokens}")
        self._filled[request_id] = max(tokens, self._filled[request_id])

    def publish(self, request_id: Hashable, computed_tokens: int) -> None:
        """Does nothing: a reservation is never shared."""
        self.span(request_id)

    def free(self, request_id: Hashable) -> None:
        """Give the piece back and join it with the holes beside it."""
        start, length = self.span(request_id)
        del self._spans[request_id], self._filled[request_id]
        after = bisect(self._holes, (start, length))
        if after < len(self._holes) and self._holes[after][0] == start + length:
            length += self._holes.pop(after)[1]
        if after and sum(self._holes[after - 1]) == start:
            before = self._holes.pop(after - 1)
            start, length = before[0], before[1] + length
        insort(self._holes, (start, length))

    def _first_fit(self, tokens: int) -> int | None:
        if tokens < 1:
            raise ValueError(f"tokens = {tokens!r}: expected a whole number of at least 1")
        fits = (at for at, (_, length) in enumerate(self._holes) if length >= tokens)
        return next(fits, None)

    def _refusal(self, request_id: Hashable, tokens: int) -> str:
        longest = max((length for _, length in self._holes), default=0)
        return (
            f"request {request_id!r} needs {tokens} tokens in one piece; {self.free_tokens} of "
            f"{self.num_tokens} are free, the longest hole has {longest}"
        )
