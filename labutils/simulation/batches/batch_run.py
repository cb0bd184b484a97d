"""One run of a server that works in batches: what each request and each batch lived through."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labutils.ground.arguments import whole
from labutils.simulation.batches import batch_kernels
from labutils.simulation.draws.draw_checks import arrivals_in_order, none_negative
from labutils.simulation.queues.in_flight import InFlightCurve, in_flight_curve


@dataclass(frozen=True, eq=False)
class BatchRun:
    """When requests arrived, and which batches took them, both in order of time.

    ``batch_sizes`` says how many requests each batch took, in order of arrival;
    ``batch_ready_s`` when it was full or its oldest request had waited long enough;
    ``batch_start_s`` and ``batch_finish_s`` when the server ran it. All times in seconds.

    The latency of a request has three parts: it waits for its batch (``fill_s``), for the server
    (``queue_s``) and for the batch to be done (``service_s``).
    """

    arrival_s: np.ndarray
    batch_sizes: np.ndarray
    batch_ready_s: np.ndarray
    batch_start_s: np.ndarray
    batch_finish_s: np.ndarray

    @cached_property
    def start_s(self) -> np.ndarray:
        """When each request's batch started."""
        return self._of_batch(self.batch_start_s)

    @cached_property
    def finish_s(self) -> np.ndarray:
        """When each request's batch was done, and the request with it."""
        return self._of_batch(self.batch_finish_s)

    @property
    def fill_s(self) -> np.ndarray:
        """From arrival until the batch was ready: full, or out of patience.

        0 for a request that joined a batch which was ready and only waited for the server.
        """
        return self._ready_s - self.arrival_s

    @property
    def queue_s(self) -> np.ndarray:
        """From when the batch was ready (or from arrival, if later) until the server took it."""
        return self.start_s - self._ready_s

    @property
    def service_s(self) -> np.ndarray:
        """How long the batch of each request ran."""
        return self._of_batch(self.batch_finish_s - self.batch_start_s)

    @property
    def waiting_time_s(self) -> np.ndarray:
        """Everything before service: filling and queueing."""
        return self._since_arrival(self.batch_start_s)

    @property
    def sojourn_time_s(self) -> np.ndarray:
        """From arrival to finish: what the requester sees as latency."""
        return self._since_arrival(self.batch_finish_s)

    @property
    def mean_batch(self) -> float:
        """Requests per batch, averaged over batches."""
        return self.arrival_s.size / self.batch_sizes.size

    @property
    def throughput_per_s(self) -> float:
        """Requests finished per second, from the first arrival to the last finish.

        Counts what left, so that an overloaded server cannot report the rate of its arrivals.
        """
        return self.arrival_s.size / self._span_s

    @property
    def utilization(self) -> float:
        """Share of that same time in which the server was busy."""
        return float((self.batch_finish_s - self.batch_start_s).sum()) / self._span_s

    def in_flight(self) -> InFlightCurve:
        """How many are in the system, waiting or in a running batch, over time."""
        return in_flight_curve(self.arrival_s, self.finish_s)

    @cached_property
    def _ready_s(self) -> np.ndarray:
        return np.maximum(self.arrival_s, self._of_batch(self.batch_ready_s))

    @property
    def _span_s(self) -> float:
        return float(self.batch_finish_s[-1] - self.arrival_s[0])

    def _since_arrival(self, moments: np.ndarray) -> np.ndarray:
        spans = self._of_batch(moments)
        spans -= self.arrival_s  # in place: a fresh array costs more than the subtraction
        return spans

    def _of_batch(self, values: np.ndarray) -> np.ndarray:
        column = np.empty(self.arrival_s.size)
        batch_kernels.spread(values, self.batch_sizes, column)
        return column


def batch_queue(
    arrival_s,
    service_s: Callable | np.ndarray,
    *,
    max_batch: int,
    batch_timeout_s: float,
) -> BatchRun:
    """Run one server that takes requests in batches, first come, first served.

    ``arrival_s`` ascends. ``service_s`` is how long a batch takes: an array with the seconds of
    a batch of b at ``service_s[b]`` (place 0 is unused), or a function of the batch size such as
    ``labutils.laws.batching.AffineBatchTime``.

    A batch starts when the server is free and either ``max_batch`` requests wait or the oldest of
    them has waited ``batch_timeout_s`` seconds since it *arrived*, busy server or not.
    ``batch_timeout_s=0`` takes everything that waits as soon as the server is free;
    ``math.inf`` waits for full batches (the last one closes with the last arrival).

    Raises ``ValueError`` naming the argument, and the row, that is wrong.
    """
    arrivals = arrivals_in_order(arrival_s)
    most, timeout = whole("max_batch", max_batch), patience(batch_timeout_s)
    most = min(most, arrivals.size)
    services = service_table(service_s, most)
    first = np.empty(arrivals.size, dtype=np.int64)
    ready, start = np.empty((2, arrivals.size))
    num = batch_kernels.batch_starts(arrivals, services, most, timeout, first, ready, start)
    sizes = np.diff(first[:num], append=arrivals.size)
    starts = start[:num]
    return BatchRun(arrivals, sizes, ready[:num], starts, starts + services[sizes])


def service_table(service_s, max_batch: int) -> np.ndarray:
    """Seconds of a batch of b at place b, for b = 1 … ``max_batch``; place 0 holds 0.

    ``service_s`` is such a table already, or a function of the batch size.
    """
    if callable(service_s):
        service_s = [0.0, *(service_s(size) for size in range(1, max_batch + 1))]
    table = np.array(service_s, dtype=float)
    if table.ndim != 1 or table.size <= max_batch:
        raise ValueError(
            f"service_s = shape {table.shape}: expected one value for each batch size from 0 "
            f"(unused) to max_batch = {max_batch}"
        )
    table = table[: max_batch + 1]
    table[0] = 0.0
    return none_negative("service_s", table)


def patience(batch_timeout_s) -> float:
    """``batch_timeout_s`` as a float, if it is at least 0; infinity is welcome."""
    if isinstance(batch_timeout_s, float | np.floating) and batch_timeout_s == np.inf:
        return np.inf
    if not _is_number(batch_timeout_s) or not batch_timeout_s >= 0:
        raise ValueError(
            f"batch_timeout_s = {batch_timeout_s!r}: expected at least 0 seconds, or math.inf "
            "to wait for full batches"
        )
    return float(batch_timeout_s)


def _is_number(value) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
