"""Exact steady states, against other theory: Crommelin's M/D/c, M/D/1, and brute force."""

import math

import numpy as np
import pytest
from scipy.stats import poisson

from labutils.laws.batching import (
    AffineBatchTime,
    BulkQueue,
    LogBatchTime,
    fill_batch_mean_sojourn,
    take_everything_mean_sojourn,
)
from labutils.laws.queueing import MD1, UnstableQueueError

MODEL = AffineBatchTime(0.004, 0.0009)


def crommelin_wait(load, servers):
    """Mean wait at M/D/c in units of one service (Crommelin 1934), summed until nothing is left."""
    i = np.arange(1, 40_000)
    more = poisson.sf(i * servers - 1, i * load)
    return float((more - servers / load * poisson.sf(i * servers, i * load)).sum())


@pytest.mark.parametrize("rate, batch", ((800, 16), (800, 13), (150, 1), (430, 5), (61, 37)))
def test_fill_batch_is_every_bth_customer_of_deterministic_servers(rate, batch):
    """Batches arrive as every B-th request does, so they wait as at M/D/B."""
    seconds = MODEL(batch)
    wait = seconds * crommelin_wait(rate * seconds, batch)
    expected = (batch - 1) / (2 * rate) + wait + seconds
    assert fill_batch_mean_sojourn(rate, MODEL, batch) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("utilization", (0.05, 0.62, 0.96))
def test_batches_of_one_are_the_queue_with_equal_services(utilization):
    theory = MD1(utilization / 0.31, 1 / 0.31)
    queue = BulkQueue(utilization / 0.31, lambda batch: 0.31 * batch, 1)
    assert queue.mean_sojourn_time == pytest.approx(theory.mean_sojourn_time, rel=1e-10)
    assert queue.mean_waiting_time == pytest.approx(theory.mean_waiting_time, rel=1e-8)
    assert queue.mean_num_in_system == pytest.approx(theory.mean_num_in_system, rel=1e-10)
    assert queue.utilization == pytest.approx(utilization, rel=1e-10)
    assert queue.mean_batch == pytest.approx(1, rel=1e-10)


def brute_force(rate, table, least, most, states=90):
    """Move the weights until they stay; then add up what a cycle holds, state by state."""
    chances = [poisson.pmf(np.arange(states), rate * seconds) for seconds in table]
    size = [min(max(n, least), most) for n in range(states)]
    weights = np.full(states, 1 / states)
    for _ in range(3000):
        moved = np.zeros(states)
        for n in range(states):
            left = max(n, least) - size[n]
            moved[left:] += weights[n] * chances[size[n]][: states - left]
        weights = moved / moved.sum()
    area = time = 0.0
    for n in range(states):
        waiting, seconds = n, table[size[n]]
        while waiting < least:
            area, time = area + weights[n] * waiting / rate, time + weights[n] / rate
            waiting += 1
        area += weights[n] * (waiting * seconds + rate * seconds**2 / 2)
        time += weights[n] * seconds
    return area / time, time * rate, weights


@pytest.mark.parametrize("least, most", ((1, 4), (2, 5), (3, 3)))
def test_any_rule_and_any_table_against_brute_force(least, most):
    table = np.array([0.0, 1.0, 1.7, 1.9, 2.9, 3.1])
    inside, batch, _ = brute_force(0.9, table, least, most)
    queue = BulkQueue(0.9, lambda size: table[size], most, least_batch=least)
    assert queue.mean_num_in_system == pytest.approx(inside, rel=1e-8)
    assert queue.mean_sojourn_time == pytest.approx(inside / 0.9, rel=1e-8)
    assert queue.mean_batch == pytest.approx(batch, rel=1e-8)


def test_latency_falls_and_rises_again_with_the_batch():
    """The corrected claim about 800 requests/s: 16 → 32.7, 32 → 52.9, 64 → 101 ms."""
    means = {b: 1e3 * fill_batch_mean_sojourn(800, MODEL, b) for b in (12, 16, 32, 64)}
    assert means == pytest.approx({12: 65.6, 16: 32.7, 32: 52.8, 64: 101.1}, rel=2e-3)
    with pytest.raises(UnstableQueueError, match=r"714\.28.* 1\.12 times"):
        fill_batch_mean_sojourn(800, MODEL, 8)


def test_taking_everything_at_400_per_second():
    queue = BulkQueue(400, AffineBatchTime(0.005, 0.0005), 32)
    assert 1e3 * queue.mean_sojourn_time == pytest.approx(9.83, abs=0.005)
    assert queue.mean_batch == pytest.approx(2.605, abs=0.001)
    assert queue.mean_waiting_time < queue.mean_sojourn_time - AffineBatchTime(0.005, 0.0005)(2.6)


def test_no_limit_is_a_limit_that_is_never_met():
    model = AffineBatchTime(1.3, 0.2)
    capped = take_everything_mean_sojourn(2.5, model, 200)
    assert take_everything_mean_sojourn(2.5, model) == pytest.approx(capped, rel=1e-10)
    assert take_everything_mean_sojourn(30, LogBatchTime(1.0, 0.1)) > 1


def test_light_traffic_costs_one_batch_of_one():
    assert take_everything_mean_sojourn(1e-6, MODEL) == pytest.approx(0.0049, rel=1e-6)


@pytest.mark.parametrize(
    "make, message",
    (
        (lambda: BulkQueue(0, MODEL, 4), "arrival_rate = 0"),
        (lambda: BulkQueue(5, MODEL, 4, least_batch=5), "max_batch = 4: .* at least 5"),
        (lambda: BulkQueue(5, MODEL, 2.5), r"max_batch = 2\.5"),
        (lambda: BulkQueue(5, MODEL, 4, least_batch=0), "least_batch = 0"),
        (lambda: BulkQueue(5, lambda b: 1.0, math.inf), "no limit_per_s"),
        (lambda: BulkQueue(1112, MODEL, math.inf), "arrival_rate = 1112/s"),
        (lambda: BulkQueue(0.99999, lambda b: 1.0, 1).mean_batch, "too near saturation"),
    ),
)
def test_what_it_refuses(make, message):
    with pytest.raises(ValueError, match=message):
        make()
