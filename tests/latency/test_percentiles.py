import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom

from labutils.metrics.latency import (
    percentile,
    percentile_interval,
    percentile_of_all,
    rank_interval,
)

SAMPLES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)
SHARES = st.floats(1e-4, 1 - 1e-4)


@settings(deadline=None)
@given(SAMPLES, SHARES)
def test_a_percentile_is_the_smallest_value_that_covers_the_share(values, q):
    covering = [v for v in values if sum(w <= v for w in values) >= q * len(values) - 1e-9]
    assert percentile(values, q) == min(covering)


def test_a_percentile_is_always_a_value_that_occurred():
    latencies = [0.31, 0.02, 0.17, 0.05, 0.90, 0.11, 0.24]
    assert percentile(latencies, 0.5) == 0.17
    assert percentile(latencies, 0.99) == 0.90
    assert percentile(latencies, 0.01) == 0.02
    assert percentile(latencies, 4 / 7) == 0.17
    assert percentile(latencies, 4 / 7 + 1e-6) == 0.24


@pytest.mark.parametrize("n", [10, 100, 1000, 700])
def test_rounding_does_not_move_the_rank(n):
    # 100 * 0.07 is 7.000000000000001 in floating point; the 7th value is meant.
    values = np.arange(1, n + 1)
    for hundredths in range(1, 100):
        expected = -(-n * hundredths // 100)
        assert percentile(values, hundredths / 100) == expected


def test_a_large_sample_keeps_its_rank():
    assert percentile(np.arange(1, 2_000_002), 0.5) == 1_000_001  # half of it is 1,000,000.5


def test_agrees_with_the_inverted_cdf_of_numpy():
    values = np.random.default_rng(3).lognormal(size=1237)
    for q in (0.013, 0.5, 0.777, 0.95, 0.99, 0.9993):
        assert percentile(values, q) == np.quantile(values, q, method="inverted_cdf")


def test_several_shares_at_once_and_the_sample_untouched():
    values = np.array([5.0, 1.0, 4.0, 2.0, 3.0])
    answer = percentile(values, [0.9, 0.2, 0.5])
    assert list(answer) == [5.0, 1.0, 3.0]
    assert list(values) == [5.0, 1.0, 4.0, 2.0, 3.0]
    assert type(percentile(values, 0.5)) is float


def test_the_interval_covers_the_true_percentile_as_often_as_it_says():
    rng, true_p90 = np.random.default_rng(17), -math.log(0.1)
    inside = 0
    for _ in range(2000):
        low, high = percentile_interval(rng.exponential(size=150), 0.9)
        inside += low <= true_p90 <= high
    n, q = 150, 0.9
    low, high = rank_interval(n, q)
    covered = binom(n, q).cdf(high - 1) - binom(n, q).cdf(low - 1)
    assert 0.95 <= covered < 0.98
    assert abs(inside / 2000 - covered) < 5 * math.sqrt(covered * (1 - covered) / 2000)


def test_the_interval_is_made_of_the_ranked_values():
    values = np.random.default_rng(8).permutation(np.arange(1.0, 1001.0))
    assert percentile_interval(values, 0.99) == (983.0, 997.0)
    assert percentile_interval(values, 0.99, confidence=0.5) == (988.0, 993.0)
    assert percentile_interval([3.0, 1.0, 2.0], 0.99) == (2.0, math.inf)
    assert percentile_interval([3.0, 1.0, 2.0], 0.01) == (-math.inf, 2.0)


@pytest.mark.parametrize("bad", [0, 1, -0.2, 99, math.nan, "0.99", True])
def test_bad_shares_are_named(bad):
    for call in (
        lambda: percentile([1.0, 2.0], bad),
        lambda: rank_interval(5, bad),
        lambda: percentile_interval([1.0, 2.0], bad),
    ):
        with pytest.raises(ValueError, match=f"q = {bad!r}: expected a number strictly between"):
            call()
    with pytest.raises(ValueError, match=f"confidence = {bad!r}: expected"):
        rank_interval(5, 0.5, confidence=bad)


def test_bad_samples_are_named():
    for measure in (percentile, percentile_interval):
        with pytest.raises(ValueError, match=r"values = \[\]: expected at least one number"):
            measure([], 0.5)
        with pytest.raises(ValueError, match=r"values\[1\] = nan: expected finite numbers"):
            measure([1.0, math.nan], 0.5)
        with pytest.raises(ValueError, match="values = 'abc': expected a one-dimensional"):
            measure("abc", 0.5)
        with pytest.raises(ValueError, match=r"values = 'shape \(2, 2\)': expected a one-dim"):
            measure([[1, 2], [3, 4]], 0.5)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1e3), max_size=40), st.integers(0, 9), SHARES)
def test_the_unanswered_come_after_everyone(answered, unanswered, q):
    everyone = [*sorted(answered), *[math.inf] * unanswered]
    got = percentile_of_all(answered, unanswered, q)
    if everyone:
        assert got == next(
            value for i, value in enumerate(everyone, 1) if i >= q * len(everyone) - 1e-9
        )
    else:
        assert math.isnan(got)


def test_two_percent_of_failures_put_the_p99_out_of_reach():
    answered = np.linspace(0.1, 0.2, 98)
    assert percentile_of_all(answered, 2, 0.99) == math.inf
    assert percentile_of_all(answered, 2, 0.98) == pytest.approx(0.2)
    assert percentile_of_all(answered, 0, 0.99) == pytest.approx(0.2)
    with pytest.raises(ValueError, match="num_unanswered = -1: expected a whole number"):
        percentile_of_all(answered, -1, 0.5)


def test_importing_it_stays_light():
    loaded = "import sys, labutils.metrics.latency, labutils.metrics; print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "numpy" in modules
    assert not {"numba", "matplotlib", "simpy", "torch", "pandas", "IPython"} & set(modules)
