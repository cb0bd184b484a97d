import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.integrate import quad

from labutils.laws.queueing import MD1, MG1, MM1

from .oracles import balanced_phases, erlang_phases, hyper_phases, mh21_wait_tail, phase_queue

POISSON = (np.ones(1), -np.ones((1, 1)))  # gaps with mean 1


@pytest.mark.parametrize(
    ("services", "scv", "levels"),
    [
        (erlang_phases(3, 0.6), 1 / 3, 60),
        (hyper_phases(0.9, 0.9 / 0.3, 0.1 / 0.3), None, 160),
    ],
)
def test_means_agree_with_the_solved_chain(services, scv, levels):
    start, phases = services
    mean = -start @ np.linalg.solve(phases, np.ones(len(start)))
    second = 2 * start @ np.linalg.matrix_power(np.linalg.inv(phases), 2) @ np.ones(len(start))
    queue = MG1(arrival_rate=1.0, service_rate=1 / mean, scv_service=second / mean**2 - 1)
    assert scv is None or queue.scv_service == pytest.approx(scv)
    solved = phase_queue(POISSON, services, levels)
    assert queue.mean_waiting_time == pytest.approx(solved["mean_wait"], rel=1e-4)
    assert queue.p_wait == pytest.approx(solved["p_wait"], rel=1e-4)
    assert queue.mean_num_in_system == pytest.approx(solved["mean_wait"] + mean, rel=1e-4)


@settings(deadline=None)
@given(st.floats(1e-3, 0.999), st.floats(0.1, 1000))
def test_meets_the_exact_models_at_their_variability(load, service_rate):
    rates = load * service_rate, service_rate
    assert MG1(*rates, 0).mean_waiting_time == pytest.approx(MD1(*rates).mean_waiting_time)
    markov, general = MM1(*rates), MG1(*rates, scv_service=1)
    assert general.mean_waiting_time == pytest.approx(markov.mean_waiting_time)
    for q in (0.2, 0.9, 0.999):
        assert general.sojourn_time_quantile(q) == pytest.approx(markov.sojourn_time_quantile(q))


@settings(deadline=None)
@given(st.floats(0.05, 0.95), st.floats(0, 30), st.floats(0.1, 5))
def test_waits_grow_with_variability(load, scv, more):
    calm, wild = MG1(load, 1.0, scv), MG1(load, 1.0, scv + more)
    growth = (1 + scv + more) / (1 + scv)
    assert wild.mean_waiting_time == pytest.approx(growth * calm.mean_waiting_time)
    assert wild.waiting_time_tail(1.0) > calm.waiting_time_tail(1.0)


@pytest.mark.parametrize("scv", [0.0, 0.2, 1.0, 1.3, 6.0])
def test_the_fitted_sojourn_has_the_moments_it_claims(scv):
    queue = MG1(arrival_rate=1.2, service_rate=2.0, scv_service=scv)
    mean = quad(queue.sojourn_time_tail, 0, 2, limit=300)[0]
    mean += quad(queue.sojourn_time_tail, 2, 400, limit=300)[0]
    assert mean == pytest.approx(queue.mean_sojourn_time, rel=1e-6)
    second = 2 * quad(lambda t: t * queue.sojourn_time_tail(t), 0, 2, limit=300)[0]
    second += 2 * quad(lambda t: t * queue.sojourn_time_tail(t), 2, 400, limit=300)[0]
    p, rate = queue.p_wait, queue.decay_rate
    wait_variance = 2 * p / rate**2 - (p / rate) ** 2
    assert second - mean**2 == pytest.approx(wait_variance + scv / 4.0, rel=1e-5)


@pytest.mark.parametrize(("load", "too_long"), [(0.5, 0.17), (0.7, 0.09), (0.9, 0.03)])
def test_documented_error_of_the_tail_for_deterministic_services(load, too_long):
    ratio = MG1(load, 1, 0).waiting_time_quantile(0.99) / MD1(load, 1).waiting_time_quantile(0.99)
    assert ratio - 1 == pytest.approx(too_long, abs=0.005)


@pytest.mark.parametrize(("load", "too_short"), [(0.5, 0.19), (0.7, 0.13), (0.9, 0.05)])
def test_documented_error_of_the_tail_for_two_phase_services(load, too_short):
    exact, queue = mh21_wait_tail(load, 4.0), MG1(load, 1.0, 4.0)
    assert exact(0.0) == pytest.approx(load)
    true_p99 = queue.waiting_time_quantile(0.99) / (1 - too_short)
    assert exact(true_p99 * 0.99) > 0.01 > exact(true_p99 * 1.01)


@settings(deadline=None)
@given(st.floats(1e-9, 0.999), st.just(0.0) | st.floats(1e-6, 20), st.floats(0.001, 0.99999))
def test_quantiles_undo_tails(load, scv, q):
    queue = MG1(load * 3.0, 3.0, scv)
    t = queue.sojourn_time_quantile(q)
    if scv:
        assert queue.sojourn_time_tail(t) == pytest.approx(1 - q, rel=1e-5)
    else:
        assert t == pytest.approx(1 / 3.0 + queue.waiting_time_quantile(q))


def test_the_fitted_law_matches_its_own_sampling():
    rng = np.random.default_rng(11)
    queue, n = MG1(0.6, 1.0, 5.0), 300_000
    share, fast, slow = balanced_phases(5.0)
    service = rng.exponential(1 / np.where(rng.random(n) < share, fast, slow))
    wait = (rng.random(n) < 0.6) * rng.exponential(queue.mean_waiting_time / 0.6, n)
    for t in (0.5, 3.0, 9.0):
        tail = queue.sojourn_time_tail(t)
        assert abs((wait + service > t).mean() - tail) < 5 * math.sqrt(tail / n)


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf, "1", True])
def test_bad_variability_is_named(bad):
    with pytest.raises(ValueError, match=f"scv_service = {bad!r}: expected a finite number of at"):
        MG1(0.5, 1.0, bad)
