"""The questions turned round: how much traffic fits, how many servers it takes."""

import math
from collections.abc import Callable
from functools import cached_property
from typing import Literal

from labutils.ground import arguments
from labutils.laws.queueing.formulas.erlang import MOST_SERVERS, count_of_servers
from labutils.laws.queueing.formulas.errors import UnstableQueueError
from labutils.laws.queueing.formulas.roots import crossing
from labutils.laws.queueing.models.mm1 import MM1
from labutils.laws.queueing.models.mmc import MMc
from labutils.laws.queueing.models.model import QueueModel

Time = Literal["sojourn_time", "waiting_time"]
Measure = Callable[[QueueModel], float]

# Shares of the capacity at which a queue counts as empty, as full without being unstable, and
# as full although it refuses what does not fit.
_EMPTY, _FULL, _DROWNED = 1e-200, 1 - 2.0**-52, 1e6
_ABOVE = 1 + 1e-12  # how far a target must stand above what the service alone takes


def largest_arrival_rate(
    target_s: float,
    *,
    service_rate: float,
    q: float | None = None,
    of: Time = "sojourn_time",
    model: type[QueueModel] = MM1,
    **parameters,
) -> float:
    """The most requests per second for which a time stays within ``target_s``.

    The time is the mean (``q=None``) or the quantile ``q`` of the ``"sojourn_time"`` or
    ``"waiting_time"``, by any ``model`` of this room; ``parameters`` are the model's others:

    >>> round(largest_arrival_rate(0.02, service_rate=550, q=0.99), 1)
    319.7
    >>> round(largest_arrival_rate(0.02, service_rate=550, q=0.99, model=MMc, num_servers=2), 1)
    859.9

    Infinite for a queue that refuses requests before they take that long. Raises ``ValueError``
    if an empty queue already takes ``target_s`` or longer.
    """
    target = arguments.positive("target_s", target_s)
    measure = _measure(of, q)
    queue = _Family(model, service_rate, parameters)
    alone = measure(queue.at(_EMPTY))
    if target < _ABOVE * alone:
        raise ValueError(
            f"target_s = {target_s!r}: expected more than {alone:.6g} s, "
            "which the service takes even with no one ahead"
        )
    return queue.capacity_per_s * min(queue.load_where(measure, target), queue.highest_load)


def largest_utilization(
    target: float,
    *,
    q: float | None = None,
    of: Time = "sojourn_time",
    model: type[QueueModel] = MM1,
    **parameters,
) -> float:
    """The highest utilization for which a time stays within ``target`` mean service times.

    The same question as ``largest_arrival_rate`` without a unit of time, and its other arguments.

    >>> round(largest_utilization(2, model=MMc, num_servers=8), 3)
    0.909
    """
    rate = largest_arrival_rate(target, service_rate=1.0, q=q, of=of, model=model, **parameters)
    return rate / _Family(model, 1.0, parameters).capacity_per_s


def utilization_at_queue_length(
    mean_queue_length: float, *, model: type[QueueModel] = MM1, **parameters
) -> float:
    """The utilization at which the mean number waiting reaches ``mean_queue_length``.

    It does not depend on the service rate. ``model`` and ``parameters`` as in
    ``largest_arrival_rate``. Raises ``ValueError`` if the queue never grows that long.

    >>> round(utilization_at_queue_length(10), 5)
    0.91608
    """
    target = arguments.positive("mean_queue_length", mean_queue_length)
    queue = _Family(model, 1.0, parameters)
    load = queue.load_where(lambda m: m.mean_queue_length, target)
    if math.isinf(load):
        raise ValueError(
            f"mean_queue_length = {mean_queue_length!r}: expected a length that this "
            "queue can reach; it stays shorter at any arrival rate"
        )
    return queue.at(load).utilization


def least_servers(
    arrival_rate: float,
    mean_service_time: float,
    max_mean_waiting_time: float,
    *,
    model: type[QueueModel] = MMc,
    **parameters,
) -> int:
    """The fewest servers with which the mean wait stays within ``max_mean_waiting_time``.

    Seconds throughout; by M/M/c, or by ``model`` with its other ``parameters``
    (``model=GGc, scv_arrival=1, scv_service=4``, say).
    """
    target = arguments.positive("max_mean_waiting_time", max_mean_waiting_time)
    fleet = _Fleet(model, arrival_rate, mean_service_time, parameters)
    return fleet.least(lambda m: m.mean_waiting_time <= target)


