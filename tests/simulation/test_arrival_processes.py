"""Arrival processes against what their names promise, with five-sigma room."""

import numpy as np
import pytest
from scipy import stats

from labutils.simulation import (
    gamma_arrivals,
    on_off_arrivals,
    periodic_arrivals,
    piecewise_poisson_arrivals,
    poisson_arrivals,
    replayed_arrivals,
)

N = 100_003


def rng(seed):
    return np.random.default_rng(seed)


def gaps_of(arrivals):
    assert arrivals.dtype == np.float64 and (np.diff(arrivals) >= 0).all() and arrivals[0] >= 0
    return np.diff(arrivals, prepend=0.0)


def scv(values):
    return values.var() / values.mean() ** 2


def test_poisson_gaps_are_exponential_and_counts_are_poisson():
    arrivals = poisson_arrivals(37.0, N, rng(1))
    assert stats.kstest(gaps_of(arrivals), stats.expon(scale=1 / 37).cdf).pvalue > 1e-6
    counts = np.bincount(arrivals.astype(int))[:-1]
    assert counts.mean() == pytest.approx(37, rel=5 / N**0.5)
    assert counts.var() / counts.mean() == pytest.approx(1, abs=5 * (2 / counts.size) ** 0.5)


@pytest.mark.parametrize("target", (0.25, 1.0, 4.0))
def test_gamma_gaps_have_the_rate_and_the_squared_cv_asked_for(target):
    gaps = gaps_of(gamma_arrivals(5.0, N, rng(2), scv_arrival=target))
    assert gaps.mean() == pytest.approx(1 / 5, rel=5 * (target / N) ** 0.5)
    assert scv(gaps) == pytest.approx(target, rel=0.08)
    law = stats.gamma(1 / target, scale=target / 5)
    assert stats.kstest(gaps, law.cdf).pvalue > 1e-6


def test_gamma_arrivals_without_spread_are_periodic():
    smooth = gamma_arrivals(8.0, 11, rng(3), scv_arrival=0)
    assert smooth == pytest.approx(periodic_arrivals(8.0, 11), rel=1e-12)
    assert periodic_arrivals(8.0, 3).tolist() == [0.125, 0.25, 0.375]


def test_on_off_source_keeps_its_average_rate_its_silent_share_and_its_scv():
    mean_on, mean_off, rate = 0.5, 1.5, 250.0
    gaps = gaps_of(on_off_arrivals(rate, N, rng(4), mean_on_s=mean_on, mean_off_s=mean_off))
    # While on, requests come at 1,000/s: a gap of 20 ms has a silence in it, all but surely.
    silences = gaps[gaps > 0.02]
    cycles = silences.size
    assert silences.sum() / gaps.sum() == pytest.approx(
        0.75, abs=5 * 0.75 * 0.25 * (2 / cycles) ** 0.5
    )
    assert silences.mean() == pytest.approx(mean_off, rel=0.02 + 5 / cycles**0.5)
    assert gaps.mean() == pytest.approx(1 / rate, rel=5 * (scv(gaps) / N) ** 0.5)
    expected = 1 + 2 * 1000 * (1 / mean_on) / (1 / mean_on + 1 / mean_off) ** 2
    assert scv(gaps) == pytest.approx(expected, rel=0.4)


def test_on_off_gaps_follow_the_law_of_a_source_simulated_switch_by_switch():
    mean_on, mean_off, peak = 0.5, 0.25, 6.0
    ours = gaps_of(on_off_arrivals(4.0, 20_001, rng(5), mean_on_s=mean_on, mean_off_s=mean_off))
    theirs = np.diff(switched_arrivals(peak, mean_on, mean_off, 20_000, rng(6)))
    assert stats.ks_2samp(ours, theirs).pvalue > 1e-6


def switched_arrivals(peak, mean_on, mean_off, n, rng):
    """One period after the other; inside an on period, one gap after the other."""
    arrivals, now = [], 0.0
    while len(arrivals) < n:
        end = now + rng.exponential(mean_on)
        while (now := now + rng.exponential(1 / peak)) < end:
            arrivals.append(now)
        now = end + rng.exponential(mean_off)
    return arrivals


def test_a_source_that_never_pauses_is_poisson():
    gaps = gaps_of(on_off_arrivals(9.0, N, rng(7), mean_on_s=0.3, mean_off_s=0))
    assert stats.kstest(gaps, stats.expon(scale=1 / 9).cdf).pvalue > 1e-6


def test_replay_starts_at_zero_and_scales_time():
    assert replayed_arrivals([100, 100, 104, 110], speed=2).tolist() == [0, 0, 2, 5]
    with pytest.raises(ValueError, match=r"times_s\[2\] = 3"):
        replayed_arrivals([1, 5, 3])


def test_piecewise_rate_changes_where_it_should():
    arrivals = piecewise_poisson_arrivals([400, 0, 100], [30, 10, 60], rng(8))
    in_piece = [((arrivals >= a) & (arrivals < b)).sum() for a, b in ((0, 30), (30, 40), (40, 100))]
    assert sum(in_piece) == arrivals.size and (np.diff(arrivals) >= 0).all()
    assert in_piece[0] == pytest.approx(12_000, abs=5 * 12_000**0.5)
    assert in_piece[1] == 0
    assert in_piece[2] == pytest.approx(6_000, abs=5 * 6_000**0.5)
    first = arrivals[arrivals < 30]
    assert stats.kstest(np.diff(first), stats.expon(scale=1 / 400).cdf).pvalue > 1e-6
    assert piecewise_poisson_arrivals([0], [5], rng(9)).size == 0


@pytest.mark.parametrize(
    "call, message",
    (
        (
            lambda: poisson_arrivals(0, 5, rng(0)),
            "arrival_rate = 0: expected a finite",
        ),
        (lambda: poisson_arrivals(-3, 5, rng(0)), "arrival_rate = -3"),
        (lambda: poisson_arrivals(2, 5.5, rng(0)), "n = 5.5: expected a whole number"),
        (lambda: poisson_arrivals(2, 0, rng(0)), "n = 0: expected a whole number of at least 1"),
        (lambda: poisson_arrivals(2, 5, 42), "rng = 42: expected a numpy random generator"),
        (lambda: gamma_arrivals(2, 5, rng(0), scv_arrival=-1), "scv = -1"),
        (lambda: periodic_arrivals(float("nan"), 5), "arrival_rate = nan"),
        (lambda: on_off_arrivals(2, 5, rng(0), mean_on_s=0, mean_off_s=1), "mean_on_s = 0"),
        (lambda: on_off_arrivals(2, 5, rng(0), mean_on_s=1, mean_off_s=-1), "mean_off_s = -1"),
        (lambda: replayed_arrivals([]), "times_s = .*at least one number"),
        (lambda: replayed_arrivals([1, 2], speed=0), "speed = 0"),
        (lambda: piecewise_poisson_arrivals([1, 2], [3], rng(0)), "durations_s = 1 values"),
        (lambda: piecewise_poisson_arrivals([1, -2], [3, 4], rng(0)), r"arrival_rates\[1\] = -2"),
        (lambda: piecewise_poisson_arrivals([1, 2], [3, -4], rng(0)), r"durations_s\[1\] = -4"),
    ),
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
