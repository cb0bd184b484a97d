"""Little's law in its three directions, and the one for busy servers."""

from labutils.ground import arguments


def mean_num_inside(rate_per_s: float, mean_time_s: float) -> float:
    """How many are inside on average: rate × mean time inside (Little 1961, L = λW).

    ``rate_per_s`` counts those that enter and leave, ``mean_time_s`` is measured between the same
    two points as the count. It holds for any arrivals, services and order.
    """
    return arguments.non_negative("rate_per_s", rate_per_s) * arguments.positive(
        "mean_time_s", mean_time_s
    )


def mean_time_inside(mean_num: float, rate_per_s: float) -> float:
    """The mean time in seconds that each stays, from a count and a rate (W = L/λ)."""
    return arguments.non_negative("mean_num", mean_num) / arguments.positive(
        "rate_per_s", rate_per_s
    )


def rate_through(mean_num: float, mean_time_s: float) -> float:
    """Requests per second that pass, from a count and a mean time inside (λ = L/W).

    With every place taken it is the capacity, if ``mean_time_s`` is the time that a place is held.
    """
    return arguments.non_negative("mean_num", mean_num) / arguments.positive(
        "mean_time_s", mean_time_s
    )


def utilization(rate_per_s: float, mean_service_time: float, num_servers: int) -> float:
    """Share of time that a server works: Little's law for the box around the servers, per server.

    Above 1 where more work is offered than the servers can do. ``mean_service_time`` leaves the
    queue out.
    """
    busy = mean_num_inside(rate_per_s, mean_service_time)
    return busy / arguments.whole("num_servers", num_servers)
