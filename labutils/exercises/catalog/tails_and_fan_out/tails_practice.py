r"""tails.page_latency · Code review: a percentile that looks at no latency · 5 minutes, optional

> Two steps: which leaf quantile does the page need, and which latency of the sample is it?
> The leaf quantile is u = page_quantile ** (1 / num_leaves). Its nearest rank in a sample of n is
  ceil(u * n), counted from 1.
> sorted(leaf_latencies)[math.ceil(len(leaf_latencies) * u) - 1].

The helper promised a latency and returned $q^{1/n}$, a probability; the latencies it was handed
were never read, so no test with other latencies could fail. The estimate is the sample's
$\lceil m\,q^{1/n} \rceil$-th smallest of $m$ values. With $m$ below about $n/(1-q)$ this is the
maximum of the sample: it has never seen the quantile that the page needs.
"""

import math

import numpy as np

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Raises
from labutils.exercises.definition.sheet import exercise, mistakes_in, says
from labutils.metrics.latency import percentile


def _page_latency(leaf_latencies, page_quantile, num_leaves):
    ordered = sorted(leaf_latencies)
    rank = math.ceil(len(ordered) * page_quantile ** (1 / num_leaves))
    return ordered[rank - 1]


def _some_leaves():
    """Ten to sixty leaf latencies and pages of 1 to 8 leaves, no rank decided by rounding.

    Whole ranks that no rounding moves are frequent: the median of an even number of latencies.
    """
    from hypothesis import strategies as st

    sample = st.lists(st.integers(1, 500), min_size=10, max_size=60)
    quantile = st.integers(20, 95).map(lambda k: k / 100)
    drawn = st.tuples(sample, quantile, st.integers(1, 8)).filter(_decided)
    even = st.integers(1, 12).map(lambda k: list(range(1, 2 * k + 1)))
    whole = st.tuples(even.flatmap(st.permutations), st.just(0.5), st.just(1))
    return st.one_of(drawn, whole)


def _decided(page) -> bool:
    """Whether the rank is clear; a rank that is whole but for rounding is left out."""
    sample, quantile, num_leaves = page
    rank = len(sample) * quantile ** (1 / num_leaves)
    return abs(rank - round(rank)) > 1e-6


_LATE = (
    "You are one rank late. Of ten latencies the fifth has half of them at or below it: which "
    "place does it have, counted from 0?"
)


class Wrong:
    def ignores_the_leaves(leaf_latencies, page_quantile, num_leaves):
        """That is the quantile of one leaf. The page waits for the slowest of num_leaves."""
        return percentile(leaf_latencies, page_quantile)

    def returns_a_share(leaf_latencies, page_quantile, num_leaves):
        """You return a number between 0 and 1, as the helper did. A latency was promised: which of
        the sample's latencies has that share at or below it?"""
        return page_quantile ** (1 / num_leaves)

    def leaf_to_page(leaf_latencies, page_quantile, num_leaves):
        """You raise the quantile to the power of num_leaves, which goes from the leaf to the page.
        You know the page's quantile and look for the leaf's."""
        return percentile(leaf_latencies, page_quantile**num_leaves)

    @says(_LATE)
    def one_rank_late(leaf_latencies, page_quantile, num_leaves):
        rank = math.floor(len(leaf_latencies) * page_quantile ** (1 / num_leaves)) + 1
        return sorted(leaf_latencies)[min(rank, len(leaf_latencies)) - 1]

    @says(_LATE)
    def rank_for_index(leaf_latencies, page_quantile, num_leaves):
        rank = math.ceil(len(leaf_latencies) * page_quantile ** (1 / num_leaves))
        return sorted(leaf_latencies)[min(rank, len(leaf_latencies) - 1)]

    @says(_LATE)
    def rank_behind_the_last(leaf_latencies, page_quantile, num_leaves):
        rank = math.ceil(len(leaf_latencies) * page_quantile ** (1 / num_leaves))
        if rank == len(leaf_latencies):
            return Raises(IndexError)
        return sorted(leaf_latencies)[rank]

    def rank(leaf_latencies, page_quantile, num_leaves):
        """That is the rank. Which of the sample's latencies stands there?"""
        return math.ceil(len(leaf_latencies) * page_quantile ** (1 / num_leaves))

    def from_the_slow_end(leaf_latencies, page_quantile, num_leaves):
        """You count from the slow end. The share that is wanted lies at or below your latency."""
        rank = math.ceil(len(leaf_latencies) * page_quantile ** (1 / num_leaves))
        return sorted(leaf_latencies, reverse=True)[rank - 1]

    def divides_the_slow_share(leaf_latencies, page_quantile, num_leaves):
        """You divide the slow share among the leaves. That counts a page with two slow leaves
        twice: what multiplies when all leaves must be in time?"""
        return percentile(leaf_latencies, 1 - (1 - page_quantile) / num_leaves)

    def nearest_by_rounding(leaf_latencies, page_quantile, num_leaves):
        """You round the rank to the nearest whole number, and that may be the one below. How many
        of the latencies are then at or below yours?"""
        rank = round(len(leaf_latencies) * page_quantile ** (1 / num_leaves))
        return sorted(leaf_latencies)[max(0, rank - 1)]

    def rank_rounded_down(leaf_latencies, page_quantile, num_leaves):
        """You round the rank down. How many of the latencies are then at or below yours, and is
        that the share that the page needs?"""
        rank = math.floor(len(leaf_latencies) * page_quantile ** (1 / num_leaves))
        return sorted(leaf_latencies)[rank - 1]

    def interpolates(leaf_latencies, page_quantile, num_leaves):
        """Your result lies between two latencies of the sample: np.quantile and np.percentile
        interpolate unless told otherwise. Which latency has the share at or below it?"""
        return float(np.quantile(leaf_latencies, page_quantile ** (1 / num_leaves)))

    def times_the_leaves(leaf_latencies, page_quantile, num_leaves):
        """You multiply a leaf's latency. The leaves run side by side: the page takes as long as the
        slowest of them, not as all of them in turn."""
        return num_leaves * percentile(leaf_latencies, page_quantile)

    def largest_leaf(leaf_latencies, page_quantile, num_leaves):
        """That is the slowest latency of the sample, whatever page_quantile is."""
        return max(leaf_latencies)

    def unsorted(leaf_latencies, page_quantile, num_leaves):
        """A sample comes in no order. Sort it before you count ranks."""
        rank = math.ceil(len(leaf_latencies) * page_quantile ** (1 / num_leaves))
        return leaf_latencies[rank - 1]


PAGE_LATENCY = exercise(
    __doc__, Function(_page_latency, _some_leaves, misconceptions=mistakes_in(Wrong))
)
