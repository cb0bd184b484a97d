"""What a client does when nobody answers: its settings, not its seconds."""

import asyncio
import inspect
import random
import statistics

import pytest
from redis.asyncio import Redis, retry as redis_retry

from labutils.caching.levels import default_client, our_client, settings_of, timed_call

from .fakes import NOTHING, FakeRedis


@pytest.fixture
def waits(monkeypatch):
    """The waits between tries, which take no time here."""
    waited = []

    async def wait(seconds):
        waited.append(seconds)

    monkeypatch.setattr(redis_retry, "sleep", wait)
    return waited


def test_ours_tries_once_and_the_default_again_and_again(tmp_path, waits):
    """Nobody listens under this address: each try fails at once, and what is left is the waits."""
    nowhere = tmp_path / "nobody.sock"
    ours, default = our_client(nowhere), default_client(nowhere)
    assert (settings_of(ours).retries, settings_of(ours).expected_wait_s) == (0, 0)
    assert asyncio.run(timed_call(ours)).outcome == "ConnectionError"
    assert waits == []
    retries = settings_of(default).retries
    assert asyncio.run(timed_call(default)).outcome == "ConnectionError"
    assert len(waits) == retries >= 3
    assert max(waits) <= settings_of(default).cap_s


def test_the_default_is_what_the_library_says_it_is(tmp_path):
    stated = inspect.signature(Redis.__init__).parameters
    found = settings_of(default_client(tmp_path / "r.sock"))
    assert found.retries == stated["retry"].default.get_retries()
    assert found.timeout_s == stated["socket_timeout"].default
    assert 0 < found.base_s < found.cap_s


def test_the_expected_wait_is_the_mean_of_the_librarys_own_draws(tmp_path, monkeypatch):
    client = default_client(tmp_path / "r.sock")
    retry = client.connection_pool.connection_kwargs["retry"]
    expected, tries = settings_of(client), settings_of(client).retries
    monkeypatch.setattr(random, "random", random.Random(3).random)
    totals = [
        sum(retry._backoff.compute(failures) for failures in range(1, tries + 1))
        for _ in range(4_000)
    ]
    error = statistics.stdev(totals) / len(totals) ** 0.5
    assert abs(statistics.mean(totals) - expected.expected_wait_s) < 5 * error


@pytest.mark.parametrize("timeout_s", [0.05, 0.2])
def test_ours_gives_up_on_a_server_that_says_nothing(tmp_path, timeout_s):
    client = our_client(tmp_path / "r.sock", timeout_s=timeout_s)
    assert settings_of(client).timeout_s == timeout_s

    async def story():
        async with FakeRedis(str(tmp_path / "r.sock"), reply=lambda words: b""):
            return await timed_call(client)

    assert asyncio.run(story()).outcome == "TimeoutError"


def test_a_call_that_is_answered_says_so(tmp_path):
    async def story():
        async with FakeRedis(str(tmp_path / "r.sock"), reply=lambda words: NOTHING):
            return await timed_call(our_client(tmp_path / "r.sock", timeout_s=5))

    assert asyncio.run(story()).outcome == "answered"


@pytest.mark.parametrize(
    ("arguments", "name"), [({"timeout_s": 0}, "timeout_s"), ({"max_connections": 0.5}, "max_conn")]
)
def test_bad_input_is_named(tmp_path, arguments, name):
    with pytest.raises(ValueError, match=f"^{name}"):
        our_client(tmp_path / "r.sock", **arguments)
