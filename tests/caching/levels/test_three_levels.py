"""The way of a request through three levels, under the virtual clock."""

import asyncio
import random

import pytest

from labutils.caching.levels import ThreeLevels
from labutils.serving.batcher.virtual_loop import run_virtually

from .fakes import KEY, FakeStore, computing, levels_over, sums_are_right, took, value_of


def test_each_level_answers_in_its_time():
    async def story():
        levels, calls, came_from = levels_over(FakeStore()), [], []
        for wait_s in (0, 1, 0.9, 0.2, 1.9, 5.9, 0.2):
            await asyncio.sleep(wait_s)
            answer = await levels.answer(KEY, computing(KEY, calls=calls))
            assert answer.value == value_of(KEY)
            came_from.append(answer.level)
        return came_from, calls, sums_are_right(levels)

    came_from, calls, is_right = run_virtually(story())
    # computed at 0; the process forgets at 2 and, read anew at 2.1, at 4.1; all ends at 10
    expected = ["compute", "process", "process", "shared", "process", "shared", "compute"]
    assert (came_from, len(calls), is_right) == (expected, 2, True)


@pytest.mark.parametrize("store_takes_s", [0.0, 0.04])
def test_the_process_never_serves_what_the_shared_level_has_let_go(store_takes_s):
    async def story():
        store = FakeStore(store_takes_s)
        writer, reader = levels_over(store), levels_over(store, process_ttl_s=100)
        await writer.get(KEY, computing(KEY))
        await writer.settle()
        ((_, dies_s),), loop = store.entries.values(), asyncio.get_running_loop()
        await asyncio.sleep(dies_s - 1 - loop.time())
        levels = [(await reader.answer(KEY, computing(KEY))).level]
        await asyncio.sleep(dies_s - store_takes_s - 0.001 - loop.time())
        levels.append((await reader.answer(KEY, computing(KEY))).level)
        await asyncio.sleep(dies_s - loop.time())
        levels.append((await reader.answer(KEY, computing(KEY))).level)
        return levels

    assert run_virtually(story()) == ["shared", "process", "compute"]


@pytest.mark.parametrize("seed", range(8))
def test_no_process_serves_a_value_older_than_its_time_to_live(seed):
    """Four processes over one store that is ill half of the time; a value says when it was made."""
    ttl_s = 3.0

    async def story():
        rng, loop, store = random.Random(seed), asyncio.get_running_loop(), FakeStore(0.01)
        processes = [
            levels_over(store, ttl_s=ttl_s, process_ttl_s=rng.choice([0.5, 2, 50]))
            for _ in range(4)
        ]

        async def compute():
            made_s = loop.time()
            await asyncio.sleep(0.02)
            return str(made_s).encode()

        oldest = 0.0
        for _ in range(1_500):
            store.mood = rng.choice(["well"] * 4 + ["dead", "broken", "garbage", "foreign"])
            await asyncio.sleep(rng.expovariate(20))
            got = await rng.choice(processes).get(("t", rng.randrange(3)), compute)
            oldest = max(oldest, loop.time() - float(got))
        return oldest, all(sums_are_right(levels) for levels in processes)

    oldest, is_right = run_virtually(story())
    assert 0.9 * ttl_s < oldest < ttl_s + 0.1  # the bound is reached, within the way to the asker
    assert is_right


def test_of_all_who_ask_at_once_one_goes_beyond_the_process():
    async def story():
        store, calls = FakeStore(0.01), []
        levels = levels_over(store)
        askers = [levels.answer(KEY, computing(KEY, 1, calls)) for _ in range(50)]
        answers = await asyncio.gather(*askers)
        return store.gets, len(calls), {answer.value for answer in answers}, sums_are_right(levels)

    assert run_virtually(story()) == (1, 1, {value_of(KEY)}, True)


def test_an_error_goes_to_all_who_wait_and_is_not_kept():
    async def story():
        levels, calls = levels_over(FakeStore()), []

        async def fails():
            calls.append(1)
            await asyncio.sleep(0.1)
            raise LookupError("no such customer")

        askers = [levels.get(KEY, fails) for _ in range(3)]
        errors = await asyncio.gather(*askers, return_exceptions=True)
        assert [type(error) for error in errors] == [LookupError] * 3
        with pytest.raises(LookupError):
            await levels.get(KEY, fails)
        assert await levels.get(KEY, computing(KEY)) == value_of(KEY)
        return len(calls), levels.counts.compute.errors, sums_are_right(levels)

    assert run_virtually(story()) == (2, 2, True)


