"""M/M/1: random arrivals, exponential services, one server."""

import math
from dataclasses import dataclass
from typing import ClassVar

from labutils.laws.queueing.formulas.errors import check_stable
from labutils.laws.queueing.models.exponential_wait import ExponentialWait


@dataclass(frozen=True)
class MM1(ExponentialWait):
    """The M/M/1 queue (Erlang 1917): everything follows from 1 / (service_rate - arrival_rate).

    Poisson arrivals at ``arrival_rate`` per second, exponential services at ``service_rate``.
    The sojourn time is exponential. Raises ``UnstableQueueError`` at utilization 1 or more.
    """

    arrival_rate: float
    service_rate: float
    num_servers: ClassVar[int] = 1
    scv_service: ClassVar[float] = 1.0

    def __post_init__(self):
        self._clean_rates()
        check_stable("arrival_rate", self.arrival_rate, self.service_rate)

    @property
    def p_wait(self) -> float:
        return self.arrival_rate / self.service_rate

    @property
    def mean_sojourn_time(self) -> float:
        return 1 / (self.service_rate - self.arrival_rate)

    def _sojourn_tail(self, t: float) -> float:
        return math.exp(-(self.service_rate - self.arrival_rate) * t)

    def _sojourn_quantile(self, q: float) -> float:
        return -math.log1p(-q) / (self.service_rate - self.arrival_rate)
