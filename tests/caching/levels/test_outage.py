"""The load while Redis goes and comes back: nothing wrong, nothing lost, and its own books."""

import asyncio

import numpy as np
import pytest

from labutils.caching.levels import Answer, CircuitBreaker, ThreeLevels, outage_run, redis_or_sqlite
from labutils.caching.levels.outage import OutageRun


class Switch:
    """In place of a server: notes what is done to it."""

    def __init__(self):
        self.done = []

    def kill(self):
        self.done.append("kill")

    def start(self):
        self.done.append("start")


@pytest.mark.redis
@pytest.mark.parametrize("fault", ["kill", "stall"])
def test_nothing_is_wrong_and_nothing_lost_whatever_becomes_of_redis(fault):
    async def story():
        async with redis_or_sqlite(timeout_s=0.05) as shared:
            levels = ThreeLevels(
                shared.store, process_ttl_s=0.02, breaker=CircuitBreaker(rest_s=0.05)
            )
            options = {"num_requests": 300, "rate": 200, "num_keys": 5, "compute_s": 0.002}
            run = await outage_run(levels, shared.server, **options, fault=fault)
            await levels.settle()
            assert shared.server.is_running
            return run, levels

    run, levels = asyncio.run(story())
    assert (run.wrong, run.lost, len(run.took_s)) == (0, 0, 300)
    assert np.isfinite(run.took_s).all() and (run.took_s > 0).all()
    assert levels.breaker.openings >= 1
    assert set(run.breaker[run.asked_s < run.gone_s]) == {"closed"}
    assert "open" in run.breaker[run.during]
    assert sum(run.answers().values()) == 300 and 40 < run.during.sum() < 160
    assert run.answers()["shared"] > 0  # while it was there


def test_an_interrupted_run_breaks_nothing_later():
    switch = Switch()

    async def story():
        running = outage_run(Liar(), switch, num_requests=300, rate=1_000, compute_s=0)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(running, 0.03)  # Redis would go after 0.1 s
        await asyncio.sleep(0.3)

    asyncio.run(story())
    assert switch.done == ["start"]


@pytest.mark.redis
def test_a_run_starts_the_server_that_an_earlier_one_closed():
    async def story():
        shared = redis_or_sqlite(timeout_s=0.05)
        answers = []
        for _ in range(2):
            levels = ThreeLevels(shared.store, process_ttl_s=0.02)
            options = {"num_requests": 300, "rate": 1_000, "num_keys": 5, "compute_s": 0.002}
            run = await outage_run(levels, shared.server, **options)
            answers.append(run.answers(run.asked_s < run.gone_s))
            await levels.settle()
            await shared.aclose()
        return answers

    first, second = asyncio.run(story())
    assert min(first["shared"], second["shared"]) > 0


class Liar:
    """In place of the levels: turns some values round, fails for some keys."""

    breaker = CircuitBreaker()

    async def answer(self, key, compute):
        if key[2] % 5 == 3:
            raise RuntimeError("lost")
        value = await compute()
        return Answer(value[::-1] if key[2] == 0 else value, "compute")


def test_what_is_wrong_or_lost_is_counted():
    switch = Switch()

    async def story():
        options = {"num_requests": 200, "rate": 2_000, "num_keys": 5, "compute_s": 0}
        return await outage_run(Liar(), switch, **options, skew=0)

    run = asyncio.run(story())
    assert 15 < run.wrong < 70 and 15 < run.lost < 70
    assert np.isnan(run.took_s).sum() == run.lost == run.answers()["lost"]
    assert switch.done == ["start", "kill", "start"] and run.gone_s < run.back_s


def test_a_run_knows_its_requests_of_the_outage():
    level = np.array(["process", "compute", "lost", "shared", "compute"])
    closed = np.full(5, "closed")
    run = OutageRun(np.arange(5.0), np.ones(5), level, 0, gone_s=1.0, back_s=3.0, breaker=closed)
    assert run.during.tolist() == [False, True, True, False, False]
    assert run.answers() == {"process": 1, "compute": 2, "lost": 1, "shared": 1}
    assert run.answers(run.during) == {"process": 0, "compute": 1, "lost": 1, "shared": 0}


@pytest.mark.parametrize(
    ("name", "value"),
    [("fault", "sell"), ("num_requests", 0), ("rate", float("nan")), ("num_keys", 0),
     ("compute_s", -1)],
)  # fmt: skip
def test_bad_input_is_named(name, value):
    with pytest.raises(ValueError, match=f"^{name} = "):
        asyncio.run(outage_run(Liar(), Switch(), **{name: value}))
