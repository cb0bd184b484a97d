"""M/M/c/K: several servers and a waiting room that can be full."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammainc, gammaincc, gammaln, hyp1f1, xlogy

from labutils.ground import arguments
from labutils.laws.queueing.formulas.erlang import count_of_servers, erlang_b
from labutils.laws.queueing.formulas.roots import invert_tail
from labutils.laws.queueing.models.model import QueueModel


@dataclass(frozen=True)
class MMcK(QueueModel):
    """The M/M/c/K queue: an arrival that finds it full is refused.

    Source: Gross and Harris 1998, "Fundamentals of Queueing Theory". ``capacity`` counts
    everybody inside, those in service included; it is at least ``num_servers`` (then nobody
    waits, and refusals follow Erlang B). The queue is never unstable. Waiting and sojourn times
    are those of the requests that get in; ``throughput`` is their rate, and ``utilization`` the
    share of time that the servers work (at most 1, however large the offered load).
    """

    arrival_rate: float
    service_rate: float
    num_servers: int
    capacity: int

    def __post_init__(self):
        self._clean_rates()
        servers = count_of_servers(self.num_servers)
        self._clean(
            num_servers=servers,
            capacity=arguments.whole("capacity", self.capacity, at_least=servers),
        )

    @property
    def p_block(self) -> float:
        """Probability that an arrival finds the queue full and is refused."""
        return float(self._shares[-1])

    @property
    def throughput(self) -> float:
        # Rounding must not let the servers finish more than they can.
        return min(self.arrival_rate * self._p_enter, self.capacity_per_s)

    @cached_property
    def p_wait(self) -> float:
        return float(self._waiters.sum())

    @cached_property
    def mean_waiting_time(self) -> float:
        ahead = np.arange(1, self._waiters.size + 1)
        return float(self._waiters @ ahead) / self.capacity_per_s

    def _waiting_tail(self, t: float) -> float:
        departures = np.arange(1, self._waiters.size + 1)
        return float(self._waiters @ gammaincc(departures, self.capacity_per_s * t))

    def _sojourn_tail(self, t: float) -> float:
        at_once = (1 - self.p_wait) * math.exp(-self.service_rate * t)
        departures = np.arange(1, self._waiters.size + 1)
        return at_once + float(self._waiters @ self._departures_then_service(departures, t))

    def _waiting_quantile(self, q: float) -> float:
        return invert_tail(self._waiting_tail, q, self.mean_waiting_time)

    def _sojourn_quantile(self, q: float) -> float:
        return invert_tail(self._sojourn_tail, q, self.mean_sojourn_time)

    @cached_property
    def _shares(self) -> np.ndarray:
        """P(some server idle), then P(num_servers + j inside), j = 0 … capacity - num_servers.

        Up to num_servers the chain is an Erlang loss system, above it geometric. ``top`` keeps
        the largest weight at 1 when the load is above capacity.
        """
        log_ratio = math.log(self.arrival_rate / self.capacity_per_s)
        room = self.capacity - self.num_servers
        top = max(0.0, room * log_ratio)
        blocked = erlang_b(self.offered_load, self.num_servers)
        busy = blocked * np.exp(np.arange(room + 1) * log_ratio - top)
        weights = np.append((1 - blocked) * math.exp(-top), busy)
        return weights / weights.sum()

    @cached_property
    def _p_enter(self) -> float:
        return float(self._shares[:-1].sum())

    @cached_property
    def _waiters(self) -> np.ndarray:
        """P(a request that gets in waits for j + 1 departures), j = 0, 1, …"""
        return self._shares[1:-1] / self._p_enter

    def _departures_then_service(self, n: np.ndarray, t: float) -> np.ndarray:
        """P(n departures of a fully busy house, then one service, take longer than t).

        The part in which the departures fit into t but the service does not is written in two
        ways, each where it neither overflows nor underflows.
        """
        busy_time = self.capacity_per_s * t
        early = busy_time - self.service_rate * t
        poisson = np.exp(xlogy(n, busy_time) - busy_time - gammaln(n + 1))
        above = poisson * hyp1f1(1, n + 1, np.minimum(early, n))
        if self.num_servers == 1:
            return gammaincc(n, busy_time) + above
        growth = -n * math.log1p(-1 / self.num_servers) - self.service_rate * t
        below = np.exp(np.minimum(growth, 0.0)) * gammainc(n, early)
        return gammaincc(n, busy_time) + np.where(n > early, above, below)
