"""A pipeline from measured times: stages by hand, and rows that stay together."""

import numpy as np
import pytest

from labutils.laws.queueing import Stage
from labutils.simulation import poisson_arrivals
from labutils.simulation.pipeline import Parallel, measured_stages, resampled_services, run_pipeline

TIMES = {"a": [0.1, 0.3, 0.2, 0.2], "b": [1.0, 3.0, 2.0, 6.0], "c": [0.5, 0.5, 0.5, 0.5]}


def test_stages_have_the_mean_and_the_spread_that_were_measured():
    stages = measured_stages(TIMES, servers={"b": 7})
    assert stages["b"] == Stage("b", 3.0, servers=7, scv=3.5 / 9)
    assert stages["a"].mean_s == pytest.approx(0.2) and stages["a"].servers == 1
    assert stages["c"].scv == 0


def test_rows_are_measured_requests_in_the_order_of_the_plan():
    s = measured_stages(TIMES)
    services = resampled_services(
        [s["c"], Parallel(s["b"], s["a"])], TIMES, 2_000, np.random.default_rng(3)
    )
    rows, counts = np.unique(services, axis=0, return_counts=True)
    assert rows.tolist() == [[0.5, 1.0, 0.1], [0.5, 2.0, 0.2], [0.5, 3.0, 0.3], [0.5, 6.0, 0.2]]
    assert np.abs(counts - 500).max() < 5 * (2_000 * 0.25 * 0.75) ** 0.5


def test_dependence_between_stages_makes_a_longer_tail():
    """Two stages that are slow for the same requests: independent draws hide their p99."""
    pace = np.random.default_rng(2).lognormal(0, 1, 5_000)
    times = {"first": 0.1 * pace, "second": 0.2 * pace}
    plan = [*measured_stages(times).values()]
    rng = np.random.default_rng(5)
    arrivals = poisson_arrivals(0.02, 20_000, rng)
    rows = resampled_services(plan, times, 20_000, rng)
    mixed = rng.permuted(rows, axis=0)
    together, apart = (run_pipeline(plan, arrivals, each) for each in (rows, mixed))
    p99 = [np.quantile(run.sojourn_time_s, 0.99) for run in (together, apart)]
    assert p99[0] > 1.1 * p99[1] and p99[0] == pytest.approx(0.3 * np.exp(2.326), rel=0.1)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="servers = 'd': expected one of a, b, c"):
        measured_stages(TIMES, servers={"d": 2})
    with pytest.raises(ValueError, match="no times of 'x', only of a, b, c"):
        resampled_services([Stage("x", 1.0)], TIMES, 3, np.random.default_rng(1))
    with pytest.raises(ValueError, match="mean_s = 0"):
        measured_stages({"a": [0.0, 0.0]})
    with pytest.raises(ValueError, match="one for each request"):
        measured_stages({"a": [1.0], "b": [1.0, 2.0]})
