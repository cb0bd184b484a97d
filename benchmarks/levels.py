"""Three levels of cache for real: what each costs, and 2,000 requests while Redis is killed."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator

import numpy as np

from labutils.caching import (
    CircuitBreaker,
    OutageRun,
    RedisServer,
    ThreeLevels,
    default_client,
    our_client,
    outage_run,
    redis_or_sqlite,
    settings_of,
    timed_call,
)
from labutils.caching.levels import SqliteStore
from labutils.caching.levels.stores.shared_level import why_no_redis

from .registry import Goal, Row, Settings, Unavailable, benchmark

KEY = ("acme", "thing", 7)
VALUE = bytes(range(256)) * 4
PROCESS_TTL_S, REST_S, TIMEOUT_S = 0.5, 0.5, 0.05


@benchmark
def latency(settings: Settings) -> Iterator[Row]:
    """One value of 1 KiB from each level, through the whole path: p50 and p99"""
    count = settings.choose(5_000, 200)
    for name, took_s in asyncio.run(_latencies(count)).items():
        p50, p99 = np.percentile(took_s, [50, 99]) * 1e6
        yield Row(f"{name}, p50", p50, "µs")
        yield Row(f"{name}, p99", p99, "µs")


async def _latencies(count: int) -> dict[str, np.ndarray]:
    async with redis_or_sqlite(timeout_s=1) as shared:
        if shared.server is None:
            raise Unavailable(shared.sentence)
        sqlite = SqliteStore(":memory:")
        stores = {"redis": shared.store, "sqlite in memory": sqlite}
        found = {"process": await _times(_from_process(shared.store), count)}
        for name, store in stores.items():
            found[f"shared, {name}"] = await _times(_from_shared(store), count)
            found[f"compute at once, {name} asked first"] = await _times(_computed(store), count)
        await sqlite.aclose()
        return found


async def _value() -> bytes:
    return VALUE


def _from_process(store) -> Callable[[int], Awaitable]:
    levels = ThreeLevels(store, process_ttl_s=600, ttl_s=600)
    return lambda number: levels.answer(KEY, _value)


def _from_shared(store) -> Callable[[int], Awaitable]:
    levels = ThreeLevels(store, process_ttl_s=1e-9, ttl_s=600, timeout_s=1)
    return lambda number: levels.answer(KEY, _value)


def _computed(store) -> Callable[[int], Awaitable]:
    levels = ThreeLevels(store, ttl_s=600, timeout_s=1)

    async def ask(number: int) -> None:
        await levels.answer(("acme", "new", number), _value)

    return ask


async def _times(ask: Callable[[int], Awaitable], count: int) -> np.ndarray:
    await ask(-1)
    await asyncio.sleep(0.05)  # the write that stays behind the answer
    took_s = np.empty(count)
    for number in range(count):
        begin_s = time.perf_counter()
        await ask(number)
        took_s[number] = time.perf_counter() - begin_s
    return took_s


@benchmark
def killed(settings: Settings) -> Iterator[Row]:
    """2,000 requests, 300/s, Redis killed for the middle third and back; a computation 20 ms"""
    yield from _outage("kill", settings)


@benchmark
def stalled(settings: Settings) -> Iterator[Row]:
    """The same with a Redis that accepts and says nothing for the middle third"""
    yield from _outage("stall", settings)


def _outage(fault: str, settings: Settings) -> Iterator[Row]:
    count = settings.choose(2_000, 300)
    runs = [asyncio.run(_run(fault, count, seed)) for seed in range(settings.choose(3, 1))]
    yield Row("wrong answers", max(run.wrong for run in runs), "", goal=Goal(0))
    yield Row("lost requests", max(run.lost for run in runs), "", goal=Goal(0))
    for share in (50, 99):
        for name, chosen in (("all", None), ("while Redis was away", "during")):
            figures = [_percentile_ms(run, share, chosen) for run in runs]
            yield Row(f"p{share}, {name}", min(figures), "ms", float(np.median(figures)))
    middle = runs[len(runs) // 2]
    for name, chosen in (("all", None), ("while Redis was away", middle.during)):
        said = ", ".join(f"{level} {n:,}" for level, n in middle.answers(chosen).items())
        total = len(middle.level) if chosen is None else int(chosen.sum())
        yield Row(f"answers, {name}", total, "requests", note=said)


async def _run(fault: str, count: int, seed: int) -> OutageRun:
    async with redis_or_sqlite(timeout_s=TIMEOUT_S) as shared:
        if shared.server is None:
            raise Unavailable(shared.sentence)
        levels = ThreeLevels(
            shared.store,
            process_ttl_s=PROCESS_TTL_S,
            timeout_s=TIMEOUT_S,
            breaker=CircuitBreaker(rest_s=REST_S),
        )
        run = await outage_run(levels, shared.server, num_requests=count, fault=fault, seed=seed)
        await levels.settle()
        return run


def _percentile_ms(run: OutageRun, share: int, chosen: str | None) -> float:
    took_s = run.took_s if chosen is None else run.took_s[getattr(run, chosen)]
    return float(np.nanpercentile(took_s, share) * 1e3)


@benchmark
def dead_server(settings: Settings) -> Iterator[Row]:
    """One call to a Redis that was killed: the library's default client, and ours"""
    if missing := why_no_redis():
        raise Unavailable(missing)
    rounds = settings.choose(3, 1)
    with RedisServer() as server:
        server.kill()
        for name, build in (("ours", our_client), ("default", default_client)):
            calls = [asyncio.run(timed_call(build(server.socket))) for _ in range(rounds)]
            took_ms = [1e3 * call.took_s for call in calls]
            stated = settings_of(build(server.socket))
            note = (
                f"{stated.retries} retries, expected waits {1e3 * stated.expected_wait_s:,.0f} ms"
            )
            yield Row(name, min(took_ms), "ms", float(np.median(took_ms)), note=note)
