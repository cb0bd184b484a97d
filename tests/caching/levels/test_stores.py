"""What every shared store has to do, tried on SQLite and on a real Redis."""

import asyncio
import math
import sqlite3

import pytest

from labutils.caching.levels import RedisServer, RedisStore, SqliteStore, our_client
from labutils.caching.levels.stores.shared_store import StoreError, StoreGarbage

BYTES = bytes(range(256)) + b"\r\n$-1\r\n"


@pytest.fixture(scope="module")
def server():
    with RedisServer() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.redis)])
def opened(request, tmp_path):
    """Opens a store; two that are opened share what they hold."""
    if request.param == "sqlite":
        return lambda: SqliteStore(tmp_path / "entries.sqlite")
    server = request.getfixturevalue("server")
    server.kill()
    server.start()
    return lambda: RedisStore(our_client(server.socket, timeout_s=2))


def test_what_one_sets_another_gets_with_the_life_that_is_left(opened):
    async def story():
        one, other = opened(), opened()
        assert await other.get("key") is None
        for value in (BYTES, b"", b"later"):
            await one.set("key", value, px=50_000)
            found = await other.get("key")
            assert found.value == value and 45 < found.life_s <= 50
        await one.set("key", b"short", px=9_000)
        assert 5 < (await other.get("key")).life_s <= 9
        assert await other.get("ke") is None and await other.get("key ") is None
        await other.distrust()
        assert (await other.get("key")).value == b"short"
        await one.aclose()
        await other.aclose()

    asyncio.run(story())


def test_an_entry_ends(opened):
    async def story():
        store = opened()
        await store.set("key", b"value", px=1)
        await asyncio.sleep(0.05)
        assert await store.get("key") is None
        await store.aclose()

    asyncio.run(story())


@pytest.mark.redis
def test_what_others_left_in_redis_is_told_apart(server):
    async def story():
        client = our_client(server.socket, timeout_s=2)
        store = RedisStore(client)
        await client.set("endless", b"value")
        found = await store.get("endless")
        assert (found.value, found.life_s) == (b"value", math.inf)
        await client.rpush("list", b"no", b"value")
        with pytest.raises(StoreGarbage, match="WRONGTYPE"):
            await store.get("list")
        assert (await store.get("endless")).value == b"value"
        await store.aclose()

    asyncio.run(story())


class Clock:
    now = 1_000.0

    def __call__(self):
        return self.now


def test_sqlite_ends_an_entry_at_its_moment(tmp_path):
    clock = Clock()
    store = SqliteStore(tmp_path / "entries.sqlite", clock=clock)

    async def story():
        await store.set("key", b"value", px=2_500)
        clock.now += 2
        assert (await store.get("key")).life_s == 0.5
        clock.now += 0.5
        assert await store.get("key") is None
        await store.aclose()

    asyncio.run(story())


def test_sqlite_sweeps_out_what_has_ended_and_then_what_ends_soonest(tmp_path):
    clock, path = Clock(), tmp_path / "entries.sqlite"
    store = SqliteStore(path, capacity=10, clock=clock)

    async def story():
        for number in range(5):
            await store.set(f"ended {number}", b"", px=1_000)
        clock.now += 1
        await store.set("alive 0", b"", px=60_000)
        assert store._file.execute("SELECT key FROM entries").fetchall() == [("alive 0",)]
        for number in range(25):
            await store.set(f"alive {number}", b"", px=60_000 - 1_000 * number)
        await store.aclose()

    asyncio.run(story())
    with sqlite3.connect(path) as file:
        kept = {key for (key,) in file.execute("SELECT key FROM entries")}
    assert kept == {f"alive {number}" for number in range(10)}


def test_sqlite_waits_for_no_other_process(tmp_path):
    path = tmp_path / "entries.sqlite"

    async def story():
        store = SqliteStore(path)
        await store.set("key", b"value", px=60_000)
        locking = sqlite3.connect(path, isolation_level=None)
        locking.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            await store.set("key", b"other", px=60_000)
        assert (await store.get("key")).value == b"value"
        assert store._file.execute("PRAGMA busy_timeout").fetchone() == (0,)
        locking.execute("ROLLBACK")
        locking.close()
        await store.set("key", b"other", px=60_000)
        await store.aclose()
        with pytest.raises(StoreError, match="closed"):
            await store.get("key")

    asyncio.run(story())


def test_a_damaged_file_of_sqlite_is_garbage(tmp_path):
    path = tmp_path / "entries.sqlite"
    path.write_bytes(b"this is no database " * 400)
    with pytest.raises(StoreGarbage, match="not a database"):
        SqliteStore(path)


def test_an_entry_of_another_type_is_garbage(tmp_path):
    async def story():
        store = SqliteStore(tmp_path / "entries.sqlite")
        with sqlite3.connect(tmp_path / "entries.sqlite") as file:
            file.execute("INSERT INTO entries VALUES ('key', 'a text', 1e12)")
        with pytest.raises(StoreGarbage, match="str"):
            await store.get("key")
        await store.aclose()

    asyncio.run(story())
