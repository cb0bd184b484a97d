import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import poisson

from labutils.laws.queueing import MD1, MM1

from .oracles import md1_tail


@pytest.mark.parametrize("load", [1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-9])
@pytest.mark.parametrize("services", [0.0, 0.37, 1.0, 1.999, 5.25, 20.0, 47.99, 48.0, 60.5])
def test_the_tail_agrees_with_the_alternating_series_in_many_digits(load, services):
    exact = md1_tail(load, services)
    tail = MD1(load, 1.0).waiting_time_tail(services)
    assert tail == pytest.approx(exact, rel=2e-11, abs=1e-100)


def test_the_service_time_only_stretches_the_clock():
    assert MD1(70.0, 100.0).waiting_time_tail(0.045) == pytest.approx(md1_tail(0.7, 4.5), rel=1e-11)


@pytest.mark.parametrize("load", [0.4, 0.85])
def test_means_agree_with_the_embedded_chain(load):
    levels = 150
    chain = np.zeros((levels, levels))
    for n in range(levels):
        chain[n, max(0, n - 1) :] = poisson.pmf(np.arange(levels - max(0, n - 1)), load)
    chain[:, -1] += 1 - chain.sum(axis=1)
    seen = np.linalg.matrix_power(chain, 4096)[0]
    queue = MD1(load * 6.0, 6.0)
    assert queue.mean_num_in_system == pytest.approx(seen @ np.arange(levels), rel=1e-8)
    assert queue.p_wait == pytest.approx(1 - seen[0], rel=1e-9)
    assert queue.mean_queue_length == pytest.approx(seen[1:] @ np.arange(levels - 1), rel=1e-8)


def test_the_mean_is_the_area_under_the_tail():
    queue = MD1(0.8, 1.0)
    t = np.linspace(0, 120, 60_001)
    assert np.trapezoid(queue.waiting_time_tail(t), t) == pytest.approx(2.0, rel=1e-4)


def test_half_the_wait_of_exponential_services():
    assert MD1(0.9, 1.0).mean_waiting_time == pytest.approx(4.5)
    assert MD1(3.0, 4.0).mean_waiting_time == pytest.approx(MM1(3.0, 4.0).mean_waiting_time / 2)


@settings(deadline=None)
@given(st.floats(1e-4, 1 - 1e-6), st.floats(0.01, 1 - 1e-9))
def test_quantiles_undo_tails(load, q):
    queue = MD1(load * 40, 40)
    wait = queue.waiting_time_quantile(q)
    assert queue.sojourn_time_quantile(q) == wait + 1 / 40
    if wait > 0:
        assert queue.waiting_time_tail(wait) == pytest.approx(1 - q, rel=1e-7)
    else:
        assert queue.waiting_time_tail(0) <= 1 - q + 1e-12


def test_nobody_leaves_before_one_service_is_over():
    queue = MD1(0.5, 2.0)
    assert queue.sojourn_time_tail(0.49) == 1
    assert queue.sojourn_time_tail(0.5) == pytest.approx(0.25)
    assert queue.sojourn_time_tail(0.9) == queue.waiting_time_tail(0.4)


@pytest.mark.parametrize("load", [1e-200, 1e-30, 1e-4, 0.3, 1 - 1e-9, 1 - 1e-15])
def test_the_far_tail_decays_at_the_root_of_its_equation(load):
    queue = MD1(load, 1.0)
    with mp.workdps(80):
        guess = 2 * (1 - load) if load > 0.5 else -1.2 * math.log(load)
        root = mp.findroot(lambda u: mp.log(mp.expm1(u) / u) + mp.log(mp.mpf(load)), guess)
    assert queue._decay == pytest.approx(float(root), rel=1e-13)


def test_near_saturation_the_wait_is_exponential():
    queue = MD1(1 - 1e-9, 1.0)
    spare = 1 - (1 - 1e-9)
    assert queue.waiting_time_quantile(0.99) == pytest.approx(math.log(100) / (2 * spare), rel=1e-8)


def test_the_tail_matches_simulated_waits():
    rng = np.random.default_rng(5)
    paths, wait = 40_000, np.zeros(40_000)
    for _ in range(150):
        wait = np.maximum(0, wait + 1.0 - rng.exponential(1 / 0.6, paths))
    queue = MD1(0.6, 1.0)
    for t in (0.0, 0.8, 2.3, 4.0):
        share = queue.waiting_time_tail(t)
        assert abs((wait > t).mean() - share) < 5 * math.sqrt(share / paths)
