"""What the simulator writes down about one request."""

from .request import Request
from .sequence import Sequence


class Account(Sequence):
    """A request with the true length of its answer (``most``), and how it fared. Times are ticks.

    ``stays`` has a list [admitted, caught up, left] for each time that it got memory; caught up is
    None where it lost its memory before. ``pieces`` has a list [tick, first, end] for each stretch
    of tokens: one token at the tick (None: none), then one in each decode step from number
    ``first`` to before ``end``. So the times of tokens need no memory of their own.
    """

    __slots__ = ("cached", "first_token", "pieces", "preemptions", "row", "stays")

    def __init__(self, row: int, request: Request, output_tokens: int):
        super().__init__(request)
        self.most = request.prompt_tokens + output_tokens
        self.row = row
        self.cached = self.preemptions = 0
        self.first_token: int | None = None
        self.stays: list[list] = []
        self.pieces: list[list] = []

    @property
    def is_running(self) -> bool:
        """Whether it holds memory."""
        return bool(self.stays) and self.stays[-1][2] is None

    @property
    def has_caught_up(self) -> bool:
        """Whether it decodes, rather than prefills."""
        return self.is_running and self.stays[-1][1] is not None

    @property
    def tokens_out(self) -> int:
        """Tokens of the answer, counted from the pieces."""
        return sum((token is not None) + end - first for token, first, end in self.pieces)
