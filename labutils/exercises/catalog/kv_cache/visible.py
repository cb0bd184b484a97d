"""Which keys may new tokens look at: the mask of prefill, of decode and of what lies between."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception

from .pieces import visible as _visible


def _upper_left(new, total):
    return _visible(total, total)[:new]


def _not_itself(new, total):
    import torch

    return torch.ones(new, total, dtype=torch.bool).tril(total - new - 1)


def _one_ahead(new, total):
    import torch

    return torch.ones(new, total, dtype=torch.bool).tril(total - new + 1)


def _all(new, total):
    return _visible(1, total).repeat(new, 1)


def _the_future(new, total):
    return ~_visible(new, total)


def _others_way_round(new, total):
    return _visible(new, total).T


def _the_new_alone(new, total):
    mask = _visible(new, total)
    mask[:, : total - new] = False
    return mask


def _sizes():
    """One to nine new tokens behind up to fifteen others."""
    from hypothesis import strategies as st

    sizes = st.tuples(st.integers(1, 9), st.integers(0, 15))
    return sizes.map(lambda drawn: (drawn[0], drawn[0] + drawn[1]))


VISIBLE = Exercise(
    id="cache.visible",
    title="Which token sees which",
    minutes=4,
    checker=Function(
        reference=_visible,
        inputs=_sizes,
        misconceptions=(
            Misconception(
                "upper-left",
                _upper_left,
                "You count the new tokens from the beginning of the sequence. Where do they stand "
                "when others lie before them?",
            ),
            Misconception(
                "one-ahead",
                _one_ahead,
                "Your tokens see the one after them. The last token of all stands in the last "
                "column: where does the token before it stop?",
            ),
            Misconception(
                "no-mask",
                _all,
                "All new tokens see everything. May the first of them see the last?",
            ),
            Misconception(
                "not-itself",
                _not_itself,
                "Your tokens do not see themselves. What does the very first one look at, then?",
            ),
            Misconception(
                "the-future",
                _the_future,
                "True where a token may *not* look? Asked for is where it may.",
            ),
            Misconception(
                "others-way-round",
                _others_way_round,
                "Rows and columns are exchanged: a row belongs to a new token.",
            ),
            Misconception(
                "the-new-alone",
                _the_new_alone,
                "Your new tokens see one another and nothing that was there before. What is a "
                "cache for?",
            ),
        ),
    ),
    hints=(
        "The last row belongs to the last token, and that one sees everything. How many keys does "
        "the row above it see?",
        "New token i stands at place total - new + i of the sequence, and sees the keys up to that "
        "place, its own included.",
        "torch.ones(new, total, dtype=torch.bool).tril(d) keeps what lies on or below a diagonal; "
        "d = 0 is right for new == total. Which d is right for new == 1?",
    ),
    explanation=(
        "The mask hangs in the lower right corner: the last new token is the last of all. With "
        "new == total it is the triangle of a prefill, with new == 1 one full row, a decode. One "
        "rule serves both, and a prompt that is read in pieces as well. torch's `is_causal=True` "
        "hangs in the upper left corner, which is the same for new == total alone."
    ),
)
