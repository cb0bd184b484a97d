"""speculative.give_back · Pages of refused drafts · 6 minutes

> How many pages do the computed tokens need? The others are at the end of `request.pages`.
> needed = pool.pages_for(request.computed). While there are more: take the last one off, lower
  `room` by page_tokens, count its owners down, and drop it where none is left.
> while len(request.pages) > needed: page = request.pages.pop(); request.room -= pool.page_tokens;
  pool.owners[page] -= 1; if not pool.owners[page]: pool.drop(page)

This is `release` that stops half-way. What was written for refused drafts on pages that stay needs
no cleaning: those slots lie behind `computed`, no mask lets anybody see them, and the tokens to
come overwrite them. So a refused draft costs the pool nothing once the step is over.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def books_after(give_back):
    """How the check tries ``give_back``: the books of a pool and a request behind it.

    The request holds ``pages`` pages, and another one some of them, too (``shared``, by place).
    """
    if not callable(give_back):
        return give_back

    def books(pages, page_tokens, computed, shared):
        from labutils.engine import PagePool, Request

        pool, request = PagePool(8, page_tokens), Request("r", 1, 99)
        for _ in range(pages):
            pool.grow(request)
        for place in shared:
            pool.owners[request.pages[place]] += 1
        request.computed, request.known = computed, computed + 1
        give_back(pool, request)
        free = sorted([*pool.blank, *pool.idle])
        held = {"pages": list(request.pages), "room": request.room}
        return {**held, "owners": list(pool.owners), "free": free, "computed": request.computed}

    return books


def _house_way(pool, request):
    from labutils.serving.speculation.spare_pages import give_back

    give_back(pool, request)


_house = books_after(_house_way)


def difference(got, expected) -> str:
    """The first book that differs."""
    names = {
        "pages": "The request's pages", "room": "Its room", "owners": "Owners of each page",
        "free": "Free pages", "computed": "Computed tokens",
    }  # fmt: skip
    for name, what in names.items():
        if got[name] != expected[name]:
            return f"{what} afterwards: {got[name]}, expected {expected[name]}."
    return ""


def _wrong(needed=None, *, room=True, count=True, drop="last"):
    """A way with a fault: pages ``needed(pool, request)``, and which books are kept."""

    def give_back(pool, request):
        keep = needed(pool, request) if needed else pool.pages_for(request.computed)
        while len(request.pages) > keep:
            page = request.pages.pop()
            request.room -= pool.page_tokens * room
            pool.owners[page] -= count
            if drop == "always" or (drop == "last" and not pool.owners[page]):
                pool.drop(page)

    return books_after(give_back)


_whole_pages_alone = _wrong(lambda pool, request: request.computed // pool.page_tokens)
_one_to_spare = _wrong(lambda pool, request: request.computed // pool.page_tokens + 1)
_everything = _wrong(lambda pool, request: 0)
_nothing = _wrong(lambda pool, request: 99)
_keeps_the_room = _wrong(room=False)
_owners_stay = _wrong(count=False, drop="always")
_from_others = _wrong(drop="always")
_lost = _wrong(drop="never")


def _room_for_the_computed(pool, request):
    _house_way(pool, request)
    request.room = request.computed


def _counts_or_drops(pool, request):
    while len(request.pages) > pool.pages_for(request.computed):
        page = request.pages.pop()
        request.room -= pool.page_tokens
        if pool.owners[page] == 1:
            pool.drop(page)
        else:
            pool.owners[page] -= 1


def _some_books():
    """Up to six pages of up to five tokens, some of them shared; at least one token computed."""
    from hypothesis import strategies as st

    sizes = st.tuples(st.integers(1, 6), st.integers(1, 5))

    def filled(size):
        places = st.sets(st.integers(0, size[0] - 1), max_size=2).map(sorted)
        computed = st.integers(1, size[0] * size[1])
        return st.tuples(st.just(size[0]), st.just(size[1]), computed, places)

    return sizes.flatmap(filled)


class Wrong:
    whole_pages_alone = says("""A page that is filled in part goes back, and with it the newest
        tokens of the answer. Round up.""")(_whole_pages_alone)
    one_to_spare = says("""Where the computed tokens end with a page, one page too many stays. A
        pool counts pages for tokens with `pages_for`.""")(_one_to_spare)
    everything = says("""The request loses all of its pages. Its own tokens stand on the first
        ones.""")(_everything)
    nothing = says("""No page comes back. A step with few accepted drafts then holds memory for
        nothing, and somebody else is preempted for want of it.""")(_nothing)
    keeps_the_room = says("""The pages are gone and `room` still counts them. Its next token is
        written where no page is.""")(_keeps_the_room)
    room_for_the_computed = says("""`room` is for as many tokens as the pages hold. Yours counts the
        computed ones.""")(books_after(_room_for_the_computed))
    counts_or_drops = says("""The last owner's page is dropped, and `owners` counts that owner for
        ever. Count down first, then look.""")(books_after(_counts_or_drops))
    owners_stay = says("The page is free, and `owners` still counts this request.")(_owners_stay)
    from_others = says("A page goes to the free ones while another request holds it.")(_from_others)
    lost = says("""Nothing holds the page and it is not free: lost. Which method of the pool knows
        where a page goes that has no owner left?""")(_lost)


GIVE_BACK = exercise(
    __doc__,
    Function(
        _house,
        _some_books,
        says=difference,
        always=((5, 4, 8, []), (4, 4, 9, [3]), (6, 3, 4, [0])),
        misconceptions=mistakes_in(Wrong),
    ),
)
