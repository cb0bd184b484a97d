"""G/G/c, approximately: what two moments of the gaps and services tell you."""

from dataclasses import dataclass
from functools import cached_property

from labutils.ground import arguments
from labutils.laws.queueing.models.exponential_wait import ExponentialWait
from labutils.laws.queueing.models.mmc import MMc


@dataclass(frozen=True)
class GGc(ExponentialWait):
    """The Allen–Cunneen approximation: the M/M/c wait times (scv_arrival + scv_service) / 2.

    With one server this is Kingman's formula (1961). Source: Allen 1990, "Probability,
    Statistics, and Queueing Theory". ``scv_arrival`` and ``scv_service`` are the
    squared coefficients of variation, (standard deviation / mean)**2, of the gaps between
    arrivals (independent of each other) and of the service times.

    Mean wait: exact for M/M/c and for Poisson arrivals at one server (M/G/1). Its known errors,
    against exact chains (H2: two exponential phases with balanced means, SCV 4) or, marked *,
    long simulations:

    - one server: D/M/1 33 % and E4/E4/1 35 % too long at utilization 0.7, 8 % at 0.9;
    - eight servers at 0.9: D/M 21 % and E4/E4 18 %* too long, M/H2 7 % and lognormal services
      (sigma 1) 5 %* too long, but H2/M 10 % too short;
    - 64 servers at 0.9: D/M 89 % too long, H2/M 36 % too short. Below 0.9 do not use it there.

    Chance to wait: Erlang C, whatever the variability (0 where nothing varies). Tails and
    quantiles assume that those who wait, wait an exponential time with the mean above (the
    heavy-traffic limit, Kingman 1962), then take a service time fitted to two moments: exact for
    M/M/c, right near utilization 1, rough elsewhere (``MG1`` says how rough for one server).
    """

    arrival_rate: float
    service_rate: float
    num_servers: int
    scv_arrival: float
    scv_service: float

    def __post_init__(self):
        markov = MMc(self.arrival_rate, self.service_rate, self.num_servers)
        self._clean(
            arrival_rate=markov.arrival_rate,
            service_rate=markov.service_rate,
            num_servers=markov.num_servers,
            scv_arrival=arguments.non_negative("scv_arrival", self.scv_arrival),
            scv_service=arguments.non_negative("scv_service", self.scv_service),
        )

    @property
    def variability(self) -> float:
        """(scv_arrival + scv_service) / 2: 1 for M/M/c, 0 where nothing varies."""
        return (self.scv_arrival + self.scv_service) / 2

    @cached_property
    def p_wait(self) -> float:
        markov = MMc(self.arrival_rate, self.service_rate, self.num_servers)
        return markov.p_wait if self.variability else 0.0

    @property
    def decay_rate(self) -> float:
        # Where nothing varies nobody waits, and any rate describes that.
        return (self.capacity_per_s - self.arrival_rate) / (self.variability or 1.0)


def kingman(
    arrival_rate: float, service_rate: float, *, scv_arrival: float, scv_service: float
) -> float:
    """Mean waiting time (seconds) of G/G/1 by Kingman's formula (1961).

    utilization / (1 - utilization) * (scv_arrival + scv_service) / 2 * mean service time: what
    the load does, times what variability does, times one service. Errors: see ``GGc``.
    """
    return GGc(arrival_rate, service_rate, 1, scv_arrival, scv_service).mean_waiting_time


def allen_cunneen(
    arrival_rate: float,
    service_rate: float,
    num_servers: int,
    *,
    scv_arrival: float,
    scv_service: float,
) -> float:
    """Mean waiting time (seconds) of G/G/c by the Allen–Cunneen formula. Errors: see ``GGc``."""
    return GGc(arrival_rate, service_rate, num_servers, scv_arrival, scv_service).mean_waiting_time
