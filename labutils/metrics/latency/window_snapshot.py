"""What a sliding window holds at one moment."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from labutils.metrics.status import RequestStatus

from .percentiles import percentile_of_all


@dataclass(frozen=True, eq=False)
class WindowSnapshot:
    """How many requests ended in the window and how, and the latencies of the "ok" ones.

    ``count`` is all of them: ``ok + failed + timed_out + cancelled + rejected``. A window in
    which nothing ended has no latencies and no failure share, so these are NaN, never 0.
    """

    window_s: float
    ok_latencies_s: np.ndarray
    failed: int = 0
    timed_out: int = 0
    cancelled: int = 0
    rejected: int = 0

    @classmethod
    def of(cls, requests: Iterable[tuple], window_s: float) -> "WindowSnapshot":
        """Sort (finish_s, latency_s, status) rows by how they ended."""
        requests = list(requests)
        ok = [latency for _, latency, status in requests if status is RequestStatus.OK]
        ended = Counter(status for *_, status in requests if status is not RequestStatus.OK)
        return cls(window_s, np.array(ok), **{str(how): num for how, num in ended.items()})

    @property
    def ok(self) -> int:
        """Number of requests that were answered."""
        return self.ok_latencies_s.size

    @property
    def unanswered(self) -> int:
        """Number of requests that ended in any other way."""
        return self.failed + self.timed_out + self.cancelled + self.rejected

    @property
    def count(self) -> int:
        """Number of requests that ended in the window, in whatever way."""
        return self.ok + self.unanswered

    @property
    def rate_per_s(self) -> float:
        """Requests that ended, per second, in whatever way."""
        return self.count / self.window_s

    def percentile(self, q: float) -> float:
        """The ``q``-quantile over all requests; the unanswered count as infinitely late.

        NaN when there were none.
        """
        return percentile_of_all(self.ok_latencies_s, self.unanswered, q)
