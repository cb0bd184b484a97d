"""What a whole fleet does to itself when every late request sends a second copy.

A fluid argument for a large fleet without cancellation: Poisson arrivals, exponential services
of mean S, one queue per server. While its effective load is r, a request is late with
probability exp(-(1 - r) d), d being the trigger in mean service times (the sojourn time of
M/M/1). Late ones are sent again, so r = load · (1 + exp(-(1 - r) d)): latency makes load, and
load makes latency.

The equation has two solutions or none. To the lower the fleet returns after a small
disturbance; from above the higher it runs away, until everything is hedged and the load is
twice what is asked of it.
"""

import math

from scipy.special import lambertw, wrightomega

from labutils.ground import arguments

_BRANCH_POINT = -math.exp(-1)


def effective_loads(
    load: float, trigger_s: float, *, mean_service_time: float
) -> tuple[float, float] | None:
    """The loads at which a hedging fleet sustains itself: (steady, tipping point).

    ``load`` is the utilization without hedging, below 1. None: there is no such load, and
    hedging brings the fleet down from any state. A tipping point of inf: there is none, and the
    fleet recovers from any state, because even doubled its load is below 1.

    Solved with Lambert's function W (Corless et al. 1996): r = load - W(-load d e^(-(1-load)d))/d.
    """
    load, d = arguments.fraction("load", load), _in_services(trigger_s, mean_service_time)
    argument = -load * d * math.exp(-(1 - load) * d)
    if argument < _BRANCH_POINT * (1 + 1e-12):
        return None
    steady, tipping = (load - _lambert(argument, branch) / d for branch in (0, -1))
    if steady >= 1:
        return None
    return steady, tipping if tipping < 1 else math.inf


def _lambert(argument: float, branch: int) -> float:
    """W, whose branches meet in -1 where the argument is -1/e; scipy's is NaN there and below."""
    return float(lambertw(argument, branch).real) if argument > _BRANCH_POINT else -1.0


def collapse_load(trigger_s: float, *, mean_service_time: float) -> float:
    """The load above which a fleet that hedges after ``trigger_s`` has no steady state.

    With d = trigger / mean service time it is W(e^(d-1)) / d, where the two effective loads
    meet, and 1/2 for d up to 2. Between 1/2 and this load the fleet has two states, and which
    one it is in depends on what has happened to it.
    """
    d = _in_services(trigger_s, mean_service_time)
    return float(wrightomega(d - 1).real / d) if d > 2 else 0.5


def collapse_load_at_quantile(q: float) -> float:
    """The same for a trigger at the ``q``-quantile of the unhedged latency at each load.

    With a share p = 1 - q of late requests it is 1 / (1 + e p ln(1/p)), and 1/2 where p is
    above 1/e: 0.71 for a trigger at p95.
    """
    late = 1 - arguments.fraction("q", q)
    return 1 / (1 - math.e * late * math.log(late)) if late < math.exp(-1) else 0.5


def _in_services(trigger_s: float, mean_service_time: float) -> float:
    mean = arguments.positive("mean_service_time", mean_service_time)
    return arguments.positive("trigger_s", trigger_s) / mean
