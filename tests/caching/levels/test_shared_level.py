"""Which shared level a machine has, in a sentence; and the levels without any redis at all."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from labutils.caching.levels import RedisStore, SqliteStore, ThreeLevels, redis_or_sqlite

WITHOUT = """
import asyncio, sys
sys.modules["redis"] = None
from labutils.caching import ThreeLevels, TTLStore, redis_or_sqlite
async def seven():
    return b"7"
async def story():
    async with redis_or_sqlite() as shared:
        print(shared)
        levels = [ThreeLevels(shared.store) for _ in range(2)]
        for process in levels:
            print((await process.answer(("acme", 7), seven)).level)
            await process.settle()
asyncio.run(story())
"""


@pytest.mark.redis
def test_a_machine_with_redis_gets_a_real_one():
    async def story():
        async with redis_or_sqlite() as shared:
            assert isinstance(shared.store, RedisStore) and shared.server.is_running
            assert "a real Redis" in str(shared)
            await shared.store.set("key", b"value", px=9_000)
        return shared

    assert not asyncio.run(story()).server.is_running


@pytest.mark.parametrize("has_broken_one", [False, True])
def test_a_machine_without_gets_sqlite_and_the_reason(monkeypatch, tmp_path, has_broken_one):
    if has_broken_one:
        (tmp_path / "redis-server").write_text("#!/bin/sh\necho too old\nexit 1\n")
        (tmp_path / "redis-server").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    async def story():
        async with redis_or_sqlite() as shared:
            assert isinstance(shared.store, SqliteStore) and shared.server is None
            folder = Path(shared._folder.name)
            assert folder.exists()
            levels = ThreeLevels(shared.store)
            await levels.get(("acme", 7), seven)
            await levels.settle()
            assert levels.counts.writes.hits == 1
        return str(shared), folder.exists()

    sentence, is_left = asyncio.run(story())
    reason = "does not start: too old" if has_broken_one else "no redis-server on the path"
    assert "SQLite" in sentence and reason in sentence and not is_left


async def seven() -> bytes:
    return b"7"


def test_without_the_package_everything_else_works():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    sentence, *levels = done.stdout.splitlines()
    assert (done.stderr, levels) == ("", ["compute", "shared"])
    assert "SQLite" in sentence and "the package redis is not installed" in sentence


def test_the_doors_load_no_client():
    text = "import sys, labutils.caching.levels as door, labutils.caching\n"
    text += "from labutils.caching import ThreeLevels, RedisServer, our_client\n"
    text += "print('redis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.stdout == "False\n"
