"""Hedged and tied requests of independent leaves, against enumeration, integrals and dice."""

import math

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import gamma

from labutils.laws import tails
from labutils.laws.queueing import MM1, MMc


def mixture(t):
    """99 % of the answers take an exponential time of mean 1, the others one of mean 50."""
    return 0.99 * math.exp(-t) + 0.01 * math.exp(-t / 50)


def exponential(t):
    return math.exp(-t)


def test_hedging_a_mixture_cuts_the_far_tail_for_five_percent_more_requests():
    trigger = tails.tail_quantile(mixture, 0.95)
    hedge = tails.Hedge(mixture, trigger)
    assert hedge.extra_requests == pytest.approx(0.05, abs=1e-12)
    assert tails.tail_quantile(mixture, 0.999) == pytest.approx(115.1, abs=0.05)
    assert hedge.quantile(0.999) == pytest.approx(5.78, abs=0.005)


def test_hedging_an_exponential_leaf_buys_little():
    trigger = tails.tail_quantile(exponential, 0.95)
    assert trigger == pytest.approx(math.log(20))
    hedge = tails.Hedge(exponential, trigger)
    assert tails.tail_quantile(exponential, 0.99) == pytest.approx(math.log(100))
    # Beyond the trigger two memoryless copies race: exp(-d) exp(-2 (t - d)) = 0.01.
    assert hedge.quantile(0.99) == pytest.approx(trigger + math.log(5) / 2, rel=1e-12)
    assert hedge.quantile(0.99) == pytest.approx(3.80, abs=0.005)


@pytest.mark.parametrize("leaf", (mixture, exponential, MMc(2.1, 1.0, 3).sojourn_time_tail))
@pytest.mark.parametrize("q", (0.5, 0.9, 0.95, 0.99))
def test_hedging_after_a_quantile_leaves_it_unchanged(leaf, q):
    trigger = tails.tail_quantile(leaf, q)
    hedge = tails.Hedge(leaf, trigger)
    assert hedge.quantile(q) == pytest.approx(trigger, rel=1e-12)
    assert hedge.quantile(q / 2) == tails.tail_quantile(leaf, q / 2)
    assert hedge.quantile((1 + q) / 2) < 0.999 * tails.tail_quantile(leaf, (1 + q) / 2)


# A leaf that takes one of a few times: every pair of copies can be gone through.
TIMES, CHANCES = (1.0, 2.5, 4.0, 30.0), (0.55, 0.25, 0.15, 0.05)


def stepwise(t):
    return sum(chance for time, chance in zip(TIMES, CHANCES) if time > t)


@pytest.mark.parametrize("trigger", (0.0, 1.7, 2.5, 5.0, 40.0))
def test_a_hedge_equals_the_enumeration_of_both_copies(trigger):
    hedge = tails.Hedge(stepwise, trigger)
    pairs = [
        (min(a, trigger + b) if a > trigger else a, p * r)
        for a, p in zip(TIMES, CHANCES)
        for b, r in zip(TIMES, CHANCES)
    ]
    for t in (0.0, 0.5, 1.0, 2.49, 2.5, 2.7, 4.0, 4.2, 6.4, 29.0, 30.0, 43.0):
        late = sum(chance for time, chance in pairs if time > t)
        assert hedge.tail(t) == pytest.approx(late, abs=1e-12)
    answered = sorted(pairs)
    for q in (0.3, 0.83, 0.97, 0.9969):
        reached = np.cumsum([chance for _, chance in answered])
        expected = answered[int(np.searchsorted(reached, q))][0]
        assert hedge.quantile(q) == pytest.approx(expected, rel=1e-12)
    assert hedge.extra_requests == pytest.approx(
        sum(p for a, p in zip(TIMES, CHANCES) if a > trigger)
    )


