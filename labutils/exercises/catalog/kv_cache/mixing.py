"""cache.mix · Attention of grouped heads · 9 minutes

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
from labutils.exercises.definition.sheet import exercise, mistakes_in, says

from . import drawn
from .pieces import mix as _mix
from .pieces import visible as _visible


def _everything(new, total):
    return _visible(1, total)


def _upper_left(new, total):
    return _visible(total, total)[:new]


def _upper_left_of_several(new, total):
    return _upper_left(new, total) if new > 1 else _visible(new, total)


def _weighed(weigh):
    """The mix with other weights: ``weigh(scores, mask)`` of [batch, KV, group, new, tokens]."""

    def mix(query, key, value):
        import torch

        grouped = query.unflatten(1, (key.shape[1], -1))
        scores = torch.einsum("bkgnd,bktd->bkgnt", grouped, key) / query.shape[-1] ** 0.5
        weights = weigh(scores, _visible(query.shape[2], key.shape[2]))
        return torch.einsum("bkgnt,bktd->bkgnd", weights, value).flatten(1, 2)

    return mix


def _over_queries(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(-2).nan_to_num(0.0)


def _inverted(scores, mask):
    return scores.masked_fill(mask, float("-inf")).softmax(-1)


def _interleaved(query, key, value):
    groups = query.shape[1] // key.shape[1]
    return _mix(query, key.repeat(1, groups, 1, 1), value.repeat(1, groups, 1, 1))


def _sharper(factor):
    return lambda query, key, value: _mix(factor(query) * query, key, value)


def _driven(mix):
    @lru_cache(maxsize=512)
    def mixed(seed, heads, kv_heads, old, new):
        return drawn.mixed(mix, seed, heads, kv_heads, old, new)

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


class Wrong:
    no_mask = says("""A token that is not the last looks at the ones after it. Who may see
        whom?""")(_driven(lambda q, k, v: _mix(q, k, v, sees=_everything)))
    upper_left = says("""Your mask counts the new tokens from the beginning, as `is_causal=True`
        does. Where do they stand when others lie before them?""")(
        _driven(lambda q, k, v: _mix(q, k, v, sees=_upper_left))
    )
    is_causal_behind_a_context = says("""A single token is right, and several behind others are not:
        their triangle hangs in the upper left corner, as with `is_causal=new > 1`. Which keys does
        the first new token see when others lie before it?""")(
        _driven(lambda q, k, v: _mix(q, k, v, sees=_upper_left_of_several))
    )
    zeros_for_the_hidden = says("""What may not be seen has a score of 0, and e⁰ takes its share of
        the weights. Which score leaves nothing?""")(
        _driven(_weighed(lambda scores, mask: (scores * mask).softmax(-1)))
    )
    the_others_hidden = says("""You hide what may be seen: `masked_fill` fills where the mask is
        True. A row without any score left is NaN. What does True mean in your mask?""")(
        _driven(_weighed(_inverted))
    )
    adds_the_bools = says("""You add the mask itself: True counts as 1 and False as 0, so that
        nothing is hidden. Which score leaves nothing?""")(
        _driven(_weighed(lambda scores, mask: (scores + mask).softmax(-1)))
    )
    mask_after_the_softmax = says("""You cut the weights after the softmax: those that are left no
        longer sum to 1.""")(_driven(_weighed(lambda scores, mask: scores.softmax(-1) * mask)))
    softmax_over_queries = says("""The weights of one *query* sum to 1 over its keys. Along which
        dimension did you take the softmax?""")(_driven(_weighed(_over_queries)))
    interleaved_heads = says("""Your query heads take turns: head h reads KV head h % (KV heads). In
        this model neighbours share one: what repeats each head in its place, and not the whole
        row?""")(_driven(_interleaved))
    no_scale = says("""The scores are not scaled: their spread grows with the width of a head.""")(
        _driven(_sharper(lambda q: q.shape[-1] ** 0.5))
    )
    times_the_root = says("""You multiply by the root of the head's width. Does a longer sum of
        products need a larger scale or a smaller one?""")(_driven(_sharper(lambda q: q.shape[-1])))
    divides_by_the_width = says("""You divide by the width of a head. The spread of a sum of n
        products grows like another function of n.""")(
        _driven(_sharper(lambda q: q.shape[-1] ** -0.5))
    )
    scaled_by_all_heads = says("""You scale by the width of all heads together. How many products
        are summed for one score?""")(_driven(_sharper(lambda q: q.shape[1] ** -0.5)))


MIX = exercise(
    __doc__,
    Function(
        _driven(_mix),
        _shapes,
        absolute=1.6e-4,
        tolerance=1e-5,
        says=drawn.says,
        misconceptions=mistakes_in(Wrong),
    ),
)
