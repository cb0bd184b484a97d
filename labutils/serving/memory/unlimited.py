"""Memory that never runs out: to study a policy apart from memory."""

import math
from collections.abc import Iterable

from labutils.engine import Request


class Unlimited:
    """The verbs of ``PagePool`` without pages: every request finds room for all that it may need.

    ``Scheduler(8, Unlimited())`` is limited by its places and its token budget alone.
    """

    page_tokens = 1
    num_pages = num_free = math.inf

    def refuse_too_long(self, request: Request) -> None:
        """No request is too long."""

    def fits(self, request: Request) -> bool:
        """Always."""
        return True

    def start(self, request: Request) -> None:
        """Reserve room for prompt and longest answer; no token of it is computed yet."""
        request.room, request.computed = request.most, 0
        request.cached = 0 if request.cached is None else request.cached

    def grow(self, request: Request) -> None:
        """Nothing to do: ``start`` reserved room for the longest answer."""

    def publish(self, request: Request, new_tokens: int) -> None:
        """Nothing to do: nothing is shared."""

    def release(self, request: Request) -> None:
        """Take its room back."""
        request.room = request.computed = 0

    def check(self, requests: Iterable[Request] = ()) -> None:
        """There is nothing to recount."""
