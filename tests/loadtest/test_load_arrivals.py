"""Arrival processes against their laws: the mean number, the spread of gaps, the seed."""

import math

import numpy as np
import pytest

from labutils.loadtest import Arrivals

PROCESSES = [
    Arrivals.evenly(7.3),
    Arrivals.poisson(7.3),
    Arrivals.gamma(7.3, gap_cv=2.5),
    Arrivals.gamma(7.3, gap_cv=0.4),
    Arrivals.on_off(7.3, mean_on_s=0.8, mean_off_s=2.1),
]


@pytest.mark.parametrize("process", PROCESSES, ids=str)
@pytest.mark.parametrize("seconds", [0.31, 4.7])
def test_the_expected_number_is_rate_times_length_however_short_the_run(process, seconds):
    rng = np.random.default_rng(20)
    counts = np.array([len(process.moments(seconds, rng)) for _ in range(1500)])
    expected = 7.3 * seconds
    if process.gap_cv == 0:
        assert set(counts) == {math.floor(expected)}
    else:
        assert abs(counts.mean() - expected) < 4.5 * counts.std() / math.sqrt(len(counts))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    ("process", "cv"),
    [
        (Arrivals.poisson(40), 1.0),
        (Arrivals.gamma(40, gap_cv=2.5), 2.5),
        (Arrivals.gamma(40, gap_cv=0.4), 0.4),
        # hyperexponential gaps (Kuczura 1973): scv = 1 + 2 p a / (a + b)², p the peak rate
        (
            Arrivals.on_off(40, mean_on_s=0.5, mean_off_s=0.3),
            math.sqrt(1 + 2 * 64 * 2 / (2 + 1 / 0.3) ** 2),
        ),
    ],
)
def test_gaps_have_the_mean_and_the_spread_that_were_asked_for(process, cv, seed):
    moments = process.moments(1500, np.random.default_rng(seed))
    gaps = np.diff(moments)
    assert (gaps >= 0).all() and moments[0] >= 0 and moments[-1] <= 1500
    assert gaps.mean() == pytest.approx(1 / 40, rel=0.06)
    assert gaps.std() / gaps.mean() == pytest.approx(cv, rel=0.07)


def test_counts_of_a_poisson_process_spread_as_much_as_their_mean():
    moments = Arrivals.poisson(30).moments(3000, np.random.default_rng(4))
    counts = np.bincount(moments.astype(int), minlength=3000)
    assert counts.var() / counts.mean() == pytest.approx(1, abs=0.12)


def test_bursts_are_silent_in_between():
    process = Arrivals.on_off(10, mean_on_s=1, mean_off_s=4)
    assert process.peak_rate_per_s == pytest.approx(50) and process.on_share == pytest.approx(0.2)
    moments = process.moments(2000, np.random.default_rng(8))
    counts = np.bincount((moments * 4).astype(int), minlength=8000)  # quarters of a second
    assert 0.6 < (counts == 0).mean() < 0.8  # off for 80 % of time, less the edges
    assert counts.max() > 12


def test_evenly_means_at_equal_gaps():
    moments = Arrivals.evenly(4).moments(2.6, np.random.default_rng(1))
    assert moments.tolist() == [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5]
    assert len(Arrivals.evenly(0.1).moments(30, np.random.default_rng(1))) == 3


def test_a_seed_gives_the_same_moments_and_another_does_not():
    one, same, other = (
        Arrivals.gamma(9, gap_cv=3).moments(11, np.random.default_rng(seed)) for seed in (5, 5, 6)
    )
    assert one.tolist() == same.tolist() and one.tolist() != other.tolist()


@pytest.mark.parametrize("rate", [0, -1, math.nan, math.inf, "5", None, True])
def test_a_rate_that_is_none_is_refused(rate):
    with pytest.raises(ValueError, match=r"rate_per_s = .*: expected a finite number above 0"):
        Arrivals.poisson(rate)


def test_other_bad_arguments_are_named():
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="gap_cv = 0"):
        Arrivals.gamma(1, gap_cv=0)
    with pytest.raises(ValueError, match="gap_cv = 1000"):
        Arrivals.gamma(1, gap_cv=1000)
    with pytest.raises(ValueError, match="mean_on_s = 0"):
        Arrivals.on_off(1, mean_on_s=0, mean_off_s=1)
    with pytest.raises(ValueError, match="mean_off_s = -1"):
        Arrivals.on_off(1, mean_on_s=1, mean_off_s=-1)
    with pytest.raises(ValueError, match="seconds = nan"):
        Arrivals.poisson(1).moments(math.nan, rng)
    with pytest.raises(ValueError, match="seconds × rate_per_s = 1e"):
        Arrivals.poisson(1e9).moments(1e9, rng)
    with pytest.raises(ValueError, match="rng = 7"):
        Arrivals.poisson(1).moments(1, 7)
