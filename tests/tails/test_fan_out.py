"""Fan-out against enumeration, other integrals, and dice."""

import itertools

import numpy as np
import pytest
from scipy import integrate, stats

from labutils.laws import tails

RNG_PAGES = 400_000


def enumerated(leaf_share, k, n):
    """P(the k-th of n leaves to answer is slow), by going through all 2ⁿ pages."""
    total = 0.0
    for page in itertools.product((0, 1), repeat=n):
        slow = sum(page)
        if slow > n - k:
            total += leaf_share**slow * (1 - leaf_share) ** (n - slow)
    return total


def quadrature(leaf_share, k, n, correlation):
    """The one-factor model by adaptive quadrature over the factor, binomials by scipy.stats."""
    threshold = stats.norm.isf(leaf_share)

    def given(z):
        own = stats.norm.sf((threshold - np.sqrt(correlation) * z) / np.sqrt(1 - correlation))
        return stats.binom.sf(n - k, n, own) * stats.norm.pdf(z)

    edges = (-12, -4, -2, -1, 0, 1, 2, 3, 4, 6, 12)
    return sum(
        integrate.quad(given, a, b, epsabs=1e-13, epsrel=1e-11, limit=200)[0]
        for a, b in itertools.pairwise(edges)
    )


@pytest.mark.parametrize("share", (1e-6, 0.013, 0.4, 0.97))
@pytest.mark.parametrize("n", (1, 2, 5, 9))
def test_independent_leaves_equal_the_enumeration(share, n):
    for k in range(1, n + 1):
        assert tails.late_share(share, k, n) == pytest.approx(enumerated(share, k, n), rel=1e-11)
    assert tails.slow_share(share, n) == pytest.approx(enumerated(share, n, n), rel=1e-11)


