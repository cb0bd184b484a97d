"""cache.visible · Which token sees which · 2 minutes

> The last row belongs to the last token, and that one sees everything. How many keys does the row
  above it see?
> New token i stands at place total - new + i of the sequence, and sees the keys up to that place,
  its own included.
> torch.ones(new, total, dtype=torch.bool).tril(d) keeps what lies on or below a diagonal; d = 0 is
  right for new == total. Which d is right for new == 1?

The mask hangs in the lower right corner: the last new token is the last of all. With new == total
it is the triangle of a prefill, with new == 1 one full row, a decode. One rule serves both, and a
prompt that is read in pieces as well. torch's `is_causal=True` hangs in the upper left corner,
which is the same for new == total alone.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in

from .workbook import visible as _visible


class Wrong:
    def upper_left(new, total):
        """You count the new tokens from the beginning of the sequence. Where do they stand when
        others lie before them?"""
        return _visible(total, total)[:new]

    def one_ahead(new, total):
        """Your tokens see the one after them. The last token of all stands in the last column:
        where does the token before it stop?"""
        import torch

        return torch.ones(new, total, dtype=torch.bool).tril(total - new + 1)

    def no_mask(new, total):
        """All new tokens see everything. May the first of them see the last?"""
        return _visible(1, total).repeat(new, 1)

    def not_itself(new, total):
        """Your tokens do not see themselves. What does the very first one look at, then?"""
        import torch

        return torch.ones(new, total, dtype=torch.bool).tril(total - new - 1)

    def the_future(new, total):
        """True where a token may *not* look? Asked for is where it may."""
        return ~_visible(new, total)

    def others_way_round(new, total):
        """Rows and columns are exchanged: a row belongs to a new token."""
        return _visible(new, total).T

    def the_new_alone(new, total):
        """Your new tokens see one another and nothing that was there before. What is a cache
        for?"""
        mask = _visible(new, total)
        mask[:, : total - new] = False
        return mask


def _sizes():
    """One to nine new tokens behind up to fifteen others."""
    from hypothesis import strategies as st

    sizes = st.tuples(st.integers(1, 9), st.integers(0, 15))
    return sizes.map(lambda drawn: (drawn[0], drawn[0] + drawn[1]))


VISIBLE = exercise(__doc__, Function(_visible, _sizes, misconceptions=mistakes_in(Wrong)))
