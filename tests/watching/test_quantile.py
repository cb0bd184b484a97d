"""Quantiles from buckets against the values themselves."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.metrics.latency import BucketHistogram
from labutils.telemetry.watching import (
    estimate_quantile,
    histogram_of,
    late_share,
    mean_of_quantiles,
    pooled,
)

EDGES_S = (0.02, 0.1, 0.25, 1.0, 4.0)


def recorded(values, edges_s=EDGES_S) -> BucketHistogram:
    histogram = BucketHistogram(edges_s)
    histogram.record_many(values)
    return histogram


def true_quantile(values, q):
    return np.quantile(values, q, method="inverted_cdf")


seconds = st.floats(0, 20, allow_subnormal=False) | st.sampled_from([0.0, *EDGES_S])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.lists(seconds, min_size=1, max_size=60),
    st.lists(st.floats(0.001, 15), min_size=1, max_size=9, unique=True),
    st.sampled_from([0.01, 0.25, 1 / 3, 0.5, 0.9, 0.95, 0.99, 0.999]),
)
def test_the_true_quantile_lies_within_the_bounds(values, edges, q):
    found = estimate_quantile(recorded(values, sorted(edges)), q)
    true = true_quantile(values, q)
    assert found.low_s < true <= found.high_s or true == found.low_s == 0
    assert abs(found.value_s - true) <= found.largest_error_s


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.lists(seconds, min_size=1, max_size=30), min_size=1, max_size=5))
def test_summed_buckets_bound_the_quantile_of_all_requests(replicas):
    together = pooled([recorded(values) for values in replicas])
    everything = np.concatenate(replicas)
    assert together.counts.tolist() == recorded(everything).counts.tolist()
    for q in (0.5, 0.99):
        found = estimate_quantile(together, q)
        assert found.low_s <= true_quantile(everything, q) <= found.high_s


def test_the_rules_at_the_edges_by_hand():
    # 2 up to 20 ms, 6 more up to 100 ms, none up to 250 ms, 1 up to 1 s, 1 beyond 4 s.
    histogram = histogram_of([*EDGES_S, math.inf], [2, 8, 8, 9, 9, 10])
    first = estimate_quantile(histogram, 0.1)
    assert (first.value_s, first.low_s, first.high_s) == (pytest.approx(0.01), 0.0, 0.02)
    middle = estimate_quantile(histogram, 0.5)
    assert middle.value_s == pytest.approx(0.02 + 0.08 * 3 / 6)
    assert middle.largest_error_s == pytest.approx(0.04)
    beyond = estimate_quantile(histogram, 0.95)
    assert (beyond.value_s, beyond.low_s, beyond.high_s) == (4.0, 4.0, math.inf)
    assert beyond.largest_error_s == math.inf


def test_nothing_recorded_says_nothing():
    empty = BucketHistogram(EDGES_S)
    assert math.isnan(estimate_quantile(empty, 0.5).value_s)
    assert all(math.isnan(share) for share in late_share(empty, 0.3))


def test_averaging_quantiles_misses_where_summing_buckets_does_not():
    edges_s = np.geomspace(0.01, 20, 90)
    draws = np.random.default_rng(5)
    fast, slow = draws.lognormal(-2, 0.3, 9_700), draws.lognormal(1, 0.3, 311)
    both = [recorded(values, edges_s) for values in (fast, slow)]
    true = true_quantile(np.concatenate([fast, slow]), 0.95)
    summed = estimate_quantile(pooled(both), 0.95)
    assert summed.low_s < true <= summed.high_s
    wrong = mean_of_quantiles(both, 0.95)
    assert wrong == pytest.approx((both[0].quantile(0.95) + both[1].quantile(0.95)) / 2)
    assert wrong > 9 * true


@settings(max_examples=75, deadline=None, derandomize=True)
@given(st.lists(seconds, min_size=1, max_size=40), st.floats(0.001, 19))
def test_the_late_share_is_bounded_and_exact_at_an_edge(values, limit):
    true = np.mean(np.array(values) > limit)
    low, high = late_share(recorded(values), limit)
    assert low - 1e-12 <= true <= high + 1e-12
    with_edge = late_share(recorded(values, sorted({*EDGES_S, limit})), limit)
    assert with_edge == pytest.approx((true, true))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: histogram_of([0.1, 1.0], [1, 2]),
            "edges_s = .*: expected 2 edges, infinity the l",
        ),
        (lambda: histogram_of([0.1, math.inf], [1, 2, 3]), "edges_s = .*: expected 3 edges"),
        (lambda: histogram_of([0.1, math.inf], [3, 2]), "cumulative = .*: expected whole counts"),
        (lambda: histogram_of([0.1, math.inf], [1.5, 2]), "cumulative = .*: expected whole counts"),
        (lambda: histogram_of([0.0, math.inf], [1, 2]), "edges_s = .*: expected edges that ascend"),
        (lambda: pooled([]), r"histograms = \[\]: expected at least one"),
        (lambda: late_share(recorded([0.1]), 0), "limit_s = 0: expected a finite number above 0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
