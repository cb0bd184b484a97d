"""The load that hedging makes: the fixed points against plain iteration."""

import math

import numpy as np
import pytest

from labutils.laws import tails


def next_load(r, load, d):
    return load * (1 + (math.exp(-(1 - r) * d) if r < 1 else 1.0))


def settled(load, d, start):
    """Where the fleet ends when it starts at the effective load ``start``."""
    r = start
    for _ in range(200_000):
        r = next_load(r, load, d)
    return r


@pytest.mark.parametrize("load, d", ((0.4, 4.99), (0.55, 4.99), (0.76, 14.98), (0.6, 14.98)))
def test_the_fleet_settles_at_the_steady_load_or_runs_away_beyond_the_tipping_point(load, d):
    steady, tipping = tails.effective_loads(load, 0.01 * d, mean_service_time=0.01)
    assert next_load(steady, load, d) == pytest.approx(steady, rel=1e-12)
    assert settled(load, d, 0.0) == pytest.approx(steady, rel=1e-9)
    if load > 0.5:
        assert next_load(tipping, load, d) == pytest.approx(tipping, rel=1e-12)
        assert settled(load, d, tipping - 1e-4) == pytest.approx(steady, rel=1e-9)
        assert settled(load, d, tipping + 1e-4) == pytest.approx(2 * load)
    else:
        assert tipping == math.inf
        assert settled(load, d, 2.0) == pytest.approx(steady, rel=1e-9)


@pytest.mark.parametrize("d", (0.3, 1.0, 1.99, 2.01, 3.0, 4.993, 14.98, 60.0, 900.0))
def test_no_load_above_the_collapse_load_has_a_steady_state(d):
    limit = tails.collapse_load(d, mean_service_time=1.0)
    assert 0.5 <= limit < 1
    grid = np.linspace(0, 1, 400_001)
    for load, has_state in ((limit - 1e-4, True), (limit + 1e-4, False)):
        balance = load * (1 + np.exp(-(1 - grid) * d)) - grid
        assert (balance[:-1] < 0).any() == has_state
        found = tails.effective_loads(load, d, mean_service_time=1.0)
        assert (found is not None) == has_state


def test_the_figures_of_the_fleet_in_the_course():
    p95_at_80 = math.log(20) * 0.01 / (1 - 0.8)
    assert tails.effective_loads(0.8, p95_at_80, mean_service_time=0.01) is None
    assert tails.collapse_load(p95_at_80, mean_service_time=0.01) == pytest.approx(0.770, abs=5e-4)
    p95_at_40 = math.log(20) * 0.01 / (1 - 0.4)
    assert tails.collapse_load(p95_at_40, mean_service_time=0.01) == pytest.approx(0.585, abs=5e-4)


@pytest.mark.parametrize("mean", [1.0, 0.1, 0.3, 7.0])
def test_half_a_load_and_a_trigger_of_two_services_have_no_steady_state(mean):
    """W's argument is -1/e but for rounding, and both states would be at 1."""
    assert tails.effective_loads(0.5, 2 * mean, mean_service_time=mean) is None


@pytest.mark.parametrize("d", [2.5, 3.7, 8.0, 21.0])
def test_at_the_collapse_load_itself_steady_state_and_tipping_point_are_one(d):
    load = tails.collapse_load(d, mean_service_time=1.0)
    steady, tipping = tails.effective_loads(load, d, mean_service_time=1.0)
    assert steady == pytest.approx(load + 1 / d, abs=1e-6) == tipping


@pytest.mark.parametrize("q", (0.2, 0.63, 0.64, 0.9, 0.95, 0.99, 0.9999))
def test_a_trigger_at_the_own_quantile_collapses_where_the_fixed_trigger_does(q):
    load = tails.collapse_load_at_quantile(q)
    trigger = -math.log(1 - q) / (1 - load)  # the q-quantile of M/M/1 at that load
    assert tails.collapse_load(trigger, mean_service_time=1.0) == pytest.approx(load, rel=1e-9)


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda: tails.effective_loads(1.0, 1, mean_service_time=1), "load = 1.0"),
        (lambda: tails.effective_loads(0.5, 0, mean_service_time=1), "trigger_s = 0"),
        (lambda: tails.effective_loads(0.5, 1, mean_service_time=-1), "mean_service_time = -1"),
        (lambda: tails.collapse_load(math.inf, mean_service_time=1), "trigger_s = inf"),
        (lambda: tails.collapse_load_at_quantile(1), "q = 1"),
    ),
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
