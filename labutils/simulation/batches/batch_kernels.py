"""Batching at one server as a plain loop: one batch per turn of the outer loop.

The arrays come from ``batch_queue``, which checks them. ``batch_twin`` tells the same in SimPy.
"""

import numpy as np

from labutils.simulation.queues.compiled import compiled, pasted

STRIDE = 8
"""Places handled at once: few batches are larger, and eight cost little more than one.

The processor guesses when a loop ends. After 3, 1, 6, … rounds it guesses wrong nearly every
time and starts over; a loop of eight rounds, always, it gets right.
"""


@pasted
def come_by(arrival_s, begin, full, moment):
    """Number of the first request from ``begin`` on that arrives after ``moment``, up to ``full``.

    Arrivals are sorted, so among eight of them a count tells where it is.
    """
    end = begin
    while end < full and end + STRIDE <= arrival_s.size:
        came = 0
        for j in range(STRIDE):
            came += arrival_s[end + j] <= moment
        end += came
        if came < STRIDE:
            return min(end, full)
    while end < full and arrival_s[end] <= moment:
        end += 1
    return min(end, full)


@compiled
def batch_starts(arrival_s, service_s, max_batch, timeout_s, first, ready_s, start_s):
    """Form batches until every request has been in one; return how many batches there were.

    Batch number k begins with request ``first[k]``, could start at ``ready_s[k]`` and did start
    at ``start_s[k]``. It is ready when it is full or its oldest request has waited ``timeout_s``,
    whichever comes first, and starts once the server is free as well. Whoever has come by then,
    that very instant included, comes along as far as there is room. The last batch of an endless
    timeout is ready with the last arrival, since nobody else will come.
    """
    n = arrival_s.size
    free_at = -np.inf
    begin = batches = 0
    while begin < n:
        full = begin + max_batch
        if full <= n:
            ready = min(arrival_s[full - 1], arrival_s[begin] + timeout_s)
        else:
            full = n
            ready = arrival_s[begin] + timeout_s
            if ready == np.inf:
                ready = arrival_s[n - 1]
        start = max(free_at, ready)
        end = come_by(arrival_s, begin + 1, full, start)
        first[batches] = begin
        ready_s[batches] = ready
        start_s[batches] = start
        free_at = start + service_s[end - begin]
        batches += 1
        begin = end
    return batches


@compiled
def spread(values, sizes, out):
    """Write ``values[k]`` ``sizes[k]`` times in a row, as ``np.repeat`` does, some 3 times faster.

    Eight places are written in any case. Those past the end of a batch belong to the next, which
    overwrites them.
    """
    n = out.size
    begin = 0
    for k in range(values.size):
        value = values[k]
        if begin + STRIDE <= n:
            for j in range(STRIDE):
                out[begin + j] = value
        else:
            for j in range(begin, n):
                out[j] = value
        for j in range(begin + STRIDE, begin + sizes[k]):
            out[j] = value
        begin += sizes[k]
