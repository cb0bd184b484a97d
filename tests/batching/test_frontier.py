"""The frontier, against the definition applied to every pair."""

import numpy as np
import pytest

from labutils.laws.batching import frontier


def unbeaten(rates, latencies):
    points = list(zip(rates, latencies, strict=True))
    return {
        i
        for i, (rate, latency) in enumerate(points)
        if np.isfinite(latency)
        and not any(r >= rate and s <= latency and (r, s) != (rate, latency) for r, s in points)
    }


@pytest.mark.parametrize("seed", range(8))
def test_nobody_on_it_is_beaten_and_nobody_else_is_missing(seed):
    rng = np.random.default_rng(seed)
    rates, latencies = rng.integers(0, 12, (2, 41)).astype(float)
    latencies[rng.random(41) < 0.2] = np.inf
    places = frontier(rates, latencies)
    assert set(places.tolist()) == unbeaten(rates, latencies)
    assert (np.diff(rates[places]) >= 0).all()
    assert (np.diff(latencies[places]) >= 0).all()


def test_a_point_alone_and_points_without_a_steady_state():
    assert frontier([3.0], [1.0]).tolist() == [0]
    assert frontier([3.0, 4.0], [np.inf, np.inf]).tolist() == []


def test_what_it_refuses():
    with pytest.raises(ValueError, match="latency_s"):
        frontier([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="latency_s"):
        frontier([1.0, 2.0], [1.0, np.nan])
    with pytest.raises(ValueError, match="throughput_per_s"):
        frontier([], [])