@pytest.mark.parametrize("correlation", (1e-4, 0.07, 0.31, 0.5, 0.83, 0.99))
@pytest.mark.parametrize(
    "share, k, n", ((0.01, 100, 100), (0.05, 19, 23), (0.3, 2, 7), (1e-5, 40, 40))
)
def test_correlated_leaves_equal_the_quadrature(correlation, share, k, n):
    expected = quadrature(share, k, n, correlation)
    got = tails.late_share(share, k, n, correlation=correlation)
    assert got == pytest.approx(expected, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("correlation", (0.2, 0.65, 0.9))
def test_two_correlated_leaves_equal_the_bivariate_normal(correlation):
    both_fast = stats.multivariate_normal.cdf(
        [stats.norm.isf(0.03)] * 2, cov=[[1, correlation], [correlation, 1]]
    )
    got = tails.slow_share(0.03, 2, correlation=correlation)
    assert got == pytest.approx(1 - both_fast, abs=1e-6)


@pytest.mark.parametrize("seed, correlation", ((1, 0.25), (2, 0.7)))
def test_correlated_leaves_equal_dice(seed, correlation):
    rng = np.random.default_rng(seed)
    world = rng.standard_normal((RNG_PAGES, 1))
    own = rng.standard_normal((RNG_PAGES, 13))
    slow = np.sqrt(correlation) * world + np.sqrt(1 - correlation) * own > stats.norm.isf(0.04)
    for k in (10, 13):
        expected = tails.late_share(0.04, k, 13, correlation=correlation)
        rolled = (slow.sum(axis=1) > 13 - k).mean()
        assert rolled == pytest.approx(expected, abs=5 * np.sqrt(expected / RNG_PAGES))


@pytest.mark.parametrize("share", (0.001, 0.02, 0.6))
def test_the_limits_are_independence_and_one_fate(share):
    for n in (1, 7, 300):
        apart = 1 - (1 - share) ** n
        assert tails.slow_share(share, n) == pytest.approx(apart, rel=1e-12)
        assert tails.slow_share(share, n, correlation=1e-9) == pytest.approx(apart, rel=1e-5)
        assert tails.slow_share(share, n, correlation=1) == pytest.approx(share, rel=1e-12)
        nearly_one = tails.slow_share(share, n, correlation=1 - 1e-9)
        assert nearly_one == pytest.approx(share, rel=1e-3)


def test_correlation_spares_pages_and_leaves_never_do():
    correlations = (0, 1e-6, 0.01, 0.1, 0.3, 0.49, 0.51, 0.7, 0.9, 0.99, 0.9999, 1)
    shares = [tails.slow_share(0.01, 100, correlation=c) for c in correlations]
    assert (np.diff(shares) < 0).all()
    by_size = [tails.slow_share(0.01, n, correlation=0.3) for n in (1, 2, 3, 10, 99, 1000)]
    assert (np.diff(by_size) > 0).all() and by_size[0] == pytest.approx(0.01, rel=1e-9)


def test_the_published_fan_out_shares():
    assert tails.slow_share(0.01, 100) == pytest.approx(0.634, abs=5e-4)
    assert tails.slow_share(1e-4, 2000) == pytest.approx(0.181, abs=5e-4)
    # Ten times fewer slow leaves of 200: 4.8 times fewer slow pages, not ten.
    fewer = tails.slow_share(0.01, 200) / tails.slow_share(0.001, 200)
    assert fewer == pytest.approx(4.8, abs=0.05)
    # "The p99 of ten calls is the single p90": the page's p35.
    assert tails.page_quantile(0.9, 10) == pytest.approx(0.9**10)


@pytest.mark.parametrize("correlation", (0, 0.2, 0.75, 1))
@pytest.mark.parametrize("n", (1, 10, 137))
def test_required_and_page_quantile_undo_each_other(correlation, n):
    for q in (0.03, 0.5, 0.99, 0.9999):
        leaf = tails.required_leaf_quantile(q, n, correlation=correlation)
        assert tails.page_quantile(leaf, n, correlation=correlation) == pytest.approx(q, abs=1e-10)
    if correlation == 0:
        assert tails.required_leaf_quantile(0.99, n) == pytest.approx(0.99 ** (1 / n), rel=1e-14)
    if correlation == 1:
        assert leaf == pytest.approx(0.9999, abs=1e-9)


@pytest.mark.parametrize("k, n", ((1, 1), (1, 8), (5, 8), (95, 100), (100, 100)))
def test_order_statistics_of_independent_leaves_equal_the_binomial(k, n):
    for q in (0.02, 0.5, 0.99):
        leaf = tails.order_statistic_quantile(q, k, n)
        assert stats.binom.sf(k - 1, n, leaf) == pytest.approx(q, rel=1e-9)


@pytest.mark.parametrize("correlation", (0.001, 0.15, 0.6, 0.97))
def test_order_statistics_of_correlated_leaves_invert_the_quadrature(correlation):
    for k, n, q in ((95, 100, 0.5), (95, 100, 0.99), (3, 11, 0.2)):
        leaf = tails.order_statistic_quantile(q, k, n, correlation=correlation)
        assert quadrature(1 - leaf, k, n, correlation) == pytest.approx(1 - q, abs=1e-8)


def test_the_slowest_of_many_has_the_tail_of_the_maximum():
    rng = np.random.default_rng(6)
    slowest = rng.weibull(0.7, (200_000, 12)).max(axis=1)
    tail = tails.page_tail(lambda t: np.exp(-(t**0.7)), 12)
    for q in (0.1, 0.5, 0.9, 0.999):
        t = tails.tail_quantile(tail, q)
        assert (slowest <= t).mean() == pytest.approx(q, abs=5 * np.sqrt(q * (1 - q) / 200_000))
    assert tail(0.0) == 1.0 and tail(1e9) == 0.0
    together = tails.page_tail(lambda t: np.exp(-(t**0.7)), 12, correlation=1)
    assert together(2.0) == pytest.approx(np.exp(-(2**0.7)))


@pytest.mark.parametrize("seed", range(4))
def test_no_dependence_leaves_the_bounds(seed):
    rng = np.random.default_rng(seed)
    n, k = 9, 7
    # Pages of every kind: the number of slow leaves has an arbitrary law.
    chance = rng.dirichlet(np.full(n + 1, 0.2 + seed))
    slow = np.arange(n + 1)
    leaf, late, page = chance @ slow / n, chance[slow > n - k].sum(), chance[1:].sum()
    low, high = tails.leaf_share_bounds(late, k, n)
    assert low <= leaf <= high
    low, high = tails.page_share_bounds(leaf, n)
    assert low <= page <= high


def test_the_bounds_are_reached():
    # Late pages with as few slow leaves as can be, other pages with none; and the reverse.
    assert tails.leaf_share_bounds(0.5, 95, 100) == pytest.approx((0.5 * 0.06, 0.5 + 0.5 * 0.05))
    assert tails.leaf_share_bounds(0.3, 4, 4) == pytest.approx((0.3 / 4, 0.3))
    assert tails.page_share_bounds(0.03, 20) == pytest.approx((0.03, 0.6))
    assert tails.page_share_bounds(0.2, 20) == (0.2, 1.0)
    assert tails.slow_share(0.03, 20, correlation=1) == pytest.approx(0.03)


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda: tails.slow_share(0, 5), "leaf_slow_share = 0"),
        (lambda: tails.slow_share(0.1, 2.5), "num_leaves = 2.5"),
        (lambda: tails.slow_share(0.1, 5, correlation=1.1), "correlation = 1.1: .* from 0 to 1"),
        (lambda: tails.slow_share(0.1, 5, correlation=-0.1), "correlation = -0.1"),
        (lambda: tails.late_share(0.1, 6, 5), "k = 6: expected at most n = 5"),
        (lambda: tails.late_share(0.1, 0, 5), "k = 0"),
        (lambda: tails.order_statistic_quantile(1.0, 3, 5), "q = 1.0"),
        (lambda: tails.order_statistic_quantile(0.5, 3, 5, correlation=2), "correlation = 2"),
        (lambda: tails.required_leaf_quantile(99, 5), "page_quantile = 99"),
        (lambda: tails.required_leaf_quantile(0.9, 0), "num_leaves = 0"),
        (lambda: tails.page_quantile(0.9, True), "num_leaves = True"),
        (lambda: tails.page_tail(lambda t: 1.0, 0), "num_leaves = 0"),
        (lambda: tails.leaf_share_bounds(1.5, 2, 3), "late_share = 1.5"),
        (lambda: tails.page_share_bounds(0.1, -3), "num_leaves = -3"),
    ),
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
