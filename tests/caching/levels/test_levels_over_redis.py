"""The three levels over a real Redis that is killed and stalled, and over servers that lie."""

import asyncio
import random

import pytest

from labutils.caching.levels import CircuitBreaker, RedisServer, RedisStore, ThreeLevels, our_client

from .fakes import NOTHING, FakeRedis, bulk, computing, value_of

LONG_S = 5.0  # for calls that are to succeed, on a machine that may be slow


@pytest.fixture
def server():
    with RedisServer() as server:
        yield server


def levels_over(socket, *, timeout_s=LONG_S, rest_s=0.05, failures=3) -> ThreeLevels:
    return ThreeLevels(
        RedisStore(our_client(socket, timeout_s=timeout_s)),
        timeout_s=timeout_s,
        breaker=CircuitBreaker(failures=failures, rest_s=rest_s),
    )


async def close(*processes: ThreeLevels) -> None:
    for levels in processes:
        await levels._shared.store.aclose()


async def ask(levels: ThreeLevels, key: tuple) -> str:
    """The level that answered; the answer is right in any case."""
    answer = await levels.answer(key, computing(key))
    assert answer.value == value_of(key)
    await levels.settle()
    return answer.level


@pytest.mark.redis
def test_killed_and_started_again_it_is_done_without_and_then_used_again(server):
    async def story():
        here, there = levels_over(server.socket), levels_over(server.socket)
        assert await ask(here, ("acme", 1)) == "compute"
        assert await ask(there, ("acme", 1)) == "shared"
        server.kill()
        for number in range(2, 8):
            assert await ask(there, ("acme", number)) == "compute"
        assert there.breaker.state == "open" and there.counts.shared.skipped > 0
        server.start()
        await asyncio.sleep(0.06)
        assert there.breaker.state == "half-open"
        assert await ask(there, ("acme", 8)) == "compute"  # it is empty now
        assert await ask(here, ("acme", 8)) == "shared"
        assert (there.breaker.state, there.breaker.openings) == ("closed", 1)
        assert there.counts.shared.errors + there.counts.writes.errors == 3
        await close(here, there)

    asyncio.run(story())


@pytest.mark.redis
def test_stalled_it_costs_the_time_out_and_resumed_it_answers_with_the_right_values(server):
    async def story():
        levels = levels_over(server.socket, timeout_s=0.1, failures=10**6)
        warm = [("acme", number) for number in range(20)]
        writer = levels_over(server.socket)
        await asyncio.gather(*(ask(writer, key) for key in warm))
        server.stall()
        keys = [("zenith", number) for number in range(20)]
        assert set(await asyncio.gather(*(ask(levels, key) for key in keys))) == {"compute"}
        failed = levels.counts.shared
        assert failed.timeouts + failed.errors == 20  # errors: no free connection in time
        server.resume()
        await asyncio.sleep(0.2)  # the answers to what nobody waits for any more arrive meanwhile
        for key in warm:
            await ask(levels, key)
        assert levels.counts.shared.garbage == 0
        await close(levels, writer)

    asyncio.run(story())


@pytest.mark.redis
def test_requests_that_are_cancelled_leave_their_answer_to_nobody(server):
    """A connection that still holds the answer to a cancelled question must not be used again."""

    async def story():
        rng = random.Random(4)
        keys = [(tenant, number) for tenant in ("acme", "zenith") for number in range(10)]
        writer = levels_over(server.socket)
        for key in keys:
            await ask(writer, key)
        store = RedisStore(our_client(server.socket, timeout_s=LONG_S, max_connections=2))

        async def read(key):
            process = ThreeLevels(store, timeout_s=LONG_S)  # each an empty one: all read Redis
            return await process.answer(key, computing(key)), process.counts.shared.garbage

        asked = [rng.choice(keys) for _ in range(600)]
        readers = [asyncio.create_task(read(key)) for key in asked]
        for reader in readers[::3]:
            await asyncio.sleep(rng.random() / 2_000)
            reader.cancel()
        ended = await asyncio.gather(*readers, return_exceptions=True)
        stayed = [(key, end) for key, end in zip(asked, ended) if isinstance(end, tuple)]
        assert all(end[0].value == value_of(key) for key, end in stayed)
        await store.aclose()
        await close(writer)
        return len(stayed), sum(garbage for _, (_, garbage) in stayed)

    stayed, garbage = asyncio.run(story())
    assert 400 <= stayed < 600 and garbage == 0


