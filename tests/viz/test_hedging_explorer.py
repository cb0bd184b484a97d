"""The hedging explorer: its curves, its trigger, and what it says about a dead fleet."""

import re

import numpy as np
import pytest

from labutils import simulation as sim
from labutils.viz.explorers.hedging import RANGE, SERVERS, ascending, hedging_explorer


@pytest.fixture(scope="module")
def explorer():
    return hedging_explorer(seed=4, num_requests=20_000)


def curves(explorer):
    alone, hedged, trigger, *dots = explorer._frames.fig.axes[0].lines
    return alone, hedged, trigger, dots


def copies(finding):
    return float(re.search(r"([\d.]+) % copies", finding)[1])


def test_the_curves_are_the_shares_that_take_longer(explorer):
    explorer(load=0.5, trigger=0.8, cancel="none")
    alone, hedged, trigger, _ = curves(explorer)
    unhedged, run = rebuilt(0.5, 0.8, "none", 0)
    for line, latencies in ((alone, unhedged), (hedged, run.sojourn_time_s[2_000:])):
        t = line.get_xdata()[::40]
        share = [(latencies > x).mean() for x in t]
        assert np.nan_to_num(line.get_ydata()[::40]) == pytest.approx(share, abs=2e-4)
    assert trigger.get_xdata()[0] == pytest.approx(np.quantile(unhedged, 0.8), rel=1e-3)


def rebuilt(load, q, cancel, correlation):
    """The explorer's fleet from its seed, without the explorer's code."""
    arrivals = np.cumsum(np.random.default_rng(4).standard_exponential(20_000)) / (SERVERS * load)
    draws = sim.fleet_draws(
        20_000, SERVERS, np.random.default_rng(5), mean_service_time=1.0,
        correlation=correlation, kind="hyperexponential", scv=4.0,
    )  # fmt: skip
    alone = sim.hedged_fleet(arrivals, draws, num_servers=SERVERS, trigger_s=np.inf)
    unhedged = np.sort(alone.sojourn_time_s[2_000:])
    trigger = float(unhedged[int(np.ceil(q * unhedged.size)) - 1])
    run = sim.hedged_fleet(arrivals, draws, num_servers=SERVERS, trigger_s=trigger, cancel=cancel)
    return unhedged, run


@pytest.mark.parametrize(("cancel", "correlation"), [("none", 0.5), ("finish", 1), ("start", 0)])
def test_the_finding_counts_the_copies(explorer, cancel, correlation):
    finding = explorer(load=0.3, trigger=0.9, cancel=cancel, correlation=correlation)
    _, run = rebuilt(0.3, 0.9, cancel, correlation)
    assert copies(finding) == pytest.approx(100 * run.extra_requests, abs=0.06)


def test_below_the_trigger_little_changes_and_the_p99_falls(explorer):
    finding = explorer(load=0.3, trigger=0.95, cancel="finish", correlation=0)
    before, after = map(float, re.search(r"p99 ([\d.]+) → ([\d.]+)", finding).groups())
    assert after < 0.75 * before
    alone, hedged, trigger, dots = curves(explorer)
    early = alone.get_xdata() < 0.9 * trigger.get_xdata()[0]
    assert hedged.get_ydata()[early] == pytest.approx(alone.get_ydata()[early], abs=0.04)
    assert [dot.get_xdata()[0] for dot in dots] == pytest.approx([before, after], rel=0.01)


def test_a_fleet_that_hedges_everything_is_called_dead():
    explorer = hedging_explorer(seed=4, num_requests=60_000)
    finding = explorer(load=0.9, trigger=0.5, cancel="none")
    assert "the fleet is dead" in finding and "p99" not in finding.split("copies")[1]
    p99 = [(dot.get_xdata()[0], dot.get_visible()) for dot in curves(explorer)[3]]
    assert p99[0][0] < RANGE[1] < p99[1][0] and [seen for _, seen in p99] == [True, False]
    assert "dead" not in explorer(load=0.9, trigger=0.5, cancel="start")


def test_the_load_is_doubled_by_blind_copies_and_not_by_tied_ones(explorer):
    def after(**values):
        finding = explorer(load=0.1, trigger=0.5, **values)
        return float(re.search(r"→ ([\d.]+); latency", finding)[1])

    assert after(cancel="none", correlation=0) == pytest.approx(0.15, abs=0.015)
    assert after(cancel="start", correlation=0) == pytest.approx(0.10, abs=0.011)


def test_latencies_ascend_without_the_first_tenth():
    _, run = rebuilt(0.4, 0.9, "finish", 0)
    latencies = ascending(run)
    assert latencies.size == 18_000 and (np.diff(latencies) >= 0).all()
    assert latencies.sum() == pytest.approx(run.sojourn_time_s[2_000:].sum(), rel=1e-5)


def test_bad_input_is_named(explorer):
    with pytest.raises(ValueError, match="num_requests = 10"):
        hedging_explorer(seed=1, num_requests=10)
    with pytest.raises(ValueError, match=r"load = 0\.95"):
        explorer(load=0.95)
