"""batch.goodput · The largest goodput under a promise · 7 minutes

> Two settings and a rate. Find the best settings at one rate first, say at 800/s.
> At 800/s compare timeouts 0, 5 and 20 ms and max_batch 16, 32 and 64. Keep the winner and raise
  the rate until its p99 passes 50 ms.
> With batch_timeout_s=0 and room for 64, try the rates 800, 805, 810, … and keep the last one whose
  p99 is at most 0.050.

The original exercise fixes the rate and sweeps $B$: then four of its seven sizes have no steady
state, the other three have the same throughput (the rate of the arrivals), and none meets the
promise, because every one of them waits for a full batch. Turned round, it has an answer: fix the
promise and search for the rate, over both settings. Nobody is made to wait, batches may grow, and
the machine carries about 50 requests a second more than with the best fixed size. That number is a
*goodput*: requests that were answered in time. The limit $1/c_1$ was never within reach of this
promise.
"""

import math
from functools import cache

from labutils.exercises.checkers import Number
from labutils.exercises.definition.sheet import exercise, mistakes_in

FIXED_S, PER_ITEM_S = 0.004, 0.0009
PROMISE_S = 0.050
UNLIMITED = 64  # more than ever wait together at the rates in question
REQUESTS = 1_000_000
STEPS = 11  # of the bisection: within 0.2 requests a second


@cache
def largest_rate(max_batch: int, timeout_s: float, statistic: str = "p99") -> float:
    """The highest rate per second whose p99 (or mean) stays within the promise, by bisection.

    The latency of a server that is never starved rises with the rate; so the search begins at
    600/s, where every setting in question is past the point at which batches fill too slowly.
    """
    low, high = 600.0, 1000.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        kept = _latency_s(middle, max_batch, timeout_s, statistic) <= PROMISE_S
        low, high = (middle, high) if kept else (low, middle)
    return low


def _latency_s(rate, max_batch, timeout_s, statistic) -> float:
    import numpy as np

    from labutils import simulation as sim
    from labutils.laws.batching import AffineBatchTime

    arrival_s = np.cumsum(_unit_gaps()) / rate
    run = sim.batch_queue(
        arrival_s,
        AffineBatchTime(FIXED_S, PER_ITEM_S),
        max_batch=max_batch,
        batch_timeout_s=timeout_s,
    )
    latency_s = run.sojourn_time_s[REQUESTS // 20 :]
    return float(latency_s.mean() if statistic == "mean" else np.quantile(latency_s, 0.99))


@cache
def _unit_gaps():
    import numpy as np

    return np.random.default_rng(20).standard_exponential(REQUESTS)


class Wrong:
    def best_full_batch():
        """So much is in reach of full batches, and of a window of 20 ms. Full ones also need a
        lower end: with less traffic they fill too slowly. Must a batch wait for company at all?"""
        return largest_rate(16, math.inf)

    def room_for_sixteen():
        """That is the best with room for 16. What happens to the p99 if a batch may be larger,
        whenever more are waiting?"""
        return largest_rate(16, 0.0)

    def mean_for_p99():
        """Up there even the *mean* reaches the promise. The promise is about the p99."""
        return largest_rate(UNLIMITED, 0.0, "mean")

    def the_rate_of_the_text():
        """That is the rate of the text: it fixes what you are looking for. Up to which rate is the
        promise kept?"""
        return 800

    def largest_batches():
        """So many a second leave in batches so large that each takes all of the 50 ms. When is a
        request answered that came while one was running?"""
        return UNLIMITED / (FIXED_S + PER_ITEM_S * UNLIMITED)

    def the_limit():
        """That is the limit of the throughput, with endless batches and endless latency. At which
        rate does the p99 reach the promise?"""
        return 1 / PER_ITEM_S


GOODPUT = exercise(
    __doc__,
    Number(
        lambda: largest_rate(UNLIMITED, 0.0),
        "1/s",
        tolerance=0.02,
        misconceptions=mistakes_in(Wrong),
    ),
)
