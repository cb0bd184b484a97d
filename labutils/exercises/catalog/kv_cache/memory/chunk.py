"""attention.chunk · A chunk behind a context · 2 minutes

> Three parts are there already: `self.memory.read` gives keys and values of the whole context in
  order, `self.hidden` is your mask, and torch has the rest.
> Keys and values come as [KV heads, slots, head_dim], and `query` has one more axis, for the group.
  Give them one of length 1 in its place: `half[:, None]`. Then
  `functional.scaled_dot_product_attention` takes `attn_mask=` and `enable_gqa=True`.
> keys, values = (half[:, None] for half in self.memory.read(layer, self.pages)); then query, keys,
  values, attn_mask=self.hidden, enable_gqa=True.

What took ten lines in Build 2 is one call here, and the one argument that matters is the mask.
`is_causal=True` would be right for a prompt read from its beginning, which is what small tests do;
a chunk behind a context, a cached prefix and speculative decoding need the lower right corner. The
engine makes the mask once for each step and uses it in every layer.
"""

from labutils.exercises.catalog.kv_cache import inputs
from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise

from .small_memory import memory_of, step_of_rows


def attend_chunk(engine, old: int, new: int, page_tokens: int, kv_heads: int, group: int):
    """What a chunk of ``new`` tokens behind ``old`` ones gets in the second of two layers.

    The memory holds drawn numbers, its pages lie in no order, and ``group`` query heads of width 4
    share a KV head.
    """
    import torch

    total = old + new
    count = -(-total // page_tokens) + 1
    pages = torch.randperm(count, generator=torch.Generator().manual_seed(total)).tolist()
    memory = memory_of(engine, count, page_tokens, kv_heads=kv_heads, head_dim=4, seed=total)
    tables = [pages[-1:], pages[:-1]]
    step = step_of_rows(engine, [1, new], [1, total], tables, page_tokens)
    chunk = engine.attention.Chunk(memory, step, 1)
    query = inputs.numbers(old, kv_heads, group, new, 4)
    chunk.attend(0, query)  # the model asks the same chunk in each layer
    return inputs.shown(chunk.attend(1, query))


def _inputs():
    """Up to seven tokens in memory, two to four new ones, one or two KV heads."""
    from hypothesis import strategies as st

    return st.tuples(
        st.integers(0, 7), st.integers(2, 4), st.integers(1, 4), st.integers(1, 2),
        st.integers(1, 3),
    )  # fmt: skip


MASK = "attn_mask=self.hidden, enable_gqa=True"
_MISTAKES = """
values-for-keys: Keys stand where values belong: `read` gives the keys first.
- keys, values = (half[:, None] for half in self.memory.read(layer, self.pages))
+ values, keys = (half[:, None] for half in self.memory.read(layer, self.pages))

mask-of-truth: As True and False the mask says the opposite: 0 becomes False, and False hides.
    Numbers are added to the scores.
- query, keys, values, attn_mask=self.hidden, enable_gqa=True
+ query, keys, values, attn_mask=self.hidden.bool(), enable_gqa=True

is-causal: `is_causal=True` hangs its triangle in the upper left corner: your first token sees the
    first key alone. What lies in memory before it? And what lies behind the last token, in a page
    that is filled in part?
- query, keys, values, attn_mask=self.hidden, enable_gqa=True
+ query, keys, values, is_causal=True, enable_gqa=True

no-mask: Every token sees everything: the tokens after it, and what stands in the last page behind
    the end.
- query, keys, values, attn_mask=self.hidden, enable_gqa=True
+ query, keys, values, enable_gqa=True

heads-for-groups: `query` is [KV heads, group, new, head_dim], and all query heads of a group read
    one KV head. Keys and values need an axis of length 1 where the group stands: at which place?
- keys, values = (half[:, None] for half in self.memory.read(layer, self.pages))
+ keys, values = (half[None] for half in self.memory.read(layer, self.pages))

other-layer: You read the keys and values of another layer, or keep those of the first: the same
    chunk is asked in each layer.
- keys, values = (half[:, None] for half in self.memory.read(layer, self.pages))
+ keys, values = (half[:, None] for half in self.memory.read(0, self.pages))

reads-once: You keep what `read` gave for the first layer. The same chunk is asked in each layer:
    what may it keep?
- keys, values = (half[:, None] for half in self.memory.read(layer, self.pages))
+ if not hasattr(self, "context"):
+     self.context = self.memory.read(layer, self.pages)
+ keys, values = (half[:, None] for half in self.context)

no-scale: The scores are not scaled by the root of the head's width. What does torch do if you say
    nothing about it?
- query, keys, values, attn_mask=self.hidden, enable_gqa=True
+ query, keys, values, attn_mask=self.hidden, enable_gqa=True, scale=1.0

heads-in-turn: Your copies of the KV heads take turns, as `repeat` makes them: 0, 1, 0, 1. The
    query heads of a group stand next to one another. Whose keys does the second of them read?
- keys, values = (half[:, None] for half in self.memory.read(layer, self.pages))
+ heads, group = query.shape[:2]
+ keys, values = self.memory.read(layer, self.pages)
+ keys = keys.repeat(group, 1, 1).unflatten(0, (heads, group))
+ values = values.repeat(group, 1, 1).unflatten(0, (heads, group))

first-slots: You take the memory's first slots. Which pages are this request's?
- keys, values = (half[:, None] for half in self.memory.read(layer, self.pages))
+ memory, slots = self.memory, self.hidden.shape[-1]
+ keys, values = (half[layer][:, None, :slots] for half in (memory.keys, memory.values))

last-slots: Your mask takes the new tokens for the last slots. A page may be filled in part: what
    stands in its last slots then?
- return functional.scaled_dot_product_attention(
-     query, keys, values, attn_mask=self.hidden, enable_gqa=True
- )
+ new, slots = query.shape[2], keys.shape[2]
+ seen = torch.ones(new, slots, dtype=torch.bool).tril(slots - new)
+ return functional.scaled_dot_product_attention(
+     query, keys, values, attn_mask=seen, enable_gqa=True
+ )

hides-weights: You hide after the softmax. What do the weights that are left add up to?
- return functional.scaled_dot_product_attention(
-     query, keys, values, attn_mask=self.hidden, enable_gqa=True
- )
+ weights = (query @ keys.mT / query.shape[-1] ** 0.5).softmax(-1)
+ return weights.masked_fill(self.hidden < 0, 0) @ values

keys-for-values: You mix keys. What is weighed, and what is it weighed with?
- query, keys, values, attn_mask=self.hidden, enable_gqa=True
+ query, keys, keys, attn_mask=self.hidden, enable_gqa=True
"""

CHUNK = exercise(
    __doc__,
    piece_of(
        "attention:Chunk.attend",
        tried=attend_chunk,
        says=inputs.says,
        inputs=_inputs,
        tolerance=1e-5,
        absolute=1.6e-4,
        mistakes=_MISTAKES,
    ),
)
