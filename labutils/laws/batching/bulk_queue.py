"""Exact steady state of a server that works in batches, with random arrivals.

The rule: whenever the server falls free it takes what waits, up to ``max_batch``; if fewer than
``least_batch`` wait, it first waits until that many have come. With ``least_batch`` 1 that is
take-everything, with ``least_batch`` = ``max_batch`` it is fill-B. A timeout between the two has
no such simple chain; simulate it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labutils.ground import arguments
from labutils.laws.batching.embedded_chain import Chain, stationary
from labutils.laws.queueing import UnstableQueueError


@dataclass(frozen=True)
class BulkQueue:
    """Poisson arrivals at ``arrival_rate`` per second, batches that take ``model(b)`` seconds.

    ``model`` is a function of the batch size; the time of a batch has no spread. ``max_batch``
    may be ``math.inf`` if the model has a ``limit_per_s``.

    Exact, after Bailey (1954, "On queueing processes with bulk service") and Neuts (1967, "A
    general class of bulk queues with Poisson input"): the requests left behind when a batch
    finishes form a Markov chain, since each batch admits a Poisson number of newcomers. The chain
    is cut off where less than 1e-12 of its weight lies beyond; the means follow from what happens
    on average between two such moments (renewal reward).

    Raises ``UnstableQueueError`` if full batches do not keep up with the arrivals, ``ValueError``
    for other bad input, and for a queue so near saturation that the chain grows too long.
    """

    arrival_rate: float
    model: Callable
    max_batch: float
    least_batch: int = 1

    def __post_init__(self):
        object.__setattr__(
            self, "arrival_rate", arguments.positive("arrival_rate", self.arrival_rate)
        )
        least = arguments.whole("least_batch", self.least_batch)
        object.__setattr__(self, "least_batch", least)
        if self.max_batch != math.inf:
            most = arguments.whole("max_batch", self.max_batch, at_least=least)
            object.__setattr__(self, "max_batch", most)
        if self.arrival_rate >= self._capacity_per_s:
            raise UnstableQueueError("arrival_rate", self.arrival_rate, self._capacity_per_s)

    @property
    def mean_batch(self) -> float:
        """Requests per batch, averaged over batches: how large they become, not how large set."""
        return self.arrival_rate * self._mean_cycle_s

    @property
    def utilization(self) -> float:
        """Share of the time in which the server is busy. It says little about spare capacity:
        under more load the batches grow, and the server finishes more in the same time.
        """
        return float(self._chain.probability @ self._chain.batch_s) / self._mean_cycle_s

    @property
    def mean_num_in_system(self) -> float:
        """Requests inside, waiting or in a running batch, averaged over time."""
        at_start = np.maximum(self._states, self.least_batch)
        seconds = self._chain.batch_s
        while_busy = at_start * seconds + self.arrival_rate * seconds**2 / 2
        area = self._chain.probability @ (self._area_of_filling + while_busy)
        return float(area) / self._mean_cycle_s

    @property
    def mean_sojourn_time(self) -> float:
        """Seconds from arrival to the end of the batch, averaged over requests (Little 1961)."""
        return self.mean_num_in_system / self.arrival_rate

    @property
    def mean_waiting_time(self) -> float:
        """Seconds from arrival to the start of the batch, averaged over requests."""
        in_batches = self._chain.probability @ (self._sizes * self._chain.batch_s)
        return self.mean_sojourn_time - float(in_batches) / self.mean_batch

    @property
    def _capacity_per_s(self) -> float:
        """Throughput of full batches: what counts once many wait."""
        if self.max_batch < math.inf:
            return self.max_batch / float(self.model(self.max_batch))
        if not hasattr(self.model, "limit_per_s"):
            raise ValueError(
                f"max_batch = inf: expected a number, since {self.model!r} has no limit_per_s"
            )
        return self.model.limit_per_s

    @cached_property
    def _chain(self) -> Chain:
        return stationary(self.arrival_rate, self.model, self.least_batch, self.max_batch)

    @property
    def _states(self) -> np.ndarray:
        return np.arange(self._chain.probability.size)

    @property
    def _sizes(self) -> np.ndarray:
        """The next batch, if n were left behind."""
        return np.clip(self._states, self.least_batch, self.max_batch).astype(int)

    @property
    def _missing(self) -> np.ndarray:
        return np.maximum(self.least_batch - self._states, 0)

    @property
    def _area_of_filling(self) -> np.ndarray:
        """Requests inside, added up over the time until ``least_batch`` are there.

        n, n + 1, … least_batch - 1 of them wait, each number for 1 / arrival_rate on average.
        """
        middle = (self._states + self.least_batch - 1) / 2
        return self._missing * middle / self.arrival_rate

    @cached_property
    def _mean_cycle_s(self) -> float:
        """From the end of one batch to the end of the next."""
        filling = self._missing / self.arrival_rate
        return float(self._chain.probability @ (filling + self._chain.batch_s))


def fill_batch_mean_sojourn(arrival_rate: float, model: Callable, batch: int) -> float:
    """Mean seconds from arrival to finish if the server runs batches of exactly ``batch``.

    Arguments and errors are those of ``BulkQueue``.
    """
    return BulkQueue(arrival_rate, model, batch, least_batch=batch).mean_sojourn_time


def take_everything_mean_sojourn(
    arrival_rate: float, model: Callable, max_batch: float = math.inf
) -> float:
    """Mean seconds from arrival to finish if the server takes what waits, up to ``max_batch``.

    Arguments and errors are those of ``BulkQueue``.
    """
    return BulkQueue(arrival_rate, model, max_batch).mean_sojourn_time