def test_nothing_is_an_answer_too_and_kept_only_on_request():
    async def story(nothing_ttl_s):
        store, calls = FakeStore(), []
        here, there = (levels_over(store, nothing_ttl_s=nothing_ttl_s) for _ in range(2))

        async def nothing():
            calls.append(asyncio.get_running_loop().time())

        levels = []
        for process, wait_s in ((here, 0), (here, 0), (there, 0.5), (there, 0.6)):
            await asyncio.sleep(wait_s)
            answer = await process.answer(KEY, nothing)
            await process.settle()
            assert answer.value is None
            levels.append(answer.level)
        return levels

    assert run_virtually(story(None)) == ["compute"] * 4
    assert run_virtually(story(1.0)) == ["compute", "process", "shared", "compute"]


def test_an_empty_value_is_a_value():
    async def story():
        store = FakeStore()

        async def empty():
            return b""

        levels = []
        for process in (levels_over(store), levels_over(store)):
            answer = await process.answer(KEY, empty)
            await process.settle()
            levels.append((answer.value, answer.level))
        return levels

    assert run_virtually(story()) == [(b"", "compute"), (b"", "shared")]


def test_an_unknown_tenant_is_refused_before_anything_is_asked_and_learns_of_no_other():
    async def story():
        store, calls = FakeStore(), []
        levels = levels_over(store, tenants=["acme", "zenith"])
        for key in [("mallory", "x"), ("acme ", "x"), ("ACME", "x")]:
            with pytest.raises(ValueError, match="expected one of the 2 tenants") as refusal:
                await levels.get(key, computing(key, calls=calls))
            assert "zenith" not in str(refusal.value)
        with pytest.raises(ValueError, match=r"^key = "):
            await levels.get(("acme", float("nan")), computing(KEY, calls=calls))
        assert (calls, store.gets) == ([], 0)
        assert await levels.get(("zenith", "x"), computing(KEY)) == value_of(KEY)

    run_virtually(story())


@pytest.mark.parametrize("wrong", ["text", 7, ["bytes"], bytearray(b"x")])
def test_a_computation_gives_bytes_or_nothing(wrong):
    async def story():
        store = FakeStore()
        levels = levels_over(store)

        async def compute():
            return wrong

        with pytest.raises(ValueError, match="expected bytes or None"):
            await levels.get(KEY, compute)
        await levels.settle()
        assert (store.entries, levels.counts.compute.errors) == ({}, 1)
        assert (await levels.answer(KEY, computing(KEY))).level == "compute"

    run_virtually(story())


def test_a_computation_that_lasts_too_long_is_an_error_that_is_not_kept():
    async def story():
        levels = levels_over(FakeStore(), compute_timeout_s=0.5)
        with pytest.raises(TimeoutError):
            await levels.get(KEY, computing(KEY, 0.6))
        assert await levels.get(KEY, computing(KEY, 0.4)) == value_of(KEY)
        return levels.counts.compute

    counts = run_virtually(story())
    assert (counts.timeouts, counts.errors, counts.hits) == (1, 0, 1)


def test_a_computations_own_time_out_is_its_error_not_ours():
    async def story():
        levels = levels_over(FakeStore(), compute_timeout_s=5)

        async def compute():
            raise TimeoutError("the model's")

        with pytest.raises(TimeoutError, match="the model's"):
            await levels.get(KEY, compute)
        return levels.counts.compute

    counts = run_virtually(story())
    assert (counts.timeouts, counts.errors) == (0, 1)


def test_an_answer_waits_for_no_write():
    async def story():
        store = FakeStore()
        levels = levels_over(store, timeout_s=0.5)
        await asyncio.sleep(1)
        store.takes_s = 0.2
        _, took_s = await took(levels.get(KEY, computing(KEY, 1)))
        assert store.entries == {}
        _, settled_s = await took(levels.settle())
        return round(took_s, 6), round(settled_s, 6), len(store.entries)

    assert run_virtually(story()) == (1.2, 0.2, 1)  # the read is waited for, the write is not


@pytest.mark.parametrize(
    "name",
    ["ttl_s", "process_ttl_s", "timeout_s", "compute_timeout_s", "nothing_ttl_s", "capacity"],
)
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), "5"])
def test_bad_settings_are_named(name, value):
    with pytest.raises(ValueError, match=f"^{name} = "):
        ThreeLevels(FakeStore(), **{name: value})


def test_counts_read_as_a_table():
    async def story():
        levels = levels_over(FakeStore())
        await levels.get(KEY, computing(KEY))
        await levels.get(KEY, computing(KEY))
        await levels.settle()
        return str(levels.counts).splitlines()

    lines = run_virtually(story())
    assert lines[0].split() == ["hits", "misses", "errors", "timeouts", "skipped", "garbage"]
    assert lines[1].split() == ["process", "1", "1", "0", "0", "0", "0"]
    assert [line.split()[1] for line in lines[2:]] == ["0", "1", "1"]
