"""Intervals for autocorrelated output: the arithmetic exactly, the coverage within reason."""

import numpy as np
import pytest
from scipy import stats

from labutils.simulation import batch_means, drop_warm_up, waiting_times


def test_interval_is_students_on_the_batch_averages():
    values = np.random.default_rng(5).normal(3, 2, 1_013)
    estimate = batch_means(values, num_batches=10, confidence=0.9)
    averages = [values[3 + 101 * k : 3 + 101 * (k + 1)].mean() for k in range(10)]
    low, high = stats.t.interval(0.9, 9, np.mean(averages), stats.sem(averages))
    assert (estimate.low, estimate.high) == pytest.approx((low, high), rel=1e-12)
    assert estimate.mean == pytest.approx(np.mean(values[3:]), rel=1e-12)
    assert (estimate.num_values, estimate.num_batches) == (1_010, 10)


def test_coverage_on_a_queue_where_the_naive_interval_fails():
    # M/M/1 at utilization 0.5: mean wait ρ/(1−ρ) = 1 service time, started empty.
    batched = naive = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        arrivals = np.cumsum(rng.exponential(2.0, 20_000))
        waits = waiting_times(arrivals, rng.exponential(1.0, 20_000))
        estimate = batch_means(waits)
        batched += estimate.low <= 1.0 <= estimate.high
        naive += abs(waits.mean() - 1.0) <= 1.96 * waits.std() / 20_000**0.5
    assert batched >= 190 - 5 * (200 * 0.95 * 0.05) ** 0.5
    assert naive <= 0.7 * 200


def test_warm_up_is_cut_from_the_front():
    assert drop_warm_up(np.arange(10), share=0.25).tolist() == [2, 3, 4, 5, 6, 7, 8, 9]
    assert drop_warm_up([5.0, 6.0, 7.0]).tolist() == [5, 6, 7]


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda: batch_means([]), "values = .*at least one"),
        (lambda: batch_means([1, 2, 3]), "values = 3 values: expected at least 20"),
        (lambda: batch_means([1, float("nan")]), r"values\[1\] = nan"),
        (lambda: batch_means(range(50), num_batches=1), "num_batches = 1"),
        (lambda: batch_means(range(50), confidence=95), "confidence = 95"),
        (lambda: drop_warm_up([1, 2], share=1.0), "share = 1.0"),
    ),
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
