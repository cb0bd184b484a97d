import math

import numpy as np
import pytest
from prometheus_client import CollectorRegistry, Histogram

from labutils.metrics.latency import PROMETHEUS_DEFAULT_EDGES_S, BucketHistogram, percentile

EDGES_S = (0.01, 0.03, 0.1, 0.45, 2.0)


def recorded(values, edges_s=EDGES_S):
    histogram = BucketHistogram(edges_s)
    histogram.record_many(values)
    return histogram


def prometheus_counts(values, edges_s):
    """(le, cumulative count) of a real Prometheus histogram."""
    registry = CollectorRegistry()
    histogram = Histogram("e2e_seconds", "test", buckets=edges_s, registry=registry)
    for value in values:
        histogram.observe(value)
    (family,) = registry.collect()
    return [(float(s.labels["le"]), s.value) for s in family.samples if s.name.endswith("_bucket")]


def histogram_quantile(q, buckets):
    """PromQL's function, told from its documentation, over (le, cumulative count) rows."""
    rank = q * buckets[-1][1]
    start, below = 0.0, 0.0
    for le, cumulative in buckets:
        if cumulative >= rank:
            if le == math.inf:
                return start
            return start + (le - start) * (rank - below) / (cumulative - below)
        start, below = le, cumulative
    return math.nan


@pytest.mark.parametrize("edges_s", [EDGES_S, PROMETHEUS_DEFAULT_EDGES_S, (0.2,)])
def test_counts_are_those_of_a_real_prometheus_histogram(edges_s):
    rng = np.random.default_rng(31)
    # Some values exactly on an edge: "less or equal" puts them below it.
    values = np.concatenate([rng.lognormal(-2, 1.7, 2503), np.repeat(edges_s, 7), [0.0]])
    theirs = prometheus_counts(values, edges_s)
    ours = recorded(values, edges_s)
    assert np.cumsum(ours.counts).tolist() == [count for _, count in theirs]
    assert [*ours.edges_s, math.inf] == [le for le, _ in theirs]
    assert [ours.count_up_to(le) for le, _ in theirs] == [count for _, count in theirs]


def test_default_edges_are_those_of_the_client():
    assert (*PROMETHEUS_DEFAULT_EDGES_S, math.inf) == Histogram.DEFAULT_BUCKETS
    assert BucketHistogram().counts.size == 15


@pytest.mark.parametrize("seed", range(6))
def test_quantiles_are_those_of_promql(seed):
    rng = np.random.default_rng(seed)
    values = rng.lognormal(-2.5, 1.6, 331 + 100 * seed)
    buckets = prometheus_counts(values, EDGES_S)
    for q in (0.003, 0.11, 0.5, 0.707, 0.9, 0.951, 0.99):
        assert recorded(values).quantile(q) == pytest.approx(histogram_quantile(q, buckets))


def test_promql_by_hand():
    # 4 up to 10 ms, none up to 30 ms, 6 up to 100 ms: the median is the 5th, a sixth in.
    histogram = recorded([0.002] * 4 + [0.09] * 6)
    assert histogram.quantile(0.5) == pytest.approx(0.03 + 0.07 / 6)
    assert histogram.quantile(0.2) == pytest.approx(0.005)
    assert histogram.quantile_bounds(0.4) == (0.0, 0.01)
    assert histogram.quantile_bounds(0.41) == (0.03, 0.1)


@pytest.mark.parametrize("seed", range(8))
def test_the_true_quantile_lies_between_the_bounds(seed):
    values = np.random.default_rng(seed).lognormal(-2, 1.9, 200 + seed)
    histogram = recorded(values)
    for q in np.linspace(0.01, 0.99, 33):
        low, high = histogram.quantile_bounds(q)
        assert low < percentile(values, q) <= high
        assert low <= histogram.quantile(q) <= high
        assert (low, high) in zip((0, *EDGES_S), (*EDGES_S, math.inf), strict=True)


@pytest.mark.parametrize("n", [100, 300, 700])
def test_rounding_does_not_move_the_bucket(n):
    # 100 * 0.07 is 7.000000000000001: the 7th value is meant, before the empty buckets.
    values = np.repeat([0.005, 1.0], [7 * n // 100, 93 * n // 100])
    assert recorded(values).quantile_bounds(0.07) == (0.0, 0.01)
    assert recorded(values).quantile(0.07) == pytest.approx(0.01)


def test_the_overflow_reads_as_the_top_edge():
    histogram = recorded([158.0, 90.0, 0.05], edges_s=(0.1, 1.0, 60.0))
    assert histogram.quantile(0.99) == 60.0
    assert histogram.quantile_bounds(0.99) == (60.0, math.inf)
    assert histogram.counts.tolist() == [1, 0, 0, 2]


def test_merging_is_the_same_as_recording_all_in_one():
    rng = np.random.default_rng(2)
    parts = rng.lognormal(-2, 2, 401), rng.lognormal(0, 1, 77)
    left, right = (recorded(part) for part in parts)
    both = left.merge(right)
    assert both.counts.tolist() == recorded(np.concatenate(parts)).counts.tolist()
    assert both.count == 478 and left.count == 401
    with pytest.raises(ValueError, match=r"other = edges \[1. 2.\]: expected edges"):
        left.merge(BucketHistogram([1.0, 2.0]))


def test_recording_adds_up():
    histogram = recorded([0.02, 5.0])
    histogram.record_many([0.02, 0.4])
    histogram.record_many([])
    assert histogram.counts.tolist() == [0, 2, 0, 1, 0, 1]


def test_empty_says_nan_rather_than_zero():
    assert math.isnan(BucketHistogram().quantile(0.5))
    assert all(math.isnan(edge) for edge in BucketHistogram().quantile_bounds(0.5))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BucketHistogram([1.0, 1.0]), r"edges_s = \[1.0, 1.0\]: expected edges that asc"),
        (lambda: BucketHistogram([0.0, 1.0]), "edges_s = .*: expected edges that ascend from abo"),
        (lambda: BucketHistogram([]), r"edges_s = \[\]: expected at least one number"),
        (lambda: BucketHistogram([1, math.inf]), r"edges_s\[1\] = inf: expected finite"),
        (lambda: recorded([0.1, -0.1]), r"values\[1\] = -0.1: expected numbers of at least 0"),
        (lambda: recorded([math.nan]), r"values\[0\] = nan: expected finite numbers only"),
        (lambda: recorded([0.1]).quantile(0), "q = 0: expected a number strictly between"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
