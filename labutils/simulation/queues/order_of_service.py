"""One server and four orders of service, event by event.

Plain Python, some microseconds a request: 10⁵ requests take under a second. Two clocks help. The
work that is left in a request does not change while it waits, so a heap keeps whoever has least of
it in front. And sharing slows all who are inside alike, so each leaves when a clock that ticks
1/(number inside) as fast has advanced by its size.
"""

import heapq
import math
from typing import Literal

import numpy as np

from labutils.simulation.draws.draw_checks import visits
from labutils.simulation.queues.queue_run import fifo_queue

Order = Literal["first_come", "sharing", "shortest_job", "shortest_remaining"]


def sojourn_times(arrival_s, service_s, *, order: Order) -> np.ndarray:
    """Time from arrival to departure of every request at one server, in seconds.

    ``order`` is ``"first_come"``, ``"sharing"`` (all inside share the server equally),
    ``"shortest_job"`` (of those who wait; nobody is interrupted) or ``"shortest_remaining"`` (a
    newcomer with less work than is left interrupts). Equal ones go in order of arrival. Closed
    forms for Poisson arrivals: ``labutils.laws.queueing``. Errors as in ``fifo_queue``.

    >>> sojourn_times([0, 1, 2], [6, 3, 1], order="shortest_remaining")
    array([10.,  4.,  1.])
    >>> sojourn_times([0, 1, 2], [6, 3, 1], order="sharing")
    array([10.,  7.,  3.])
    """
    if order not in _DEPARTURES:
        raise ValueError(f"order = {order!r}: expected one of {', '.join(_DEPARTURES)}")
    arrivals, services = visits(arrival_s, service_s)
    return _DEPARTURES[order](arrivals, services) - arrivals


def _in_order(arrivals, services) -> np.ndarray:
    return fifo_queue(arrivals, services).departure_s


def _shared(arrivals, services) -> np.ndarray:
    left_at = np.empty(arrivals.size)
    inside: list[tuple[float, int]] = []  # (the shared clock when it leaves, number)
    now, shared = arrivals[0], 0.0
    coming = [*zip(arrivals.tolist(), services.tolist()), (math.inf, 0.0)]
    for number, (arrival, service) in enumerate(coming):
        while inside and now + (inside[0][0] - shared) * len(inside) <= arrival:
            leaves, first = heapq.heappop(inside)
            now += (leaves - shared) * (len(inside) + 1)
            left_at[first], shared = now, leaves
        shared = shared + (arrival - now) / len(inside) if inside else 0.0
        now = arrival
        heapq.heappush(inside, (shared + service, number))
    return left_at


def _shortest_job(arrivals, services) -> np.ndarray:
    return _least_work_first(arrivals, services, interrupts=False)


def _shortest_remaining(arrivals, services) -> np.ndarray:
    return _least_work_first(arrivals, services, interrupts=True)


def _least_work_first(arrivals, services, *, interrupts: bool) -> np.ndarray:
    left_at = np.empty(arrivals.size)
    waiting: list[tuple[float, int]] = []  # (work left, number), least first
    now = arrivals[0]
    coming = [*zip(arrivals.tolist(), services.tolist()), (math.inf, 0.0)]
    for number, (arrival, service) in enumerate(coming):
        while waiting and now < arrival:
            work, first = heapq.heappop(waiting)
            done = min(work, arrival - now) if interrupts else work
            now += done
            if done < work:
                heapq.heappush(waiting, (work - done, first))
            else:
                left_at[first] = now
        now = max(now, arrival)
        heapq.heappush(waiting, (service, number))
    return left_at


_DEPARTURES = {
    "first_come": _in_order,
    "sharing": _shared,
    "shortest_job": _shortest_job,
    "shortest_remaining": _shortest_remaining,
}
