"""One router beside another, over several draws of the same load."""

import math
from collections.abc import Callable

import numpy as np

from labutils.ground import arguments


def times_as_long(measure: Callable, one, other, *, draws: int) -> tuple[float, float, float]:
    """How many times as long ``one`` takes as ``other``: low, middle, high, an interval of 95 %.

    ``measure(router, draw)`` is a time; both get the same draws. Student's t on the logarithms of
    the ratios, so that twice and half as long lie equally far from 1.
    """
    from scipy.stats import t as student

    arguments.whole("draws", draws)
    if draws < 2:
        raise ValueError(f"draws = {draws}: expected at least 2, or there is no interval")
    logs = [math.log(measure(one, draw) / measure(other, draw)) for draw in range(draws)]
    half = student.ppf(0.975, draws - 1) * np.std(logs, ddof=1) / math.sqrt(draws)
    low, middle, high = (math.exp(np.mean(logs) + sign * half) for sign in (-1, 0, 1))
    return low, middle, high
