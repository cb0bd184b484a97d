"""Service distributions against independent formulas of their laws."""

import numpy as np
import pytest
from scipy import stats

from labutils.simulation import (
    deterministic_services,
    draw_unit,
    exponential_services,
    gamma_services,
    hyperexponential_services,
    lognormal_services,
)

N = 100_003
MEAN = 0.04


def rng(seed=12):
    return np.random.default_rng(seed)


def balanced_hyperexponential(mean, scv):
    """Distribution function with both halves of the work, from the roots of the scv equation."""
    p = max(np.roots([1, -1, 1 / (2 * (1 + scv))]).real)
    rates = 2 * p / mean, 2 * (1 - p) / mean
    return lambda x: p * -np.expm1(-rates[0] * x) + (1 - p) * -np.expm1(-rates[1] * x)


@pytest.mark.parametrize(
    "services, law",
    (
        (exponential_services(MEAN, N, rng()), stats.expon(scale=MEAN).cdf),
        (gamma_services(MEAN, N, rng(), scv_service=1 / 3), stats.erlang(3, scale=MEAN / 3).cdf),
        (gamma_services(MEAN, N, rng(), scv_service=2.5), stats.gamma(0.4, scale=MEAN * 2.5).cdf),
        (
            lognormal_services(MEAN, N, rng(), scv_service=3),
            # Mean m and scv 3 are a median of m / 2, since exp(sigma²) = 4.
            stats.lognorm(np.log(4) ** 0.5, scale=MEAN / 2).cdf,
        ),
        (
            hyperexponential_services(MEAN, N, rng(), scv_service=4),
            balanced_hyperexponential(MEAN, 4),
        ),
        (hyperexponential_services(MEAN, N, rng(), scv_service=1), stats.expon(scale=MEAN).cdf),
    ),
)
def test_services_follow_their_law(services, law):
    assert services.shape == (N,) and services.dtype == np.float64
    assert stats.kstest(services, law).pvalue > 1e-6


def test_the_law_used_to_judge_the_hyperexponential_has_the_right_moments():
    x = np.linspace(0, 400, 4_000_001)
    tail = 1 - balanced_hyperexponential(1.0, 4.0)(x)
    mean, second = np.trapezoid(tail, x), 2 * np.trapezoid(x * tail, x)
    assert (mean, second / mean**2 - 1) == pytest.approx((1, 4), rel=1e-6)


def test_services_without_spread_are_equal():
    assert deterministic_services(0.3, 4).tolist() == [0.3] * 4
    assert gamma_services(0.3, 4, rng(), scv_service=0).tolist() == [0.3] * 4
    assert lognormal_services(0.3, 4, rng(), scv_service=0).tolist() == [0.3] * 4


@pytest.mark.parametrize(
    "kind, scv",
    (
        ("exponential", None),
        ("deterministic", None),
        ("gamma", 0.2),
        ("lognormal", 1.7),
        ("hyperexponential", 2.2),
    ),
)
def test_sliders_rescale_the_same_unit_draws(kind, scv):
    unit = draw_unit(kind, 30_001, rng(3), scv)
    assert unit.mean() == pytest.approx(1, abs=5 * (2.2 / 30_001) ** 0.5)
    if kind in ("lognormal", "gamma", "hyperexponential"):
        services = {
            "lognormal": lognormal_services,
            "gamma": gamma_services,
            "hyperexponential": hyperexponential_services,
        }[kind](0.25, 30_001, rng(3), scv_service=scv)
        assert (services == 0.25 * unit).all()


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda: draw_unit("pareto", 5, rng()), "kind = 'pareto': expected one of exponential"),
        (lambda: draw_unit("gamma", 5, rng()), "scv = None"),
        (lambda: draw_unit("exponential", 5, rng(), 2.0), "scv = 2.0: expected no scv"),
        (lambda: draw_unit("hyperexponential", 5, rng(), 0.5), "scv = 0.5: expected at least 1"),
        (lambda: draw_unit("lognormal", 5, rng(), float("nan")), "scv = nan"),
        (lambda: draw_unit("gamma", 2.5, rng(), 1), "n = 2.5"),
        (lambda: exponential_services(0, 5, rng()), "mean_service_time = 0"),
        (lambda: exponential_services(1, 5, None), "rng = None"),
        (lambda: deterministic_services(-1, 5), "mean_service_time = -1"),
        (lambda: deterministic_services(1, -5), "n = -5"),
    ),
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
