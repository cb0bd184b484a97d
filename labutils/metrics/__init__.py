"""What is recorded about requests, and the latencies and rates that follow from it.

>>> from labutils.metrics import RequestLog
>>> log = RequestLog.from_times([0.0, 0.5, 0.6], [0.8, 1.5, 1.1], status=["ok", "ok", "failed"])
>>> log.throughput_per_s(0, 2), log.goodput_per_s(0, 2, e2e_s=0.9)
(1.0, 0.5)

TTFT, TPOT and end-to-end time are defined once, in ``definitions``, for a ``RequestRecord`` as for
the columns of a ``RequestLog``. A room of its own, ``latency``, holds percentiles and histograms,
and says how far to trust them.
"""

from .log import RequestLog
from .record import RequestRecord
from .status import RequestStatus

__all__ = ["RequestLog", "RequestRecord", "RequestStatus"]
