"""How many machines: from tokens, from requests in flight, from growth, from a loss."""

import math

from labutils.ground import arguments

_ROUNDING = 1 - 1e-12  # 2.2 * 45 / 3 is a hair above 33, and 33 are meant


def gpus_for_tokens(
    requests_per_s: float,
    tokens_per_request: float,
    tokens_per_s_per_gpu: float,
    *,
    utilization: float = 1.0,
) -> int:
    """GPUs for a demand in tokens: ⌈requests · tokens / (rate of one · utilization)⌉.

    ``utilization`` is the share of a GPU's rate that the plan allows to be used at this demand: the
    one place for headroom. Rounded up once, at the end.
    """
    demand = arguments.positive("requests_per_s", requests_per_s)
    demand *= arguments.positive("tokens_per_request", tokens_per_request)
    rate = arguments.positive("tokens_per_s_per_gpu", tokens_per_s_per_gpu)
    return rounded_up(demand / (rate * arguments.share("utilization", utilization)))


def replicas_for_concurrency(
    arrival_rate: float, mean_time_s: float, slots: int, *, utilization: float = 1.0
) -> int:
    """Replicas that hold all requests in flight: ⌈λ W / (slots · utilization)⌉.

    λW requests are inside on average (Little 1961); ``mean_time_s`` is the time that one holds a
    slot, at the concurrency that is planned, and ``slots`` what one replica holds.
    """
    inside = arguments.positive("arrival_rate", arrival_rate)
    inside *= arguments.positive("mean_time_s", mean_time_s)
    room = arguments.whole("slots", slots) * arguments.share("utilization", utilization)
    return rounded_up(inside / room)


def spare_replicas(growth_per_s2: float, cold_start_s: float, capacity_per_s: float) -> int:
    """Replicas to keep idle so that traffic may grow while new ones start: ⌈g · t / μ⌉.

    Traffic grows by ``growth_per_s2`` requests a second every second; a replica ordered now serves
    after ``cold_start_s`` (decision, node, image, weights, warm-up) and then ``capacity_per_s``.
    """
    grown = arguments.positive("growth_per_s2", growth_per_s2)
    grown *= arguments.positive("cold_start_s", cold_start_s)
    return rounded_up(grown / arguments.positive("capacity_per_s", capacity_per_s))


def utilization_after_loss(utilization: float, replicas: int, lost: int = 1) -> float:
    """Utilization of the replicas that remain when ``lost`` of them are gone: ρ n / (n - lost).

    It may exceed 1: then the queue grows. Raises ``ValueError`` if none remains.
    """
    before = arguments.positive("utilization", utilization)
    count, gone = arguments.whole("replicas", replicas), arguments.whole("lost", lost, at_least=0)
    if gone >= count:
        raise ValueError(f"lost = {lost!r}: expected fewer than replicas = {replicas!r}")
    return before * count / (count - gone)


def rounded_up(count: float) -> int:
    """The next whole number, blind to rounding errors; at least 1."""
    return max(1, math.ceil(count * _ROUNDING))
