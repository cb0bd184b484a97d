"""The design that paging replaced: one contiguous piece of memory per request, for the worst case.

Memory is one line of token slots. A request gets a piece as long as it might ever need, in the
first hole that is long enough. What it does not fill is lost to others while it runs (internal
waste), and free slots scattered over short holes serve nobody (external waste).
"""

from bisect import bisect, insort
from collections.abc import Iterable

from labutils.engine import OutOfPages, PageLeak, Request, RequestTooLong
from labutils.ground import arguments


class ContiguousReservation:
    """``num_tokens`` slots in one line, reserved first fit, behind the verbs of ``PagePool``.

    A page is one slot: ``request.pages`` are the slots of its piece in order, ``request.room`` is
    the piece's length: prompt and longest answer. Nothing grows and nothing is shared.
    """

    page_tokens = 1

    def __init__(self, num_tokens: int):
        self.num_pages = arguments.whole("num_tokens", num_tokens)
        self.holes = [(0, self.num_pages)]  # (start, length), by start, never adjacent

    @property
    def num_free(self) -> int:
        """Slots that no request has reserved, added up over all holes."""
        return sum(length for _, length in self.holes)

    @property
    def longest_hole(self) -> int:
        """Slots of the longest free piece."""
        return max((length for _, length in self.holes), default=0)

    def refuse_too_long(self, request: Request) -> None:
        """``RequestTooLong`` for a request whose piece would be longer than the whole line."""
        if request.most > self.num_pages:
            raise RequestTooLong(
                f"request {request.id!r} reserves {request.most} slots: expected at most "
                f"{self.num_pages}, the whole memory"
            )

    def fits(self, request: Request) -> bool:
        """Whether one hole is long enough for prompt and longest answer of ``request``."""
        return request.most <= self.longest_hole

    def start(self, request: Request) -> None:
        """Reserve one piece; no token of it is computed yet. ``OutOfPages`` changes nothing.

        It is refused when no hole is long enough, whatever is free in all.
        """
        at = next((at for at, hole in enumerate(self.holes) if hole[1] >= request.most), None)
        if at is None:
            raise OutOfPages(
                f"request {request.id!r} needs {request.most} slots in one piece; {self.num_free} "
                f"of {self.num_pages} are free, the longest hole has {self.longest_hole}"
            )
        start, length = self.holes[at]
        end = start + request.most
        self.holes[at : at + 1] = [(end, length - request.most)] if length > request.most else []
        request.pages, request.room = list(range(start, end)), request.most
        request.computed = 0
        request.cached = 0 if request.cached is None else request.cached

    def grow(self, request: Request) -> None:
        """``OutOfPages``: a reservation never grows."""
        raise OutOfPages(f"request {request.id!r} reserved {request.room} slots, and no more")

    def publish(self, request: Request, new_tokens: int) -> None:
        """Nothing to do: a reservation is never shared."""

    def release(self, request: Request) -> None:
        """Take the piece back and join it with the holes beside it."""
        start, length = request.pages[0], len(request.pages)
        after = bisect(self.holes, (start, length))
        if after < len(self.holes) and self.holes[after][0] == start + length:
            length += self.holes.pop(after)[1]
        if after and sum(self.holes[after - 1]) == start:
            before = self.holes.pop(after - 1)
            start, length = before[0], before[1] + length
        insort(self.holes, (start, length))
        request.pages, request.room, request.computed = [], 0, 0

    def check(self, requests: Iterable[Request] = ()) -> None:
        """Recount the slots; ``PageLeak`` if pieces and holes do not fill the line exactly once."""
        at = 0
        pieces = [(one.pages[0], len(one.pages)) for one in requests if one.pages]
        for start, length in sorted([*pieces, *self.holes]):
            if start != at:
                raise PageLeak(f"slot {min(start, at)} is in no piece and no hole, or in two")
            at = start + length
        if at != self.num_pages:
            raise PageLeak(f"pieces and holes end at slot {at}, not at {self.num_pages}")
