"""Which of n sorted values stands for a quantile, and how far that choice is to be trusted."""

import math
from bisect import bisect_left

import numpy as np
from scipy.special import bdtr, bdtrc, rel_entr

from labutils.ground import arguments

_ROUNDING = 1 - 1e-12  # n * q carries rounding errors: 100 * 0.07 is 7.000000000000001
_BLOCK = 1 << 16
MOST_VALUES = 2**53  # whole numbers above it are not all floats


def nearest_rank(n, q):
    """ceil(n q), free of rounding errors: the rank (1 = smallest) of the ``q``-quantile.

    ``n`` is one sample size or an array of them; the answer is whole numbers of the same shape.
    """
    return np.ceil(n * q * _ROUNDING).astype(int)[()]


def rank_interval(n: int, q: float, *, confidence: float = 0.95) -> tuple[int, int]:
    """The ranks (1 = smallest) of the two of ``n`` sorted values that enclose the true quantile.

    The number of values below the true ``q``-quantile is binomial, whatever the distribution, so
    the values at these ranks enclose it with at least the given ``confidence``; each side may
    miss with half of the rest (David & Nagaraja 2003, section 7.1). It assumes independent values:
    the latencies of one congested queue are not, and their true interval is wider.

    A side that ``n`` values cannot bound gets the rank just outside of the sample, 0 or n + 1:
    p99 with 95 % confidence has no upper bound below 368 values.
    """
    n, q = arguments.whole("n", n, at_most=MOST_VALUES), arguments.fraction("q", q)
    miss = (1 - arguments.fraction("confidence", confidence)) / 2
    low = bisect_left(range(n), True, key=lambda rank: bdtr(rank, n, q) > miss)
    high = bisect_left(range(n + 1), True, key=lambda rank: bdtrc(rank - 1, n, q) <= miss)
    return low, high


def required_sample_size(
    q: float, *, low_q: float = 0.0, high_q: float = 1.0, confidence: float = 0.95
) -> int:
    """The number of values from which on the ``q``-quantile is known as well as asked.

    Known means: its ``rank_interval`` lies between the sample's own ``low_q``- and
    ``high_q``-quantile. Left out, these are the smallest and the largest value, so the answer is
    the sample size that bounds the quantile at all: 368 for p99. "From which on", because ranks
    are whole: a few more values can widen the interval by a rank, and no larger sample than the
    answer fails.

    It counts independent values, as ``rank_interval`` does. Raises ``ValueError`` unless
    0 <= low_q < q < high_q <= 1.
    """
    low_q, q, high_q = _shares_in_order(low_q, q, high_q)
    miss = (1 - arguments.fraction("confidence", confidence)) / 2
    # Each side misses with at most exp(-n divergence) (Chernoff 1952), so no larger n can fail.
    slowest = min(_divergence(low_q, q), _divergence(high_q, q))
    for last in range(math.ceil(-math.log(miss) / slowest), 0, -_BLOCK):
        n = np.arange(max(1, last - _BLOCK + 1), last + 1)
        low, high = np.maximum(nearest_rank(n, low_q), 1), nearest_rank(n, high_q)
        fails = (bdtr(low - 1, n, q) > miss) | (bdtrc(high - 1, n, q) > miss)
        if fails.any():
            return int(n[fails][-1]) + 1
    raise AssertionError("one value alone bounds no quantile on both sides")


def _shares_in_order(low_q, q, high_q) -> tuple[float, float, float]:
    low, q, high = (
        arguments.non_negative("low_q", low_q),
        arguments.fraction("q", q),
        arguments.positive("high_q", high_q),
    )
    if not low < q:
        raise ValueError(f"low_q = {low_q!r}: expected a share below q = {q!r}")
    if not q < high <= 1:
        raise ValueError(f"high_q = {high_q!r}: expected a share above q = {q!r} and at most 1")
    return low, q, high


def _divergence(share: float, q: float) -> float:
    """How unlike q a share is: Kullback & Leibler 1951, for one coin, in nats."""
    return float(rel_entr(share, q) + rel_entr(1 - share, 1 - q))
