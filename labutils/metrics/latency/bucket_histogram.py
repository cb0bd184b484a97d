"""A histogram with fixed edges, as a monitoring system stores it, and what it can still tell."""

import math

import numpy as np

from labutils.ground import arguments

from .checks import none_negative
from .ranks import nearest_rank

# Those of Prometheus' Python client, in seconds; its Go client leaves out 0.075, 0.75 and 7.5.
PROMETHEUS_DEFAULT_EDGES_S = (
    *(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75),
    *(1.0, 2.5, 5.0, 7.5, 10.0),
)


class BucketHistogram:
    """Counts of latencies up to each upper edge, the edge included, and an overflow bucket.

    ``edges_s`` ascend from above 0 and end before infinity, which is implied (``le`` and
    ``le="+Inf"`` in Prometheus). ``counts`` holds one count per bucket, the overflow last:
    latencies in it exceed every edge. Latencies are finite and not negative. ``ValueError``
    otherwise.
    """

    def __init__(self, edges_s=PROMETHEUS_DEFAULT_EDGES_S):
        self.edges_s = _ascending(edges_s)
        self.counts = np.zeros(self.edges_s.size + 1, dtype=np.int64)

    @property
    def count(self) -> int:
        """Number of latencies recorded."""
        return int(self.counts.sum())

    def count_up_to(self, edge_s: float) -> int:
        """Number of latencies up to one of the edges, or inf: Prometheus' count for an ``le``."""
        edges = np.append(self.edges_s, math.inf)
        return int(self.counts[edges <= edge_s].sum())

    def record_many(self, values) -> None:
        """Count each of ``values``; an empty sequence is no error."""
        if len(values):
            buckets = np.searchsorted(self.edges_s, none_negative("values", values))
            self.counts += np.bincount(buckets, minlength=self.counts.size)

    def merge(self, other: "BucketHistogram") -> "BucketHistogram":
        """A new histogram, the same as if it had recorded all latencies of both."""
        if not np.array_equal(self.edges_s, other.edges_s):
            raise ValueError(f"other = edges {other.edges_s}: expected edges {self.edges_s}")
        merged = BucketHistogram(self.edges_s)
        merged.counts = self.counts + other.counts
        return merged

    def quantile(self, q: float) -> float:
        """The ``q``-quantile as Prometheus' ``histogram_quantile`` computes it; NaN while empty.

        A straight line through the bucket, as if its values were spread evenly. A quantile in the
        overflow reads as the top edge, however late the requests were.
        """
        low, high = self.quantile_bounds(q)
        if not math.isfinite(high):
            return low
        below, up_to = self.count_up_to(low), self.count_up_to(high)
        return low + (high - low) * (self.count * q - below) / (up_to - below)

    def quantile_bounds(self, q: float) -> tuple[float, float]:
        """The edges between which the ``q``-quantile lies: all that the counts can tell.

        Above the first, at most the second; (top edge, inf) in the overflow. NaN while empty.
        """
        rank = nearest_rank(self.count, arguments.fraction("q", q))
        if rank == 0:
            return math.nan, math.nan
        bucket = np.searchsorted(np.cumsum(self.counts), rank)
        edges = (0.0, *self.edges_s.tolist(), math.inf)
        return edges[bucket], edges[bucket + 1]


def _ascending(edges_s) -> np.ndarray:
    edges = np.concatenate(([0.0], arguments.sample("edges_s", edges_s)))
    if (np.diff(edges) <= 0).any():
        raise ValueError(f"edges_s = {edges_s!r}: expected edges that ascend from above 0")
    return edges[1:]
