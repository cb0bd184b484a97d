"""Slots of a batch: the share of them that produces tokens.

A batch of B answers has B slots, and in each step a slot produces one token or none. Nothing here
knows what a step costs: a share of slots depends on the lengths of the answers alone.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from labutils.ground.arguments import whole


def slot_efficiency(lengths: Sequence[int], batch: int) -> float:
    """Share of slot-steps that produce a token when batches of ``batch`` run to their longest.

    ``lengths`` are output tokens in order of arrival; the last batch may be short of requests and
    keeps all of its slots. Over many batches this is E[length] / E[longest of a batch].
    Raises ``ValueError`` without lengths, or for lengths below one.
    """
    size = whole("batch", batch)
    tokens = np.asarray(lengths)
    if tokens.ndim != 1 or not tokens.size or tokens.min() < 1:
        raise ValueError(f"lengths = {lengths!r}: expected one or more lengths of at least 1")
    firsts = np.arange(0, tokens.size, size)
    return float(tokens.sum() / (size * np.maximum.reduceat(tokens, firsts).sum()))


def exponential_slot_efficiency(batch: int) -> float:
    """The same for exponential lengths: 1 / H_B, whatever their mean.

    The longest of B is on average H_B = 1 + 1/2 + … + 1/B means: with k still running, the next
    ends after 1/k mean (Rényi 1953).
    """
    return 1 / sum(1 / k for k in range(1, whole("batch", batch) + 1))


@cache
def exponential_mean_of_ratios(batch: int) -> float:
    """E[mean of a batch / its longest] for exponential lengths: *not* the slot efficiency.

    The trap beside ``exponential_slot_efficiency``: each batch counts alike here, however long it
    runs, and the short ones are the better filled. Given that the longest takes m means, the others
    are exponential below m, of mean 1 - m / (e^m - 1); the rest is an integral over m.
    """
    from scipy.integrate import quad  # only this needs it

    size = whole("batch", batch)

    def weighed(m: float) -> float:
        others = (1 - m / np.expm1(m)) / m if m > 1e-6 else 0.5
        density = size * (-np.expm1(-m)) ** (size - 1) * np.exp(-m)
        return (1 + (size - 1) * others) / size * density

    return float(quad(weighed, 0, 60)[0])
