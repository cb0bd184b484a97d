"""How long a simulation must be before its mean says anything."""

import math

from scipy.special import ndtri

from labutils.ground.arguments import fraction, positive, whole


def relative_deviation(utilization: float, num_requests: int) -> float:
    """Standard deviation of an M/M/1 run's mean latency, as a share of the true mean.

    It is (1 + ρ)/(1 − ρ)/√n. Independent latencies would give 1/√n, since an exponential
    latency deviates by as much as its mean; neighbours that wait behind the same queue make it
    (1 + ρ)/(1 − ρ) times as large. From the variance of waits of Daley (1968), as used by
    Whitt (1989), plus their covariance with the services; it holds once the run is much longer
    than the queue's memory.

    Raises ``ValueError`` unless 0 < ``utilization`` < 1.
    """
    rho = fraction("utilization", utilization)
    return (1 + rho) / (1 - rho) / math.sqrt(whole("num_requests", num_requests))


def required_requests(utilization: float, within: float, *, confidence: float = 0.95) -> int:
    """Requests that an M/M/1 run needs for a mean latency right to ``within`` (0.02 for ±2 %).

    Raises ``ValueError`` for a utilization or a confidence outside (0, 1).
    """
    z = ndtri((1 + fraction("confidence", confidence)) / 2)
    return math.ceil((z * relative_deviation(utilization, 1) / positive("within", within)) ** 2)