GARBAGE = {
    "noise": b"\x00\xff!?\r\n" * 5,
    "an error": b"-ERR out of order\r\n",
    "loading": b"-LOADING Redis is loading the dataset in memory\r\n",
    "a length below zero": b"$-5\r\n",
    "a length that is no number": b"$five\r\nvalue\r\n",
    "an endless list": b"*1000000000\r\n",
    "lists in lists": b"*1\r\n" * 3_000,
    "a line without end": b"x" * 100_000,
    "a page of the web": b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
    "nothing, and it hangs up": b"",
}


@pytest.mark.parametrize("raw", GARBAGE.values(), ids=GARBAGE)
def test_a_server_that_talks_nonsense_costs_nobody_an_answer(tmp_path, raw):
    async def story():
        async with FakeRedis(str(tmp_path / "r.sock"), raw=raw):
            levels = levels_over(tmp_path / "r.sock", timeout_s=0.1, rest_s=60)
            for number in range(6):
                assert await ask(levels, ("acme", number)) == "compute"
            await close(levels)
        return levels.counts, levels.breaker.state

    counts, state = asyncio.run(story())
    reads = counts.shared
    assert (reads.hits, reads.misses, reads.asked, state) == (0, 0, 6, "open")
    assert reads.garbage + reads.errors + reads.timeouts > 0


ANSWERS = {
    "a number for a value": {b"GET": b":7\r\n", b"PTTL": b":5000\r\n"},
    "a value for a number": {b"GET": bulk(b"junk"), b"PTTL": bulk(b"soon")},
    "junk for a value": {b"GET": bulk(b"junk"), b"PTTL": b":5000\r\n"},
    "a list for a value": {b"GET": b"*2\r\n:1\r\n:2\r\n", b"PTTL": b":5000\r\n"},
    "no to a write": {b"GET": NOTHING, b"PTTL": b":-2\r\n", b"SET": b":0\r\n"},
}


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
def test_well_formed_nonsense_is_counted_as_garbage(tmp_path, answers):
    def reply(words):
        return answers.get(words[0].upper(), b"+OK\r\n")

    async def story():
        async with FakeRedis(str(tmp_path / "r.sock"), reply=reply):
            levels = levels_over(tmp_path / "r.sock")
            assert await ask(levels, ("acme", 1)) == "compute"
            await close(levels)
        return levels.counts.shared.garbage + levels.counts.writes.garbage

    assert asyncio.run(story()) == 1


def test_a_connection_that_is_one_answer_behind_tells_no_tenant_of_another(tmp_path):
    """As after a cancelled request: every question gets the answer to the one before."""
    held, last = {}, [NOTHING]

    def reply(words):
        if words[0].upper() == b"SET":
            held[words[1]] = words[2]
            return b"+OK\r\n"
        if words[0].upper() == b"PTTL":
            return b":60000\r\n"
        answer, last[0] = last[0], bulk(held[words[1]]) if words[1] in held else NOTHING
        return answer

    async def story():
        async with FakeRedis(str(tmp_path / "r.sock"), reply=reply) as fake:
            writer = levels_over(tmp_path / "r.sock", failures=10**6)
            keys = [(tenant, "what I asked") for tenant in ("acme", "zenith", "mallory")]
            for key in keys:
                await ask(writer, key)
            connections, garbage = fake.connections, 0
            for key in keys * 3:
                reader = levels_over(tmp_path / "r.sock", failures=10**6)
                assert await ask(reader, key) == "compute"
                garbage += reader.counts.shared.garbage
                await close(reader)
            await close(writer)
            return garbage, fake.connections - connections

    garbage, connections = asyncio.run(story())
    assert garbage >= 8
    assert connections >= 2 * garbage  # after each, the connection was given up
