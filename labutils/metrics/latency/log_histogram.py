"""A histogram of latencies whose buckets grow in proportion: a bounded relative error."""

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from labutils.ground import arguments

from .checks import none_negative
from .ranks import nearest_rank

_FINEST_RELATIVE_ERROR = 1e-5  # below it the counts of one batch no longer fit in memory


@dataclass
class LogHistogram:
    """Counts of values in buckets that each reach ``ratio`` times as far as the one before.

    Bucket ``i`` holds the values above ratio^(i-1) up to ratio^i, where ratio is
    (1 + relative_error) / (1 - relative_error): its middle is then off by at most
    ``relative_error`` from any value in it. Milliseconds to hours at 1 % take some 800 buckets;
    only those that were hit are kept. Zero has a bucket of its own, -inf, as its logarithm has.
    This is DDSketch (Masson, Rim & Lee 2019); HdrHistogram (Tene) cuts each doubling into equal
    parts instead, to the same effect.

    ``counts`` maps bucket to count; ``min`` and ``max`` are exact, inf and -inf while it is empty.
    Values are finite and not negative: ``ValueError`` otherwise, as for a ``relative_error``
    outside 0.00001 to 1.
    """

    relative_error: float = 0.01
    counts: Counter = field(default_factory=Counter, init=False)
    min: float = field(default=math.inf, init=False)
    max: float = field(default=-math.inf, init=False)

    def __post_init__(self):
        share = arguments.fraction("relative_error", self.relative_error)
        if share < _FINEST_RELATIVE_ERROR:
            raise ValueError(f"relative_error = {share!r}: expected {_FINEST_RELATIVE_ERROR} to 1")
        self.relative_error = share

    def __len__(self) -> int:
        """Number of buckets in use: the space it takes."""
        return len(self.counts)

    @property
    def ratio(self) -> float:
        """Upper edge of a bucket over that of the one before."""
        return (1 + self.relative_error) / (1 - self.relative_error)

    @property
    def count(self) -> int:
        """Number of values recorded."""
        return self.counts.total()

    @property
    def mean(self) -> float:
        """Mean of the bucket middles: within ``relative_error`` of the true mean; NaN if empty."""
        total = sum(self.middle(bucket) * count for bucket, count in self.counts.items())
        return total / self.count if self.count else math.nan

    def record(self, value: float, count: int = 1) -> None:
        """Count one value, ``count`` times."""
        value = arguments.non_negative("value", value)
        self._add({self.bucket(value): arguments.whole("count", count)}, value, value)

    def record_many(self, values) -> None:
        """Count each of ``values``; an empty sequence is no error."""
        if len(values):
            values = none_negative("values", values)
            self._add(self._tally(values), float(values.min()), float(values.max()))

    def merge(self, other: "LogHistogram") -> "LogHistogram":
        """A new histogram, the same as if it had recorded all values of both."""
        if other.relative_error != self.relative_error:
            raise ValueError(
                f"other = a histogram with relative_error {other.relative_error}: "
                f"expected {self.relative_error}, or the buckets do not match"
            )
        merged = LogHistogram(self.relative_error)
        merged.counts = self.counts + other.counts
        merged.min, merged.max = min(self.min, other.min), max(self.max, other.max)
        return merged

    def quantile(self, q: float) -> float:
        """The ``q``-quantile, within ``relative_error`` of ``percentile``; NaN while empty."""
        q = arguments.fraction("q", q)
        if not self.counts:
            return math.nan
        buckets = sorted(self.counts)
        reached = np.cumsum([self.counts[bucket] for bucket in buckets])
        bucket = buckets[np.searchsorted(reached, nearest_rank(self.count, q))]
        return min(max(self.middle(bucket), self.min), self.max)

    def bucket(self, value: float) -> float:
        """The bucket that holds ``value``."""
        # By numpy's logarithm, as below, so that one by one and all at once agree on every edge.
        return math.ceil(float(np.log(value)) / math.log(self.ratio)) if value else -math.inf

    def middle(self, bucket: float) -> float:
        """The value that stands for a bucket: as far above its lower edge as below its upper."""
        return self.ratio ** (bucket - 1) * (1 + self.relative_error)

    def _add(self, counts: dict, lowest: float, highest: float) -> None:
        self.counts.update(counts)
        self.min, self.max = min(self.min, lowest), max(self.max, highest)

    def _tally(self, values: np.ndarray) -> dict[float, int]:
        """Count by bucket, for each bucket that ``values`` hit."""
        num_zeros = values.size - np.count_nonzero(values)
        positive = values[values > 0] if num_zeros else values
        if positive.size == 0:
            return {-math.inf: num_zeros}
        buckets = np.ceil(np.log(positive) / math.log(self.ratio)).astype(np.int64)
        lowest = int(buckets.min())
        counts = np.bincount(buckets - lowest)
        hit = np.flatnonzero(counts)
        tally = dict(zip((hit + lowest).tolist(), counts[hit].tolist(), strict=True))
        return tally | ({-math.inf: num_zeros} if num_zeros else {})
