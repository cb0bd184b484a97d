"""Which batch sizes keep up with the arrivals at all."""

from collections.abc import Callable

import numpy as np

from labutils.ground import arguments
from labutils.laws.queueing import UnstableQueueError

LARGEST_BATCH = 4096
ROUNDING = 1e-12
"""Rates whose quotient is nearer to 1 count as equal: their division may be off by this much."""


def least_stable_batch(arrival_rate: float, model: Callable, max_batch: int = LARGEST_BATCH) -> int:
    """The smallest batch size B whose throughput B / T(B) exceeds ``arrival_rate`` (per second).

    ``model`` gives the seconds T(B) of a batch. A server that always runs smaller batches falls
    behind without end; this is the left edge of the U of latency over batch size.

    Raises ``UnstableQueueError`` (a ``ValueError``) that says the overload, if no batch of up to
    ``max_batch`` keeps up.
    """
    rate = arguments.positive("arrival_rate", arrival_rate)
    sizes = np.arange(1, arguments.whole("max_batch", max_batch) + 1)
    throughput = sizes / np.asarray(model(sizes), dtype=float)
    stable = np.flatnonzero(throughput > rate * (1 + ROUNDING))
    if not stable.size:
        raise UnstableQueueError("arrival_rate", rate, float(throughput.max()))
    return int(sizes[stable[0]])
