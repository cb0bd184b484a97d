"""How far one request has got, as its scheduler sees it."""

from .request import Request


class Sequence:
    """A request on its way: ``computed`` of its ``known`` tokens have their KV in memory.

    Known are the prompt and the tokens of the answer so far, at most ``most``. Whatever computes
    the last known token yields the next one. A sequence prefills until it has caught up with what
    is known, and decodes from then on, one token a step. Losing its memory sets it back to the
    start: no token is lost, only work.
    """

    __slots__ = ("computed", "id", "keys", "known", "most", "request", "was_admitted")

    def __init__(self, request: Request):
        self.request, self.id = request, request.id
        self.known = request.prompt_tokens
        self.most = request.prompt_tokens + request.max_output_tokens
        self.computed = 0
        self.keys = None  # worked out once, when somebody looks for them
        self.was_admitted = False

    @property
    def to_compute(self) -> int:
        """Known tokens whose KV is missing."""
        return self.known - self.computed

    @property
    def is_complete(self) -> bool:
        """Whether the answer is as long as it may get."""
        return self.known >= self.most

    def compute(self, new_tokens: int) -> bool:
        """Count ``new_tokens`` as computed; whether that caught up and so yielded a token."""
        self.computed += new_tokens
        if self.computed < self.known:
            return False
        self.known += 1
        return True
