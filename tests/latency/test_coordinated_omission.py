import math

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram

from labutils.metrics.latency import corrected_for_omission, percentile


def test_by_hand():
    corrected = corrected_for_omission([0.4, 5.5, 1.0, 2.0], 1.0)
    assert corrected == pytest.approx([0.4, 5.5, 4.5, 3.5, 2.5, 1.5, 0.5, 1.0, 2.0, 1.0])


@pytest.mark.parametrize(
    ("latency", "interval"), [(0.3, 0.1), (0.7, 0.1), (0.07, 0.01), (1.12, 0.01)]
)
def test_rounding_neither_drops_the_last_one_nor_adds_one(latency, interval):
    corrected = corrected_for_omission([latency], interval)
    assert corrected.size == round(latency / interval)
    assert corrected[-1] == pytest.approx(interval)


@pytest.mark.parametrize(("seed", "interval_us"), [(1, 900), (2, 5000), (3, 77_777)])
def test_agrees_with_hdrhistogram(seed, interval_us):
    values = np.random.default_rng(seed).lognormal(8, 1.6, 1501).astype(int) + 1
    theirs = HdrHistogram(1, 3_600_000_000, 3)
    for value in values.tolist():
        theirs.record_corrected_value(value, interval_us)
    ours = corrected_for_omission(values / 1e6, interval_us / 1e6)
    assert ours.size == theirs.get_total_count() > 1501
    assert ours.mean() * 1e6 == pytest.approx(theirs.get_mean_value(), rel=0.001)
    # Ranks are rounded differently: one rank either way.
    for q in (0.1, 0.5, 0.9, 0.99, 0.999):
        rank = q * ours.size
        low, high = np.sort(ours)[[math.ceil(rank) - 2, min(math.ceil(rank), ours.size - 1)]]
        theirs_s = theirs.get_value_at_percentile(100 * q) / 1e6
        assert low * 0.999 <= theirs_s <= high * 1.001


def test_nothing_to_correct():
    values = np.array([0.3, 0.1, 0.2])
    assert corrected_for_omission(values, 0.3).tolist() == [0.3, 0.1, 0.2]
    assert corrected_for_omission(values, 100).tolist() == [0.3, 0.1, 0.2]


def test_it_restores_what_a_paced_client_missed_in_a_stall():
    # The server freezes from 7 to 19 s. A client that sends on time every 0.5 s sees this:
    sends = np.arange(0, 40, 0.5)
    honest = np.where((sends >= 7) & (sends < 19), 19 - sends, 0.0) + 0.05
    # One that waits for each answer sends once in the freeze, and again when it has the answer.
    waited = np.concatenate([honest[sends <= 7], honest[sends > 19.05]])
    corrected = corrected_for_omission(waited, 0.5)
    assert np.sort(corrected) == pytest.approx(np.sort(honest))
    assert percentile(waited, 0.9) < 0.1 < 8 < percentile(corrected, 0.9)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (([0.1], 0), "interval_s = 0: expected a finite number above 0"),
        (([0.1, -1.0], 1), r"latencies_s\[1\] = -1.0: expected numbers of at least 0"),
        (([], 1), r"latencies_s = \[\]: expected at least one number"),
        (([10.0], 1e-9), "interval_s = 1e-09: expected the seconds between two requests"),
        (([10.0], 1e-18), "interval_s = 1e-18: expected the seconds"),
        (([5.0, 1.0], 5e-324), "interval_s = 5e-324: expected the seconds"),
        (([math.inf], 1), r"latencies_s\[0\] = inf: expected finite numbers only"),
    ],
)
def test_bad_input_is_named(args, message):
    with pytest.raises(ValueError, match=message):
        corrected_for_omission(*args)