def least_servers_for_quantile(
    arrival_rate: float,
    mean_service_time: float,
    max_time_s: float,
    *,
    q: float,
    of: Time = "sojourn_time",
    model: type[QueueModel] = MMc,
    **parameters,
) -> int:
    """The fewest servers with which the quantile ``q`` of a time stays within ``max_time_s``.

    ``of`` is ``"sojourn_time"`` or ``"waiting_time"``. Raises ``ValueError`` if the service alone
    takes ``max_time_s`` or longer at that quantile, so that no number of servers helps.
    """
    target = arguments.positive("max_time_s", max_time_s)
    measure = _measure(of, arguments.fraction("q", q))
    fleet = _Fleet(model, arrival_rate, mean_service_time, parameters)
    alone = measure(fleet.idle())
    if target < _ABOVE * alone:
        raise ValueError(
            f"max_time_s = {max_time_s!r}: expected more than {alone:.6g} s, which "
            "the service takes with any number of servers"
        )
    return fleet.least(lambda m: measure(m) <= target)


def _measure(of: str, q: float | None) -> Measure:
    if of not in ("sojourn_time", "waiting_time"):
        raise ValueError(f"of = {of!r}: expected 'sojourn_time' or 'waiting_time'")
    if q is None:
        return lambda model: getattr(model, f"mean_{of}")
    q = arguments.fraction("q", q)
    return lambda model: getattr(model, f"{of}_quantile")(q)


class _Family:
    """One kind of queue at every arrival rate."""

    def __init__(self, model, service_rate, parameters):
        self._model = model
        self._fixed = {
            "service_rate": arguments.positive("service_rate", service_rate),
            **parameters,
        }
        self.capacity_per_s = self._at_rate(_EMPTY * service_rate).capacity_per_s

    def _at_rate(self, arrival_rate: float) -> QueueModel:
        return self._model(arrival_rate=arrival_rate, **self._fixed)

    def at(self, load: float) -> QueueModel:
        """The queue at ``load`` times its capacity."""
        return self._at_rate(load * self.capacity_per_s)

    @cached_property
    def highest_load(self) -> float:
        """The highest load with a steady state; infinite if the queue refuses what is too much."""
        try:
            self.at(_DROWNED)
        except UnstableQueueError:
            return _FULL
        return math.inf

    def load_where(self, measure: Measure, target: float) -> float:
        """The load at which the rising ``measure`` reaches ``target``; infinite if it never does.

        The solver sees measure / (measure + target): as monotone, and bounded near saturation.
        """

        def gap(load):
            value = measure(self.at(load))
            return value / (value + target) - 0.5

        highest = min(self.highest_load, _DROWNED)
        return crossing(gap, _EMPTY, highest) if gap(highest) > 0 else math.inf


class _Fleet:
    """One stream of requests before any number of servers."""

    def __init__(self, model, arrival_rate, mean_service_time, parameters):
        self._model, self._parameters = model, parameters
        self._arrival_rate = arguments.positive("arrival_rate", arrival_rate)
        self._service_rate = 1 / arguments.positive("mean_service_time", mean_service_time)

    def with_servers(self, num_servers: int) -> QueueModel:
        return self._model(
            arrival_rate=self._arrival_rate,
            service_rate=self._service_rate,
            num_servers=num_servers,
            **self._parameters,
        )

    def idle(self) -> QueueModel:
        """One request, alone."""
        return self._model(
            arrival_rate=_EMPTY * self._service_rate,
            num_servers=1,
            service_rate=self._service_rate,
            **self._parameters,
        )

    def least(self, is_enough: Callable[[QueueModel], bool]) -> int:
        """The smallest stable number of servers that is enough: doubling, then bisection."""
        few = math.floor(min(self._arrival_rate / self._service_rate, MOST_SERVERS))
        count_of_servers(few + 1)  # beyond it a float has no next number, and no loop an end
        while self._arrival_rate >= (few + 1) * self._service_rate:  # the division rounds
            few += 1
        many = few + 1
        while not is_enough(self.with_servers(many)):
            few, many = many, 2 * many
        while many - few > 1:
            middle = (few + many) // 2
            if is_enough(self.with_servers(middle)):
                many = middle
            else:
                few = middle
        return many
