"""Memory of a decode pool: requests come with the caches of their prompts."""

from collections.abc import Iterable

from labutils.engine import PagePool, Request


class ArrivedCaches:
    """A ``PagePool`` whose requests start with everything computed but their last known token.

    The cache was computed elsewhere and has come over a link; it needs pages all the same. A
    request that was preempted lost it, and computes again what it knew.
    """

    def __init__(self, num_pages: int, page_tokens: int = 16):
        self.pages = PagePool(num_pages, page_tokens)
        self.num_pages, self.page_tokens = self.pages.num_pages, page_tokens

    @property
    def num_free(self) -> int:
        """Pages that can be had now."""
        return self.pages.num_free

    def refuse_too_long(self, request: Request) -> None:
        """``RequestTooLong`` for a request that could outgrow the whole pool."""
        self.pages.refuse_too_long(request)

    def fits(self, request: Request) -> bool:
        """Whether ``start`` would succeed now."""
        return self.pages.fits(request)

    def start(self, request: Request) -> None:
        """Give ``request`` pages. At its first start its KV cache has arrived with it."""
        is_first = request.cached is None
        self.pages.start(request)
        if is_first:
            request.computed = request.cached = request.known - 1

    def grow(self, request: Request) -> None:
        """Give it one more page."""
        self.pages.grow(request)

    def publish(self, request: Request, new_tokens: int) -> None:
        """Nothing is shared."""

    def release(self, request: Request) -> None:
        """Take its pages back."""
        self.pages.release(request)

    def check(self, requests: Iterable[Request] = ()) -> None:
        """Recount the pages."""
        self.pages.check(requests)
