"""How long full batches wait for the server, exactly and at once, however near saturation."""

import math

import numpy as np

from labutils.ground import arguments
from labutils.laws.batching.stability import ROUNDING
from labutils.laws.queueing import UnstableQueueError

NEWTON_STEPS = 60
CLOSE = 1e-13
MOST_ROOTS = 1_000_000  # one for each request of a batch


def full_batch_mean_wait(arrival_rate: float, service_s: float, batch: int) -> float:
    """Mean seconds that a full batch waits for the server, which runs batches of ``batch`` only.

    Poisson arrivals at ``arrival_rate`` per second, ``service_s`` seconds for each batch. What
    waits beyond the batch in work follows x ← max(x + arrivals - batch, 0), once per
    ``service_s``, as in the queue M/D/c with c = ``batch`` (Crommelin 1932, "Delay probability
    formulae when the holding times are constant"); its mean follows from the roots of
    z^batch = exp(a (z - 1)) inside the unit circle, with a = arrival_rate · service_s. With the
    mean time until the batch is full, (batch - 1) / (2 · arrival_rate), and ``service_s`` it
    makes the latency of ``fill_batch_mean_sojourn``, which solves the chain instead.

    Raises ``UnstableQueueError`` if full batches do not keep up, ``ValueError`` for bad input.
    """
    rate = arguments.positive("arrival_rate", arrival_rate)
    seconds = arguments.positive("service_s", service_s)
    size = arguments.whole("batch", batch, at_most=MOST_ROOTS)
    come = rate * seconds
    if come >= size * (1 - ROUNDING):
        raise UnstableQueueError("arrival_rate", rate, size / seconds)
    left = np.sum(1 / (1 - _inner_roots(come, size))).real
    return max(float(left - (size * (size - 1) - come**2) / (2 * (size - come))), 0.0) / rate


def _inner_roots(come: float, batch: int) -> np.ndarray:
    """The batch - 1 roots of z^batch = exp(come (z - 1)) with abs(z) < 1, by Newton's rule."""
    load = come / batch
    turn = np.exp(2j * math.pi * np.arange(1, batch) / batch)
    z = np.zeros(batch - 1, dtype=complex)
    for _ in range(NEWTON_STEPS):
        image = np.exp(load * (z - 1)) * turn
        step = (z - image) / (1 - load * image)
        z = z - step
        if not step.size or np.abs(step).max() < CLOSE:
            break
    return z
