"""The promise of a threshold, put to the test on pairs whose true error is known."""

import numpy as np
import pytest
from scipy.stats import binom, norm

from labutils.caching import (
    choose_threshold,
    clopper_pearson,
    error_at,
    errors_by_group,
    held_out_errors,
)


def test_the_interval_is_the_one_whose_ends_are_just_believable():
    low, high = clopper_pearson(3, 41, confidence=0.9)
    assert binom.sf(2, 41, low) == pytest.approx(0.05)
    assert binom.cdf(3, 41, high) == pytest.approx(0.05)
    assert clopper_pearson(0, 41)[0] == 0.0
    assert clopper_pearson(0, 41)[1] == pytest.approx(1 - 0.025 ** (1 / 41))
    assert (clopper_pearson(5, 5)[1], clopper_pearson(0, 0)) == (1.0, (0.0, 1.0))


def drawn(rng, count: int, wrong_at: float = 0.75):
    """Pairs: right ones around 0.85, wrong ones around ``wrong_at``; they overlap."""
    same = rng.random(count) < 0.6
    return np.where(same, rng.normal(0.85, 0.05, count), rng.normal(wrong_at, 0.04, count)), same


def true_error(threshold: float, wrong_at: float = 0.75) -> float:
    wrong, right = 0.4 * norm.sf(threshold, wrong_at, 0.04), 0.6 * norm.sf(threshold, 0.85, 0.05)
    return wrong / (wrong + right)


def test_the_chosen_threshold_keeps_its_promise_as_often_as_it_says():
    rng = np.random.default_rng(31)
    chosen = [choose_threshold(*drawn(rng, 900), max_error=0.05) for _ in range(120)]
    found = [one for one in chosen if one is not None]
    broken = sum(true_error(one.value) > 0.05 for one in found)
    assert len(found) > 110 and broken <= 6  # 5 % of them
    assert all(one.error.high <= 0.05 for one in found)
    assert np.mean([one.hit_rate for one in found]) > 0.35


def test_twenty_tries_do_not_make_a_promise_out_of_luck():
    """Errors a little above the limit, at whatever similarity: each choice would be wrong."""
    rng, lucky = np.random.default_rng(77), 0
    for _ in range(300):
        same = rng.random(1_500) < 1 - 0.0505
        lucky += choose_threshold(rng.random(1_500), same, max_error=0.05) is not None
    assert lucky <= 15  # 5 % of them


def test_errors_at_a_threshold_are_counted_from_there_on():
    seen = error_at(0.7, [0.9, 0.7, 0.69, 0.8], [True, False, False, True])
    assert (seen.errors, seen.hits) == (1, 3)
    assert (seen.low, seen.high) == clopper_pearson(1, 3)
    assert np.isnan(error_at(0.99, [0.9], [True]).rate)


def test_too_few_or_too_poor_pairs_choose_nothing():
    assert choose_threshold([0.9] * 20, [True] * 20, max_error=0.02) is None
    coin = np.random.default_rng(2).random(2_000)
    assert choose_threshold(coin, coin * 997 % 1 < 0.5, max_error=0.05) is None


def test_one_threshold_errs_differently_in_each_group():
    rng = np.random.default_rng(8)
    easy, hard = drawn(rng, 1_801, wrong_at=0.6), drawn(rng, 203, wrong_at=0.83)
    similarities, same = (np.concatenate(both) for both in zip(easy, hard, strict=True))
    chosen = choose_threshold(similarities, same, max_error=0.08)
    groups = ["easy"] * 1_801 + ["hard"] * 203
    seen = errors_by_group(chosen.value, similarities, same, groups)
    assert seen["hard"].low > 0.08 > seen["easy"].high  # although all together keep the promise
    total = sum(one.errors for one in seen.values())
    assert (total, sum(one.hits for one in seen.values())) == (
        chosen.error.errors,
        chosen.error.hits,
    )


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: choose_threshold([0.5, 0.6], [True], max_error=0.1), "same_answer of shape"),
        (lambda: choose_threshold([0.5], [3], max_error=0.1), "truth values"),
        (lambda: choose_threshold([0.5], [True], max_error=5), "max_error = 5"),
        (lambda: choose_threshold([np.nan], [True], max_error=0.5), r"similarities\[0\]"),
        (lambda: clopper_pearson(4, 3), "errors = 4"),
        (lambda: errors_by_group(0.5, [0.5], [True], []), "groups has 0"),
    ],
)
def test_bad_input_is_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_held_out_errors_are_those_of_the_half_that_did_not_choose():
    rng = np.random.default_rng(11)
    similarities, same = rng.random(37), rng.random(37) < 0.6
    halves = []

    def choose(labelled):
        halves.append(labelled)
        return 0.4 if len(halves) != 2 else None

    found = held_out_errors(choose, similarities, same, rounds=5, seed=3)
    assert len(halves) == 5 and len(found) == 4  # the round without a promise is left out
    assert all(len(labelled) == 19 for labelled in halves)
    whole = list(zip(similarities.tolist(), same.tolist(), strict=True))
    for labelled, error in zip([halves[0], *halves[2:]], found, strict=True):
        others = [pair for pair in whole if pair not in labelled and pair[0] >= 0.4]
        assert (error.errors, error.hits) == (sum(not ok for _, ok in others), len(others))
    assert len({tuple(labelled) for labelled in halves}) == 5
