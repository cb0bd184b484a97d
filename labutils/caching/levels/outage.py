"""A load over three levels while Redis goes away in the middle and comes back."""

import asyncio
import hashlib
import time
from dataclasses import dataclass

import numpy as np

from labutils.caching.streams import poisson_times, zipf_keys
from labutils.ground.arguments import non_negative, positive, whole

from .cache_key import Key
from .stores.redis_server import RedisServer
from .three_levels import ThreeLevels

TENANTS = ("acme", "mallory", "zenith")
VALUE_BYTES = 1024
LEVELS = ("process", "shared", "compute", "lost")
FAULTS = {"kill": ("kill", "start"), "stall": ("stall", "resume")}


@dataclass(frozen=True, eq=False)
class OutageRun:
    """What became of each request, in order of arrival.

    ``asked_s`` are the intended arrivals, ``took_s`` the seconds from there to the answer (NaN for
    a lost one), ``level`` where it came from (``"lost"``: an error instead of an answer). ``wrong``
    counts answers that are not the value of their own key. Redis was away from ``gone_s`` to
    ``back_s``; ``breaker`` is the state in which each request found the breaker.
    """

    asked_s: np.ndarray
    took_s: np.ndarray
    level: np.ndarray
    wrong: int
    gone_s: float
    back_s: float
    breaker: np.ndarray

    @property
    def lost(self) -> int:
        """How many requests got no answer."""
        return int(np.count_nonzero(self.level == "lost"))

    @property
    def during(self) -> np.ndarray:
        """Which requests arrived while Redis was away."""
        return (self.asked_s >= self.gone_s) & (self.asked_s < self.back_s)

    def answers(self, chosen: np.ndarray | None = None) -> dict[str, int]:
        """How many answers each level gave, to the ``chosen`` requests or to all."""
        level = self.level if chosen is None else self.level[chosen]
        return {name: int(np.count_nonzero(level == name)) for name in LEVELS}


async def outage_run(
    levels: ThreeLevels,
    server: RedisServer,
    *,
    num_requests: int = 2_000,
    rate: float = 300.0,
    num_keys: int = 100,
    skew: float = 0.8,
    compute_s: float = 0.02,
    fault: str = "kill",
    seed: int = 1,
) -> OutageRun:
    """Ask for 1 KiB values at Poisson times, three tenants with the same names for their things.

    Redis is started if it does not run, and gone for the middle third of the time: ``fault`` is
    ``"kill"`` (and started again, empty) or ``"stall"``. Requests do not wait for one another. A
    computation takes ``compute_s`` however many run, which flatters the backend.
    """
    if fault not in FAULTS:
        raise ValueError(f"fault = {fault!r}: expected one of {sorted(FAULTS)}")
    asked_s = poisson_times(whole("num_requests", num_requests), positive("rate", rate), seed)
    things = zipf_keys(num_requests, num_keys, skew, seed=seed + 1)
    keys = [(TENANTS[number % 3], "thing", int(thing)) for number, thing in enumerate(things)]
    compute_s = non_negative("compute_s", compute_s)
    await asyncio.to_thread(server.start)
    begin_s = time.perf_counter()
    breaking = asyncio.create_task(_break(server, fault, float(asked_s[-1]), begin_s))
    asking, found = [], []
    try:
        for key, at_s in zip(keys, asked_s):
            await asyncio.sleep(begin_s + at_s - time.perf_counter())
            found.append(levels.breaker.state)
            asking.append(asyncio.create_task(_ask(levels, key, compute_s)))
        ended = await asyncio.gather(*asking)
        gone_s, back_s = await breaking
    finally:  # interrupted, it breaks nothing later
        breaking.cancel()
    level, values, ended_s = zip(*ended)
    wrong = sum(
        name != "lost" and value != _value(key) for name, value, key in zip(level, values, keys)
    )
    took_s = np.array(ended_s) - begin_s - asked_s
    return OutageRun(
        asked_s, took_s, np.array(level), wrong, gone_s, back_s, breaker=np.array(found)
    )


async def _ask(levels: ThreeLevels, key: Key, compute_s: float) -> tuple[str, bytes | None, float]:
    """Ask once; returns the level that answered, its value, and the time of the answer."""

    async def compute() -> bytes:
        await asyncio.sleep(compute_s)
        return _value(key)

    try:
        answer = await levels.answer(key, compute)
    except Exception:
        return "lost", None, float("nan")
    return answer.level, answer.value, time.perf_counter()


async def _break(server: RedisServer, fault: str, lasts_s: float, begin_s: float):
    """Kill Redis and start it again; returns both times. In a thread: starting blocks for 20 ms."""
    gone, back = (getattr(server, name) for name in FAULTS[fault])
    await asyncio.sleep(begin_s + lasts_s / 3 - time.perf_counter())
    await asyncio.to_thread(gone)
    gone_s = time.perf_counter() - begin_s
    await asyncio.sleep(begin_s + lasts_s * 2 / 3 - time.perf_counter())
    await asyncio.to_thread(back)
    return gone_s, time.perf_counter() - begin_s


def _value(key: Key) -> bytes:
    """What the backend holds under ``key``; no other key has it."""
    return hashlib.shake_128(repr(key).encode()).digest(VALUE_BYTES)
