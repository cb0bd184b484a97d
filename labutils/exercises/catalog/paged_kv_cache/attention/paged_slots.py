"""packing.slots · From a page table to slots · 3 minutes

> By hand for one token: which page of the table is it in, and at which place there?
> `divmod(token, page_tokens)` gives both. Page p has the slots from p · page_tokens on.
> [pages[token // page_tokens] * page_tokens + token % page_tokens for token in range(start, end)].

This is address translation: token i lies in page `pages[i // page_tokens]`, at place i mod
page_tokens. A processor does it in hardware, with a cache for its tables. Here it is a list of
whole numbers, worked out once a step and used in every layer.
"""

import operator

from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise


def find_slots(engine, pages: list[int], start: int, end: int, page_tokens: int):
    """Slots of the tokens ``start`` to before ``end``; of one that is not whole, its type."""
    slots = engine.packing.slots_of(pages, start, end, page_tokens)
    return None if slots is None else [_index(slot) for slot in slots]


def _index(slot) -> int | str:
    try:
        return operator.index(slot)
    except TypeError:
        return f"a {type(slot).__name__}"


def _inputs():
    """Tables of one to four pages in any order, and a stretch of their tokens."""
    from hypothesis import strategies as st

    @st.composite
    def cases(draw):
        size = draw(st.integers(2, 7))
        pages = draw(st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True))
        start = draw(st.integers(0, len(pages) * size - 1))
        return pages, start, draw(st.integers(start + 1, len(pages) * size)), size

    return cases()


_MISTAKES = """
float-slots: A slot is an index, and yours are floats: 2.9999 is cut to 2 where it is used, and the
    token lands in its neighbour's place. `//` and `%` stay whole.
- where = (divmod(token, page_tokens) for token in range(start, end))
- return [pages[page] * page_tokens + place for page, place in where]
+ where = (token / page_tokens for token in range(start, end))
+ return [pages[int(place)] * page_tokens + place % 1 * page_tokens for place in where]

in-one-piece: You start at the first page and go straight on. Where is the second one?
- return [pages[page] * page_tokens + place for page, place in where]
+ return [pages[0] * page_tokens + token for token in range(start, end)]

side-by-side: You find the first slot and go straight on. What comes after the last place of its
    page?
- return [pages[page] * page_tokens + place for page, place in where]
+ page, place = next(where)
+ first = pages[page] * page_tokens + place
+ return [*range(first, first + end - start)]

index-for-number: You take a page's place in the table for its number. Where is page `pages[0]`?
- return [pages[page] * page_tokens + place for page, place in where]
+ return [*range(start, end)]

sorted-pages: You sort the pages. Their order in the table is that of the tokens.
- pages[page]
+ sorted(pages)[page]

page-for-slot: You add to the number of a page. How many slots lie before a page?
- pages[page] * page_tokens + place
+ pages[page] + place

counted-from-start: You count from the first new token, and find its place as if it were token 0.
    Where does token `start` lie?
- range(start, end)
+ range(end - start)

place-from-start: You count the places of a page from the first new token. Where in its page does
    token `start` lie?
- where = (divmod(token, page_tokens) for token in range(start, end))
+ where = ((token // page_tokens, (token - start) % page_tokens) for token in range(start, end))

end-as-a-count: You take `end` for a number of tokens. It is the first token that does not belong to
    them any more.
- range(start, end)
+ range(start, start + end)

from-the-beginning: You return the slots of all tokens from the first one on. Which ones are new?
- range(start, end)
+ range(end)

whole-pages: You return whole pages. `start` and `end` may lie in the middle of one.
- return [pages[page] * page_tokens + place for page, place in where]
+ touched = pages[start // page_tokens : -(-end // page_tokens)]
+ return [page * page_tokens + place for page in touched for place in range(page_tokens)]

one-too-many: You return a slot for token `end`, which does not belong to it any more.
- range(start, end)
+ range(start, end + 1)

places-alone: These are places within a page. Which page, and where does it begin?
- pages[page] * page_tokens + place
+ place
"""

SLOTS = exercise(
    __doc__, piece_of("packing:slots_of", tried=find_slots, inputs=_inputs, mistakes=_MISTAKES)
)
