"""Queues in a row: what a pipeline takes, and how many requests a second it carries."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labutils.ground import arguments
from labutils.laws.queueing.formulas.roots import invert_tail
from labutils.laws.queueing.formulas.times import at_each
from labutils.laws.queueing.models.md1 import MD1
from labutils.laws.queueing.models.mm1 import MM1
from labutils.laws.queueing.models.stage import Stage


@dataclass(frozen=True)
class MM1Tandem:
    """M/M/1 queues in a row: Poisson arrivals, exponential services, one server at each stage.

    What leaves a stationary M/M/1 queue is Poisson again (Burke 1956), so each stage is an M/M/1
    queue of its own, and one request's times at the stages are independent (Reich 1957): the
    time in system is a sum of independent exponentials. Both need services that are drawn afresh
    at every stage. Raises ``UnstableQueueError`` for the first stage that cannot keep up.
    """

    arrival_rate: float
    service_rates: tuple[float, ...]

    def __post_init__(self):
        rates = arguments.sample("service_rates", self.service_rates).tolist()
        object.__setattr__(self, "service_rates", tuple(rates))
        object.__setattr__(self, "arrival_rate", self.stages[0].arrival_rate)

    @cached_property
    def stages(self) -> tuple[MM1, ...]:
        """Each stage as a queue of its own."""
        return tuple(MM1(self.arrival_rate, rate) for rate in self.service_rates)

    @property
    def mean_sojourn_time(self) -> float:
        """The sum of the stages' means, waiting included, in seconds."""
        return math.fsum(stage.mean_sojourn_time for stage in self.stages)

    @property
    def mean_num_in_system(self) -> float:
        """Mean number of requests at all stages together (Little's law)."""
        return self.arrival_rate * self.mean_sojourn_time

    def sojourn_time_tail(self, t):
        """P(time in system > t) for ``t`` seconds: one number, or an array for many."""
        return at_each(self._tail, t)

    def sojourn_time_quantile(self, q: float) -> float:
        """The time in system that a share ``q`` stays within, in seconds.

        Solved from the exact tail. It lies below the sum of the stages' quantiles, since one
        request is seldom slow at every stage.
        """
        return invert_tail(self._tail, arguments.fraction("q", q), self.mean_sojourn_time)

    @cached_property
    def _generator(self) -> np.ndarray:
        """Rates of the chain that goes from stage to stage, and out: each stay is exponential."""
        spare = [1 / stage.mean_sojourn_time for stage in self.stages]
        return np.diag([-rate for rate in spare]) + np.diag(spare[:-1], 1)

    def _tail(self, t: float) -> float:
        """P(still inside after t). The textbook sum of exponentials cancels for equal rates."""
        from scipy.linalg import expm  # late: this import costs more than the rest of the room

        return float(expm(self._generator * t)[0].sum())


def bottleneck(stages: Sequence[Stage]) -> Stage:
    """The stage that a request keeps busy for longest: visits × time of a visit / servers.

    Often it is not the one with the longest visit. The first of several that are equal.
    """
    return max(_at_least_one(stages), key=lambda stage: stage.busy_s)


def largest_rate(stages: Sequence[Stage]) -> float:
    """Requests per second that a pipeline can carry at most, whatever the order of its stages.

    Each request takes visits × time of a visit from the servers of a stage, so no stage passes
    more than servers / (visits × time): the bottleneck law (Denning & Buzen 1978). Near this rate
    queues grow without limit; a promise on latency allows less.
    """
    return 1 / bottleneck(stages).busy_s


def fixed_tandem_mean(arrival_rate: float, times_s: Sequence[float]) -> float:
    """Mean time in system of single-server stages with fixed times, fed by Poisson arrivals.

    The sum of the times, plus one wait: that of an M/D/1 queue with the longest time. Wherever
    the slowest stage stands, all stages together delay a request as if it waited for that one
    alone (Friedman 1965). Raises ``UnstableQueueError`` where that stage cannot keep up.
    """
    times = _times(times_s)
    return math.fsum(times) + MD1(arrival_rate, 1 / max(times)).mean_waiting_time


def clocked_latency(times_s: Sequence[float]) -> float:
    """Seconds through a pipeline whose stages all step together: k × the longest time.

    A clock moves every request on at once, so each stage takes as long as the slowest, and one
    request leaves per tick. Counted from the tick at which the request enters.
    """
    times = _times(times_s)
    return len(times) * max(times)


def clocked_mean(arrival_rate: float, times_s: Sequence[float]) -> float:
    """Mean time in system of a clocked pipeline fed by Poisson arrivals, its waits included.

    k ticks inside, half a tick until the clock next strikes, and behind earlier arrivals the wait
    of an M/D/1 queue whose service is a tick. Raises ``UnstableQueueError`` where a tick is longer
    than the mean gap.
    """
    tick = max(_times(times_s))
    waits = tick / 2 + MD1(arrival_rate, 1 / tick).mean_waiting_time
    return clocked_latency(times_s) + waits


def _at_least_one(stages) -> tuple[Stage, ...]:
    row = tuple(stages)
    if not row or not all(isinstance(stage, Stage) for stage in row):
        raise ValueError(f"stages = {row!r}: expected at least one Stage, and nothing else")
    return row


def _times(times_s) -> list[float]:
    times = arguments.sample("times_s", times_s).tolist()
    return [arguments.positive(f"times_s[{i}]", time) for i, time in enumerate(times)]