def test_a_copy_that_answers_in_no_time_counts_from_the_trigger_on():
    hedge = tails.Hedge(lambda t: 0.3 * math.exp(-t), 2.0)  # 70 % of the leaves answer at once
    assert hedge.tail(2.0) == pytest.approx(0.3 * 0.3 * math.exp(-2.0))
    assert hedge.tail(1.999) == pytest.approx(0.3 * math.exp(-1.999))


def test_a_hedge_equals_dice():
    rng = np.random.default_rng(12)
    first, second = rng.pareto(1.7, (2, 500_000))
    hedge = tails.Hedge(lambda t: (1 + t) ** -1.7, 1.3)
    answered = np.where(first > 1.3, np.minimum(first, 1.3 + second), first)
    for q in (0.4, 0.9, 0.999):
        share = (answered <= hedge.quantile(q)).mean()
        assert share == pytest.approx(q, abs=5 * math.sqrt(q * (1 - q) / 500_000))
    assert (first > 1.3).mean() == pytest.approx(hedge.extra_requests, abs=0.0035)


@pytest.mark.parametrize("q", (1e-6, 0.2, 0.5, 0.999, 1 - 1e-9))
@pytest.mark.parametrize("scale", (1e-9, 1.0, 1e12))
def test_quantiles_of_any_scale(q, scale):
    got = tails.tail_quantile(lambda t: math.exp(-t / scale), q)
    assert got == pytest.approx(-scale * math.log1p(-q), rel=1e-6)


def test_a_quantile_at_a_jump_is_the_time_of_the_jump():
    assert tails.tail_quantile(stepwise, 0.6) == 2.5
    assert tails.tail_quantile(stepwise, 0.54) == 1.0
    assert tails.tail_quantile(lambda t: 0.3 * math.exp(-t), 0.7) == 0.0
    assert tails.tail_quantile(lambda t: 0.3 * math.exp(-t), 0.6) == 0.0


@pytest.mark.parametrize("utilization", (0.3, 0.5, 0.8))
def test_tied_requests_at_two_single_servers_equal_the_two_phase_law(utilization):
    queue = MM1(utilization * 7.0, 7.0)
    tied = tails.tied_tail(queue.waiting_time_tail, lambda t: math.exp(-7.0 * t))
    decay = 2 * (7.0 - utilization * 7.0)  # of the shorter of two waits
    waits = utilization**2
    for t in (0.0, 0.02, 0.2, 0.9, 2.5):
        assert tied(t) == pytest.approx(
            (1 - waits) * math.exp(-7 * t) + waits * two_phases(t, 7.0, decay), rel=1e-6
        )
    assert tied(-1.0) == 1.0
    assert tails.tail_quantile(tied, 0.99) < queue.sojourn_time_quantile(0.99)


def two_phases(t, a, b):
    """P(A + B > t) by integrating over the first of two exponential phases."""
    inside = integrate.quad(lambda x: a * math.exp(-a * x - b * (t - x)), 0, t, epsabs=1e-14)[0]
    return math.exp(-a * t) + inside


def test_tied_requests_equal_dice():
    rng = np.random.default_rng(3)
    n = 400_000
    waits = np.where(rng.random((2, n)) < 0.4, rng.gamma(0.8, 2.0, (2, n)), 0.0)
    served = waits.min(axis=0) + rng.weibull(1.6, n)
    tied = tails.tied_tail(
        lambda t: 0.4 * gamma.sf(t, 0.8, scale=2.0), lambda t: math.exp(-(max(t, 0.0) ** 1.6))
    )
    for t in (0.3, 1.1, 2.5):
        late = tied(t)
        assert (served > t).mean() == pytest.approx(late, abs=5 * math.sqrt(late / n))


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda: tails.Hedge(exponential, -1), "trigger_s = -1"),
        (lambda: tails.Hedge(exponential, 1).quantile(1.2), "q = 1.2"),
        (lambda: tails.tail_quantile(exponential, 0), "q = 0"),
        (lambda: tails.tail_quantile(lambda t: 0.5, 0.9), "q = 0.9: expected a quantile that"),
    ),
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
