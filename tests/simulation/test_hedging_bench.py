"""One stream of requests under several rules: the same draws, the loads and the table."""

import numpy as np
import pytest

from labutils import simulation as sim
from labutils.simulation.hedging.hedge_budget import budgeted_fleet
from labutils.simulation.hedging_bench import HedgingBench, hedging_table


def a_bench(seed=5, size=3_000):
    rng = np.random.default_rng(seed)
    return HedgingBench.drawn(size, num_servers=4, mean_service_time=0.02, rng=rng)


def test_a_run_is_the_hedged_fleet_at_that_load():
    rng = np.random.default_rng(5)
    gaps = rng.exponential(size=3_000)
    draws = sim.fleet_draws(3_000, 4, rng, mean_service_time=0.02)
    arrivals = np.cumsum(gaps) * 0.02 / (4 * 0.6)
    rules = {"num_servers": 4, "trigger_s": 0.05}
    run = a_bench().run(0.6, 0.05, cancel="finish")
    expected = sim.hedged_fleet(arrivals, draws, cancel="finish", **rules)
    assert run.finish_s == pytest.approx(expected.finish_s)
    capped = a_bench().run(0.6, 0.05, budget=0.03)
    expected = budgeted_fleet(arrivals, draws, budget=0.03, **rules)
    assert capped.finish_s == pytest.approx(expected.finish_s)
    assert capped.extra_requests < run.extra_requests


def test_utilization_without_copies_is_the_load():
    bench = a_bench(seed=8, size=60_000)
    assert bench.utilization(bench.run(0.45)) == pytest.approx(0.45, rel=0.03)


def test_the_table_leaves_out_the_first_tenth_and_names_its_units():
    answers = np.r_[np.full(10, 77.0), np.full(80, 0.03), np.full(10, 2.4)]
    arrivals, stop_s = np.zeros(100), np.column_stack((answers, np.full(100, np.nan)))
    hedged = np.arange(100) < 7
    run = sim.HedgedRun(arrivals, answers, hedged, np.zeros((100, 2)), stop_s, stop_s / 2)
    head, row = hedging_table("a title", {"one rule": run}).splitlines()
    assert head.split() == ["a", "title", "p50", "p99", "copies", "work"]
    assert row.split() == ["one", "rule", "30", "ms", "2", "s", "+7", "%", "+100", "%"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: a_bench().run(0), "load = 0"),
        (lambda: a_bench().run(0.5, 0.1, cancel="finish", budget=0.05), "cancel = 'finish'"),
        (lambda: a_bench(size=3), "num_requests = 3"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
