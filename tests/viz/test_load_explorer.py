"""The load explorer: its ceilings, its straight line, and its simulated points."""

import re

import numpy as np
import pytest

from labutils import simulation as sim
from labutils.viz.explorers.load import SIMULATED_LOADS, load_explorer


@pytest.fixture(scope="module")
def explorer():
    return load_explorer(seed=11, num_requests=20_000)


def ceiling(finding):
    return int(re.search(r"allows a load of (\d+) %", finding)[1])


def artists(explorer):
    ax = explorer._frames.fig.axes[0]
    theory, measured, promise, mark, _ = ax.lines
    return ax, theory, measured, promise, mark


@pytest.mark.parametrize("promise", [1.5, 2.0, 4.0, 10.0])
def test_one_server_may_be_as_busy_as_the_hyperbola_says(explorer, promise):
    """1 / (1 - load) = promise."""
    assert ceiling(explorer(target=promise)) == round(100 * (1 - 1 / promise))


def test_p99_of_one_server_is_ln_100_times_the_mean(explorer):
    finding = explorer(statistic="p99", target=20.0)
    assert ceiling(finding) == round(100 * (1 - np.log(100) / 20))


def test_more_servers_raise_the_ceiling_and_variability_lowers_it(explorer):
    fleets = [ceiling(explorer(servers=servers)) for servers in (1, 4, 16, 32)]
    assert fleets == sorted(set(fleets)) and fleets[0] == 50 and fleets[-1] > 95
    spreads = [ceiling(explorer(servers=4, scv=scv)) for scv in (0, 1, 4, 8)]
    assert spreads == sorted(set(spreads), reverse=True)


def simulated_ceiling(finding):
    return [float(x) for x in re.search(r"load of ([\d.]+) ± ([\d.]+) %", finding).groups()]


@pytest.mark.parametrize(("target", "scv", "without_waiting"), [(2, 0, 0.13516), (3, 0, 0.31950)])
def test_p99_of_equal_services_is_what_the_exact_formula_says(target, scv, without_waiting):
    """M/D/1 (Erlang 1909): P(wait <= 1 service) = (1 - r) e^r, <= 2: (1 - r)(e^2r - r e^r)."""
    explorer = load_explorer(seed=11, num_requests=200_000)
    load, margin = simulated_ceiling(explorer(statistic="p99", scv=scv, target=target))
    assert abs(load / 100 - without_waiting) < 3 * margin / 100 + 0.002


def test_p99_of_variable_services_is_simulated_and_not_on_the_unsafe_side():
    """A formula by the first two moments once allowed 28 %; a run of its own says 18."""
    explorer = load_explorer(seed=11, num_requests=200_000)
    finding = explorer(statistic="p99", scv=4, target=15)
    load, margin = simulated_ceiling(finding)
    gaps = np.random.default_rng(5).standard_exponential(400_000)
    services = sim.draw_unit("hyperexponential", gaps.size, np.random.default_rng(6), 4)
    run = sim.fifo_queue(np.cumsum(gaps) / (load / 100), services)
    assert np.quantile(run.sojourn_time_s, 0.99) == pytest.approx(15, rel=0.06)
    assert margin < 3 and "There is no formula" in finding
    _, theory, *_ = artists(explorer)
    assert len(theory.get_xdata()) == 0


def test_a_promise_below_the_service_itself_is_said_to_be_out_of_reach(explorer):
    finding = explorer(statistic="p99", target=3.0)
    assert "no load keeps" in finding
    assert len(artists(explorer)[4].get_xdata()) == 0


def test_headroom_turns_the_hyperbola_into_a_straight_line_of_slope_minus_one(explorer):
    explorer(axis="headroom")
    ax, theory, *_ = artists(explorer)
    assert ax.get_xscale() == ax.get_yscale() == "log"
    slope = np.diff(np.log(theory.get_ydata())) / np.diff(np.log(theory.get_xdata()))
    assert slope == pytest.approx(-1.0)
    explorer(axis="load")
    assert ax.get_xscale() == ax.get_yscale() == "linear"
    assert theory.get_ydata() == pytest.approx(1 / (1 - theory.get_xdata()))


@pytest.mark.parametrize(("servers", "scv"), [(1, 1), (1, 4), (8, 1)])
def test_simulated_points_lie_near_the_line_below_load_0_8(explorer, servers, scv):
    explorer(servers=servers, scv=scv, axis="headroom")
    _, theory, measured, *_ = artists(explorer)
    low = SIMULATED_LOADS <= 0.75
    at = np.interp(SIMULATED_LOADS[low], 1 - theory.get_xdata(), theory.get_ydata())
    assert measured.get_ydata()[low] == pytest.approx(at, rel=0.25)
    assert measured.get_xdata() == pytest.approx(1 - SIMULATED_LOADS)


def test_the_same_seed_draws_the_same_points_and_another_does_not():
    points = [
        artists(load_explorer(seed=seed, num_requests=5_000))[2].get_ydata() for seed in (1, 1, 2)
    ]
    assert (points[0] == points[1]).all() and (points[0] != points[2]).any()


def test_the_mark_stands_where_the_promise_is_met(explorer):
    explorer(servers=8, target=3.0)
    _, theory, _, promise, mark = artists(explorer)
    assert promise.get_ydata()[0] == 3.0
    met = np.interp(3.0, theory.get_ydata(), theory.get_xdata())
    assert mark.get_xdata()[0] == pytest.approx(met, abs=0.01)


def test_bad_input_is_named(explorer):
    with pytest.raises(ValueError, match="num_requests = 10"):
        load_explorer(seed=1, num_requests=10)
    with pytest.raises(ValueError, match="servers = 3"):
        explorer(servers=3)
