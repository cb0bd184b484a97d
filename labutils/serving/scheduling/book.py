"""The auditor's books: what each request has really computed."""

from collections.abc import Sequence

from labutils.engine import Request

WAITS = -1
"""Computed tokens of a request that has no memory."""


class Book:
    """Counts of one ``request``, kept apart from those that its scheduler can write to.

    ``known`` and ``computed`` mean what they mean in a ``Request``; ``computed`` is ``WAITS`` while
    it waits, so that a request with one token to compute is one that runs. ``rank`` counts
    arrivals. ``cached`` tokens were there when it first started (None: it never did).
    """

    __slots__ = ("cached", "computed", "known", "preemptions", "rank", "request")

    def __init__(self, request: Request, rank: int):
        self.request, self.rank = request, rank
        self.known, self.computed = request.prompt_tokens, WAITS
        self.cached: int | None = None
        self.preemptions = 0

    @property
    def runs(self) -> bool:
        """Whether it was started and neither preempted nor ended since."""
        return self.computed != WAITS


class Steady:
    """A step in which every chunk is one token for a request that decodes, and that comes again.

    Most plans are the one before them once more. To check each request each time would cost more
    than the scheduler itself, so the books of such requests are written when another plan comes
    (``settle``); until then they owe ``steps`` tokens each.
    """

    def __init__(self, *, anywhere: bool):
        self.chunks: Sequence = ()
        self.books: Sequence[Book] = ()
        self.steps = 0
        self._anywhere = anywhere
        self._full: dict[int, Sequence[Book]] = {}  # who has no room left after so many steps

    def begin(self, chunks: Sequence, books: Sequence[Book]) -> None:
        """Remember a step that has just been written into the books."""
        self.chunks, self.books = chunks[:], books
        self.steps, self._full = 0, {} if self._anywhere else {0: books}

    def comes_again(self, chunks: Sequence) -> bool:
        """Whether ``chunks`` are the same, and there is room for their tokens: then count them."""
        if chunks != self.chunks or not chunks:
            return False
        for book in self._full.pop(self.steps, ()):
            steps = book.request.room - book.known + 1
            if steps <= self.steps:
                return False
            self._full.setdefault(steps, []).append(book)
        self.steps += 1
        return True

    def settle(self) -> None:
        """Write down what is owed, and wait for another steady step."""
        for book in self.books:
            book.known += self.steps
            book.computed += self.steps
        self.chunks, self.books, self.steps = (), (), 0
