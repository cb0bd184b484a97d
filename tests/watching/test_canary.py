"""Canaries against exact binomial chances, enumerated, and against published tables."""

import math

import numpy as np
import pytest
from scipy import stats

from labutils.telemetry.watching import (
    canary_power,
    canary_size,
    compare,
    difference_interval,
    peeking_false_alarms,
    share_above_old_quantile,
    z_score,
)


def exact_alarms(n, m, new, old, alpha):
    """Chances that the pooled z-test says the canary is worse, and better, over every outcome."""
    bad, others = np.arange(n + 1)[:, None], np.arange(m + 1)[None, :]
    pooled = (bad + others) / (n + m)
    spread = np.sqrt(pooled * (1 - pooled) * (n + m) / (n * m))
    with np.errstate(invalid="ignore"):
        score = (bad / n - others / m) / spread  # NaN where all are alike: no alarm
    chance = stats.binom.pmf(bad, n, new) * stats.binom.pmf(others, m, old)
    limit = stats.norm.isf(alpha / 2)
    return chance[score > limit].sum(), chance[score < -limit].sum()


@pytest.mark.parametrize(
    ("old", "new", "ratio", "alpha", "power"),
    [
        (0.05, 0.1, 1, 0.05, 0.8), (0.2, 0.31, 3, 0.05, 0.9), (0.4, 0.27, 1.5, 0.01, 0.7),
        (0.03, 0.08, 2, 0.1, 0.8),
    ],
)  # fmt: skip
def test_the_size_has_the_power_that_was_asked_for(old, new, ratio, alpha, power):
    n = canary_size(old, new, ratio=ratio, alpha=alpha, power=power)
    worse, better = exact_alarms(n, round(n * ratio), new, old, alpha)
    found, other = (worse, better) if new > old else (better, worse)
    assert found == pytest.approx(power, abs=0.025) and other < 1e-4
    options = {"ratio": ratio, "alpha": alpha}
    assert canary_power(n, old, new, **options) == pytest.approx(found, abs=0.025)
    assert canary_power(n - 1, old, new, **options) < power <= canary_power(n, old, new, **options)
    nothing_changed = exact_alarms(n, round(n * ratio), old, old, alpha)
    assert sum(nothing_changed) == pytest.approx(alpha, abs=0.012)


def test_a_p99_that_moves_by_a_fifth_takes_thousands_of_requests():
    sigma = 1.0
    values = np.random.default_rng(4).lognormal(0, sigma, 400_001)
    share = share_above_old_quantile(values, 0.99, 1.2)
    exact = stats.norm.sf(stats.norm.isf(0.01) - math.log(1.2) / sigma)
    assert share == pytest.approx(exact, abs=5 * math.sqrt(exact / 400_001))
    assert share_above_old_quantile(values, 0.99, 1.0) == pytest.approx(0.01, abs=3e-6)
    assert 2_000 < canary_size(0.01, share, ratio=9) < canary_size(0.01, share) < 9_000


@pytest.mark.parametrize(
    ("n", "m", "p", "q"),
    [(60, 140, 0.07, 0.03), (211, 90, 0.5, 0.4), (45, 400, 0.02, 0.02), (33, 35, 0.9, 0.2)],
)
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_the_interval_covers_as_often_as_it_says(n, m, p, q, confidence):
    covered = 0.0
    chances = stats.binom.pmf(np.arange(m + 1), m, q)
    likely = np.flatnonzero(chances > 1e-6)
    for bad, chance in enumerate(stats.binom.pmf(np.arange(n + 1), n, p)):
        if chance < 1e-6:
            continue
        for others in likely:
            low, high = difference_interval((bad, n), (int(others), m), confidence=confidence)
            covered += chance * chances[others] * (low <= p - q <= high)
    assert confidence - 0.02 < covered < confidence + 0.12  # wide where bad ones are rare


def test_the_interval_has_a_width_where_nothing_was_bad():
    low, high = difference_interval((0, 50), (0, 450))
    assert low < 0 < high < 0.1
    assert difference_interval((3, 50), (9, 450)) == pytest.approx(
        [-x for x in difference_interval((9, 450), (3, 50))[::-1]]
    )


def test_verdicts():
    assert compare((1, 40), (10, 400), tolerated=0.01).word == "too early"
    worse = compare((90, 1_000), (180, 9_000), tolerated=0.02)
    assert worse.word == "worse" and worse.difference == pytest.approx(0.07)
    assert 0.02 < worse.low < worse.difference < worse.high
    fine = compare((10, 1_003), (90, 9_000), tolerated=0.02)
    assert fine.word == "good enough" and fine.high <= 0.02
    # Three times as bad, and surely so, may still be within what is tolerated.
    assert compare((300, 10_000), (900, 90_000), tolerated=0.03).low > 0.01
    assert compare((300, 10_000), (900, 90_000), tolerated=0.03).word == "good enough"


@pytest.mark.parametrize(("looks", "published"), [(1, 0.05), (2, 0.083), (5, 0.142), (10, 0.193)])
def test_peeking_has_the_published_false_alarms(looks, published):
    # Armitage, McPherson & Rowe 1969: repeated tests at 5 % on a growing normal sample.
    draws, runs = np.random.default_rng(looks), 6_000
    found = peeking_false_alarms(looks, 500, 0.3, ratio=2, rng=draws, runs=runs)
    assert abs(found - published) < 5 * math.sqrt(published / runs)
    safe = peeking_false_alarms(looks, 500, 0.3, rng=draws, runs=runs, alpha=0.05 / looks)
    assert safe < 0.05 + 5 * math.sqrt(0.05 / runs)


def test_scores_of_nothing_and_of_everything():
    scores = z_score(np.array([0, 5, 3]), np.array([5, 5, 5]), np.array([0, 9, 1]), 9)
    assert scores[:2].tolist() == [0, 0]
    table = [[3, 2], [1, 8]]
    assert scores[2] ** 2 == pytest.approx(stats.chi2_contingency(table, correction=False)[0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare((6, 5), (1, 9), tolerated=0.1), r"canary\[0\] = 6: expected at most 5"),
        (lambda: compare((1, 5), (1, 0), tolerated=0.1), r"rest\[1\] = 0: expected a whole number"),
        (lambda: compare((1, 5), (1, 9), tolerated=0), "tolerated = 0: expected a finite number"),
        (lambda: canary_size(0.1, 0.1), "new = 0.1: expected another share than old = 0.1"),
        (lambda: canary_power(9, 0.1, 0.2, ratio=0), "ratio = 0: expected a finite number above"),
        (lambda: share_above_old_quantile([1], 1, 2), "q = 1: expected a number strictly between"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
