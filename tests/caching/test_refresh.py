"""The stampede and its cures against probabilities worked out by hand."""

import math

import numpy as np
import pytest

from labutils.caching import expected_stampede, hot_key, refill_rates, refreshes_early

LOAD = {"ttl_s": 20.0, "recompute_s": 1.5}


@pytest.mark.parametrize("rate", [0.7, 11.0])
def test_without_a_guard_each_expiry_costs_one_and_what_arrives_meanwhile(rate):
    run = hot_key(150_001, rate, **LOAD, seed=4)
    assert run.per_wave == pytest.approx(expected_stampede(rate, 1.5), rel=0.03)
    assert run.at_once.max() >= expected_stampede(rate, 1.5)
    assert run.early_waves == 0
    assert set(np.unique(run.waiting_s)) == {0.0, 1.5}


def test_single_flight_computes_once_per_expiry_and_all_wait_for_the_same_end():
    run = hot_key(50_001, 11.0, **LOAD, single_flight=True, seed=4)
    assert (run.per_wave, run.at_once.max()) == (1.0, 1)
    # A cycle: one who waits 1.5 s, those who arrive in these (uniform waits), 20 s of hits.
    cycle_s = 20 + 1.5 + 1 / 11
    assert run.waves == pytest.approx(50_001 / 11 / cycle_s, rel=0.03)
    assert (run.waiting_s > 0).mean() == pytest.approx((1 + 11 * 1.5) / (11 * cycle_s), rel=0.05)
    assert run.waiting_s[run.waiting_s > 0].mean() == pytest.approx(0.79, rel=0.05)


@pytest.mark.parametrize(("rate", "beta"), [(0.4, 1.0), (0.9, 1.0), (0.5, 2.0)])
def test_early_refresh_misses_the_end_as_often_as_its_probability_says(rate, beta):
    """Refreshes arrive at rate λ exp(-left / δβ) before the end: none comes with exp(-λδβ)."""
    run = hot_key(120_001, rate, **LOAD, beta=beta, single_flight=True, seed=7)
    too_late = 1 - run.early_waves / run.waves
    assert too_late == pytest.approx(math.exp(-rate * 1.5 * beta), abs=0.02)


def test_early_refresh_tames_the_stampede_without_any_lock():
    plain = hot_key(60_001, 30.0, **LOAD, seed=2)
    early = hot_key(60_001, 30.0, **LOAD, beta=1.0, seed=2)
    assert early.per_wave < plain.per_wave / 2
    assert early.early_waves == early.waves - 1  # all but the first fill
    guarded = hot_key(60_001, 30.0, **LOAD, single_flight=True, seed=2)
    both = hot_key(60_001, 30.0, **LOAD, beta=1.0, single_flight=True, seed=2)
    assert both.at_once.max() == 1
    assert (both.waiting_s > 0).mean() < 0.1 * (guarded.waiting_s > 0).mean()


def test_early_refresh_by_hand():
    assert not refreshes_early(7.0, 10.0, 2.0, 1.0, u=0.3)  # 7 + 2.41
    assert refreshes_early(7.0, 10.0, 2.0, 1.0, u=0.2)  # 7 + 3.22
    assert refreshes_early(7.0, 10.0, 2.0, 1.5, u=0.3)
    assert refreshes_early(10.0, 10.0, 2.0, 1.0, u=1.0)


def test_jitter_spreads_what_would_come_at_once():
    together = refill_rates(9_001, ttl_s=60, jitter=0.0, window_s=0.5)
    assert together.max() == 2 * 9_001 and (together > 0).sum() == 3
    spread = refill_rates(9_001, ttl_s=60, jitter=0.2, window_s=0.5)
    assert spread.max() == pytest.approx(9_001 / 12, rel=0.25)
    assert spread.sum() * 0.5 >= 3 * 9_001
    wide = refill_rates(90_001, ttl_s=60, jitter=1.0, window_s=1.0, periods=9)
    assert wide[-60:-2].mean() == pytest.approx(90_001 / 30, rel=0.05)  # lives last 30 s on average


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: hot_key(9, 1, ttl_s=0, recompute_s=1), "ttl_s = 0"),
        (lambda: hot_key(9, 1, ttl_s=1, recompute_s=1, beta=-1), "beta = -1"),
        (lambda: refill_rates(9, ttl_s=1, jitter=2, window_s=1), "jitter = 2"),
    ],
)
def test_bad_input_is_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize("wrong", [{"num_keys": 10**9}, {"window_s": 1e-9}, {"periods": 10**9}])
def test_more_keys_or_windows_than_a_memory_holds_are_refused(wrong):
    with pytest.raises(ValueError, match="expected at most 10,000,000"):
        refill_rates(**{"num_keys": 10, "ttl_s": 60, "jitter": 0.1, "window_s": 1, **wrong})
