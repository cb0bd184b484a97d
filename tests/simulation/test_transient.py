"""Queues before they settle, against the fluid line and against a queue that never empties."""

import numpy as np
import pytest

from labutils.simulation import backlog_runs


def test_an_overload_grows_and_drains_along_the_fluid_line():
    """400 runs of 40 s at 130/s against 100/s, then 30/s: mean within five standard errors.

    Above saturation the backlog is arrivals minus services, so after t seconds its variance is
    (130 + 100) t; far from empty the same holds while it drains.
    """
    times = np.array([10.0, 40.0, 45.0])
    counts = backlog_runs([130, 30], [40, 20], 100, times, runs=400, rng=np.random.default_rng(5))
    expected = np.array([300.0, 1200.0, 850.0])
    variance = np.array([2300.0, 9200.0, 9200.0 + 130 * 5])
    assert counts.shape == (400, 3)
    # The queue of an empty start may touch zero at first: allow its few requests on top.
    assert (np.abs(counts.mean(axis=0) - expected) < 5 * np.sqrt(variance / 400) + 4).all()
    assert (np.abs(counts.var(axis=0) / variance - 1) < 0.4).all()


def test_runs_differ_and_a_seed_repeats_them():
    def draw(seed):
        rng = np.random.default_rng(seed)
        return backlog_runs([50, 0], [7, 3], 60, [1.5, 6.9, 9.9], runs=3, rng=rng)

    assert (draw(1) == draw(1)).all()
    assert len({tuple(row) for row in draw(1)} | {tuple(row) for row in draw(2)}) > 3


def test_nobody_comes():
    counts = backlog_runs([0], [5], 60, [1.0, 2.0], runs=2, rng=np.random.default_rng(3))
    assert (counts == 0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"service_rate": 0}, "service_rate = 0"),
        ({"times_s": []}, "times_s"),
        ({"runs": 1.5}, "runs = 1.5"),
        ({"rng": 7}, "rng = 7"),
        ({"durations_s": [1]}, "durations_s"),
    ],
)
def test_bad_input_is_named(change, message):
    given = {
        "arrival_rates": [1, 2],
        "durations_s": [3, 4],
        "service_rate": 5,
        "times_s": [1.0],
        "runs": 2,
        "rng": np.random.default_rng(1),
    } | change
    with pytest.raises(ValueError, match=message):
        backlog_runs(**given)
