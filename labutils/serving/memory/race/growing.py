"""A pool with two methods, ``grow`` and ``release``, made to serve as a whole page pool."""

from labutils.engine import OutOfPages, Request


class Growing:
    """A memory made of a ``pool`` with ``grow(request id, new_tokens) -> bool`` and ``release``.

    It need not tell where its pages lie, so nothing can be drawn of it.
    """

    def __init__(self, pool):
        self.pool = pool

    def start(self, request: Request) -> None:
        """Make room for all tokens that are there; ``OutOfPages`` if the pool refuses."""
        self._take(request, request.known)

    def grow(self, request: Request) -> None:
        """Make room for one token more; ``OutOfPages`` if the pool refuses."""
        self._take(request, 1)

    def release(self, request: Request) -> None:
        """Give back all pages of ``request``."""
        self.pool.release(request.id)
        request.room = 0

    def _take(self, request: Request, tokens: int) -> None:
        if not self.pool.grow(request.id, tokens):
            raise OutOfPages(f"request {request.id!r} finds no room for {tokens} tokens")
        request.room += tokens
