"""attention.bucket · All that decode, in one call · 8 minutes

> Write the shapes down. With R requests, K KV heads, groups of G and S slots: the queries are [K,
  G, R, d], what is read is [K, R · S, d], the mask is [K · R, 1, S]. A batched product wants K · R
  in front of all three.
> Keys and values: `.view(K · R, S, d)`, where K · R and S stand in `self.hidden.shape`. Queries:
  `rows = query.transpose(1, 2)` is [K, R, G, d], and `rows.flatten(0, 1)` is [K · R, G, d]. Then
  scores, mask, softmax, mix, and the same way back.
> scores = torch.baddbmm(self.hidden, rows.flatten(0, 1), keys.transpose(1, 2), alpha=d ** -0.5),
  where d is query.shape[-1]; then torch.bmm(scores.softmax(-1), values),
  `.view_as(rows).transpose(1, 2)`.

Sixteen requests, one product. Each request's query heads that share a KV head stand in one small
matrix, requests and KV heads in the batch. The padding is computed and thrown away: minus infinity
makes its weights 0. That is a good bargain while contexts are of similar length, so the engine
sorts requests by length and cuts the line into *buckets* (`buckets`, which lab 6 writes). A CUDA
kernel does without padding: it gives each request its own blocks of threads.
"""

from labutils.exercises.catalog.kv_cache import inputs
from labutils.exercises.catalog.kv_cache.memory.small_memory import memory_of, step_of_rows
from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise


def attend_bucket(engine, contexts: list[int], page_tokens: int, kv_heads: int, group: int):
    """What requests with these contexts get that all decode one token, in a drawn memory.

    ``group`` query heads of width 4 share a KV head; pages lie in no order.
    """
    import torch

    sizes = [-(-context // page_tokens) for context in contexts]
    count, seed = sum(sizes) + 2, sum(contexts)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed))
    tables = [pages.tolist() for pages in order[: sum(sizes)].split(sizes)]
    memory = memory_of(engine, count, page_tokens, kv_heads=kv_heads, head_dim=4, seed=seed)
    step = step_of_rows(engine, [1] * len(contexts), contexts, tables, page_tokens)
    bucket = engine.attention.Bucket(memory, step, slice(0, len(contexts)))
    return inputs.shown(bucket.attend(1, inputs.numbers(seed, kv_heads, group, len(contexts), 4)))


def _inputs():
    """One to three contexts of one to nine tokens."""
    from hypothesis import strategies as st

    contexts = st.lists(st.integers(1, 9), min_size=1, max_size=3)
    return st.tuples(contexts, st.integers(1, 4), st.integers(1, 2), st.integers(1, 3))


_MISTAKES = """
sees-the-padding: A request reads what lies behind its end: an empty place, or page 0, which is
    somebody's. What is `self.hidden` for?
- torch.baddbmm(self.hidden,
+ torch.baddbmm(0 * keys[:, :1, :1],

no-scale: The scores are not scaled by the root of the head's width.
- alpha=scale
+ alpha=1

divides-by-the-width: You divide by the width of a head. The spread of a sum of n products grows
    like another function of n.
- rows, scale = query.transpose(1, 2), query.shape[-1] ** -0.5
+ rows, scale = query.transpose(1, 2), 1 / query.shape[-1]

requests-and-heads-exchanged: The shape is right, and the numbers stand in each other's places:
    `view` and `reshape` rename dimensions, `transpose` exchanges them.
- rows, scale = query.transpose(1, 2), query.shape[-1] ** -0.5
+ rows, scale = query.reshape_as(query.transpose(1, 2)), query.shape[-1] ** -0.5

one-context: All requests read the first one's keys and values. Which rows of what
    `self.memory.read` gives are whose?
- keys, values = (half.view(batch, slots, -1) for half in self.memory.read(layer, self.pages))
+ keys, values = (
+     half.view(len(query), -1, slots, half.shape[-1])[:, :1]
+     .expand(-1, query.shape[2], -1, -1)
+     .flatten(0, 1)
+     for half in self.memory.read(layer, self.pages)
+ )

other-layer: You read the keys and values of another layer.
- self.memory.read(layer,
+ self.memory.read(0,

softmax-over-requests: The weights of one request sum to 1 over its *slots*. Along which dimension
    did you take the softmax?
- return torch.bmm(scores.softmax(-1), values).view_as(rows).transpose(1, 2)
+ return torch.bmm(scores.softmax(1), values).view_as(rows).transpose(1, 2)

struck-out-afterwards: What is hidden is struck out after the softmax. The weights that are left no
    longer sum to 1.
- torch.baddbmm(self.hidden,
+ torch.baddbmm(0 * self.hidden.clamp(min=-1),
- scores.softmax(-1), values)
+ scores.softmax(-1) * self.hidden.exp(), values)

rows-in-front: The numbers are right, and stand by request. Wanted is [KV heads, group, requests,
    head_dim], as the queries came.
- return torch.bmm(scores.softmax(-1), values).view_as(rows).transpose(1, 2)
+ return torch.bmm(scores.softmax(-1), values).view_as(rows)

groups-and-requests-exchanged: The shape is right, and the numbers stand in each other's places: a
    dimension that was moved to the front has to be moved back, not only renamed.
- return torch.bmm(scores.softmax(-1), values).view_as(rows).transpose(1, 2)
+ return torch.bmm(scores.softmax(-1), values).view_as(query)
"""

BUCKET = exercise(
    __doc__,
    piece_of(
        "attention:Bucket.attend",
        tried=attend_bucket,
        says=inputs.says,
        inputs=_inputs,
        tolerance=1e-5,
        absolute=1.6e-4,
        mistakes=_MISTAKES,
    ),
)
