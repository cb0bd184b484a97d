"""A pipeline whose stages all step together, at the pace of the slowest."""

import numpy as np

from labutils.ground.arguments import positive, sample
from labutils.simulation.draws.draw_checks import arrivals_in_order
from labutils.simulation.queues.queue_run import QueueRun, fifo_queue

_ROUNDING = 1e-9  # of a tick: an arrival on the stroke of the clock is in time


def clocked_pipeline(arrival_s, times_s, *, tick_s: float | None = None) -> QueueRun:
    """Send requests through stages of fixed times that move on at every tick of one clock.

    The tick is the longest of ``times_s``, or the longer ``tick_s``. One request enters at a tick,
    in order of arrival, and leaves as many ticks later as there are stages: ``start_s`` of the
    result is when it entered. The clock strikes at 0 and at the multiples of the tick.

    Raises ``ValueError`` naming the argument that is wrong.
    """
    arrivals, times = arrivals_in_order(arrival_s), sample("times_s", times_s).tolist()
    longest = max(positive(f"times_s[{i}]", time) for i, time in enumerate(times))
    tick = longest if tick_s is None else positive("tick_s", tick_s)
    if tick < longest:
        raise ValueError(f"tick_s = {tick_s!r}: expected at least {longest!r}, the longest time")
    on_tick = tick * np.ceil(arrivals / tick - _ROUNDING)
    entered = fifo_queue(np.maximum(on_tick, arrivals), np.full(arrivals.size, tick)).start_s
    return QueueRun(arrivals, entered, entered + len(times) * tick)
