"""Closed forms of caches against the replayed cache and against counting by hand."""

import numpy as np
import pytest

from labutils.caching import poisson_times, replay, theory, zipf_keys, zipf_shares
from labutils.caching.theory import che_hit_rates, percentile_with_cache

RATE, COUNT = 500.0, 600_000


def warm_hits(keys, capacity, times=None, **options) -> float:
    """Hit rate of the second half, when the cache has long been full."""
    run = replay(keys, times, capacity=capacity, **options)
    return run.hit[len(keys) // 2 :].mean()


@pytest.mark.parametrize(
    ("num_keys", "skew", "capacity"),
    [
        (5_001, 0.6, 100),
        (5_001, 0.9, 400),
        (20_003, 1.2, 150),
        (997, 0.0, 301),
        (9_001, 1.0, 5_000),
    ],
)
def test_che_is_within_two_percent_of_the_replayed_cache(num_keys, skew, capacity):
    keys = zipf_keys(COUNT, num_keys, skew, seed=capacity)
    theory = che_hit_rates(RATE * zipf_shares(num_keys, skew), capacity)
    assert warm_hits(keys, capacity) == pytest.approx(theory.total, rel=0.02)


def test_che_holds_key_by_key_and_its_time_is_that_of_the_capacity():
    shares = zipf_shares(3_001, 0.8)
    found = che_hit_rates(RATE * shares, 250)
    assert (1 - np.exp(-RATE * shares * found.time_s)).sum() == pytest.approx(250)
    keys = zipf_keys(COUNT, 3_001, 0.8, seed=5)
    run = replay(keys, capacity=250)
    for key in (0, 7, 60):
        assert run.hit[keys == key].mean() == pytest.approx(found.per_key[key], abs=0.02)
    assert found.total == pytest.approx(shares @ found.per_key)


def test_a_cache_with_room_for_all_hits_always_and_forever():
    found = che_hit_rates([3.0, 1.0, 0.5], 3)
    assert (found.time_s, found.total) == (np.inf, 1.0)
    assert che_hit_rates([3.0, 1.0], 7, ttl_s=2).total == pytest.approx((3 * 6 / 7 + 2 / 3) / 4)


@pytest.mark.parametrize("ttl_factor", [0.3, 0.9, 1.7, 4.0, 25.0])
@pytest.mark.parametrize("renew", [False, True])
def test_che_with_a_time_to_live_is_within_two_percent(ttl_factor, renew):
    """Below T the age decides, far above it the eviction; between, both."""
    shares = zipf_shares(2_001, 0.9)
    time_s = che_hit_rates(RATE * shares, 300).time_s
    options = {"ttl_s": ttl_factor * time_s, "renew": renew}
    keys, times = zipf_keys(COUNT, 2_001, 0.9, seed=21), poisson_times(COUNT, RATE, seed=22)
    found = che_hit_rates(RATE * shares, 300, **options)
    assert warm_hits(keys, 300, times, **options) == pytest.approx(found.total, rel=0.02)
    if renew:
        expected = 1 - np.exp(-RATE * shares * min(time_s, options["ttl_s"]))
        assert found.per_key == pytest.approx(expected)


def test_a_long_life_costs_a_little_and_never_asks_for_a_term_beyond_the_series():
    """The series stops at 60 of the cache's own times; 100 s is where rounding passed its end."""
    rates = 500 * zipf_shares(20_000, 1.1)
    endless = che_hit_rates(rates, 100)
    lives_s = [*(factor * endless.time_s for factor in (59.9, 60, 60.0000001, 61, 137)), 100.0]
    totals = [che_hit_rates(rates, 100, ttl_s=ttl_s).total for ttl_s in sorted(lives_s)]
    assert all(0.998 * endless.total < total < endless.total for total in totals), totals
    assert totals == sorted(totals)  # a longer life never costs hits


@pytest.mark.parametrize(("rate", "ttl_s"), [(0.7, 2.0), (9.0, 0.5)])
@pytest.mark.parametrize("renew", [False, True])
def test_the_hit_rate_of_one_key_with_a_time_to_live(rate, ttl_s, renew):
    times = poisson_times(200_000, rate, seed=6)
    run = replay(np.zeros(len(times), dtype=int), times, capacity=1, ttl_s=ttl_s, renew=renew)
    assert run.hit_rate == pytest.approx(theory.ttl_hit_rate(rate, ttl_s, renew=renew), rel=0.01)


def test_what_is_left_for_the_backend_and_for_users():
    assert theory.backend_load(2_000, 0.95) == pytest.approx(100)
    assert theory.backend_load(2_000, 0.90) == pytest.approx(200)
    told = theory.mean_latency(0.25, hit_s=0.02, lookup_s=0.03, miss_s=0.5)
    assert told == pytest.approx(0.25 * 0.02 + 0.75 * 0.53)
    assert theory.expected_stampede(40, 2.5) == 101


def test_percentiles_of_the_mixture_are_those_of_a_drawn_one():
    rng = np.random.default_rng(4)
    hits, misses = rng.exponential(0.01, 3_001), 0.4 + rng.exponential(0.3, 501)
    hit = rng.random(400_000) < 0.97
    drawn = np.where(hit, rng.choice(hits, 400_000), rng.choice(misses, 400_000))
    for p in (20, 50, 95, 98, 99, 99.9):
        expected = np.percentile(drawn, p)
        assert percentile_with_cache(p, 0.97, hits, misses) == pytest.approx(expected, rel=0.02)
    assert percentile_with_cache(99, 0.97, hits, misses) > 0.4 > max(hits)
    assert percentile_with_cache(99, 0.995, hits, misses) < 0.4


def test_percentiles_count_the_smallest_latency_that_enough_requests_keep():
    assert percentile_with_cache(75, 0.75, [1, 1, 1], [9]) == 1
    assert percentile_with_cache(75.1, 0.75, [1, 1, 1], [9]) == 9
    assert percentile_with_cache(99, 1.0, [2, 3], [9]) == 3
    assert percentile_with_cache(1, 0.0, [2, 3], [9, 7]) == 7


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: che_hit_rates([1, 0.0], 1), r"rates\[1\] = 0.0"),
        (lambda: che_hit_rates([1, 2], 0), "capacity = 0"),
        (lambda: theory.backend_load(3, 95), "hit_rate = 95"),
        (lambda: theory.mean_latency(0.5, hit_s=-1, lookup_s=0, miss_s=1), "hit_s = -1"),
        (lambda: percentile_with_cache(100, 0.5, [1], [2]), "p / 100"),
        (lambda: theory.ttl_hit_rate(-2, 3), "rate = -2"),
    ],
)
def test_bad_input_is_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_a_share_or_percentile_that_is_no_number_is_told_so():
    with pytest.raises(ValueError, match="hit_rate = 'x': expected a share"):
        theory.mean_latency("x", hit_s=1, lookup_s=1, miss_s=1)
    with pytest.raises(ValueError, match="p = 'x': expected a finite number"):
        percentile_with_cache("x", 0.5, [1.0], [2.0])
