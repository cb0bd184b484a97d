"""reuse.threshold · The lowest threshold that keeps a promise · 4 minutes, optional

> Try each of the similarities as a threshold, and none instead of none.
> At a threshold t the hits are the pairs with similarity >= t, and the errors those hits whose
  second entry is False. More hits may pass where fewer failed: try all.
> Collect every t for which upper(errors, hits) <= max_error, and return min(collected,
  default=None).

Two things pull at the bound as the threshold falls. There are more errors, and there are more hits,
from which more is known. So it is not monotone: at the top it is high because two hits prove
nothing, further down it falls, and at last the errors carry it up. A search that stops at the first
failure finds nothing, or less than there is.

Who tries many thresholds on the same pairs and keeps the best has looked often, and one of the
bounds will be too good by luck. Confirm the choice on pairs that had no part in it, or raise the
confidence for the number of tries, as `labutils.caching.choose_threshold` does.
"""

from dataclasses import dataclass

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in

from .threshold_ways import Wrong, lowest


@dataclass(frozen=True)
class Upper:
    """An upper bound for the exercise: the share of errors after a few more errors and hits.

    A plain function to whoever calls it; printed, it can be pasted.
    """

    errors: float
    hits: int

    def __call__(self, errors, hits):
        return (errors + self.errors) / (hits + self.hits)

    def __repr__(self):
        return f"lambda errors, hits: (errors + {self.errors}) / (hits + {self.hits})"


ONE_OF_ONE, ONE_OF_TWO, HALF_OF_ONE = Upper(1, 1), Upper(1, 2), Upper(0.5, 1)


def _some_pairs():
    """Up to sixteen pairs in any order, some equally similar; mostly the same answer."""
    from hypothesis import strategies as st

    pair = st.tuples(
        st.integers(80, 97).map(lambda n: n / 100), st.sampled_from([True, True, True, True, False])
    )
    return st.tuples(
        st.lists(pair, max_size=4) | st.lists(pair, min_size=7, max_size=16),
        st.sampled_from([0.1, 0.2, 0.25, 0.4]),
        st.sampled_from([ONE_OF_ONE, ONE_OF_TWO, HALF_OF_ONE]),
    )


def _labelled(start, step, labels):
    """Pairs from the least similar one up: T for the same answer, F for another one."""
    return [(round(start + step * k, 2), letter == "T") for k, letter in enumerate(labels)]


_RISING = _labelled(0.8, 0.01, "FFTTTTTFT")
_TWICE = _labelled(0.8, 0.01, "FTTTTTTTTTFFTTTTT")
_TIED = [(0.8, False), (0.8, True), (0.8, True), (0.9, True), (0.9, True), (0.9, True)]
_FROM_ZERO = [(-0.1, False), (0.0, True), (0.5, True), (0.6, True)]
_FROM_BELOW = [(-0.5, False), (-0.25, True), (0.5, True), (0.6, True)]

THRESHOLD = exercise(
    __doc__,
    Function(
        lowest,
        _some_pairs,
        always=(
            ([], 0.1, ONE_OF_ONE),
            ([(0.9, False)], 0.2, ONE_OF_ONE),
            (_RISING, 0.25, ONE_OF_TWO),
            (_RISING[::-1], 0.25, ONE_OF_ONE),
            (_TWICE, 0.2, ONE_OF_TWO),
            (_TWICE, 0.25, HALF_OF_ONE),
            (_TIED, 0.25, ONE_OF_TWO),
            (_TIED[::-1], 0.25, ONE_OF_ONE),
            (_labelled(0.8, 0.01, "TTTTTTTT"), 0.4, ONE_OF_TWO),
            (_labelled(0.8, 0.01, "FTTT"), 0.4, ONE_OF_ONE),
            (_FROM_ZERO, 0.25, ONE_OF_TWO),
            (_FROM_BELOW, 0.25, ONE_OF_TWO),
            ([(0.9, False)], 0.8, HALF_OF_ONE),  # an `upper` with its arguments swapped passes
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
