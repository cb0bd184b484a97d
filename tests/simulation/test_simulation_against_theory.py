"""Simulated means against closed forms worked out here, at loads where 200,000 say something.

The bands are five standard deviations of the mean sojourn time at this length.
"""

import math

import numpy as np
import pytest

from labutils.laws.queueing import MMc
from labutils.simulation import (
    deterministic_services,
    exponential_services,
    fifo_queue,
    load_curve,
    poisson_arrivals,
)

N = 200_000


def mean_sojourn(arrival_rate, services, rng, *, num_servers=1):
    arrivals = poisson_arrivals(arrival_rate, N, rng)
    return fifo_queue(arrivals, services, num_servers=num_servers).sojourn_time_s.mean()


@pytest.mark.parametrize("seed", (1, 2, 3))
def test_mm1_at_half_load(seed):
    rng = np.random.default_rng(seed)
    simulated = mean_sojourn(12.5, exponential_services(0.04, N, rng), rng)
    assert simulated == pytest.approx(1 / (25 - 12.5), rel=0.034)


@pytest.mark.parametrize("seed", (4, 5))
def test_mm8_at_seventy_percent(seed):
    rng = np.random.default_rng(seed)
    simulated = mean_sojourn(5.6 * 10, exponential_services(0.1, N, rng), rng, num_servers=8)
    assert simulated == pytest.approx(0.1 * birth_death_sojourn(5.6, 8), rel=0.025)


def birth_death_sojourn(offered_load, num_servers, states=400):
    """Mean sojourn in mean service times, by summing the birth-death chain state by state."""
    weight, weights = 1.0, [1.0]
    for k in range(1, states):
        weight *= offered_load / min(k, num_servers)
        weights.append(weight)
    mean_number = math.fsum(k * w for k, w in enumerate(weights)) / math.fsum(weights)
    return mean_number / offered_load


@pytest.mark.parametrize("seed", (6, 7))
def test_md1_at_seventy_percent(seed):
    rng = np.random.default_rng(seed)
    simulated = mean_sojourn(7.0, deterministic_services(0.1, N), rng)
    # Pollaczek-Khinchine: deterministic service waits half as long as exponential service.
    assert simulated == pytest.approx(0.1 + 0.5 * 0.1 * 0.7 / 0.3, rel=0.029)


def test_overload_builds_a_backlog_that_grows_linearly():
    rng = np.random.default_rng(8)
    run = fifo_queue(poisson_arrivals(120, 60_000, rng), exponential_services(0.01, 60_000, rng))
    # 120/s into 100/s for 500 s: twenty more every second, give or take the noise of both.
    sigma = math.sqrt(220 * 250)
    assert run.in_flight().at(250.0) == pytest.approx(20 * 250, abs=5 * sigma)
    assert run.in_flight().at(125.0) == pytest.approx(20 * 125, abs=5 * sigma)


def test_load_curve_lies_on_the_closed_forms_of_the_queueing_room():
    rng = np.random.default_rng(9)
    gaps, services = rng.exponential(size=(2, N))
    for num_servers, load, band in ((1, 0.5, 0.034), (8, 0.7, 0.025)):
        theory = MMc(load * num_servers, 1.0, num_servers)
        curve = load_curve([0.2, load], gaps, services, num_servers=num_servers)
        assert curve.mean_sojourn_time[1] == pytest.approx(theory.mean_sojourn_time, rel=band)
        # The 99th percentile at this length has a standard deviation of some 1.2 %.
        p99 = theory.sojourn_time_quantile(0.99)
        assert curve.sojourn_time_quantile(0.99)[1] == pytest.approx(p99, rel=0.064)
