"""A fleet with a hedging budget: equal to the fleet without one, and never beyond its limits."""

import numpy as np
import pytest

from labutils import simulation as sim
from labutils.simulation.hedging.hedge_budget import budgeted_fleet


def a_fleet(*, load, seed, n=4_001, servers=7, mean=0.02, **draws):
    rng = np.random.default_rng(seed)
    arrivals = sim.poisson_arrivals(load * servers / mean, n, rng)
    return arrivals, sim.fleet_draws(n, servers, rng, mean_service_time=mean, **draws)


@pytest.mark.parametrize(("load", "trigger"), [(0.3, 0.05), (0.6, 0.0), (0.9, 0.1)])
def test_without_a_limit_it_is_the_fleet_that_cancels_nothing(load, trigger):
    arrivals, draws = a_fleet(load=load, seed=5)
    with_budget = budgeted_fleet(
        arrivals, draws, num_servers=7, trigger_s=trigger, budget=9.0, burst=1e9
    )
    without = sim.hedged_fleet(arrivals, draws, num_servers=7, trigger_s=trigger)
    assert with_budget.finish_s == pytest.approx(without.finish_s, abs=1e-9)
    assert (with_budget.hedged == without.hedged).all()
    assert with_budget.work_s.sum() == pytest.approx(without.work_s.sum())


def test_no_tokens_and_no_trigger_mean_no_copies():
    arrivals, draws = a_fleet(load=0.8, seed=6)
    alone = sim.hedged_fleet(arrivals, draws, num_servers=7, trigger_s=np.inf)
    settings = (
        {"trigger_s": 0.01, "budget": 0.0, "burst": 0.5},
        {"trigger_s": np.inf, "budget": 1.0},
    )
    for setting in settings:
        run = budgeted_fleet(arrivals, draws, num_servers=7, **setting)
        assert not run.hedged.any()
        assert run.finish_s == pytest.approx(alone.finish_s, abs=1e-9)


@pytest.mark.parametrize(("budget", "burst"), [(0.05, 10.0), (0.2, 1.0), (0.01, 3.5)])
def test_copies_stay_within_the_budget_at_every_moment(budget, burst):
    """Between any two requests at most budget × requests + burst copies are sent."""
    arrivals, draws = a_fleet(load=0.95, seed=7, n=9_001)
    run = budgeted_fleet(arrivals, draws, num_servers=7, trigger_s=0.03, budget=budget, burst=burst)
    sent_at = np.sort(run.arrival_s[run.hedged] + 0.03)
    came = np.searchsorted(arrivals, sent_at, side="right")
    copies = np.arange(sent_at.size)
    above = copies - budget * came  # its rise from its lowest point so far is what was spent
    assert (above - np.minimum.accumulate(above)).max() <= burst + budget + 1e-6
    assert 0.75 * budget < run.hedged.mean() < budget + burst / arrivals.size


def test_tokens_by_hand():
    """Six requests of 10 s, one a second: all are late; half a token each, at most one kept."""
    draws = sim.FleetDraws(np.full((6, 2), 10.0), np.array([[0, 1]] * 6))
    run = budgeted_fleet(np.arange(6.0), draws, num_servers=2, trigger_s=0.5, budget=0.5, burst=1.0)
    assert run.hedged.tolist() == [True, False, True, False, True, False]
    assert run.start_s[run.hedged, 1].tolist() == [0.5, 10.5, 20.5]
    assert run.finish_s.tolist() == [10.0, 20.0, 20.5, 40.0, 30.5, 60.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_servers": 1}, "num_servers = 1"),
        ({"trigger_s": -0.1}, "trigger_s = -0.1"),
        ({"budget": -0.1}, "budget = -0.1"),
        ({"burst": 0}, "burst = 0"),
        ({"num_servers": 3}, "from 0 to 2"),
        ({"arrival_s": np.arange(5.0)}, "shape"),
    ],
)
def test_bad_input_is_named(change, message):
    arrivals, draws = a_fleet(load=0.5, seed=8, n=301)
    good = {"arrival_s": arrivals, "num_servers": 7, "trigger_s": 0.1, "budget": 0.1}
    with pytest.raises(ValueError, match=message):
        budgeted_fleet(draws=draws, **(good | change))
