"""A quantile from the buckets of a histogram, and how wrong it may be.

The counting and the straight line through a bucket are those of ``labutils.metrics.latency``'s
``BucketHistogram``; here cumulative counts become one, and a quantile gets its error.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from labutils.ground import arguments
from labutils.metrics.latency import BucketHistogram


@dataclass(frozen=True)
class QuantileEstimate:
    """``value_s`` as Prometheus shows it; the true quantile lies above low and at most at high.

    "True" is by nearest rank: one of the recorded values. ``high_s`` is infinite where the quantile
    lies beyond the last finite edge, which is all that Prometheus shows then; all are NaN where
    nothing was recorded.
    """

    value_s: float
    low_s: float
    high_s: float

    @property
    def largest_error_s(self) -> float:
        """How far the true quantile can lie from ``value_s``."""
        return max(self.value_s - self.low_s, self.high_s - self.value_s)


def histogram_of(edges_s, cumulative) -> BucketHistogram:
    """The histogram of upper edges that end in infinity, and of the counts up to each (``le``).

    Raises ``ValueError`` unless edges ascend from above 0 to infinity and counts never fall.
    """
    edges, counts = np.asarray(edges_s, dtype=float), arguments.sample("cumulative", cumulative)
    if edges.shape != counts.shape or not math.isinf(edges[-1]):
        raise ValueError(f"edges_s = {edges_s!r}: expected {counts.size} edges, infinity the last")
    per_bucket = np.diff(counts, prepend=0.0)
    if (per_bucket < 0).any() or (per_bucket % 1 != 0).any():
        raise ValueError(f"cumulative = {cumulative!r}: expected whole counts that never fall")
    histogram = BucketHistogram(edges[:-1])
    histogram.counts = per_bucket.astype(np.int64)
    return histogram


def estimate_quantile(histogram: BucketHistogram, q: float) -> QuantileEstimate:
    """The ``q``-quantile with its bounds, by the rules of ``histogram_quantile``.

    A straight line through the bucket that holds the rank; the first bucket starts at 0; beyond the
    last finite edge the answer is that edge. Source: ``bucketQuantile`` in ``promql/quantile.go``.
    """
    return QuantileEstimate(histogram.quantile(q), *histogram.quantile_bounds(q))


def pooled(histograms: Sequence[BucketHistogram]) -> BucketHistogram:
    """The histogram of all replicas' requests together: bucket by bucket, the sum.

    Its quantile is the service's, with the same bounds as if one server had answered everything.
    """
    if not histograms:
        raise ValueError("histograms = []: expected at least one")
    return reduce(BucketHistogram.merge, histograms)


def mean_of_quantiles(histograms: Sequence[BucketHistogram], q: float) -> float:
    """The wrong way, to compare with: each replica's quantile, then their plain average.

    It is no quantile of anything: a slow replica with few requests counts as much as a fast one
    with many, and no average of p99s says where the slowest hundredth of all requests begins.
    """
    return float(np.mean([histogram.quantile(q) for histogram in histograms]))


def late_share(histogram: BucketHistogram, limit_s: float) -> tuple[float, float]:
    """Between which shares of the requests took longer than ``limit_s``; NaN without requests.

    The two agree where the limit is an edge: so make the limit that was promised an edge.
    """
    limit = arguments.positive("limit_s", limit_s)
    if not histogram.count:
        return math.nan, math.nan
    edges = [0.0, *histogram.edges_s.tolist(), math.inf]
    above = min(edge for edge in edges if edge >= limit)
    below = max(edge for edge in edges if edge <= limit)
    late = (1 - histogram.count_up_to(edge) / histogram.count for edge in (above, below))
    return tuple(late)
