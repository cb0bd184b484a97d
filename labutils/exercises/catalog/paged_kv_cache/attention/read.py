"""attention.read · Read pages in the order of the tokens · 3 minutes

> If each page were one long row, a table of pages would pick rows. Can a tensor of slots be seen as
  one of pages, without a copy?
> `half.view(KV heads, pages, page_tokens · head_dim)` sees it so; `index_select(1, pages)` copies
  the rows in the order of the table; a second `view` makes slots of them again.
> For half in (self.keys[layer], self.values[layer]): by_page = half.view(len(half), -1,
  self.page_tokens * half.shape[2]); yield by_page.index_select(1, pages).view(len(half), -1,
  half.shape[2]).

`index_select` is where paging costs: it *copies* the whole context, in every layer of every step,
so that what follows may believe that memory lies in one piece. By pages it copies long rows, which
memory likes; slot by slot the same bytes take several times as long. A kernel that follows the
table itself saves the copy, and pays for looking up where each page lies.
"""

from labutils.exercises.catalog.kv_cache import inputs
from labutils.exercises.catalog.kv_cache.memory.small_memory import numbered
from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise


def read_pages(engine, layer: int, pages: list[int], page_tokens: int, kv_heads: int):
    """What ``read`` yields for ``pages`` of a memory of 6, in which a number says where it stands.

    That is 1000 · layer + 100 · KV head + slot; a value is the negative of its key.
    """
    import torch

    memory = numbered(engine, 6, page_tokens, kv_heads=kv_heads)
    found = memory.read(layer, torch.tensor(pages))
    return None if found is None else [inputs.shown(half) for half in found]


def _inputs():
    """One to four of six pages, in any order, a page twice among them as padding has it."""
    from hypothesis import strategies as st

    pages = st.lists(st.integers(0, 5), min_size=1, max_size=4)
    return st.tuples(st.integers(0, 1), pages, st.integers(1, 4), st.integers(1, 2))


_MISTAKES = """
one-slot-each: You took page numbers for slots, and got one slot for each page. How many slots does
    a page have?
- by_page = half.view(len(half), -1, self.page_tokens * half.shape[2])
- yield by_page.index_select(1, pages).view(len(half), -1, half.shape[2])
+ yield half.index_select(1, pages)

pages-kept-apart: The numbers are there, with one dimension too many: whoever reads them wants the
    slots of all pages in one line.
- by_page = half.view(len(half), -1, self.page_tokens * half.shape[2])
- yield by_page.index_select(1, pages).view(len(half), -1, half.shape[2])
+ yield half.unflatten(1, (-1, self.page_tokens))[:, pages]

places-first: The first slots of all pages come first, then the second ones. In which order do the
    tokens lie?
- by_page = half.view(len(half), -1, self.page_tokens * half.shape[2])
- yield by_page.index_select(1, pages).view(len(half), -1, half.shape[2])
+ yield half.unflatten(1, (-1, self.page_tokens))[:, pages].transpose(1, 2).flatten(1, 2)

places-outside: You take memory apart with the places in front and the pages behind. A page's slots
    lie side by side: which of the two dimensions runs faster?
- by_page = half.view(len(half), -1, self.page_tokens * half.shape[2])
- yield by_page.index_select(1, pages).view(len(half), -1, half.shape[2])
+ yield half.unflatten(1, (self.page_tokens, -1))[:, :, pages].flatten(1, 2)

from-the-first-page: You read memory from its beginning. Which pages are this request's?
- by_page = half.view(len(half), -1, self.page_tokens * half.shape[2])
- yield by_page.index_select(1, pages).view(len(half), -1, half.shape[2])
+ yield half[:, : len(pages) * self.page_tokens]

in-one-piece: You start at the first page of the table and go straight on. Where is the second one?
- by_page = half.view(len(half), -1, self.page_tokens * half.shape[2])
- yield by_page.index_select(1, pages).view(len(half), -1, half.shape[2])
+ slots = slice(pages[0] * self.page_tokens, (pages[0] + len(pages)) * self.page_tokens)
+ yield half[:, slots]

order-of-memory: You read the pages in the order in which they lie in memory. In which order do the
    tokens lie?
- index_select(1, pages)
+ index_select(1, pages.sort().values)

keys-twice: You yield the keys twice. What is mixed with the weights that they give?
- self.values[layer]
+ self.keys[layer]

values-first: Keys first, then values.
- (self.keys[layer], self.values[layer])
+ (self.values[layer], self.keys[layer])

other-layer: You read another layer. Each has keys and values of its own.
- (self.keys[layer], self.values[layer])
+ (self.keys[0], self.values[0])
"""

READ = exercise(
    __doc__,
    piece_of(
        "attention:KVMemory.read",
        tried=read_pages,
        says=inputs.says,
        inputs=_inputs,
        mistakes=_MISTAKES,
    ),
)
