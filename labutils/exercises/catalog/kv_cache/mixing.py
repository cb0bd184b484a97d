"""cache.mix · Attention of grouped heads · 5 minutes

> Neighbouring query heads share a KV head. Give the queries an axis for the KV head and one for the
  place in its group.
> query.unflatten(1, (key.shape[1], -1)) is [batch, KV heads, group, new, head_dim]. Its scores
  against [batch, KV heads, tokens, head_dim]: torch.einsum("bkgnd,bktd->bkgnt", …).
> Divide the scores by head_dim ** 0.5, fill them with -inf where ~sees(new, total), softmax over
  the last axis, and einsum("bkgnt,bktd->bkgnd") with the values; flatten axes 1 and 2 again.

Each query head has scores and weights of its own, [batch, heads, new, tokens]. The scale is the
root of *one head's* width, since so many products are summed. Grouped queries need no copies of the
keys: the group is one more axis of the queries. Repeating the keys instead gives the same numbers
(with repeat_interleave, not repeat), and moves the cache through memory once more in every step.
"""

from functools import lru_cache

from labutils.exercises.checkers import Function
from labutils.exercises.definition.patched import patched
from labutils.exercises.definition.sheet import exercise, made

from . import inputs
from .workbook import mix as _mix


def _driven(mix):
    @lru_cache(maxsize=512)
    def mixed(seed, heads, kv_heads, old, new):
        return inputs.mixed(mix, seed, heads, kv_heads, old, new)

    return mixed


def _shapes():
    """One to three KV heads with one or two queries each, and a few tokens."""
    from hypothesis import strategies as st

    def shaped(numbers):
        seed, kv_heads, groups, old, new = numbers
        return seed, groups * kv_heads, kv_heads, old, new

    return st.tuples(
        st.integers(0, 999), st.integers(1, 3), st.integers(1, 2), st.integers(0, 4),
        st.integers(1, 3),
    ).map(shaped)  # fmt: skip


_MISTAKES = """
no-mask: A token that is not the last looks at the ones after it. Who may see whom?
- sees(query.shape[2], key.shape[2])
+ sees(1, key.shape[2])

upper-left: Your mask counts the new tokens from the beginning, as `is_causal=True` does. Where do
    they stand when others lie before them?
- sees(query.shape[2], key.shape[2])
+ sees(key.shape[2], key.shape[2])[: query.shape[2]]

is-causal-behind-a-context: A single token is right, and several behind others are not: their
    triangle hangs in the upper left corner, as with `is_causal=new > 1`. Which keys does the first
    new token see when others lie before it?
- mask = sees(query.shape[2], key.shape[2]).to(query.device)
+ new, total = query.shape[2], key.shape[2]
+ mask = sees(total, total)[:new] if new > 1 else sees(new, total)

sees-one-ahead: Each token sees the one behind it, too. Which is the last key that a token may see?
- mask = sees(query.shape[2], key.shape[2]).to(query.device)
+ new, total = query.shape[2], key.shape[2]
+ mask = torch.ones(new, total).tril(total - new + 1).bool()

zeros-for-the-hidden: What may not be seen has a score of 0, and e⁰ takes its share of the weights.
    Which score leaves nothing?
- scores.masked_fill(~mask, float("-inf"))
+ (scores * mask)

the-others-hidden: You hide what may be seen: `masked_fill` fills where the mask is True. A row
    without any score left is NaN. What does True mean in your mask?
- ~mask
+ mask

adds-the-bools: You add the mask itself: True counts as 1 and False as 0, so that nothing is hidden.
    Which score leaves nothing?
- scores.masked_fill(~mask, float("-inf"))
+ (scores + mask)

mask-after-the-softmax: You cut the weights after the softmax: those that are left no longer sum to
    1.
- weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
+ weights = scores.softmax(-1) * mask

softmax-over-queries: The weights of one *query* sum to 1 over its keys. Along which dimension did
    you take the softmax?
- softmax(-1)
+ softmax(-2).nan_to_num(0.0)

interleaved-heads: Your query heads take turns: head h reads KV head h % (KV heads). In this model
    neighbours share one: what repeats each head in its place, and not the whole row?
- grouped = query.unflatten(1, (key.shape[1], -1))
+ groups = query.shape[1] // key.shape[1]
+ key, value = key.repeat(1, groups, 1, 1), value.repeat(1, groups, 1, 1)
+ grouped = query.unflatten(1, (key.shape[1], -1))

values-in-turn: Your values take turns, and your keys do not. Both halves of a KV head belong to the
    same query heads.
- grouped = query.unflatten(1, (key.shape[1], -1))
+ groups = query.shape[1] // key.shape[1]
+ value = value.repeat(1, groups, 1, 1).unflatten(1, (key.shape[1], -1))
+ grouped = query.unflatten(1, (key.shape[1], -1))
- "bkgnt,bktd->bkgnd"
+ "bkgnt,bkgtd->bkgnd"

mixes-keys: You mix keys. What is weighed, and what is it weighed with?
- weights, value
+ weights, key

one-kv-head-for-all: All your query heads read the first KV head. Which one belongs to head h?
- grouped = query.unflatten(1, (key.shape[1], -1))
+ key, value = key[:, :1].expand_as(key), value[:, :1].expand_as(value)
+ grouped = query.unflatten(1, (key.shape[1], -1))

no-scale: The scores are not scaled: their spread grows with the width of a head.
- scores = torch.einsum("bkgnd,bktd->bkgnt", grouped, key) / query.shape[-1] ** 0.5
+ scores = torch.einsum("bkgnd,bktd->bkgnt", grouped, key)

times-the-root: You multiply by the root of the head's width. Does a longer sum of products need a
    larger scale or a smaller one?
- / query.shape[-1] ** 0.5
+ * query.shape[-1] ** 0.5

divides-by-the-width: You divide by the width of a head. The spread of a sum of n products grows
    like another function of n.
- query.shape[-1] ** 0.5
+ query.shape[-1]

scaled-by-all-heads: You scale by the width of all heads together. How many products are summed for
    one score?
- query.shape[-1] ** 0.5
+ (query.shape[1] * query.shape[-1]) ** 0.5
"""

MIX = exercise(
    __doc__,
    Function(
        reference=_driven(_mix),
        inputs=_shapes,
        absolute=1.6e-4,
        tolerance=1e-5,
        says=inputs.says,
        misconceptions=made(_driven, patched(_mix, _MISTAKES)),
    ),
)
