"""The books of a small pool of pages: what is free, who holds which page, whether it adds up."""

from collections import Counter
from collections.abc import Hashable

from labutils.ground import arguments


class PageBooks:
    """``num_pages`` pages of ``page_tokens`` tokens; a subclass hands them out.

    Invariant, for ``audit`` to check: every page is in ``free`` or in one table of ``pages``, never
    in both and never in neither. ``tokens`` says what each request holds.
    """

    def __init__(self, num_pages: int, page_tokens: int):
        self.num_pages = arguments.whole("num_pages", num_pages, at_most=10_000_000)
        self.page_tokens = arguments.whole("page_tokens", page_tokens)
        self.free: list[int] = list(range(self.num_pages))
        self.pages: dict[Hashable, list[int]] = {}
        self.tokens: dict[Hashable, int] = {}

    def audit(self) -> dict:
        """Pages held by each request, pages that are nowhere, and pages that are in two places."""
        taken = [page for table in self.pages.values() for page in table]
        places = Counter([*self.free, *taken])
        held = {request: len(table) for request, table in self.pages.items() if table}
        twice = sum(times > 1 for times in places.values())
        return {"held": held, "lost": self.num_pages - len(places), "twice": twice}
