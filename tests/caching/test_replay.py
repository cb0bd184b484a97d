"""The compiled cache against its story, and both against streams whose outcome is known."""

import numpy as np
import pytest

from labutils.caching import CacheRun, poisson_times, replay, twins, zipf_keys, zipf_shares


def same(one: CacheRun, other: CacheRun) -> bool:
    counts = ("hits", "misses", "expired", "evictions")
    return (one.hit == other.hit).all() and all(
        getattr(one, name) == getattr(other, name) for name in counts
    )


def test_kernel_and_story_agree_on_thousands_of_small_streams():
    rng = np.random.default_rng(11)
    seen = np.zeros(4, dtype=int)
    for story in range(3_000):
        count = int(rng.integers(1, 40))
        keys = rng.integers(0, int(rng.integers(1, 9)), count) * (10**12 if story % 7 == 0 else 1)
        keys = keys - (3 if story % 5 == 0 else 0)
        times = np.sort(rng.integers(0, 30, count))  # whole seconds: ties, and ages equal to ttl
        options = {"capacity": int(rng.integers(1, 7))}
        if story % 3:
            options |= {"ttl_s": int(rng.integers(1, 8)), "renew": story % 3 == 2}
        fast, plain = replay(keys, times, **options), twins.replay(keys, times, **options)
        assert same(fast, plain), (keys, times, options)
        seen += (plain.hits > 0, plain.misses > 0, plain.expired > 0, plain.evictions > 0)
    assert (seen > 500).all()


def test_they_agree_on_a_long_stream_too():
    keys, times = zipf_keys(40_001, 997, 0.8, seed=3), poisson_times(40_001, 50, seed=4)
    for options in ({}, {"ttl_s": 7.0}, {"ttl_s": 3.0, "renew": True}):
        assert same(
            replay(keys, times, capacity=101, **options),
            twins.replay(keys, times, capacity=101, **options),
        )


def test_a_key_that_is_used_stays_and_a_scan_longer_than_the_cache_hits_nothing():
    used = replay([1, 2, 1, 3, 1, 4, 1, 5, 1], capacity=2)
    assert used.hit.tolist() == [False, False, True, False, True, False, True, False, True]
    scan = replay(np.tile(np.arange(8), 5), capacity=7)
    assert (scan.hits, scan.evictions) == (0, 33)
    assert replay(np.tile(np.arange(8), 5), capacity=8).misses == 8


def test_a_fixed_ttl_counts_from_the_fill_and_a_renewed_one_from_the_last_hit():
    times = [0, 2, 4, 6, 11]
    fixed = replay([5] * 5, times, capacity=3, ttl_s=5)
    assert fixed.hit.tolist() == [False, True, True, False, False]
    renewed = replay([5] * 5, times, capacity=3, ttl_s=5, renew=True)
    assert renewed.hit.tolist() == [False, True, True, True, False]  # at 5 s it is over
    assert (fixed.expired, renewed.expired, renewed.hit_rate) == (2, 1, 0.6)


@pytest.mark.parametrize(
    ("keys", "options", "says"),
    [
        ([1.5, 2], {"capacity": 2}, "keys"),
        ([], {"capacity": 2}, "keys"),
        ([[1], [2]], {"capacity": 2}, r"shape \(2, 1\)"),
        ([1, 2], {"capacity": 0}, "capacity = 0"),
        ([1, 2], {"capacity": 2, "ttl_s": 3}, "times_s = None"),
        ([1, 2], {"capacity": 2, "renew": True}, "renew = True"),
        ([1, 2], {"capacity": 2, "ttl_s": -1, "times_s": [0, 1]}, "ttl_s = -1"),
        ([1, 2], {"capacity": 2, "ttl_s": 1, "times_s": [0]}, "times_s has 1"),
        ([1, 2], {"capacity": 2, "ttl_s": 1, "times_s": [3, 1]}, r"times_s\[1\] = 1"),
    ],
)
def test_bad_input_is_named_by_kernel_and_story_alike(keys, options, says):
    for one in (replay, twins.replay):
        with pytest.raises(ValueError, match=says):
            one(keys, **options)


def test_zipf_keys_come_as_often_as_their_share_says_and_in_no_order():
    keys = zipf_keys(200_000, 501, 0.9, seed=8)
    shares = zipf_shares(501, 0.9)
    assert shares[0] / shares[3] == pytest.approx(4**0.9)
    counts = np.bincount(keys, minlength=501)
    sigma = np.sqrt(200_000 * shares * (1 - shares))
    assert (np.abs(counts - 200_000 * shares) < 5.5 * sigma).all()
    first, second = keys[:-1] == 0, keys[1:] == 0  # neighbours know nothing of each other
    assert (first & second).mean() == pytest.approx(shares[0] ** 2, rel=0.1)


def test_poisson_times_have_gaps_that_spread_as_much_as_their_mean():
    gaps = np.diff(poisson_times(100_000, 40, seed=9))
    assert gaps.mean() == pytest.approx(1 / 40, rel=0.02)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.02)
