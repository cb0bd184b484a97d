"""Stores and servers that misbehave to order, and levels over them."""

import asyncio
import hashlib
from collections.abc import Callable

from labutils.caching.levels import CircuitBreaker, ThreeLevels
from labutils.caching.levels.stores.shared_store import Found, StoreError, StoreGarbage

KEY = ("acme", "answer", 7)
NOTHING = b"$-1\r\n"  # as Redis says that there is no value


class FakeStore:
    """A dictionary on the loop's clock; ``mood`` says how it answers from now on.

    ``well``; ``dead`` (an error at once); ``stalled`` (no answer); ``garbage`` (not a value of the
    cache); ``foreign`` (somebody else's whole entry); ``broken`` (an answer that cannot be read).
    """

    def __init__(self, takes_s: float = 0.0):
        self.takes_s, self.mood = takes_s, "well"
        self.entries: dict[str, tuple[bytes, float]] = {}
        self.gets = self.sets = self.distrusted = 0

    async def get(self, key: str) -> Found | None:
        self.gets += 1
        await self._suffer()
        now = asyncio.get_running_loop().time()
        if self.mood == "garbage":
            return Found(b"\x00garbage" * 9, 60.0)
        if self.mood == "foreign":
            others = [value for other, (value, _) in self.entries.items() if other != key]
            return Found(others[-1], 60.0) if others else None
        value, dies_s = self.entries.get(key, (None, 0.0))
        return Found(value, dies_s - now) if now < dies_s else None

    async def set(self, key: str, value: bytes, *, px: int) -> None:
        self.sets += 1
        await self._suffer()
        self.entries[key] = value, asyncio.get_running_loop().time() + px / 1000

    async def distrust(self) -> None:
        self.distrusted += 1

    async def aclose(self) -> None:
        pass

    async def _suffer(self) -> None:
        await asyncio.sleep(self.takes_s)
        if self.mood == "dead":
            raise StoreError("connection refused")
        if self.mood == "broken":
            raise StoreGarbage("Protocol Error: b'?'")
        if self.mood == "stalled":
            await asyncio.Event().wait()


def value_of(key: tuple) -> bytes:
    """What the backend has under ``key``: it can be told whose value one got."""
    return hashlib.sha256(repr(key).encode()).digest()


def computing(key: tuple, takes_s: float = 0.0, calls: list | None = None):
    """A ``compute`` for ``key`` that notes when it was called."""

    async def compute() -> bytes:
        if calls is not None:
            calls.append(key)
        await asyncio.sleep(takes_s)
        return value_of(key)

    return compute


class FakeRedis:
    """A server on a unix socket whose answers ``reply(words)`` makes up; ``None`` hangs up.

    It speaks just enough of the protocol to be greeted. With ``raw`` bytes it greets nobody and
    sends these whatever is said.
    """

    def __init__(self, path: str, *, reply: Callable | None = None, raw: bytes | None = None):
        self.path, self.reply, self.raw = path, reply, raw
        self.connections = 0

    async def __aenter__(self):
        self._server = await asyncio.start_unix_server(self._serve, self.path)
        return self

    async def __aexit__(self, *error):
        self._server.close()

    async def _serve(self, reader, writer):
        self.connections += 1
        try:
            while True:
                if self.raw is not None:
                    await reader.read(1024)
                    writer.write(self.raw)
                    await writer.drain()
                    if not self.raw:
                        return
                    continue
                answer = self._answer(await self._words(reader))
                if answer is None:
                    return
                writer.write(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _answer(self, words: list[bytes]) -> bytes | None:
        if words[0].upper() == b"HELLO":
            return b"%2\r\n" + bulk(b"server") + bulk(b"redis") + bulk(b"proto") + b":3\r\n"
        if words[0].upper() == b"CLIENT":
            return b"+OK\r\n"
        return self.reply(words)

    async def _words(self, reader) -> list[bytes]:
        count = int((await reader.readuntil(b"\r\n"))[1:])
        words = []
        for _ in range(count):
            size = int((await reader.readuntil(b"\r\n"))[1:])
            words.append((await reader.readexactly(size + 2))[:-2])
        return words


def bulk(value: bytes) -> bytes:
    """``value`` as Redis sends it."""
    return b"$%d\r\n%s\r\n" % (len(value), value)


def levels_over(store, **options) -> ThreeLevels:
    """On the running loop's clock; options as ``ThreeLevels`` has them."""
    clock = asyncio.get_running_loop().time
    options = {"ttl_s": 10, "process_ttl_s": 2, "timeout_s": 0.05, "clock": clock} | options
    return ThreeLevels(store, **options)


async def took(coroutine):
    """Its result and how long it took."""
    begin = asyncio.get_running_loop().time()
    result = await coroutine
    return result, asyncio.get_running_loop().time() - begin


def sums_are_right(levels: ThreeLevels) -> bool:
    """Each question that one level could not answer was put to the next, once a flight."""
    counts, flights = levels.counts, levels._flight.computations
    return (
        counts.process.misses == flights + levels._flight.shared
        and counts.shared.asked == flights
        and counts.compute.asked == flights - counts.shared.hits
    )


def breaker(**options) -> CircuitBreaker:
    return CircuitBreaker(**options, clock=asyncio.get_running_loop().time)
