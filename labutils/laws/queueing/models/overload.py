"""What a queue does above saturation: it grows, steadily, and then it has to drain."""

import math
from dataclasses import dataclass

from labutils.ground import arguments
from labutils.laws.queueing.formulas.times import at_each


@dataclass(frozen=True)
class Overload:
    """A fluid picture of too much traffic for a while.

    Source: Newell 1982, "Applications of Queueing Theory".
    From time 0, for ``duration_s`` seconds, ``arrival_rate`` requests per second meet servers
    that complete ``service_rate`` per second in all; then ``arrival_rate_after`` arrive. Requests
    flow like water, first come first served; nobody gives up and nothing is refused. The picture
    leaves out randomness, so it is right where the backlog is large, and says 0 where only the
    ordinary queue below saturation remains.
    """

    arrival_rate: float
    service_rate: float
    duration_s: float
    arrival_rate_after: float

    def __post_init__(self):
        for name in ("arrival_rate", "service_rate", "duration_s"):
            object.__setattr__(self, name, arguments.positive(name, getattr(self, name)))
        after = arguments.non_negative("arrival_rate_after", self.arrival_rate_after)
        object.__setattr__(self, "arrival_rate_after", after)

    @property
    def utilization(self) -> float:
        """Offered over possible work during the overload; not clipped at 1."""
        return self.arrival_rate / self.service_rate

    @property
    def growth_per_s(self) -> float:
        """Requests that the backlog gains every second of overload (0 below saturation)."""
        return max(0.0, self.arrival_rate - self.service_rate)

    @property
    def drain_per_s(self) -> float:
        """Requests that the backlog loses every second afterwards (negative: it still grows)."""
        return self.service_rate - self.arrival_rate_after

    @property
    def backlog_at_end(self) -> float:
        """Requests in the backlog when the overload ends."""
        return self.growth_per_s * self.duration_s

    @property
    def peak_backlog(self) -> float:
        """The largest backlog ever; infinite if it grows on after the overload."""
        return math.inf if self.drain_per_s < 0 else self.backlog_at_end

    @property
    def peak_waiting_time(self) -> float:
        """The longest wait (seconds): that of the last arrival of the overload."""
        return self.peak_backlog / self.service_rate

    @property
    def drain_s(self) -> float:
        """Seconds from the end of the overload until the backlog is gone; infinite if never."""
        if self.backlog_at_end == 0 and self.drain_per_s >= 0:
            return 0.0
        return self.backlog_at_end / self.drain_per_s if self.drain_per_s > 0 else math.inf

    @property
    def healthy_after_s(self) -> float:
        """Seconds from the start of the overload until the backlog is gone."""
        return self.duration_s + self.drain_s

    def backlog_at(self, t):
        """Requests in the backlog ``t`` seconds after the start: one number, or an array."""
        return at_each(self._backlog, t)

    def waiting_time_of_arrival_at(self, t):
        """Seconds that a request arriving ``t`` seconds after the start waits before service."""
        return self.backlog_at(t) / self.service_rate

    def _backlog(self, t: float) -> float:
        if t <= self.duration_s:
            return self.growth_per_s * t
        return max(0.0, self.backlog_at_end - self.drain_per_s * (t - self.duration_s))
