import math

import numpy as np
import pytest

from labutils.metrics.latency import SlidingWindow, percentile_of_all


def test_it_looks_back_by_time_and_not_by_number():
    window = SlidingWindow(10.0)
    for i in range(1000):
        window.record(i * 0.001, 9.0)  # a burst within one second
    window.record(8.0, 0.25)
    assert window.snapshot(9.0).count == 1001
    later = window.snapshot(11.5)
    assert (later.count, later.percentile(0.99)) == (1, 0.25)


def test_the_window_leaves_its_first_moment_out_and_takes_its_last_in():
    window = SlidingWindow(2.0)
    for finish_s in (1.0, 2.0, 3.0):
        window.record(finish_s, finish_s / 10)
    assert window.snapshot(3.0).ok_latencies_s.tolist() == [0.2, 0.3]
    assert window.snapshot(2.999).ok_latencies_s.tolist() == [0.1, 0.2]
    assert window.snapshot(4.0).ok_latencies_s.tolist() == [0.3]


def test_failures_count_as_infinitely_late():
    window = SlidingWindow(60.0)
    for i in range(96):
        window.record(i / 10, 0.1 + i / 1000)
    window.record(9.7, 0.001, "failed")  # fails fast: not a fast answer
    window.record(9.8, 30.0, "timed_out")
    window.record(9.9, math.nan, status="rejected")
    window.record(9.9, 2.0, status="cancelled")
    now = window.snapshot(10.0)
    assert (now.count, now.ok, now.unanswered) == (100, 96, 4)
    assert (now.failed, now.timed_out, now.rejected, now.cancelled) == (1, 1, 1, 1)
    assert now.rate_per_s == pytest.approx(100 / 60)
    assert now.percentile(0.96) == pytest.approx(0.195)
    assert now.percentile(0.97) == math.inf
    assert now.percentile(0.01) == pytest.approx(0.1)


def test_an_empty_window_says_nan_rather_than_zero():
    window = SlidingWindow(5.0)
    assert math.isnan(window.snapshot(0.0).percentile(0.99))
    window.record(1.0, 0.2)
    quiet = window.snapshot(100.0)
    assert math.isnan(quiet.percentile(0.5))
    assert (quiet.count, quiet.rate_per_s) == (0, 0.0)


def test_when_all_fail_there_is_no_finite_percentile():
    window = SlidingWindow(5.0)
    window.record(1.0, 0.2, "failed")
    assert window.snapshot(1.0).percentile(0.01) == math.inf


@pytest.mark.parametrize("seed", range(5))
def test_against_a_list_that_forgets_nothing(seed):
    rng = np.random.default_rng(seed)
    window, everything, clock = SlidingWindow(3.0), [], 0.0
    for _ in range(400):
        clock += rng.exponential(0.1)
        finish = clock - rng.uniform(0, 2.9)  # several workers report, out of order
        status = rng.choice(["ok", "failed", "timed_out"], p=[0.8, 0.15, 0.05])
        window.record(finish, latency := rng.exponential(), status)
        everything.append((finish, latency, status))
        asked = clock - rng.uniform(0, 2.9)
        inside = [(late, how) for at, late, how in everything if asked - 3.0 < at <= asked]
        answered = [late for late, how in inside if how == "ok"]
        got = window.snapshot(asked)
        assert (got.count, got.ok) == (len(inside), len(answered))
        expected = percentile_of_all(answered, len(inside) - len(answered), 0.77)
        assert got.percentile(0.77) == expected or math.isnan(expected)


def test_it_forgets():
    window = SlidingWindow(1.0)
    for i in range(5000):
        window.record(i * 0.1, 0.3)
    assert len(window._requests) <= 21
    window.snapshot(1e6)
    assert len(window._requests) == 0


def test_times_may_run_back_by_one_window_only():
    window = SlidingWindow(4.0)
    window.record(10.0, 0.1)
    window.record(6.0, 0.2)
    assert window.snapshot(6.0).count == 1
    with pytest.raises(ValueError, match=r"finish_s = 5.9: expected a time of at least 6.0"):
        window.record(5.9, 0.1)
    with pytest.raises(ValueError, match=r"now_s = 5.9: expected a time of at least 6.0"):
        window.snapshot(5.9)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((1.0, -0.1), "latency_s = -0.1: expected a finite number of at least 0"),
        ((1.0, math.nan), "latency_s = nan: expected a finite number of at least 0"),
        ((math.nan, 0.1), "finish_s = nan: expected a finite number"),
        ((1.0, 0.1, "slow"), "status = 'slow': expected one of 'ok', 'cancelled', 'timed_out'"),
    ],
)
def test_bad_records_are_named_and_not_counted(args, message):
    window = SlidingWindow(5.0)
    with pytest.raises(ValueError, match=message):
        window.record(*args)
    assert window.snapshot(1.0).count == 0
    with pytest.raises(ValueError, match="window_s = 0: expected a finite number above 0"):
        SlidingWindow(0)
