"""Sampled traces: right on average, exactly on a small case and by simulation on a large one."""

import itertools

import numpy as np
import pytest

from labutils.telemetry import Span
from labutils.telemetry.watching import KeptTraces, head_sample, slow_or_failed, tail_sample


def every_outcome(chances):
    """(its probability, what was kept) for each set of traces that can be kept."""
    for kept in itertools.product([False, True], repeat=len(chances)):
        kept = np.array(kept)
        probability = np.where(kept, chances, 1 - chances).prod()
        places = np.flatnonzero(kept)
        yield probability, KeptTraces(places, chances[places], len(chances))


def test_the_estimate_and_its_variance_are_right_in_expectation():
    values = np.array([0.3, 9.0, 1.7, 0.4, 2.2, 0.0, 5.5])
    chances = np.array([0.2, 1.0, 0.2, 0.35, 0.2, 0.6, 1.0])
    outcomes = [
        (probability, kept.estimate(values[kept.places]))
        for probability, kept in every_outcome(chances)
        if probability > 0
    ]
    mean = sum(probability * found.mean for probability, found in outcomes)
    assert mean == pytest.approx(values.mean(), rel=1e-12)
    true_variance = sum(p * (found.mean - values.mean()) ** 2 for p, found in outcomes)
    said = sum(p * found.standard_error**2 for p, found in outcomes)
    assert said == pytest.approx(true_variance, rel=1e-12)
    naive = sum(
        probability * values[kept.places].mean()
        for probability, kept in every_outcome(chances)
        if probability > 0
    )
    assert naive > 1.4 * values.mean()  # without weights the slow ones count too much


def traffic(seed, num=4_001):
    draws = np.random.default_rng(seed)
    durations = draws.lognormal(-1, 1.1, num)
    failed = draws.random(num) < 0.013
    return draws, durations, failed, (durations > 3.0) | failed


@pytest.mark.parametrize("seed", range(3))
def test_means_and_shares_by_simulation(seed):
    draws, durations, failed, always = traffic(seed)
    for values in (durations, failed.astype(float), (durations > 0.4).astype(float)):
        found = []
        for _ in range(300):
            kept = tail_sample(always, 0.05, rng=draws)
            found.append(kept.estimate(values[kept.places]))
        means = np.array([one.mean for one in found])
        spread = means.std(ddof=1)
        assert abs(means.mean() - values.mean()) <= 5 * spread / np.sqrt(300) + 1e-12
        said = np.sqrt(np.mean([one.standard_error**2 for one in found]))
        assert said == pytest.approx(spread, rel=0.25, abs=1e-12)


def test_what_is_always_kept_is_known_exactly():
    draws, _, failed, always = traffic(7)
    kept = tail_sample(always, 0.02, rng=draws)
    assert set(np.flatnonzero(always)) <= set(kept.places)
    found = kept.estimate(failed[kept.places].astype(float))
    assert found.mean == pytest.approx(failed.mean()) and found.standard_error == 0


def test_the_tail_costs_little_more_and_knows_the_tail_far_better():
    draws, durations, _, always = traffic(11, num=20_011)
    slow = (durations > 3.0).astype(float)
    tail = tail_sample(always, 0.03, rng=draws)
    head = head_sample(len(slow), len(tail.places) / len(slow), rng=draws)
    assert abs(len(head.places) - len(tail.places)) < 5 * np.sqrt(len(tail.places))
    assert slow[tail.places].sum() == slow.sum() > 5 * slow[head.places].sum()
    guessed = head.estimate(slow[head.places])
    # A share s seen through a thinning with chance p: s (1 - p) / (p N) is the variance.
    p = len(tail.places) / len(slow)
    expected = np.sqrt(slow.mean() * (1 - p) / (p * len(slow)))
    assert guessed.standard_error == pytest.approx(expected, rel=0.3)
    assert abs(guessed.mean - slow.mean()) < 5 * expected


def test_weights_stand_for_all_traces():
    draws, _, _, always = traffic(2)
    kept = tail_sample(always, 0.1, rng=draws)
    assert set(kept.weights.round(9)) == {1.0, 10.0}
    one = kept.estimate(np.ones(len(kept.places)))
    assert abs(one.mean - 1) < 5 * one.standard_error
    assert kept.weights.sum() == pytest.approx(one.mean * kept.num_all)


def spans(duration_s, error=None):
    root = Span("t", "root", None, "request", 5.0, 5.0 + duration_s)
    return [root, Span("t", "inner", "root", "generate", 5.1, 5.2, error=error)]


def test_slow_or_failed_looks_at_the_root_and_at_every_error():
    traces = [spans(0.4), spans(2.0), spans(0.4, "TimeoutError"), spans(1.5)]
    assert slow_or_failed(traces, 1.5).tolist() == [False, True, True, False]


def test_nothing_kept_estimates_nothing():
    none = KeptTraces(np.array([], int), np.array([]), 12)
    assert none.estimate([]).mean == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rng: tail_sample([0, 1], 0.1, rng=rng), "always = .*: expected a truth value for"),
        (lambda rng: tail_sample([True], 0, rng=rng), "share = 0: expected a share above 0"),
        (lambda rng: head_sample(0, 0.1, rng=rng), "num_all = 0: expected a whole number"),
        (lambda rng: head_sample(3, 1, rng=rng).estimate([1]), "values = 1 numbers: expected 3"),
        (lambda rng: slow_or_failed([spans(1)], 0), "slow_s = 0: expected a finite number above"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(1))
