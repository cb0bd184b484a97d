"""What every steady-state queue in this room can answer."""

from abc import ABC, abstractmethod

from labutils.ground import arguments
from labutils.laws.queueing.formulas.times import at_each


class QueueModel(ABC):
    """A queue in steady state: rates are per second, times are seconds.

    ``arrival_rate`` counts requests offered to the queue, ``service_rate`` what one busy server
    completes, ``num_servers`` how many serve in parallel, first come, first served.
    A model supplies the chance to wait, the mean wait and two tails; the rest follows from
    Little's law, L = throughput * W (Little 1961), and is the same for all of them.
    """

    arrival_rate: float
    service_rate: float
    num_servers: int

    @property
    def mean_service_time(self) -> float:
        """Mean time in service, 1 / service_rate."""
        return 1 / self.service_rate

    @property
    def capacity_per_s(self) -> float:
        """Requests per second with every server busy."""
        return self.num_servers * self.service_rate

    @property
    def throughput(self) -> float:
        """Requests per second that enter and leave: all that arrive, unless some are refused."""
        return self.arrival_rate

    @property
    def offered_load(self) -> float:
        """Work offered per second of time, arrival_rate / service_rate (Erlangs)."""
        return self.arrival_rate / self.service_rate

    @property
    def utilization(self) -> float:
        """Share of the servers' time that is spent serving."""
        return self.throughput / self.capacity_per_s

    @property
    @abstractmethod
    def p_wait(self) -> float:
        """Probability that a request finds every server busy and waits."""

    @property
    @abstractmethod
    def mean_waiting_time(self) -> float:
        """Mean time in the queue before service, over all requests, waiting or not."""

    @property
    def mean_sojourn_time(self) -> float:
        """Mean time from arrival to departure: waiting plus service."""
        return self.mean_waiting_time + self.mean_service_time

    @property
    def mean_queue_length(self) -> float:
        """Mean number waiting (not in service)."""
        return self.throughput * self.mean_waiting_time

    @property
    def mean_num_in_system(self) -> float:
        """Mean number waiting or in service."""
        return self.throughput * self.mean_sojourn_time

    def waiting_time_tail(self, t):
        """P(waiting time > t) for ``t`` seconds: one number, or an array for many."""
        return at_each(self._waiting_tail, t)

    def sojourn_time_tail(self, t):
        """P(sojourn time > t) for ``t`` seconds: one number, or an array for many."""
        return at_each(self._sojourn_tail, t)

    def waiting_time_quantile(self, q: float) -> float:
        """The wait in seconds that a share ``q`` of requests stays within; 0 if they need not."""
        q = arguments.fraction("q", q)
        return 0.0 if 1 - q >= self.p_wait else self._waiting_quantile(q)

    def sojourn_time_quantile(self, q: float) -> float:
        """The sojourn time in seconds that a share ``q`` of requests stays within."""
        return self._sojourn_quantile(arguments.fraction("q", q))

    @abstractmethod
    def _waiting_tail(self, t: float) -> float: ...

    @abstractmethod
    def _sojourn_tail(self, t: float) -> float: ...

    @abstractmethod
    def _waiting_quantile(self, q: float) -> float:
        """The quantile where it is above 0."""

    @abstractmethod
    def _sojourn_quantile(self, q: float) -> float: ...

    def _clean(self, **fields) -> None:
        """Store checked values in a frozen dataclass."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _clean_rates(self) -> None:
        self._clean(
            arrival_rate=arguments.positive("arrival_rate", self.arrival_rate),
            service_rate=arguments.positive("service_rate", self.service_rate),
        )
