"""Prove that no page is lost, held twice by mistake, or findable under a wrong key."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence


class PageLeak(AssertionError):
    """The block manager's books do not agree with the pages that requests hold."""


def audit(
    *,
    num_blocks: int,
    blank: Sequence[int],
    idle: Sequence[int],
    tables: Mapping[Hashable, tuple[int, ...]],
    page_of: Mapping[Hashable, int],
    holders: Sequence[int],
    num_idle: int,
) -> None:
    """Recount the pool from ``tables``; ``PageLeak`` for the first page that does not add up."""
    held = Counter(page for table in tables.values() for page in table)
    findable = set(page_of.values())
    _every_page_once([*blank, *idle, *held], num_blocks)
    _require(len(findable) == len(page_of), "two keys lead to one page")
    _require(num_idle == len(idle), f"{len(idle)} pages are idle, the books say {num_idle}")
    for request_id, table in tables.items():
        _require(len(set(table)) == len(table), f"request {request_id!r} holds a page twice")
    for page in blank:
        _require(page not in findable, f"page {page} is blank, yet a key leads to it")
    for page in idle:
        _require(page in findable, f"page {page} is idle, yet no key leads to it")
    for page, count in held.items():
        expected = holders[page] if page in findable else 1
        _require(
            count == expected, f"page {page}: {count} requests hold it, the books say {expected}"
        )


def _every_page_once(pages: Sequence[int], num_blocks: int) -> None:
    places = Counter(pages)
    for page in range(num_blocks):
        found = places.pop(page, 0)
        _require(found == 1, f"page {page} is in {found} places of blank, idle and held")
    _require(not places, f"pages {sorted(places)} lie outside the pool of {num_blocks}")


def _require(true: bool, otherwise: str) -> None:
    if not true:
        raise PageLeak(otherwise)
