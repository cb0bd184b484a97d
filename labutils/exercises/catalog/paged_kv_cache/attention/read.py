"""Copies of a request's pages, in the order of its tokens."""

from labutils.exercises.catalog.kv_cache import drawn
from labutils.exercises.catalog.kv_cache.memory.small_memory import numbered
from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.exercise import Exercise


def read_pages(engine, layer: int, pages: list[int], page_tokens: int, kv_heads: int):
    """What ``read`` yields for ``pages`` of a memory of 6, in which a number says where it stands.

    That is 1000 · layer + 100 · KV head + slot; a value is the negative of its key.
    """
    import torch

    memory = numbered(engine, 6, page_tokens, kv_heads=kv_heads)
    found = memory.read(layer, torch.tensor(pages))
    return None if found is None else [drawn.shown(half) for half in found]


def _select(self, half, pages):
    by_page = half.view(len(half), -1, self.page_tokens * half.shape[2])
    return by_page.index_select(1, pages).view(len(half), -1, half.shape[2])


def keys_twice(self, layer, pages):
    return _select(self, self.keys[layer], pages), _select(self, self.keys[layer], pages)


def values_first(self, layer, pages):
    return _select(self, self.values[layer], pages), _select(self, self.keys[layer], pages)


def one_slot_each(self, layer, pages):
    return [half[layer].index_select(1, pages) for half in (self.keys, self.values)]


def in_one_piece(self, layer, pages):
    slots = slice(pages[0] * self.page_tokens, (pages[0] + len(pages)) * self.page_tokens)
    return [half[layer][:, slots] for half in (self.keys, self.values)]


def from_the_first_page(self, layer, pages):
    slots = slice(0, len(pages) * self.page_tokens)
    return [half[layer][:, slots] for half in (self.keys, self.values)]


def in_order_of_memory(self, layer, pages):
    ordered = pages.sort().values
    return [_select(self, half[layer], ordered) for half in (self.keys, self.values)]


def pages_kept_apart(self, layer, pages):
    halves = [half[layer].unflatten(1, (-1, self.page_tokens)) for half in (self.keys, self.values)]
    return [half[:, pages] for half in halves]


def places_first(self, layer, pages):
    halves = [half[layer].unflatten(1, (-1, self.page_tokens)) for half in (self.keys, self.values)]
    return [half[:, pages].transpose(1, 2).flatten(1, 2) for half in halves]


def first_layer(self, layer, pages):
    return [_select(self, half[0], pages) for half in (self.keys, self.values)]


def _inputs():
    """One to four of six pages, in any order, a page twice among them as padding has it."""
    from hypothesis import strategies as st

    pages = st.lists(st.integers(0, 5), min_size=1, max_size=4)
    return st.tuples(st.integers(0, 1), pages, st.integers(1, 4), st.integers(1, 2))


READ = Exercise(
    id="attention.read",
    title="Read pages in the order of the tokens",
    minutes=5,
    checker=piece_of(
        "attention:KVMemory.read",
        tried=read_pages,
        says=drawn.says,
        inputs=_inputs,
        mistakes=(
            (
                "one-slot-each",
                one_slot_each,
                "You took page numbers for slots, and got one slot for each page. How many slots "
                "does a page have?",
            ),
            (
                "pages-kept-apart",
                pages_kept_apart,
                "The numbers are there, with one dimension too many: whoever reads them wants the "
                "slots of all pages in one line.",
            ),
            (
                "places-first",
                places_first,
                "The first slots of all pages come first, then the second ones. In which order do "
                "the tokens lie?",
            ),
            (
                "from-the-first-page",
                from_the_first_page,
                "You read memory from its beginning. Which pages are this request's?",
            ),
            (
                "in-one-piece",
                in_one_piece,
                "You start at the first page of the table and go straight on. Where is the second "
                "one?",
            ),
            (
                "order-of-memory",
                in_order_of_memory,
                "You read the pages in the order in which they lie in memory. In which order do "
                "the tokens lie?",
            ),
            (
                "keys-twice",
                keys_twice,
                "You yield the keys twice. What is mixed with the weights that they give?",
            ),
            (
                "values-first",
                values_first,
                "Keys first, then values.",
            ),
            (
                "other-layer",
                first_layer,
                "You read another layer. Each has keys and values of its own.",
            ),
        ),
    ),
    hints=(
        "If each page were one long row, a table of pages would pick rows. Can a tensor of slots "
        "be seen as one of pages, without a copy?",
        "`half.view(KV heads, pages, page_tokens · head_dim)` sees it so; `index_select(1, pages)` "
        "copies the rows in the order of the table; a second `view` makes slots of them again.",
        "For half in (self.keys[layer], self.values[layer]): by_page = half.view(len(half), -1, "
        "self.page_tokens * half.shape[2]); yield by_page.index_select(1, pages).view(len(half), "
        "-1, half.shape[2]).",
    ),
    explanation=(
        "`index_select` is where paging costs: it *copies* the whole context, in every layer of "
        "every step, so that what follows may believe that memory lies in one piece. By pages it "
        "copies long rows, which memory likes; slot by slot the same bytes take several times as "
        "long. A kernel that follows the table itself saves the copy, and pays for looking up "
        "where each page lies."
    ),
)
