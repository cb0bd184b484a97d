"""Curves over time: one answer for one time, an array for many."""

from collections.abc import Callable

import numpy as np

from labutils.ground import arguments


def at_each(curve: Callable[[float], float], t):
    """``curve`` at ``t`` seconds: a float for a number, an array for a sequence of numbers.

    Raises ``ValueError`` for times that are negative or not finite.
    """
    if np.ndim(t) == 0:
        return curve(arguments.non_negative("t", t))
    times = [arguments.non_negative("t", x) for x in arguments.sample("t", t).tolist()]
    return np.array([curve(x) for x in times])
