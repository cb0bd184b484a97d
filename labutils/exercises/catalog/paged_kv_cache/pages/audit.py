"""Which page of a pool is out of place, in words: the first one, with the requests that hold it."""

from collections.abc import Mapping


def misplaced(pool, requests: Mapping) -> str:
    """The first page that is not where it should be, as a sentence; "" if all are.

    ``requests`` are those that hold pages, by name. Every page has to be in one place (blank, idle
    or held), ``owners`` has to agree with the tables, and a key has to lead to its page and back.
    """
    for page in range(pool.num_pages):
        held = [name for name, one in requests.items() for mine in one.pages if mine == page]
        if said := _place(pool, page, held) or _books(pool, page, held):
            return said
    if stray := [page for one in requests.values() for page in one.pages if _outside(pool, page)]:
        return f"a table holds {stray[0]!r}, which is no page of this pool"
    return ""


def _place(pool, page: int, held: list[str]) -> str:
    blank, idle = list(pool.blank).count(page), page in pool.idle
    if len(set(held)) < len(held):
        return f"page {page} stands twice in the table of {held[0]}"
    if held and (blank or idle):
        free = "blank" if blank else "idle"
        return f"{_listed(held)} holds page {page}, which is {free} as well: others will get it"
    if not (held or blank or idle):
        return f"page {page} is lost: no request holds it, and it is neither blank nor idle"
    if blank + idle > 1:
        return f"page {page} is free twice: two requests will get it"
    return ""


def _books(pool, page: int, held: list[str]) -> str:
    owners, key = pool.owners[page], pool.key_of.get(page)
    if owners != len(held):
        tables = f"{len(held)} table{'s' * (len(held) != 1)}"
        whose = f" ({_listed(held)})" if held else ""
        return f"`owners` says {owners} of page {page}, which stands in {tables}{whose}"
    if page in pool.idle and key is None:
        return f"page {page} is idle, and it has no key: nothing can ever find it"
    if key is not None and pool.page_of.get(key) != page:
        return f"page {page} has the key {key!r}, which leads elsewhere"
    if key is None and page in pool.page_of.values():
        return f"a key leads to page {page}, which does not hold what it names"
    if key is not None and page in pool.blank:
        return f"page {page} is blank, and it is still found under the key {key!r}"
    return ""


def _outside(pool, page) -> bool:
    return page not in range(pool.num_pages)


def _listed(names: list[str]) -> str:
    return " and ".join(names)
