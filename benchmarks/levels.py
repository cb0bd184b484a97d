"""Three levels of cache for real: what each costs, and 2,000 requests while Redis is killed."""

import asyncio
from collections.abc import Iterator

import numpy as np

from labutils.caching import (
    CircuitBreaker,
    OutageRun,
    RedisServer,
    ThreeLevels,
    default_client,
    level_latencies,
    our_client,
    outage_run,
    redis_or_sqlite,
    settings_of,
    timed_call,
)
from labutils.caching.levels import SqliteStore
from labutils.caching.levels.stores.shared_level import why_no_redis

from .registry import Goal, Row, Settings, Unavailable, benchmark

VALUE = bytes(range(256)) * 4
PROCESS_TTL_S, REST_S, TIMEOUT_S = 0.5, 0.5, 0.05


@benchmark
def latency(settings: Settings) -> Iterator[Row]:
    """One value of 1 KiB from each level, through the whole way, one at a time: p50 and p99"""
    count = settings.choose(5_000, 200)
    for name, took_s in asyncio.run(_latencies(count)).items():
        p50, p99 = np.percentile(took_s, [50, 99]) * 1e6
        yield Row(f"{name}, p50", p50, "µs")
        yield Row(f"{name}, p99", p99, "µs")


async def _latencies(count: int) -> dict[str, np.ndarray]:
    async with redis_or_sqlite(timeout_s=1) as shared:
        if shared.server is None:
            raise Unavailable(shared.sentence)
        stores = {"redis": shared.store, "sqlite in memory": SqliteStore(":memory:")}
        found = {}
        for name, store in stores.items():
            rows = await level_latencies(store, _value, num_requests=count)
            found |= {f"{level}, {name} behind": took_s for level, took_s in rows.items()}
        await stores["sqlite in memory"].aclose()
        return found


async def _value() -> bytes:
    return VALUE


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
