"""A value from the nearest level that has it: this process, the shared store, or computed."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from labutils.caching.flight import SingleFlight
from labutils.ground.arguments import positive

from .cache_key import Key, key_text
from .circuit_breaker import CircuitBreaker
from .guarded_store import GuardedStore
from .level_counts import Counts
from .process_level import Kept, ProcessLevel
from .stores.shared_store import SharedStore

Compute = Callable[[], Awaitable[bytes | None]]
MOST_WRITES = 256


@dataclass(frozen=True)
class Answer:
    """``value`` and the ``level`` it came from: ``"process"``, ``"shared"`` or ``"compute"``."""

    value: bytes | None
    level: str


class ThreeLevels:
    """``await levels.get(key, compute)``: answered whatever becomes of the shared store.

    ``key`` is (tenant, part, …); ``compute()`` gives bytes, or ``None`` for "there is none". Of
    all who ask meanwhile, one goes beyond the process. Its error goes to them and is not kept.

    ``ttl_s`` is a value's life from its computation on, ``process_ttl_s`` the longest that a
    process serves it without looking again. ``None`` is kept for ``nothing_ttl_s``, or not at all.
    ``timeout_s`` bounds a call to the store, ``compute_timeout_s`` a computation, which then raises
    ``TimeoutError``. ``tenants``, if given, are all there are.

    Invariant: what is kept lies under its whole key, tenant included, and is served before its end.
    """

    def __init__(
        self,
        store: SharedStore,
        *,
        ttl_s: float = 60.0,
        process_ttl_s: float = 5.0,
        capacity: int = 1_000,
        timeout_s: float = 0.05,
        compute_timeout_s: float | None = None,
        nothing_ttl_s: float | None = None,
        tenants: Collection[str] | None = None,
        breaker: CircuitBreaker | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._life_s = positive("ttl_s", ttl_s)
        self._life_of_nothing_s = _optional("nothing_ttl_s", nothing_ttl_s)
        self._compute_timeout_s = _optional("compute_timeout_s", compute_timeout_s)
        self._tenants = None if tenants is None else frozenset(tenants)
        self._clock = clock
        self.counts = Counts()
        self.breaker = breaker or CircuitBreaker(clock=clock)
        self._process = ProcessLevel(
            capacity=capacity, ttl_s=positive("process_ttl_s", process_ttl_s), clock=clock
        )
        self._shared = GuardedStore(
            store,
            breaker=self.breaker,
            timeout_s=timeout_s,
            reads=self.counts.shared,
            writes=self.counts.writes,
            clock=clock,
        )
        self._flight = SingleFlight()
        self._writes: set[asyncio.Task] = set()

    async def get(self, key: Key, compute: Compute) -> bytes | None:
        """The value under ``key``. Raises ``ValueError`` for a bad key, or as ``compute`` does."""
        return (await self.answer(key, compute)).value

    async def answer(self, key: Key, compute: Compute) -> Answer:
        """The same, and the level that it came from."""
        text = self._checked(key)
        kept = self._process.get(text)
        if kept is not None:
            self.counts.process.hits += 1
            return Answer(kept.value, "process")
        self.counts.process.misses += 1
        return await self._flight.run(text, lambda: self._beyond(text, compute))

    async def settle(self) -> None:
        """Wait for the writes into the shared store that are still under way."""
        while self._writes:
            await asyncio.wait(self._writes)

    async def _beyond(self, text: str, compute: Compute) -> Answer:
        kept = await self._shared.get(text)
        if kept is not None:
            self._process.put(text, kept)
            return Answer(kept.value, "shared")
        value = await self._computed(text, compute)
        life_s = self._life_of_nothing_s if value is None else self._life_s
        if life_s is not None:
            # First here, then there: so this process's copy ends before the shared one.
            self._process.put(text, Kept(value, self._clock() + life_s))
            self._write(text, value, life_s)
        return Answer(value, "compute")

    async def _computed(self, text: str, compute: Compute) -> bytes | None:
        counts = self.counts.compute
        try:
            async with asyncio.timeout(self._compute_timeout_s) as limit:
                value = await compute()
        except Exception:
            counts.timeouts += limit.expired()
            counts.errors += not limit.expired()
            raise
        if value is not None and not isinstance(value, bytes):
            counts.errors += 1
            raise ValueError(f"compute() for {text} gave {value!r}: expected bytes or None")
        counts.hits += 1
        return value

    def _write(self, text: str, value: bytes | None, life_s: float) -> None:
        """Into the shared store, beside the answer: it waits for no write and fails with none."""
        if len(self._writes) >= MOST_WRITES:
            self.counts.writes.skipped += 1
            return
        task = asyncio.create_task(self._shared.set(text, value, life_s=life_s))
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)

    def _checked(self, key: Key) -> str:
        text = key_text(key)
        if self._tenants is not None and key[0] not in self._tenants:
            raise ValueError(
                f"key = {key!r}: expected one of the {len(self._tenants)} tenants that this cache "
                "was made for"
            )
        return text


def _optional(name: str, value: float | None) -> float | None:
    return None if value is None else positive(name, value)
