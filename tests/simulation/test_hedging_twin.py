"""Kernel and story on shared draws: the same hedged run, copy by copy."""

import numpy as np
import pytest

from labutils.simulation import fleet_draws, hedged_fleet, poisson_arrivals
from labutils.simulation.hedging import hedging_twin


def fleet(seed, n, num_servers, *, utilization, correlation):
    rng = np.random.default_rng(seed)
    arrivals = -3.7 + poisson_arrivals(utilization * num_servers / 0.01, n, rng)
    return arrivals, fleet_draws(
        n,
        num_servers,
        rng,
        mean_service_time=0.01,
        correlation=correlation,
        kind="lognormal",
        scv=2.0,
    )


# At correlation 1 two servers that share everything would tie all the time: three at least.
@pytest.mark.parametrize(
    "num_servers, utilization, correlation", ((2, 0.8, 0.3), (3, 1.1, 1.0), (7, 0.9, 0.0))
)
@pytest.mark.parametrize("trigger_s", (0.0, 0.007, 0.03, np.inf))
@pytest.mark.parametrize("rule", ("none", "finish", "start"))
def test_twin_equals_kernel(num_servers, utilization, correlation, trigger_s, rule):
    n = 271 + 10 * num_servers
    arrivals, draws = fleet(
        7 + num_servers, n, num_servers, utilization=utilization, correlation=correlation
    )
    switches = (-np.inf,) if rule == "none" else (-np.inf, arrivals[n // 2] + 1e-4)
    for since in switches:
        options = {
            "num_servers": num_servers,
            "trigger_s": trigger_s,
            "cancel": rule,
            "cancel_from_s": since,
        }
        story = hedging_twin.hedged_fleet(arrivals, draws, **options)
        kernel = hedged_fleet(arrivals, draws, **options)
        assert (story.hedged == kernel.hedged).all()
        for column in ("arrival_s", "finish_s", "start_s", "stop_s", "work_s"):
            told, run = getattr(story, column), getattr(kernel, column)
            assert (np.isnan(told) == np.isnan(run)).all()
            assert np.nanmax(np.abs(told - run), initial=0.0) <= 1e-9
    assert kernel.hedged.any() == (trigger_s < np.inf)


def test_a_rule_that_comes_after_the_last_request_still_clears_up():
    arrivals, draws = fleet(4, 211, 3, utilization=1.3, correlation=0.0)
    options = {"num_servers": 3, "trigger_s": 0.01, "cancel": "finish"}
    since = {"cancel_from_s": arrivals[-1] + 0.05}
    story = hedging_twin.hedged_fleet(arrivals, draws, **options, **since)
    kernel = hedged_fleet(arrivals, draws, **options, **since)
    assert np.abs(story.finish_s - kernel.finish_s).max() <= 1e-9
    assert np.abs(story.work_s - kernel.work_s).max() <= 1e-9
    assert (
        kernel.finish_s.max()
        < hedged_fleet(arrivals, draws, num_servers=3, trigger_s=0.01).finish_s.max()
    )


def test_twin_refuses_what_the_kernel_refuses():
    arrivals, draws = fleet(1, 5, 3, utilization=0.5, correlation=0.0)
    with pytest.raises(ValueError, match="num_servers = 1"):
        hedging_twin.hedged_fleet(arrivals, draws, num_servers=1, trigger_s=1.0)
