"""Percentiles of measured latencies: how far to trust them, and how to keep them in little space.

>>> from labutils.latency import LogHistogram, percentile, rank_interval
>>> percentile([0.31, 0.02, 0.17], 0.5)
0.17
>>> rank_interval(1000, 0.99)
(983, 997)

``percentile`` and its interval need all values. ``LogHistogram`` keeps a bounded relative error in
a few hundred counts, ``BucketHistogram`` is what a monitoring system stores, ``SlidingWindow``
watches the last so many seconds, and ``corrected_for_omission`` puts back what a load generator
that waited did not send.
"""

from .bucket_histogram import PROMETHEUS_DEFAULT_EDGES_S, BucketHistogram
from .coordinated_omission import corrected_for_omission
from .log_histogram import LogHistogram
from .percentiles import percentile, percentile_interval, percentile_of_all
from .ranks import rank_interval, required_sample_size
from .sliding_window import SlidingWindow
from .window_snapshot import WindowSnapshot

__all__ = [
    "PROMETHEUS_DEFAULT_EDGES_S",
    "BucketHistogram",
    "LogHistogram",
    "SlidingWindow",
    "WindowSnapshot",
    "corrected_for_omission",
    "percentile",
    "percentile_interval",
    "percentile_of_all",
    "rank_interval",
    "required_sample_size",
]
