"""The second level: a shared store that may stall, die or talk nonsense, asked with care."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from labutils.ground.arguments import positive

from .circuit_breaker import CircuitBreaker
from .level_counts import LevelCounts
from .process_level import Kept
from .seal import BrokenSeal, seal, unseal
from .stores.shared_store import SharedStore, StoreError, StoreGarbage, StoreTimeout

PREFIX = "levels:"


class GuardedStore:
    """``get`` and ``set`` that end within about ``timeout_s`` and raise nothing but cancellation.

    What fails is counted in ``reads`` or ``writes``, told to the breaker, and is a miss for the
    caller. An answer that is not this key's own value is dropped with the connections at rest.
    """

    def __init__(
        self,
        store: SharedStore,
        *,
        breaker: CircuitBreaker,
        timeout_s: float,
        reads: LevelCounts,
        writes: LevelCounts,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.store, self.breaker, self.reads, self.writes = store, breaker, reads, writes
        self.timeout_s = positive("timeout_s", timeout_s)
        self._clock = clock

    async def get(self, text: str) -> Kept | None:
        """The value under the key of this text, with its end on our clock; ``None`` for a miss."""

        async def ask() -> Kept | None:
            asked_s = self._clock()  # the store tells the remaining life later than this
            found = await self.store.get(PREFIX + text)
            return found and Kept(unseal(text, found.value), asked_s + found.life_s)

        kept = await self._call(ask, self.reads)
        if kept is _FAILED:
            return None
        self.reads.hits += kept is not None
        self.reads.misses += kept is None
        return kept

    async def set(self, text: str, value: bytes | None, *, life_s: float) -> bool:
        """Keep ``value`` for ``life_s`` seconds; whether the store took it."""
        px = max(1, int(life_s * 1000))  # rounded down: it may end early, not late

        async def ask() -> None:
            await self.store.set(PREFIX + text, seal(text, value), px=px)

        is_kept = await self._call(ask, self.writes) is not _FAILED
        self.writes.hits += is_kept
        return is_kept

    async def _call(self, ask: Callable[[], Awaitable[object]], counts: LevelCounts) -> object:
        permit = self.breaker.enter()
        if permit is None:
            counts.skipped += 1
            return _FAILED
        try:
            async with asyncio.timeout(self.timeout_s):
                answer = await ask()
            permit.succeeded()
            return answer
        except (TimeoutError, StoreError, BrokenSeal) as error:
            permit.failed()
            await self._blame(error, counts)
            return _FAILED
        finally:
            permit.release()  # cancelled: neither a success nor a failure of the store

    async def _blame(self, error: Exception, counts: LevelCounts) -> None:
        if isinstance(error, (BrokenSeal, StoreGarbage)):
            counts.garbage += 1
            await self._distrust()
        elif isinstance(error, (TimeoutError, StoreTimeout)):
            counts.timeouts += 1
        else:
            counts.errors += 1

    async def _distrust(self) -> None:
        with suppress(StoreError, TimeoutError):
            async with asyncio.timeout(self.timeout_s):
                await self.store.distrust()


_FAILED = object()
