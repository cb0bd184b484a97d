"""speculative.missing · What the draft says too seldom · 4 minutes

> Place the two rows of shares above each other. Where is the target's the longer one, and by how
  much?
> The positive part of a difference: (target - draft).clamp(min=0). It need not sum to 1.
> more = (target - draft).clamp(min=0); return more if more.any() else target.

A word's draft is kept with probability min(1, p/q), so it comes out with q · min(1, p/q) = min(p,
q): what the two have in common. What is still owed to it is p − min(p, q), the positive part of p −
q. And the chance of a refusal is exactly the sum of all that is owed, so one draw from it settles
the account.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in


def on_lists(missing):
    """How the check tries ``missing``: lists in, and a list that sums to 1 out."""
    if not callable(missing):
        return missing

    def shares_to_draw_from(target, draft):
        import torch

        found = missing(*(torch.tensor(one, dtype=torch.float64) for one in (target, draft)))
        total = float(found.sum())
        return [share / total if total else share for share in found.tolist()]

    return shares_to_draw_from


def _house(target, draft):
    from labutils.serving.speculation.acceptance import missing

    return on_lists(missing)(target, draft)


def _scaled(shares):
    total = sum(shares)
    return [share / total if total else 0.0 for share in shares]


class Wrong:
    def the_target(target, draft):
        """You draw from all of the target. What target and draft have in common has been given out
        already, by the drafts that stayed."""
        return target

    def zeros_where_they_agree(target, draft):
        """Where the two agree nothing is left, and nothing can be drawn from zeros. It takes a
        rounding error to come here, and one comes. What is as good?"""
        return _scaled([max(p - q, 0.0) for p, q in zip(target, draft)])

    def only_where_equal(target, draft):
        """You look whether the two are equal. Rounding may leave the draft a little more of one
        word, and the target more of none: look at what is left."""
        if target == draft:
            return target
        return _scaled([max(p - q, 0.0) for p, q in zip(target, draft)])

    def little_is_nothing(target, draft):
        """Where the two hardly differ you draw from all of the target. However little is owed, only
        the words that are short of it may come."""
        owed = [max(p - q, 0.0) for p, q in zip(target, draft)]
        return _scaled(owed) if sum(owed) > 0.01 else target

    def both_ways(target, draft):
        """A word that the draft says too often gets a share as well. It has had too much
        already."""
        return _scaled([abs(p - q) for p, q in zip(target, draft)]) if target != draft else target

    def with_debts(target, draft):
        """Words that the draft says too often have a share below 0. Only the positive part is
        owed."""
        return on_lists(lambda p, q: p - q)(target, draft)

    def in_common(target, draft):
        """That is what both have in common. It is given out by the drafts that stay; what is the
        target short of?"""
        return _scaled([min(p, q) for p, q in zip(target, draft)])

    def of_the_draft(target, draft):
        """That is what the draft has more of than the target. Which of the two is short of
        tokens?"""
        return (
            _scaled([max(q - p, 0.0) for p, q in zip(target, draft)]) if target != draft else target
        )

    def where_it_is_more(target, draft):
        """You keep the target's whole share where it is the larger one. The draft has given out
        part of it."""
        return _scaled([p * (p > q) for p, q in zip(target, draft)]) if target != draft else target


def shares_of(parts):
    """Shares from whole numbers, the same for all where they are 0."""
    total = sum(parts)
    return [part / total if total else 1 / len(parts) for part in parts]


def _pairs():
    """Shares of three to five words, not alike: where they are, ``always`` has a case.

    So a wrong answer is shown on two rows that differ, and only who fails on equal ones sees those.
    """
    from hypothesis import strategies as st

    def of(words):
        some = st.lists(st.integers(0, 9), min_size=words, max_size=words).map(shares_of)
        return st.tuples(some, some).filter(lambda pair: pair[0] != pair[1])

    return st.integers(3, 5).flatmap(of)


_ROUNDED = ([0.25, 0.75], [0.25, 0.75 + 2**-52])  # nothing is owed, and they differ
_HARDLY = ([0.5005, 0.2998, 0.1997], [0.5, 0.3, 0.2])

MISSING = exercise(
    __doc__,
    Function(
        _house,
        _pairs,
        tolerance=1e-6,  # float32 will do,
        absolute=5e-6,  # and loses up to 1.3e-6 where two rows hardly differ
        always=(
            ([0.5, 0.3, 0.2], [0.2, 0.2, 0.6]),
            ([0.25, 0.75], [0.25, 0.75]),
            _HARDLY,
            _ROUNDED,
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
