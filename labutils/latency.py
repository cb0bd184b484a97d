"""Percentiles of measured latencies, and how far to trust them."""

from bisect import bisect_left

import numpy as np
from scipy.special import bdtr, bdtrc

from labutils import arguments

_ROUNDING = 1 - 1e-12  # n * q carries rounding errors: 100 * 0.07 is 7.000000000000001


def percentile(values, q):
    """The ``q``-quantile of ``values`` by nearest rank: always one of the values.

    It is the smallest value that at least a share ``q`` of all values does not exceed, the
    ceil(n q)-th in order (Hyndman & Fan 1996, definition 1; "inverted CDF" in numpy). ``q`` lies
    strictly between 0 and 1: 0.99 means p99. A sequence of ``q`` gives an array, at the cost of
    one pass.
    """
    values = arguments.sample("values", values)
    if np.ndim(q) == 0:
        index = _nearest_rank(values.size, arguments.fraction("q", q)) - 1
        return float(np.partition(values, index)[index])
    shares = [arguments.fraction("q", x) for x in arguments.sample("q", q).tolist()]
    indices = [_nearest_rank(values.size, share) - 1 for share in shares]
    return np.partition(values, indices)[indices]


def rank_interval(n: int, q: float, *, confidence: float = 0.95) -> tuple[int, int]:
    """The ranks (1 = smallest) of the two of ``n`` sorted values that enclose the true quantile.

    The number of values below the true ``q``-quantile is binomial, whatever the distribution, so
    the values at these ranks enclose it with at least the given ``confidence``; each side may
    miss with half of the rest (David & Nagaraja 2003, section 7.1). It assumes independent values:
    the latencies of one congested queue are not, and their true interval is wider.

    A side that ``n`` values cannot bound gets the rank just outside of the sample, 0 or n + 1:
    p99 with 95 % confidence has no upper bound below 368 values.
    """
    n, q = arguments.whole("n", n), arguments.fraction("q", q)
    miss = (1 - arguments.fraction("confidence", confidence)) / 2
    low = bisect_left(range(n), True, key=lambda rank: bdtr(rank, n, q) > miss)
    high = bisect_left(range(n + 1), True, key=lambda rank: bdtrc(rank - 1, n, q) <= miss)
    return low, high


def percentile_interval(values, q: float, *, confidence: float = 0.95) -> tuple[float, float]:
    """The (low, high) values that enclose the true ``q``-quantile with the given ``confidence``.

    These are the values at ``rank_interval``; a side that the sample is too small to bound is
    -inf or inf.
    """
    values = arguments.sample("values", values)
    low, high = rank_interval(values.size, q, confidence=confidence)
    bounded = np.concatenate(([-np.inf], np.sort(values), [np.inf]))
    return float(bounded[low]), float(bounded[high])


def _nearest_rank(n: int, q: float) -> int:
    return int(np.ceil(n * q * _ROUNDING))
