"""Prove that no page is lost, held twice by mistake, or findable under a wrong key."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from .holdings import Holding
from .page_runs import PageRuns, Run


class PageLeak(AssertionError):
    """The block manager's books do not agree with the pages that requests hold."""


def audit(
    num_blocks: int, blank: Sequence[int], held: Mapping[Hashable, Holding], runs: PageRuns
) -> None:
    """Recount the pool from the tables; ``PageLeak`` for the first page that does not add up."""
    tables = {request_id: holding.pages for request_id, holding in held.items()}
    holders = Counter(page for table in tables.values() for page in table)
    idle = runs.idle_pages()
    _every_page_once([*blank, *idle, *holders], num_blocks)
    for request_id, table in tables.items():
        _require(len(set(table)) == len(table), f"request {request_id!r} holds a page twice")
    _require(
        runs.num_idle == len(idle), f"{len(idle)} pages are idle, the books say {runs.num_idle}"
    )
    expected = {page: len(run.holders) for run in runs for page in run.pages}
    _every_key_once(list(runs))
    for page in blank:
        _require(page not in expected, f"page {page} is blank, yet a key leads to it")
    for page in idle:
        _require(page in expected, f"page {page} is idle, yet no key leads to it")
        _require(not expected[page], f"page {page} is idle, yet the books say that it is held")
    for page, count in holders.items():
        books = expected.get(page, 1)
        _require(count == books, f"page {page}: {count} requests hold it, the books say {books}")


def _every_key_once(runs: Sequence[Run]) -> None:
    pages = [page for run in runs for page in run.pages]
    _require(len(set(pages)) == len(pages), "two keys lead to one page")


def _every_page_once(pages: Sequence[int], num_blocks: int) -> None:
    places = Counter(pages)
    for page in range(num_blocks):
        found = places.pop(page, 0)
        _require(found == 1, f"page {page} is in {found} places of blank, idle and held")
    _require(not places, f"pages {sorted(places)} lie outside the pool of {num_blocks}")


def _require(true: bool, otherwise: str) -> None:
    if not true:
        raise PageLeak(otherwise)
