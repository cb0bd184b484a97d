"""A compiled cache beside a known library and beside theory; one computation for a thousand."""

import asyncio
import time
from collections.abc import Iterator

import numpy as np

from labutils.caching import (
    SingleFlight,
    che_hit_rates,
    poisson_times,
    replay,
    zipf_keys,
    zipf_shares,
)

from .registry import Goal, Row, Settings, Unavailable, benchmark
from .timing import Contender, side_by_side

NUM_KEYS, CAPACITY, SKEW, RATE = 100_000, 10_000, 0.9, 1_000.0
TTL_S = 30.0
ASKERS = 1_000
CANCELLED_SHARE = 0.2
COMPUTE_S = 0.05


@benchmark
def kernel(settings: Settings) -> Iterator[Row]:
    """LRU cache of 10^4 entries, 10^5 keys, Zipf 0.9: nanoseconds a request"""
    count = settings.choose(1_000_000, 100_000)
    keys, times = zipf_keys(count, NUM_KEYS, SKEW, seed=1), poisson_times(count, RATE, seed=2)
    runs = {
        "LRU": lambda: replay(keys, capacity=CAPACITY),
        "LRU, fixed time to live": lambda: replay(keys, times, capacity=CAPACITY, ttl_s=TTL_S),
        "LRU, renewed time to live": lambda: replay(
            keys, times, capacity=CAPACITY, ttl_s=TTL_S, renew=True
        ),
    }
    contenders = {name: Contender(run, count, repeats=3) for name, run in runs.items()}
    for name, timing in side_by_side(contenders, rounds=settings.choose(9, 2)).items():
        yield Row(name, timing.best_ns, "ns", timing.median_ns, Goal(15))


@benchmark
def library(settings: Settings) -> Iterator[Row]:
    """The same stream through cachetools.LRUCache"""
    try:
        from cachetools import LRUCache
    except ImportError:
        raise Unavailable("cachetools is not installed") from None
    count = settings.choose(200_000, 20_000)
    keys = zipf_keys(count, NUM_KEYS, SKEW, seed=1)
    as_objects, hits = keys.tolist(), []

    def through_library():
        cache, found = LRUCache(CAPACITY), 0
        for key in as_objects:
            if cache.get(key) is None:
                cache[key] = True
            else:
                found += 1
        hits[:] = [found]

    contenders = {
        "LRU": Contender(lambda: replay(keys, capacity=CAPACITY), count, repeats=5),
        "cachetools": Contender(through_library, count),
    }
    timings = side_by_side(contenders, rounds=settings.choose(5, 2))
    ratio, median = timings["cachetools"].times_slower_than(timings["LRU"])
    yield Row("cachetools", timings["cachetools"].best_ns, "ns", timings["cachetools"].median_ns)
    yield Row("cachetools / LRU", ratio, "×", median)
    apart = abs(hits[0] - replay(keys, capacity=CAPACITY).hits)
    yield Row("hits in which the two differ", apart, "requests", goal=Goal(0))


@benchmark
def theory(settings: Settings) -> Iterator[Row]:
    """Che's approximation beside the replayed cache once warm: relative error of the hit rate"""
    count = settings.choose(4_000_000, 400_000)
    for skew, capacity in ((0.6, 1_000), (0.9, 100), (0.9, CAPACITY), (1.2, 1_000)):
        hit = replay(zipf_keys(count, NUM_KEYS, skew, seed=3), capacity=capacity).hit
        expected = che_hit_rates(RATE * zipf_shares(NUM_KEYS, skew), capacity).total
        error = 100 * abs(float(hit[count // 2 :].mean()) / expected - 1)
        goal = None if settings.quick else Goal(2)
        note = f"hit rate {expected:.3f}"
        yield Row(f"skew {skew}, {capacity:,} entries", error, "%", goal=goal, note=note)


@benchmark
def single_flight(settings: Settings) -> Iterator[Row]:
    """1,000 askers of one key at once, 20 % cancelled, on asyncio's own loop"""
    rounds = [asyncio.run(_flight()) for _ in range(settings.choose(9, 2))]
    computations, lost, leaked = (max(column) for column in list(zip(*rounds, strict=True))[:3])
    yield Row("computations", computations, "", goal=Goal(1))
    yield Row("askers without their answer", lost, "", goal=Goal(0))
    yield Row("tasks left behind", leaked, "", goal=Goal(0))
    overhead_us = [1e6 * took_s / ASKERS for *_, took_s in rounds]
    yield Row("per asker, besides the computation", min(overhead_us), "µs", np.median(overhead_us))


async def _flight() -> tuple[int, int, int, float]:
    """Computations, lost askers, leaked tasks, and seconds beyond those of the computation."""
    flight = SingleFlight()

    async def compute() -> str:
        await asyncio.sleep(COMPUTE_S)
        return "answer"

    begin = time.perf_counter()
    askers = [asyncio.create_task(flight.run("key", compute)) for _ in range(ASKERS)]
    await asyncio.sleep(COMPUTE_S / 5)
    for leaving in askers[: int(ASKERS * CANCELLED_SHARE)]:  # the one who began it among them
        leaving.cancel()
    got = await asyncio.gather(*askers, return_exceptions=True)
    took_s = time.perf_counter() - begin - COMPUTE_S
    stayed = got[int(ASKERS * CANCELLED_SHARE) :]
    lost = sum(answer != "answer" for answer in stayed)
    return flight.computations, lost, len(asyncio.all_tasks()) - 1, took_s
