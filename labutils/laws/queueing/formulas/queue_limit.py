"""How long a queue may be before waiting in it is pointless."""

import math

from labutils.ground import arguments

_ROUNDING = 1 + 1e-12  # 0.3 s × 10/s is 2.9999999999999996; 3 are meant


def queue_limit(max_wait_s: float, capacity_per_s: float) -> int:
    """The most requests that may wait so that the last of them starts within ``max_wait_s``.

    First come, first served; all servers together finish ``capacity_per_s`` while they are busy,
    so the k-th in the queue waits for k departures, k / capacity on average. That is Little's law
    for the queue, read as a limit. It bounds the mean wait of the last place: services that vary
    carry some of those waits beyond it.
    """
    wait = arguments.non_negative("max_wait_s", max_wait_s)
    return math.floor(wait * arguments.positive("capacity_per_s", capacity_per_s) * _ROUNDING)


def refused_share(arrival_rate: float, capacity_per_s: float) -> float:
    """Share of the requests that a full queue turns away: 1 - capacity / arrival rate, from 0.

    The fluid limit of ``MMcK.p_block`` far above saturation (conservation of requests: what
    cannot be finished cannot be let in); close to saturation some are refused below it too.
    """
    offered = arguments.positive("arrival_rate", arrival_rate)
    return max(0.0, 1 - arguments.positive("capacity_per_s", capacity_per_s) / offered)
