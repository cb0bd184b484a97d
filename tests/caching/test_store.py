"""The stories that the circulating cache fails, and ten thousand random ones against a replay."""

import numpy as np
import pytest

from labutils.caching import TTLStore, replay


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_a_key_that_is_read_outlives_fifty_new_ones(clock):
    store = TTLStore(capacity=3, ttl_s=60, clock=clock)
    store.put("hot", 7)
    for number in range(50):
        assert store.get("hot") == 7
        store.put(number, number)
    assert (store.get("hot"), store.hits, store.misses, store.evictions) == (7, 51, 0, 48)


def test_nothing_is_served_once_its_time_is_up(clock):
    store = TTLStore(capacity=3, ttl_s=5, clock=clock)
    store.put("price", 41)
    clock.now += 4.999
    assert store.get("price") == 41
    clock.now = 105.0
    assert store.get("price", "gone") == "gone"
    assert (store.hits, store.misses, store.expired, len(store)) == (1, 1, 1, 0)
    assert (store.get("price"), store.expired, store.misses) == (None, 1, 2)


def test_an_update_evicts_nobody_and_makes_its_own_entry_young(clock):
    store = TTLStore(capacity=2, ttl_s=5, clock=clock)
    store.put("a", 1)
    store.put("b", 2)
    clock.now += 4
    store.put("a", 3)
    assert (store.evictions, len(store)) == (0, 2)
    clock.now += 3
    assert (store.get("a"), store.get("b")) == (3, None)
    store.put("c", 4)
    store.put("d", 5)
    assert (store.get("a"), store.evictions) == (None, 1)


def test_a_stored_none_is_a_hit_and_a_dropped_key_is_not(clock):
    store = TTLStore(capacity=2, ttl_s=5, clock=clock)
    store.put("nothing", None)
    assert (store.get("nothing", 9), store.hits) == (None, 1)
    assert (store.drop("nothing"), store.drop("nothing")) == (True, False)
    assert store.get("nothing", 9) == 9


@pytest.mark.parametrize("seed", [3, 14, 159])
def test_asked_and_filled_in_turn_it_counts_what_a_replay_counts(clock, seed):
    rng = np.random.default_rng(seed)
    keys, times = rng.zipf(1.3, 3_001) % 57, np.cumsum(rng.integers(0, 4, 3_001))
    store, hit = TTLStore(capacity=11, ttl_s=9, clock=clock), []
    for key, clock.now in zip(keys.tolist(), times.tolist(), strict=True):
        hit.append(store.get(key) is not None)
        if not hit[-1]:
            store.put(key, "value")
    run = replay(keys, times, capacity=11, ttl_s=9)
    # An entry found too old is dropped at once and filled again: the same place, the same counts.
    assert hit == run.hit.tolist()
    counted = (store.hits, store.misses, store.expired, store.evictions)
    assert counted == (run.hits, run.misses, run.expired, run.evictions)
    assert min(counted) > 50


@pytest.mark.parametrize("bad", [{"capacity": 0, "ttl_s": 1}, {"capacity": 2, "ttl_s": 0}])
def test_bad_sizes_are_named(clock, bad):
    with pytest.raises(ValueError, match="= 0: expected"):
        TTLStore(clock=clock, **bad)
