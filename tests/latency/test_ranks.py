import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom

from labutils.metrics.latency import percentile, rank_interval, required_sample_size


def test_published_rank_interval():
    assert rank_interval(1000, 0.99) == (983, 997)


@settings(deadline=None)
@given(st.integers(1, 3000), st.floats(0.001, 0.999), st.floats(0.5, 0.999))
def test_ranks_miss_rarely_and_no_tighter_ranks_would_do(n, q, confidence):
    low, high = rank_interval(n, q, confidence=confidence)
    below, miss = binom(n, q), (1 - confidence) / 2
    assert 0 <= low < high <= n + 1
    assert below.cdf(low - 1) <= miss * (1 + 1e-9) < below.cdf(low) * (1 + 2e-9)
    assert below.sf(high - 1) <= miss * (1 + 1e-9) < below.sf(high - 2) * (1 + 2e-9)


def test_small_samples_have_no_upper_rank():
    assert rank_interval(367, 0.99) == (359, 368)  # rank 368 of 367: outside
    assert rank_interval(368, 0.99) == (360, 368)
    assert rank_interval(40, 0.01) == (0, 3)
    assert rank_interval(1, 0.5) == (0, 2)


@pytest.mark.parametrize("bad", [0, -3, 2.5, "9", True])
def test_bad_sizes_are_named(bad):
    with pytest.raises(ValueError, match=f"n = {bad!r}: expected a whole number of at least 1"):
        rank_interval(bad, 0.5)


def bounded_within(n, q, low_rank, high_rank, confidence):
    """Whether a rank interval of n values fits, from the binomial distribution alone."""
    miss = (1 - confidence) / 2
    below = binom(n, q)
    return below.cdf(low_rank - 1) <= miss and below.sf(high_rank - 1) <= miss


@pytest.mark.parametrize(
    ("q", "confidence"), [(0.99, 0.95), (0.5, 0.95), (0.9, 0.8), (0.03, 0.99), (0.999, 0.5)]
)
def test_the_required_sample_bounds_the_quantile_and_one_value_less_does_not(q, confidence):
    n = required_sample_size(q, confidence=confidence)
    assert bounded_within(n, q, 1, n, confidence)
    assert not bounded_within(n - 1, q, 1, n - 1, confidence)
    assert rank_interval(n, q, confidence=confidence)[1] <= n
    assert rank_interval(n, q, confidence=confidence)[0] >= 1


def test_published_sample_size_for_p99():
    assert required_sample_size(0.99) == 368  # log(0.025) / log(0.99) = 367.04


@pytest.mark.parametrize(
    ("q", "low_q", "high_q", "confidence"),
    [
        (0.99, 0.985, 0.995, 0.95),
        (0.9, 0.85, 0.96, 0.9),
        (0.5, 0.47, 0.55, 0.95),
        (0.95, 0.9, 1.0, 0.99),
        (0.2, 0.0, 0.25, 0.8),
    ],
)
def test_the_required_sample_pins_the_quantile_from_there_on(q, low_q, high_q, confidence):
    answer = required_sample_size(q, low_q=low_q, high_q=high_q, confidence=confidence)
    n = np.arange(1, 3 * answer)
    low = np.maximum(np.ceil(np.round(n * low_q, 6)), 1)
    high = np.ceil(np.round(n * high_q, 6))
    miss = (1 - confidence) / 2
    fits = (binom.cdf(low - 1, n, q) <= miss) & (binom.sf(high - 1, n, q) <= miss)
    assert n[~fits].max() == answer - 1


def test_the_interval_of_a_required_sample_lies_where_it_was_asked_to():
    n = required_sample_size(0.99, low_q=0.985, high_q=0.995)
    values = np.arange(1, n + 1)
    low, high = rank_interval(n, 0.99)
    assert percentile(values, 0.985) <= low < high <= percentile(values, 0.995)
    # The normal approximation, 1.96² q (1-q) / 0.005², lacks the whole ranks and the skew.
    assert 1.96**2 * 0.99 * 0.01 / 0.005**2 < n < 2000


def test_large_required_samples_cross_a_block():
    n = required_sample_size(0.999, low_q=0.9987, high_q=0.9993)
    assert n > 1.96**2 * 0.999 * 0.001 / 0.0003**2
    low, high = rank_interval(n, 0.999)
    assert math.ceil(n * 0.9987) <= low and high <= math.ceil(n * 0.9993)


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({"low_q": 0.99}, "low_q = 0.99: expected a share below q = 0.99"),
        ({"low_q": -0.1}, "low_q = -0.1: expected a finite number of at least 0"),
        ({"high_q": 0.98}, "high_q = 0.98: expected a share above q = 0.99"),
        ({"high_q": 1.01}, "high_q = 1.01: expected a share above q = 0.99 and at most 1"),
        ({"high_q": math.nan}, "high_q = nan: expected a finite number"),
        ({"confidence": 1}, "confidence = 1: expected"),
    ],
)
def test_bad_bounds_are_named(shares, message):
    with pytest.raises(ValueError, match=message):
        required_sample_size(0.99, **shares)
