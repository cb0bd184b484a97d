import math

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings, strategies as st

from labutils.metrics.latency import LogHistogram, percentile

QUANTILES = (0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999)


def recorded(values, relative_error=0.01):
    histogram = LogHistogram(relative_error)
    histogram.record_many(values)
    return histogram


@settings(deadline=None)
@given(
    st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=80),
    st.floats(0.001, 0.999),
    st.floats(0.0005, 0.4),
)
def test_a_quantile_is_within_the_relative_error_of_the_exact_one(values, q, relative_error):
    exact = percentile(values, q)
    assert abs(recorded(values, relative_error).quantile(q) / exact - 1) <= relative_error + 1e-9


@pytest.mark.parametrize("relative_error", [0.003, 0.01, 0.05])
def test_the_error_is_used_and_not_exceeded(relative_error):
    values = np.random.default_rng(11).lognormal(-2, 1.5, 40_001)
    histogram = recorded(values, relative_error)
    q = np.linspace(0.01, 0.99, 99)
    errors = np.abs([histogram.quantile(x) for x in q] / percentile(values, q) - 1)
    assert relative_error / 2 < errors.max() <= relative_error * (1 + 1e-9)


@pytest.mark.parametrize("sizes", [(1, 1), (700, 13), (5, 4001), (0, 9), (2049, 1031)])
def test_merging_is_the_same_as_recording_all_in_one(sizes):
    rng = np.random.default_rng(sum(sizes))
    parts = [rng.lognormal(-3, 2, size) * (rng.random(size) < 0.9) for size in sizes]
    left, right = (recorded(part) for part in parts)
    both = left.merge(right)
    assert both == recorded(np.concatenate(parts)) == right.merge(left)
    assert both.count == sum(sizes) and both is not left
    assert (left, right) == (recorded(parts[0]), recorded(parts[1]))  # and neither was changed


def test_three_hosts_merge_to_the_quantile_of_the_fleet_where_averages_do_not():
    rng = np.random.default_rng(4)
    hosts = [rng.exponential(mean, size) for mean, size in ((0.1, 9000), (0.1, 9000), (2.0, 500))]
    fleet = LogHistogram()
    for host in hosts:
        fleet = fleet.merge(recorded(host))
    true = percentile(np.concatenate(hosts), 0.99)
    assert fleet.quantile(0.99) == pytest.approx(true, rel=0.01)
    assert np.mean([percentile(host, 0.99) for host in hosts]) > 1.5 * true


def test_one_by_one_and_all_at_once_count_alike():
    values = np.random.default_rng(6).gamma(0.4, size=3001)
    singly = LogHistogram(0.02)
    for value in values:
        singly.record(value)
    assert singly == recorded(values, 0.02)
    heavy = LogHistogram(0.02)
    heavy.record(values[0], 5)
    heavy.record(values[1])
    assert heavy == recorded([values[1], *[values[0]] * 5], 0.02)


def test_zero_has_its_own_bucket():
    histogram = recorded([0.0, 0.0, 0.3, 5.0])
    assert histogram.quantile(0.5) == 0.0 and histogram.quantile(0.51) == pytest.approx(0.3, 0.01)
    assert (histogram.min, histogram.max, histogram.count, len(histogram)) == (0.0, 5.0, 4, 3)
    assert histogram.mean == pytest.approx(5.3 / 4, rel=0.01)


def test_mean_and_extremes():
    values = np.random.default_rng(12).lognormal(0.5, 1.1, 5003)
    histogram = recorded(values)
    assert histogram.mean == pytest.approx(values.mean(), rel=0.01)
    assert histogram.mean != pytest.approx(values.mean(), rel=1e-9)
    assert (histogram.min, histogram.max) == (values.min(), values.max())
    assert histogram.quantile(1e-9) >= values.min() and histogram.quantile(1 - 1e-9) <= values.max()


def test_it_is_small():
    values = 10 ** np.random.default_rng(1).uniform(-3, 3.56, 300_000)  # 1 ms to an hour
    assert 740 < len(recorded(values)) < 770  # ln(3.6e6) / 0.02 = 755


def test_empty_says_nan_rather_than_zero():
    histogram = recorded([])
    assert math.isnan(histogram.quantile(0.99)) and math.isnan(histogram.mean)
    assert (histogram.count, len(histogram), histogram.min, histogram.max) == (
        *(0, 0),
        *(math.inf, -math.inf),
    )
    assert histogram.merge(recorded([2.0])) == recorded([2.0])


def test_the_whole_range_of_floats_fits():
    values = [5e-324, 1e-300, 1.0, 1.7e308]
    histogram = recorded(values)
    assert histogram.quantile(0.5) == pytest.approx(1e-300, rel=0.01)
    assert histogram.quantile(0.75) == pytest.approx(1.0, rel=0.01)
    assert histogram.quantile(0.99) == pytest.approx(1.7e308, rel=0.01)


def test_agrees_with_hdrhistogram():
    # In whole microseconds. HdrHistogram rounds the rank half up; at these sizes all ranks are
    # whole numbers, so both mean the same value.
    values = np.random.default_rng(21).lognormal(11, 1.2, 7000).astype(int) + 1
    theirs, ours = HdrHistogram(1, 3_600_000_000, 3), recorded(values, 0.004)
    for value in values.tolist():
        theirs.record_value(value)
    assert theirs.get_total_count() == ours.count == 7000
    for q in (0.001, 0.25, 0.5, 0.9, 0.99, 0.999):
        assert ours.quantile(q) == pytest.approx(
            theirs.get_value_at_percentile(100 * q), rel=0.004 + 0.001
        )
    assert ours.mean == pytest.approx(theirs.get_mean_value(), rel=0.005)


def test_merges_as_hdrhistogram_does():
    rng = np.random.default_rng(22)
    parts = [rng.lognormal(9, 0.5, 1300).astype(int), rng.lognormal(12, 1, 700).astype(int)]
    theirs = [HdrHistogram(1, 3_600_000_000, 3) for _ in parts]
    for histogram, part in zip(theirs, parts, strict=True):
        for value in part.tolist():
            histogram.record_value(value)
    theirs[0].add(theirs[1])
    ours = recorded(parts[0]).merge(recorded(parts[1]))
    for q in (0.25, 0.5, 0.75, 0.9, 0.99):
        expected = theirs[0].get_value_at_percentile(100 * q)
        assert ours.quantile(q) == pytest.approx(expected, rel=0.011)


def test_histograms_that_do_not_match_do_not_merge():
    with pytest.raises(ValueError, match=r"relative_error 0.02: expected 0.01"):
        recorded([1.0]).merge(recorded([1.0], 0.02))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LogHistogram(0), "relative_error = 0: expected a number strictly between 0 and 1"),
        (lambda: LogHistogram(1e-9), "relative_error = 1e-09: expected 1e-05 to 1"),
        (lambda: LogHistogram().record(-1.0), "value = -1.0: expected a finite number of at least"),
        (lambda: LogHistogram().record(math.inf), "value = inf: expected a finite number"),
        (lambda: LogHistogram().record(1.0, 0), "count = 0: expected a whole number of at least 1"),
        (lambda: recorded([1.0, -2.0]), r"values\[1\] = -2.0: expected numbers of at least 0"),
        (lambda: recorded([1.0, math.nan]), r"values\[1\] = nan: expected finite numbers only"),
        (lambda: recorded([1.0]).quantile(1), "q = 1: expected a number strictly between"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
