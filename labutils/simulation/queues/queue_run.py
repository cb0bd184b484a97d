"""One run of a first-come-first-served queue, from arrivals and services to waits."""

from dataclasses import dataclass

import numpy as np

from labutils.ground.arguments import whole
from labutils.simulation.draws.draw_checks import visits
from labutils.simulation.queues import kernels
from labutils.simulation.queues.in_flight import InFlightCurve, in_flight_curve

MOST_SERVERS_WALKED = 32
MOST_SERVERS = 100_000_000  # each is a number of the kernel's
"""Up to here the walk up the sorted row is the faster kernel (measured on x86-64)."""


@dataclass(frozen=True, eq=False)
class QueueRun:
    """When each request arrived, started service and departed, in order of arrival."""

    arrival_s: np.ndarray
    start_s: np.ndarray
    departure_s: np.ndarray

    @property
    def waiting_time_s(self) -> np.ndarray:
        """Time in the queue alone."""
        return self.start_s - self.arrival_s

    @property
    def service_time_s(self) -> np.ndarray:
        """Time at a server."""
        return self.departure_s - self.start_s

    @property
    def sojourn_time_s(self) -> np.ndarray:
        """Waiting plus service: what the requester sees as latency."""
        return self.departure_s - self.arrival_s

    def in_flight(self) -> InFlightCurve:
        """How many are in the system, waiting or in service, over time."""
        return in_flight_curve(self.arrival_s, self.departure_s)

    def queue(self) -> InFlightCurve:
        """How many wait, over time."""
        return in_flight_curve(self.arrival_s, self.start_s)

    def in_service(self) -> InFlightCurve:
        """How many servers are busy, over time; its mean over ``num_servers`` is utilization."""
        return in_flight_curve(self.start_s, self.departure_s)


def waiting_times(arrival_s, service_s) -> np.ndarray:
    """Waiting time of every request at one first-come-first-served server, in seconds.

    ``arrival_s`` ascends; ``service_s`` has one duration per arrival, of at least 0. The server
    starts empty. Source: the recursion of Lindley (1952), compiled.

    Raises ``ValueError`` naming the first row that breaks these rules.
    """
    arrivals, services = visits(arrival_s, service_s)
    waits = np.empty_like(arrivals)
    kernels.lindley_waits(arrivals, services, waits)
    return waits


def fifo_queue(arrival_s, service_s, *, num_servers: int = 1) -> QueueRun:
    """Run one queue before ``num_servers`` identical servers, first come, first served.

    Arguments and errors are those of ``waiting_times``; all servers start idle. More than one
    server follows Kiefer and Wolfowitz (1955): servers sorted by when they fall free.
    """
    arrivals, services = visits(arrival_s, service_s)
    servers = whole("num_servers", num_servers, at_most=MOST_SERVERS)
    # One block: two would go back to the operating system after each run, and cost a
    # millisecond to get again at 200,000 requests.
    starts, departures = np.empty((2, arrivals.size))
    if servers == 1:
        kernels.starts_at_one_server(arrivals, services, starts)
    elif servers <= MOST_SERVERS_WALKED:
        kernels.starts_at_few_servers(arrivals, services, servers, starts)
    else:
        kernels.starts_at_many_servers(arrivals, services, servers, starts)
    np.add(starts, services, out=departures)
    return QueueRun(arrivals, starts, departures)
