"""Hedged fleets against closed forms, at loads where a run says something; five-sigma bands."""

import math

import numpy as np
import pytest

from labutils.laws import tails
from labutils.laws.queueing import MM1
from labutils.simulation import (
    batch_means,
    drop_warm_up,
    fleet_draws,
    hedged_fleet,
    poisson_arrivals,
)


def run(seed, n, num_servers, *, load, kind="exponential", scv=None, correlation=0.0, **options):
    """A fleet with mean service time 1."""
    rng = np.random.default_rng(seed)
    arrivals = poisson_arrivals(load * num_servers, n, rng)
    draws = fleet_draws(
        n,
        num_servers,
        rng,
        mean_service_time=1.0,
        correlation=correlation,
        kind=kind,
        scv=scv,
    )
    return hedged_fleet(arrivals, draws, num_servers=num_servers, **options)


def assert_mean(values, expected):
    """The mean of a run's output, within five standard errors by batch means."""
    estimate = batch_means(drop_warm_up(values), confidence=1 - 1e-4)  # 4.9 of 19 degrees
    assert estimate.mean == pytest.approx(expected, abs=estimate.half_width)
    assert estimate.half_width < 0.35 * expected, "a band this wide proves nothing"


@pytest.mark.parametrize("rule", ("none", "finish"))
def test_a_fleet_at_next_to_no_load_hedges_as_independent_leaves_do(rule):
    shape = math.sqrt(math.log(5))  # lognormal, scv 4, mean 1

    def leaf(t):
        z = (math.log(t) + shape**2 / 2) / shape if t > 0 else -math.inf
        return math.erfc(z / math.sqrt(2)) / 2

    trigger = tails.tail_quantile(leaf, 0.95)
    hedge = tails.Hedge(leaf, trigger)
    result = run(
        11, 200_000, 500, load=2e-4, kind="lognormal", scv=4.0, trigger_s=trigger, cancel=rule
    )
    assert_mean(result.hedged.astype(float), 0.05)
    for t in (0.5 * trigger, 1.1 * trigger, 1.4 * trigger):
        assert_mean((result.sojourn_time_s > t).astype(float), hedge.tail(t))


def test_identical_copies_on_idle_servers_buy_nothing():
    result = run(
        3,
        50_001,
        500,
        load=2e-4,
        correlation=1.0,
        trigger_s=3.0,
        cancel="finish",
        kind="gamma",
        scv=0.8,
    )
    unhedged = result.service_s[:, 0]
    assert (result.sojourn_time_s > unhedged - 1e-9).mean() > 0.999
    wasted = np.maximum(unhedged - 3.0, 0).sum() / unhedged.sum()
    assert result.extra_work == pytest.approx(wasted, abs=2e-3) and wasted > 0.02


@pytest.mark.parametrize("num_servers, load", ((2, 0.6), (5, 0.5), (9, 0.7)))
def test_two_copies_at_once_and_the_first_answer_counts(num_servers, load):
    """Redundancy-2 with exponential services (Gardner et al. 2017, theorem 1)."""
    expected = sum(
        1 / (num_servers * ((num_servers - 1) / (i - 1) - load)) for i in range(2, num_servers + 1)
    )
    result = run(5, 200_000, num_servers, load=load, trigger_s=0.0, cancel="finish")
    assert_mean(result.sojourn_time_s, expected)
    # Two memoryless copies in service are done at twice the rate: no work is wasted.
    assert_mean(result.work_s, 1.0)


@pytest.mark.parametrize("load, trigger", ((0.5, 5.0), (0.3, 2.5), (0.6, 8.0)))
def test_a_large_fleet_without_cancellation_settles_where_the_fluid_argument_says(load, trigger):
    steady, _ = tails.effective_loads(load, trigger, mean_service_time=1.0)
    result = run(21, 400_000, 400, load=load, trigger_s=trigger)
    assert_mean(result.hedged.astype(float), steady / load - 1)
    assert_mean(result.work_s, steady / load)
    leaf = MM1(steady, 1.0).sojourn_time_tail
    hedge = tails.Hedge(leaf, trigger)
    for t in (1.0, trigger + 1.0):
        assert_mean((result.sojourn_time_s > t).astype(float), hedge.tail(t))


def test_cancellation_keeps_a_fleet_alive_that_hedging_alone_brings_down():
    load, trigger = 0.7, 5.0
    assert tails.effective_loads(load, trigger, mean_service_time=1.0) is None
    dead = run(8, 100_000, 20, load=load, trigger_s=trigger)
    alive = run(8, 100_000, 20, load=load, trigger_s=trigger, cancel="finish")
    unhedged = run(8, 100_000, 20, load=load, trigger_s=math.inf)
    assert np.median(dead.sojourn_time_s) > 50 * np.median(unhedged.sojourn_time_s)
    assert np.quantile(alive.sojourn_time_s, 0.99) < 0.7 * np.quantile(
        unhedged.sojourn_time_s, 0.99
    )
