"""Percentiles of a sample, by nearest rank, and the interval around them."""

import math

import numpy as np

from labutils.ground import arguments

from .ranks import nearest_rank, rank_interval


def percentile(values, q):
    """The ``q``-quantile of ``values`` by nearest rank: always one of the values.

    It is the smallest value that at least a share ``q`` of all values does not exceed, the
    ceil(n q)-th in order (Hyndman & Fan 1996, definition 1; "inverted CDF" in numpy). ``q`` lies
    strictly between 0 and 1: 0.99 means p99. A sequence of ``q`` gives an array, at the cost of
    one pass.
    """
    values = arguments.sample("values", values)
    if np.ndim(q) == 0:
        index = nearest_rank(values.size, arguments.fraction("q", q)) - 1
        return float(np.partition(values, index)[index])
    shares = [arguments.fraction("q", x) for x in arguments.sample("q", q).tolist()]
    indices = [nearest_rank(values.size, share) - 1 for share in shares]
    return np.partition(values, indices)[indices]


def percentile_of_all(answered_s, num_unanswered: int, q: float) -> float:
    """The ``q``-quantile over all requests, where those without an answer are infinitely late.

    ``answered_s`` are the latencies of the answered ones and may be empty. The result is inf
    where the unanswered reach up to ``q``: with 2 % failures p99 is infinite, however fast the
    rest. NaN when nobody asked.
    """
    unanswered = arguments.whole("num_unanswered", num_unanswered, at_least=0)
    rank = nearest_rank(len(answered_s) + unanswered, arguments.fraction("q", q))
    if rank == 0:
        return math.nan
    if rank > len(answered_s):
        return math.inf
    return float(np.partition(arguments.sample("answered_s", answered_s), rank - 1)[rank - 1])


def percentile_interval(values, q: float, *, confidence: float = 0.95) -> tuple[float, float]:
    """The (low, high) values that enclose the true ``q``-quantile with the given ``confidence``.

    These are the values at ``rank_interval``; a side that the sample is too small to bound is
    -inf or inf.
    """
    values = arguments.sample("values", values)
    low, high = rank_interval(values.size, q, confidence=confidence)
    inside = [rank - 1 for rank in (low, high) if 1 <= rank <= values.size]
    ordered = np.partition(values, inside) if inside else values
    return (
        float(ordered[low - 1]) if low >= 1 else -math.inf,
        float(ordered[high - 1]) if high <= values.size else math.inf,
    )
