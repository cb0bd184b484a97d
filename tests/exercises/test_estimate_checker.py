"""Samples: right, wrong and too noisy are kept apart, on processes whose mean is known."""

import math
import re

import numpy as np
import pytest

from labutils.exercises.checkers import Estimate
from labutils.exercises.definition.exercise import CheckerError, Misconception
from labutils.exercises.definition.verdict import Status
from labutils.simulation import QueueRun

MEAN = 1.3717
RUN = QueueRun(np.array([0.0]), np.array([0.2]), np.array([0.7]))
DOUBLED = Misconception("doubled", lambda: 2 * MEAN, "Is something in it twice?")


def make(tolerance=0.05, **more):
    more = {"expected": lambda: MEAN, "misconceptions": (DOUBLED,)} | more
    return Estimate(unit="s", tolerance=tolerance, **more)


def correlated(n, seed, *, mean=MEAN, memory=0.9, spread=1.0):
    """An autoregressive series with the given mean; its neighbours correlate by ``memory``."""
    noise = np.random.default_rng(seed).normal(0, spread * math.sqrt(1 - memory**2), n)
    series, value = np.empty(n), 0.0
    for i in range(n):
        value = memory * value + noise[i]
        series[i] = value
    return mean + series


@pytest.mark.parametrize("seed", range(5))
def test_a_long_run_with_the_right_mean_is_right(seed):
    verdict = make().check(correlated(60_000, seed))
    assert verdict.passed
    assert re.search(r"your mean: 1\.\d+ s ± 0\.0\d+ s", verdict.detail)
    assert "60,000 values" in verdict.detail


@pytest.mark.parametrize("seed", range(5))
def test_a_long_run_with_another_mean_is_wrong(seed):
    verdict = make().check(correlated(60_000, seed, mean=1.25 * MEAN))
    assert verdict.status is Status.wrong and "too large" in verdict.message
    assert "1.37" not in repr(verdict)


@pytest.mark.parametrize("seed", range(5))
def test_a_short_run_is_too_noisy_and_the_length_it_asks_for_is_enough(seed):
    checker, n = make(), 2_000
    verdict = checker.check(correlated(n, seed))
    assert verdict.status is Status.too_noisy
    longer = int(re.search(r"n = ([\d,]+)", verdict.message)[1].replace(",", ""))
    assert n < longer < 1_000_000
    # the asked-for length comes from a noisy width itself: allow it twice that
    assert checker.check(correlated(2 * longer, seed + 100)).passed


def test_a_bias_within_the_noise_is_not_called_wrong():
    assert make().check(correlated(2_000, 3, mean=1.08 * MEAN)).status is Status.too_noisy


def test_known_mistakes_and_units_are_named():
    doubled = make().check(correlated(60_000, 1, mean=2 * MEAN))
    assert (doubled.status, doubled.diagnosis) == (Status.misconception, "doubled")
    milliseconds = make().check(1000 * correlated(60_000, 1))
    assert milliseconds.status is Status.scale and "1,000 times too large" in milliseconds.message


def test_a_run_that_drifts_is_not_trusted_however_narrow_its_interval():
    drifting = MEAN + np.random.default_rng(4).normal(0, 0.01, 40_000)
    drifting += np.linspace(-0.02, 0.02, 40_000)
    verdict = make().check(drifting)
    assert verdict.status is Status.too_noisy and "drifts" in verdict.message


def test_a_quantile_can_be_asked_for():
    rng = np.random.default_rng(2)
    p90 = make(expected=lambda: math.log(10), quantile=0.9, misconceptions=())
    assert p90.check(rng.exponential(size=80_000)).passed
    assert "p90" in p90.check(rng.exponential(size=80_000)).detail
    assert p90.check(1.3 * rng.exponential(size=80_000)).status is Status.wrong


@pytest.mark.parametrize(
    "answer, words",
    [
        (MEAN, "single value"),
        (np.float64(MEAN), "single value"),
        (None, "That is None. Does the function that you called lack its return"),
        ("0.1 0.2", "That is a text. Hand in the values themselves"),
        (RUN, "That is a QueueRun. Hand in the values themselves"),
        (RUN, "one of its fields"),
        (iter([0.1, 0.2]), "That is a list_iterator."),
        (correlated, "a function"),
        ([], "at least one number"),
        ([0.1, "x"], "sequence of numbers"),
        (np.ones((300, 2)), "shape (300, 2)"),
        ([0.1, float("nan"), 0.3], "sample[1] = nan"),
        ([[1, 2], [3]], "sequence of numbers"),
    ],
)
def test_what_is_no_sample_is_unreadable(answer, words):
    verdict = make().check(answer)
    assert verdict.status is Status.unreadable and words in verdict.message


def test_made_up_samples_are_refused():
    assert make().check(np.full(5000, MEAN)).diagnosis == "constant"
    assert make().check(np.sort(correlated(5000, 1))).diagnosis == "sorted"
    assert make().check(correlated(57, 1)).status is Status.too_noisy


def test_lists_do_as_well_as_arrays():
    assert make().check(correlated(60_000, 7).tolist()).passed


def test_the_workbooks_own_failures_are_not_the_learners():
    with pytest.raises(CheckerError):
        make(expected=lambda: 1 / 0).check(correlated(500, 1))


@pytest.mark.parametrize("more", [{"tolerance": 0}, {"quantile": 1.0}])
def test_an_author_hears_of_nonsense_at_once(more):
    with pytest.raises(ValueError, match=f"{next(iter(more))} = "):
        make(**more)


@pytest.mark.parametrize("seed", range(3))
def test_a_sample_shorter_than_its_memory_names_no_trap(seed):
    """The interval of a few long excursions may miss the truth and hold a trap by luck."""
    values = correlated(400, seed, mean=0.7 * MEAN, memory=0.97, spread=2.5)
    assert make().check(values).status is Status.too_noisy
