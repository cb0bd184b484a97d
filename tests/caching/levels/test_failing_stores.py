"""Stores that die, stall and mix things up, under the virtual clock: no answer wrong or lost."""

import asyncio
import random
from collections import Counter

import pytest

from labutils.caching.levels.three_levels import MOST_WRITES
from labutils.serving.batcher.virtual_loop import run_virtually

from .fakes import KEY, FakeStore, breaker, computing, levels_over, sums_are_right, took, value_of


@pytest.mark.parametrize(
    ("mood", "counted", "waits_s"),
    [
        ("dead", "errors", 0.0),
        ("stalled", "timeouts", 0.05),
        ("broken", "garbage", 0.0),
        ("garbage", "garbage", 0.0),
        ("foreign", "garbage", 0.0),
    ],
)
def test_a_store_that_fails_costs_its_time_out_a_few_times_and_no_answer(mood, counted, waits_s):
    async def story():
        store = FakeStore()
        levels = levels_over(store, breaker=breaker(failures=4))
        await levels.get(("zenith", "secret"), computing(("zenith", "secret")))
        await levels.settle()
        store.mood = mood
        seen = []
        for number in range(10):
            key = ("acme", number)
            value, took_s = await took(levels.get(key, computing(key, 0.2)))
            assert value == value_of(key)
            await levels.settle()
            seen.append(round(took_s, 6))
        return seen, getattr(levels.counts.shared, counted), levels.counts, store.distrusted

    seen, failed, counts, distrusted = run_virtually(story())
    # while the entries read are bad and writes work, failures do not come in a row of four
    writes_work = mood in ("garbage", "foreign")
    tries = 10 if writes_work else 2
    assert seen == [0.2 + waits_s] * tries + [0.2] * (10 - tries)
    assert failed == tries and counts.shared.asked == 11 and counts.shared.skipped == 10 - tries
    assert (distrusted > 0) == (counted == "garbage")
    assert counts.writes.hits == (11 if writes_work else 1)


def test_after_its_rest_one_of_a_hundred_probes_and_then_all_pass():
    async def story():
        store = FakeStore(0.01)
        levels = levels_over(store, breaker=breaker(failures=1, rest_s=5))
        store.mood = "dead"
        await levels.get(KEY, computing(KEY))
        store.mood, store.gets, store.sets = "well", 0, 0
        gets = []
        for wait_s in (4.9, 0.2, 0.1):
            await asyncio.sleep(wait_s)
            keys = [("acme", wait_s, number) for number in range(100)]
            values = await asyncio.gather(*(levels.get(key, computing(key)) for key in keys))
            assert values == [value_of(key) for key in keys]
            await levels.settle()
            gets.append(store.gets)
        return gets, sums_are_right(levels)

    assert run_virtually(story()) == ([0, 1, 101], True)


def test_a_probe_that_is_cancelled_leaves_its_place_to_another():
    async def story():
        store = FakeStore()
        levels = levels_over(store, breaker=breaker(failures=1, rest_s=1))
        store.mood = "dead"
        await levels.get(KEY, computing(KEY))
        await asyncio.sleep(1)
        store.mood = "stalled"
        probing, other = ("acme", "probing"), ("acme", "other")
        asker = asyncio.create_task(levels.get(probing, computing(probing)))
        await asyncio.sleep(0.01)
        assert levels.breaker.enter() is None
        asker.cancel()
        await asyncio.wait([asker])
        assert asker.cancelled() and levels.breaker.state == "half-open"
        store.mood = "well"
        await levels.get(other, computing(other))
        await levels.settle()
        return levels.breaker.state, len(asyncio.all_tasks())

    assert run_virtually(story()) == ("closed", 1)


@pytest.mark.parametrize("seed", range(6))
def test_whoever_leaves_takes_no_answer_from_others_and_leaves_no_task(seed):
    async def story():
        rng, store = random.Random(seed), FakeStore(0.02)
        levels = levels_over(store)

        async def ask(number):
            await asyncio.sleep(rng.random())
            store.mood = rng.choice(["well", "well", "dead", "stalled", "broken"])
            key = (rng.choice("ab"), rng.randrange(4))
            return key, await levels.get(key, computing(key, 0.03))

        askers = [asyncio.create_task(ask(number)) for number in range(300)]
        leaving = set(rng.sample(range(300), 90))
        for number in leaving:
            asyncio.get_running_loop().call_later(rng.random(), askers[number].cancel)
        got = await asyncio.gather(*askers, return_exceptions=True)
        await levels.settle()
        for number, answer in enumerate(got):
            if isinstance(answer, BaseException):
                assert number in leaving and isinstance(answer, asyncio.CancelledError)
            else:
                assert answer[1] == value_of(answer[0])
        await asyncio.sleep(1)
        return len(asyncio.all_tasks())

    assert run_virtually(story()) == 1


class MixedUp(FakeStore):
    """Answers with any entry that it holds, as a connection does that is one answer behind."""

    def __init__(self, rng):
        super().__init__()
        self.rng = rng

    async def get(self, key):
        return await super().get(self.rng.choice([key, self.rng.choice([key, *self.entries])]))


@pytest.mark.parametrize("seed", range(10))
def test_tenants_never_get_each_others_values(seed):
    """Random tenants with the same names for things, two processes, a store that mixes them up."""

    async def story():
        rng = random.Random(seed)
        store = MixedUp(rng)
        options = {"capacity": 5, "process_ttl_s": 0.3}
        processes = [
            levels_over(store, **options, breaker=breaker(failures=10**6)) for _ in range(2)
        ]
        tenants, names = ["a", "b", 'a","b', "1", "A"], ["x", 1, 1.0, True, "1", "b"]
        keys, got = [], []
        for _ in range(40):
            batch = [(rng.choice(tenants), rng.choice(names)) for _ in range(15)]
            process = rng.choice(processes)
            got += await asyncio.gather(*(process.get(k, computing(k, 0.01)) for k in batch))
            keys += batch
            await asyncio.sleep(rng.random() / 4)
        counts = [process.counts.shared for process in processes]
        return keys, got, sum(c.garbage for c in counts), sum(c.hits for c in counts)

    keys, got, garbage, hits = run_virtually(story())
    assert [key for key, value in zip(keys, got) if value != value_of(key)] == []
    assert garbage > 20 and hits > 20  # foreign entries were met, and own ones found among them


def test_writes_that_pile_up_are_left_out_and_counted():
    async def story():
        levels = levels_over(FakeStore(0.04), capacity=1)
        keys = [("acme", number) for number in range(MOST_WRITES + 9)]
        values = await asyncio.gather(*(levels.get(key, computing(key)) for key in keys))
        assert values == [value_of(key) for key in keys]
        await levels.settle()
        return levels.counts.writes

    counts = run_virtually(story())
    assert (counts.hits, counts.skipped) == (MOST_WRITES, 9)


def test_garbage_under_a_key_is_written_over():
    async def story():
        store = FakeStore()
        levels = levels_over(store, process_ttl_s=0.1)
        store.entries["levels:" + '["acme","answer",7]'] = b"junk", 99.0
        came_from = Counter()
        for _ in range(3):
            came_from[(await levels.answer(KEY, computing(KEY))).level] += 1
            await levels.settle()
            await asyncio.sleep(0.2)
        return came_from, levels.counts.shared.garbage

    assert run_virtually(story()) == (Counter(compute=1, shared=2), 1)
