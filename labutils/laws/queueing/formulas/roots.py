"""Where a falling or rising curve crosses a level: the solver behind every inverse question."""

import math
from collections.abc import Callable

_REL_TOLERANCE = 4 * 2.0**-52  # the finest that the solver accepts
_MOST_STEPS = 500  # ten are usual; a root hundreds of orders below the bracket takes more
_TINY = 1e-300  # stands in for a tail that underflows, whose logarithm is needed


def crossing(curve: Callable[[float], float], low: float, high: float) -> float:
    """The argument in [low, high] at which the monotone ``curve`` changes sign (Brent 1973)."""
    # Imported late: the import costs more than loading the rest of this room.
    from scipy.optimize import brentq

    return brentq(curve, low, high, xtol=1e-300, rtol=_REL_TOLERANCE, maxiter=_MOST_STEPS)


def invert_tail(tail: Callable[[float], float], q: float, scale: float) -> float:
    """The time t at which ``tail(t)`` = P(T > t) has fallen to 1 - q.

    ``tail`` starts above 1 - q; ``scale`` is a time of the right order. The solver works on
    the logarithm of the tail, which is nearly a straight line for every queue in this room.
    """
    level = math.log1p(-q)
    high = scale
    while tail(high) > 1 - q:
        high *= 2
    return crossing(lambda t: math.log(max(tail(t), _TINY)) - level, 0.0, high)
