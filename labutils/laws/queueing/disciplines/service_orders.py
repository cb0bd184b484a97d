"""One server, random arrivals, and four orders of service: mean times in closed form.

Each order keeps the server busy whenever there is work, so the server is busy for the same share
of the time under each. What differs is who waits for whom.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from labutils.ground import arguments
from labutils.laws.queueing.disciplines.service_laws import Services
from labutils.laws.queueing.formulas.errors import check_stable


@dataclass(frozen=True)
class Discipline(ABC):
    """Poisson arrivals, ``arrival_rate`` per second, at one server; ``services`` in seconds.

    Times are means in steady state. Raises ``UnstableQueueError`` at utilization 1 or more.

    >>> from labutils.laws.queueing import KnownLengths
    >>> mixed = KnownLengths((0.02, 0.4), (0.9, 0.1))
    >>> for order in (FirstCome, ProcessorSharing, ShortestJobFirst, ShortestRemainingTime):
    ...     queue = order(10, mixed)
    ...     times = [1000 * queue.mean_sojourn_time_of(size) for size in mixed.times_s]
    ...     print(f"{order.__name__:22}{times[0]:5.0f} ms{times[1]:5.0f} ms")
    FirstCome              215 ms  595 ms
    ProcessorSharing        48 ms  952 ms
    ShortestJobFirst       120 ms  638 ms
    ShortestRemainingTime   22 ms  721 ms
    """

    arrival_rate: float
    services: Services

    def __post_init__(self):
        rate = arguments.positive("arrival_rate", self.arrival_rate)
        object.__setattr__(self, "arrival_rate", rate)
        if not isinstance(self.services, Services):
            raise ValueError(f"services = {self.services!r}: expected KnownLengths or the like")
        check_stable("arrival_rate", rate, 1 / self.services.mean_service_time)

    @property
    def utilization(self) -> float:
        """Share of the time that the server is busy, the same under each order."""
        return self.arrival_rate * self.services.mean_service_time

    def mean_sojourn_time_of(self, service_time: float) -> float:
        """Mean time from arrival to departure of a request that needs ``service_time`` alone."""
        return self._sojourn_time_of(arguments.positive("service_time", service_time))

    @property
    def mean_sojourn_time(self) -> float:
        """Mean time from arrival to departure, over all requests."""
        return self.services.average(self._sojourn_time_of)

    @property
    def mean_waiting_time(self) -> float:
        """Mean time inside beyond the service itself, pauses and sharing included."""
        return self.mean_sojourn_time - self.services.mean_service_time

    @property
    def mean_num_in_system(self) -> float:
        """Mean number inside, by Little's law."""
        return self.arrival_rate * self.mean_sojourn_time

    @abstractmethod
    def _sojourn_time_of(self, size: float) -> float: ...

    def _idle_share(self, size: float) -> float:
        """Share of the time without work from services of at most ``size``."""
        return 1 - self.arrival_rate * self.services.moment(1, size)

    def _idle_share_below(self, size: float) -> float:
        """Share of the time without work from services shorter than ``size``."""
        return 1 - self.arrival_rate * self.services.moment_below(1, size)


class FirstCome(Discipline):
    """First come, first served: Pollaczek 1930 and Khinchine 1932, as in ``MG1``."""

    def _sojourn_time_of(self, size: float) -> float:
        ahead = self.arrival_rate * self.services.moment(2) / 2
        return ahead / (1 - self.utilization) + size


class ProcessorSharing(Discipline):
    """All who are inside share the server equally: S/(1 - utilization), whatever the spread.

    A request of size x stays x/(1 - utilization) on average: each is slowed down by the same
    factor. The mean needs no more than the mean service (insensitivity). Source: Kleinrock 1967,
    "Time-shared systems: a theoretical treatment"; Sakata, Noguchi and Oizumi 1971 for any
    services.
    """

    @property
    def mean_sojourn_time(self) -> float:
        return self._sojourn_time_of(self.services.mean_service_time)

    def _sojourn_time_of(self, size: float) -> float:
        return size / (1 - self.utilization)


class ShortestJobFirst(Discipline):
    """The shortest of those who wait goes next; nobody in service is interrupted.

    Wait of size x = λE[S²]/2 / ((1 - ρ(<x)) (1 - ρ(≤x))), with ρ(≤x) the utilization from
    services of at most x; equal ones in order of arrival. Source: Cobham 1954 (classes), Phipps
    1956 (sizes as classes).
    """

    def _sojourn_time_of(self, size: float) -> float:
        ahead = self.arrival_rate * self.services.moment(2) / 2
        return ahead / (self._idle_share_below(size) * self._idle_share(size)) + size


class ShortestRemainingTime(Discipline):
    """Always the one with the least work left; a shorter newcomer interrupts, nothing is lost.

    No order has a lower mean (Schrage 1968). Time of size x = its wait for the first service,
    λ(E[S²; S < x] + x² P(S ≥ x))/2 / ((1 - ρ(<x)) (1 - ρ(≤x))), plus ∫ dt/(1 - ρ(≤t)) from 0 to
    x, its service with the pauses. Source: Schrage and Miller 1966.
    """

    def _sojourn_time_of(self, size: float) -> float:
        longer = self.services.moment(0) - self.services.moment_below(0, size)
        cut = self.services.moment_below(2, size) + size**2 * longer
        wait = self.arrival_rate * cut / 2
        wait /= self._idle_share_below(size) * self._idle_share(size)
        return wait + self.services.integral(lambda left: 1 / self._idle_share(left), size)
