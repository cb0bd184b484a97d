"""Queues in a few lines of plain Python, written without looking at the kernels."""

import math


def starts(arrivals, services, num_servers):
    """Each customer takes the server that falls free first; ties do not matter to the times."""
    free_at = [-math.inf] * num_servers
    result = []
    for arrival, service in zip(arrivals, services, strict=True):
        server = free_at.index(min(free_at))
        begin = arrival if arrival > free_at[server] else free_at[server]
        free_at[server] = begin + service
        result.append(begin)
    return result


def count_inside(arrivals, departures, t):
    """How many have come by ``t`` and not gone by ``t``, counted one by one."""
    return sum(1 for came, left in zip(arrivals, departures, strict=True) if came <= t < left)
