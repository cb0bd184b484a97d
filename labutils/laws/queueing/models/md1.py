"""M/D/1: random arrivals, every service equally long, one server."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import gammainc, hyp1f1

from labutils.laws.queueing.formulas.errors import check_stable
from labutils.laws.queueing.formulas.roots import crossing, invert_tail
from labutils.laws.queueing.models.model import QueueModel

_MEMORY = 48  # services after which the tail is exponential to eleven digits and more
_PHASES = np.arange(_MEMORY)
_FACTORIALS = np.array([float(math.factorial(n)) for n in _PHASES])


@dataclass(frozen=True)
class MD1(QueueModel):
    """The M/D/1 queue (Erlang 1909), exact in means, tails and quantiles.

    Poisson arrivals at ``arrival_rate`` per second; every service takes 1 / service_rate. The
    mean wait is half of M/M/1's. Raises ``UnstableQueueError`` at utilization 1 or more.

    The classical series for the tail alternates in sign and breaks down within a few services.
    This one has positive terms: Franx (2001, "A simple solution for the M/D/c waiting time
    distribution") up to 48 services, then its exponential limit: eleven digits or more wherever
    the probability is above 1e-100.
    """

    arrival_rate: float
    service_rate: float
    num_servers: ClassVar[int] = 1

    def __post_init__(self):
        self._clean_rates()
        check_stable("arrival_rate", self.arrival_rate, self.service_rate)

    @property
    def p_wait(self) -> float:
        return self.arrival_rate / self.service_rate

    @property
    def mean_waiting_time(self) -> float:
        return self.utilization / (2 * (self.service_rate - self.arrival_rate))

    def _waiting_tail(self, t: float) -> float:
        services = t * self.service_rate
        if services >= _MEMORY:
            return self._amplitude * math.exp(-self._decay * services)
        return self._franx_tail(services)

    def _sojourn_tail(self, t: float) -> float:
        wait = t - self.mean_service_time
        return self._waiting_tail(wait) if wait >= 0 else 1.0

    def _waiting_quantile(self, q: float) -> float:
        if 1 - q <= self._waiting_tail(_MEMORY / self.service_rate):
            return math.log(self._amplitude / (1 - q)) / (self._decay * self.service_rate)
        return invert_tail(self._waiting_tail, q, self.mean_waiting_time)

    def _sojourn_quantile(self, q: float) -> float:
        return self.mean_service_time + self.waiting_time_quantile(q)

    def _franx_tail(self, services: float) -> float:
        """P(wait > services), in units of one service, after Franx 2001.

        The wait exceeds it unless few enough stood before: with k whole services above, those who
        arrive in the remaining fraction are Poisson, and k - j others are in the system.
        """
        k = int(services) + 1
        load = self.utilization * (k - services)
        poisson = math.exp(-load) * load ** _PHASES[:k] / _FACTORIALS[:k]
        return float(poisson @ self._more_than[k:0:-1] + gammainc(k, load))

    @cached_property
    def _more_than(self) -> np.ndarray:
        """P(more than n in system) for n = 0 … 48, summed from the far end."""
        chances = self._departure_chain()
        beyond = chances[-1] / math.expm1(self._decay)
        return beyond + np.append(np.cumsum(chances[:0:-1])[::-1], 0.0)

    def _departure_chain(self) -> np.ndarray:
        """P(a departure leaves n behind), n = 0 … 48: as often up across n | n + 1 as down.

        Positive terms only (Ramaswami 1988): from n to below goes a service without arrivals.
        """
        exceeds = gammainc(np.arange(1.0, _MEMORY + 2), self.utilization)  # P(arrivals > n)
        chances = np.zeros(_MEMORY + 1)
        chances[0] = (self.service_rate - self.arrival_rate) / self.service_rate
        for n in range(_MEMORY):
            up = chances[0] * exceeds[n] + chances[1 : n + 1] @ exceeds[n:0:-1]
            chances[n + 1] = up * math.exp(self.utilization)
        return chances

    @cached_property
    def _decay(self) -> float:
        """Decay of the tail per service: the positive root u of utilization * (e^u - 1) = u.

        Divided by u and with 1 taken off: u/2 * M(1, 3, u) = spare / arrival_rate, which keeps
        its digits near utilization 1. As e^(u/2) <= (e^u - 1) / u, the root is at most
        -2 log(utilization), and so at most the log(1 + u / utilization) of that.
        """
        spare = (self.service_rate - self.arrival_rate) / self.arrival_rate
        bound = math.log1p(2 * math.log1p(spare) * (1 + spare))
        return crossing(lambda u: u / 2 * hyp1f1(1, 3, u) - spare, 0.0, 1.1 * bound)

    @cached_property
    def _amplitude(self) -> float:
        idle = (self.service_rate - self.arrival_rate) / self.service_rate
        return idle / (self._decay - idle)
