"""Simulated means within five standard errors of exact ones, at utilization 0.7 or less."""

import math

import numpy as np
import pytest

from labutils.laws.batching import AffineBatchTime, BulkQueue
from labutils.simulation import batch_queue, poisson_arrivals

MODEL = AffineBatchTime(0.005, 0.0005)
SEEDS, REQUESTS = range(24), 20_000


def simulated(rate, most, timeout, seed):
    arrivals = poisson_arrivals(rate, REQUESTS, np.random.default_rng(seed))
    run = batch_queue(arrivals, MODEL, max_batch=most, batch_timeout_s=timeout)
    settled = run.sojourn_time_s[REQUESTS // 50 :]
    return settled.mean(), run.waiting_time_s[REQUESTS // 50 :].mean(), run.mean_batch


@pytest.mark.parametrize(
    "most, least, load",
    ((5, 1, 0.7), (32, 1, 0.55), (1, 1, 0.6), (7, 7, 0.7), (23, 23, 0.35)),
)
def test_means_agree_with_the_exact_chain(most, least, load):
    rate = load * MODEL.throughput_per_s(most)
    theory = BulkQueue(rate, MODEL, most, least_batch=least)
    timeout = 0.0 if least == 1 else math.inf
    runs = np.array([simulated(rate, most, timeout, seed + 100 * most) for seed in SEEDS])
    band = 5 * runs.std(axis=0, ddof=1) / math.sqrt(len(SEEDS))
    expected = (theory.mean_sojourn_time, theory.mean_waiting_time, theory.mean_batch)
    assert (np.abs(runs.mean(axis=0) - expected) <= band + 1e-3 * np.array(expected)).all()
    assert (band < 0.05 * np.array(expected)).all()


@pytest.mark.parametrize("timeout, mean_ms", ((0.0, 9.8), (0.005, 10.6), (0.020, 21.1)))
def test_a_window_costs_more_than_it_saves_at_400_per_second(timeout, mean_ms):
    arrivals = poisson_arrivals(400, 200_000, np.random.default_rng(7))
    run = batch_queue(arrivals, MODEL, max_batch=32, batch_timeout_s=timeout)
    assert 1e3 * run.sojourn_time_s.mean() == pytest.approx(mean_ms, abs=0.06)


def test_the_best_99th_percentile_at_800_per_second_misses_50_ms():
    arrivals = poisson_arrivals(800, 100_000, np.random.default_rng(7))
    model = AffineBatchTime(0.004, 0.0009)
    p99 = {
        most: np.quantile(
            batch_queue(arrivals, model, max_batch=most, batch_timeout_s=math.inf).sojourn_time_s,
            0.99,
        )
        for most in range(12, 40)
    }
    best = min(p99, key=p99.get)
    assert 16 <= best <= 20
    assert 0.052 < p99[best] < 0.057
