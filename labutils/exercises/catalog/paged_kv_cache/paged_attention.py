"""Steps 2 to 4: from a block table to slots, writing there, and attention over what lies there."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import tensor_answers as wrong
from .tensors import Through, attended, written


def _context_slots(table, length, page_tokens):
    from labutils.serving.attention.packed_step import context_slots

    return context_slots(table, length, page_tokens)


def _write(self, layer, slots, key, value):
    from labutils.serving.kv_pool import KVPool

    KVPool.write(self, layer, slots, key, value)


def _tables():
    import torch
    from hypothesis import strategies as st

    @st.composite
    def cases(draw):
        page_tokens = draw(st.integers(2, 7))
        pages = draw(st.integers(1, 4))
        rows = draw(st.integers(0, 3))
        order = draw(st.permutations(range(max(rows, 1) * pages + 3)))
        lines = [order[row * pages : (row + 1) * pages] for row in range(max(rows, 1))]
        table = torch.tensor(lines if rows else lines[0])
        return table, draw(st.integers(1, pages * page_tokens)), page_tokens

    return cases()


def _writes():
    from hypothesis import strategies as st

    slots = st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True)
    return st.tuples(st.integers(0, 1), slots, st.integers(1, 60))


def _rows():
    from hypothesis import strategies as st

    @st.composite
    def cases(draw):
        rows = draw(st.integers(1, 3))
        old = draw(st.lists(st.integers(0, 5), min_size=rows, max_size=rows))
        new = draw(st.lists(st.integers(1, 4), min_size=rows, max_size=rows))
        return old, new, draw(st.integers(2, 4)), draw(st.integers(1, 2)), draw(st.integers(0, 99))

    return cases()


SLOTS = Exercise(
    id="paged.slots",
    title="From a block table to slots",
    minutes=6,
    checker=Function(
        reference=_context_slots,
        seconds=15.0,
        num_inputs=40,
        inputs=_tables,
        misconceptions=(
            Misconception(
                "in-one-piece",
                wrong.in_one_piece,
                "You start at the first page and go straight on. Where is the second one?",
            ),
            Misconception(
                "page-for-slot",
                wrong.pages_for_slots,
                "These are page numbers. How many slots lie before a page?",
            ),
            Misconception(
                "pages-mixed",
                wrong.offsets_outside,
                "You visit the first slot of every page, then the second of every page. In which "
                "order do the tokens come?",
            ),
            Misconception(
                "whole-pages",
                wrong.whole_pages,
                "The last page is filled in part, and you return all of it.",
            ),
        ),
    ),
    hints=(
        "Write down the slots of one page first: they lie side by side, and there are page_tokens "
        "of them.",
        "A column of pages times page_tokens, plus a row of offsets from 0 to page_tokens - 1: "
        "that is a slot for every place of every page. The last dimension of `table` is the pages.",
        "`table[..., :, None] * page_tokens + torch.arange(page_tokens)` has the shape [..., "
        "pages, page_tokens]. Flatten the last two dimensions, and keep the first `length`.",
    ),
    explanation=(
        "This is address translation: token i lies in page `table[i // page_tokens]`, at offset "
        "i mod page_tokens. A processor does it in hardware, with a cache for its tables; here it "
        "is a tensor of whole numbers, computed once a step and used in every layer. GPU kernels "
        "do the same division inside the kernel."
    ),
)

WRITE = Exercise(
    id="paged.write",
    title="Write keys and values to their slots",
    minutes=4,
    checker=Through(
        reference=written(_write),
        inputs=_writes,
        through=written,
        house=_write,
        seconds=15.0,
        num_inputs=40,
        misconceptions=(
            Misconception(
                "from-the-first-slot",
                written(wrong.writes_in_a_row),
                "The tokens stand side by side. Where should each of them go?",
            ),
            Misconception(
                "keys-alone",
                written(wrong.writes_keys),
                "The keys are there. What else does a later token need?",
            ),
            Misconception(
                "keys-twice",
                written(wrong.writes_keys_twice),
                "Keys and values are the same. Which of the two did you write where?",
            ),
            Misconception(
                "sorted-slots",
                written(wrong.sorts_slots),
                "Token 1 stands where token 2 belongs: the slots come in the order of the tokens, "
                "which is not that of the memory.",
            ),
            Misconception(
                "every-layer",
                written(wrong.writes_everywhere),
                "Another layer has changed, too. Each layer has keys and values of its own.",
            ),
        ),
    ),
    hints=(
        "`self.keys[layer]` is [KV heads, slots, head_dim]; `key` is [KV heads, n, head_dim]. The "
        "dimension in the middle is the one to be indexed.",
        "`self.keys[layer][:, slots]` are the places. Assign, or use `index_copy_` along "
        "dimension 1.",
        "self.keys[layer].index_copy_(1, slots, key), and the same for the values.",
    ),
    explanation=(
        "A scatter: token i of the step goes to slot i of the list, wherever that is. No request "
        "is mentioned; tokens of sixteen requests are written in one call. That is what a block "
        "table buys the write path: who owns which page was settled before."
    ),
)

ATTENTION = Exercise(
    id="paged.attention",
    title="Attention over scattered pages",
    minutes=12,
    checker=Through(
        reference=attended(wrong.paged_attention),
        inputs=_rows,
        through=attended,
        house=wrong.paged_attention,
        tolerance=1e-3,
        absolute=2e-4,
        seconds=15.0,
        num_inputs=40,
        misconceptions=(
            Misconception(
                "reads-first",
                attended(wrong.reads_first),
                "Every new token looks at itself, too. When must its key be there?",
            ),
            Misconception(
                "never-writes",
                attended(wrong.never_writes),
                "The next step will look for the keys and values of these tokens. Where are they?",
            ),
            Misconception(
                "new-tokens-alone",
                attended(wrong.new_tokens_alone),
                "The rows see their new tokens alone. What did they compute in earlier steps?",
            ),
            Misconception(
                "one-context",
                attended(wrong.one_context),
                "Several rows read the same context: somebody else's. Which slots are a row's own?",
            ),
            Misconception(
                "sees-ahead",
                attended(wrong.sees_ahead),
                "In a chunk of several tokens the first one sees those behind it.",
            ),
            Misconception(
                "upper-left",
                attended(wrong.upper_left),
                "`is_causal` counts queries and keys from the first one. Which keys does the first "
                "new token see when there were some before it?",
            ),
            Misconception(
                "other-layer",
                attended(wrong.first_layer),
                "You read the keys of another layer.",
            ),
        ),
    ),
    hints=(
        "Three lines of thought: what is new goes to its slots; then every row takes its own "
        "queries, its own context; and the results stand in one line again.",
        "`query[0].split(step.query_lengths, dim=1)` gives the queries row by row, and "
        "`pool.keys[layer][:, own]` the keys at the slots `own`, in their order.",
        "pool.write(layer, step.slots, key[0], value[0]); then row_attention(new, keys[:, own], "
        "values[:, own]) for each pair of queries and contexts; torch.cat(…, dim=1)[None].",
    ),
    explanation=(
        "`keys[:, own]` is where paging costs: it *copies* the context of every row, in every "
        "layer of every step, so that what follows may believe that memory is in one piece. The "
        "numbers that come out are the same. A kernel that follows the block table itself saves "
        "the copy and pays for looking up where each page lies. Neither is faster than a cache "
        "that lies in one piece."
    ),
)
