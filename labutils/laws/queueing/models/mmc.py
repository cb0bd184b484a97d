"""M/M/c: one queue in front of several servers."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from labutils.laws.queueing.formulas.erlang import count_of_servers, erlang_b, p_wait_from_blocking
from labutils.laws.queueing.formulas.errors import check_stable
from labutils.laws.queueing.models.exponential_wait import ExponentialWait


@dataclass(frozen=True)
class MMc(ExponentialWait):
    """The M/M/c queue (Erlang 1917; Kleinrock 1975, section 3.5), exact.

    Poisson arrivals at ``arrival_rate`` per second share one queue for ``num_servers`` servers,
    each with exponential services at ``service_rate``. Those who wait, wait an exponential time
    at rate num_servers * service_rate - arrival_rate. Raises ``UnstableQueueError`` when the
    arrivals reach the capacity num_servers * service_rate.
    """

    arrival_rate: float
    service_rate: float
    num_servers: int
    scv_service: ClassVar[float] = 1.0

    def __post_init__(self):
        self._clean_rates()
        self._clean(num_servers=count_of_servers(self.num_servers))
        check_stable("arrival_rate", self.arrival_rate, self.capacity_per_s)

    @cached_property
    def p_wait(self) -> float:
        idle_share = (self.capacity_per_s - self.arrival_rate) / self.capacity_per_s
        return p_wait_from_blocking(erlang_b(self.offered_load, self.num_servers), idle_share)
