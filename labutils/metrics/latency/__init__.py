"""Percentiles of measured latencies: how far to trust them, and how to keep them in little space.

>>> from labutils.metrics.latency import LogHistogram, percentile, rank_interval
>>> percentile([0.31, 0.02, 0.17], 0.5)
0.17
>>> rank_interval(1000, 0.99)
(983, 997)

``percentile`` and its interval need all values. ``LogHistogram`` keeps a bounded relative error in
a few hundred counts, ``BucketHistogram`` is what a monitoring system stores, ``SlidingWindow``
watches the last so many seconds, and ``corrected_for_omission`` puts back what a load generator
that waited did not send. ``audit_budget`` and ``split_budget`` are about a total of stages, whose
quantiles do not add.
"""

from .bucket_histogram import PROMETHEUS_DEFAULT_EDGES_S, BucketHistogram
from .budget import BudgetAudit, BudgetSplit, audit_budget, split_budget
from .coordinated_omission import corrected_for_omission
from .log_histogram import LogHistogram
from .percentiles import percentile, percentile_interval, percentile_of_all
from .ranks import rank_interval, required_sample_size
from .sliding_window import SlidingWindow
from .window_snapshot import WindowSnapshot

__all__ = [
    "PROMETHEUS_DEFAULT_EDGES_S",
    "BucketHistogram",
    "BudgetAudit",
    "BudgetSplit",
    "LogHistogram",
    "SlidingWindow",
    "WindowSnapshot",
    "audit_budget",
    "corrected_for_omission",
    "percentile",
    "percentile_interval",
    "percentile_of_all",
    "rank_interval",
    "required_sample_size",
    "split_budget",
]
