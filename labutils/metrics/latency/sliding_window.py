"""The requests that ended within the last so many seconds."""

import math
from collections import deque

from labutils.ground import arguments
from labutils.metrics.status import RequestStatus, as_status

from .window_snapshot import WindowSnapshot


class SlidingWindow:
    """Tracks how requests ended, over the last ``window_s`` seconds rather than the last n.

    Times are seconds on any one clock. They may run back, as answers of several workers do, but
    no further than one window behind the latest time seen: ``ValueError`` otherwise. Two windows
    of requests are kept for that; older ones are forgotten.
    """

    def __init__(self, window_s: float):
        self.window_s = arguments.positive("window_s", window_s)
        self._requests: deque[tuple[float, float, RequestStatus]] = deque()
        self._latest_s = -math.inf

    def record(self, finish_s: float, latency_s: float, status: str = "ok") -> None:
        """Count a request that ended at ``finish_s``, in whatever way ``status`` says.

        ``latency_s`` is how long it took; only an "ok" request's counts as a latency, and that of
        any other may be NaN.
        """
        status = as_status("status", status)
        if status is RequestStatus.OK:
            latency_s = arguments.non_negative("latency_s", latency_s)
        self._advance_to("finish_s", finish_s)
        self._requests.append((finish_s, latency_s, status))

    def snapshot(self, now_s: float) -> WindowSnapshot:
        """What ended after ``now_s - window_s``, up to and with ``now_s``."""
        self._advance_to("now_s", now_s)
        inside = [r for r in self._requests if now_s - self.window_s < r[0] <= now_s]
        return WindowSnapshot.of(inside, self.window_s)

    def _advance_to(self, name: str, time_s: float) -> None:
        """Move the clock on and forget what no snapshot can ask for any more."""
        if arguments.finite(name, time_s) < self._latest_s - self.window_s:
            raise ValueError(
                f"{name} = {time_s!r}: expected a time of at least "
                f"{self._latest_s - self.window_s!r}, one window before the latest"
            )
        self._latest_s = max(self._latest_s, time_s)
        while self._requests and self._requests[0][0] <= self._latest_s - 2 * self.window_s:
            self._requests.popleft()
