import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.laws.queueing import MG1, GGc, MMc, allen_cunneen, kingman

from .oracles import (
    erlang_phases,
    mean_wait_hyper_arrivals,
    mean_wait_hyper_services,
    mean_wait_regular_arrivals,
    phase_queue,
)


@settings(deadline=None)
@given(st.floats(0.01, 0.999), st.integers(1, 80), st.floats(0.01, 0.999))
def test_is_the_exact_queue_at_variability_one(load, servers, q):
    general, markov = GGc(load * servers * 2, 2, servers, 1, 1), MMc(load * servers * 2, 2, servers)
    assert general.mean_waiting_time == pytest.approx(markov.mean_waiting_time)
    assert general.sojourn_time_quantile(q) == pytest.approx(markov.sojourn_time_quantile(q))
    assert general.waiting_time_quantile(q) == pytest.approx(markov.waiting_time_quantile(q))
    assert general.mean_queue_length == pytest.approx(markov.mean_queue_length)


@settings(deadline=None)
@given(st.floats(0.01, 0.999), st.floats(0, 20))
def test_is_pollaczek_khinchine_for_poisson_arrivals_at_one_server(load, scv):
    general, exact = GGc(load * 7, 7, 1, 1, scv), MG1(load * 7, 7, scv)
    assert general.mean_waiting_time == pytest.approx(exact.mean_waiting_time)
    assert general.sojourn_time_quantile(0.99) == pytest.approx(exact.sojourn_time_quantile(0.99))


def test_kingman_is_load_times_variability_times_service():
    wait = kingman(6.0, 8.0, scv_arrival=2.5, scv_service=0.5)
    assert wait == pytest.approx(0.75 / 0.25 * (2.5 + 0.5) / 2 / 8.0)
    assert allen_cunneen(6.0, 8.0, 1, scv_arrival=2.5, scv_service=0.5) == pytest.approx(wait)
    assert GGc(6.0, 8.0, 1, 2.5, 0.5).variability == 1.5


@pytest.mark.parametrize(("load", "too_long", "levels"), [(0.7, 0.33, 60), (0.9, 0.08, 250)])
def test_documented_error_for_regular_arrivals_at_one_server(load, too_long, levels):
    exact = mean_wait_regular_arrivals(load, 1.0, 1, levels)
    approximate = kingman(load, 1.0, scv_arrival=0, scv_service=1)
    assert approximate / exact - 1 == pytest.approx(too_long, abs=0.005)


@pytest.mark.parametrize(("load", "too_long", "levels"), [(0.7, 0.35, 25), (0.9, 0.08, 50)])
def test_documented_error_for_smooth_gaps_and_services(load, too_long, levels):
    exact = phase_queue(erlang_phases(4, 1 / load), erlang_phases(4, 1.0), levels)["mean_wait"]
    approximate = kingman(load, 1.0, scv_arrival=0.25, scv_service=0.25)
    assert approximate / exact - 1 == pytest.approx(too_long, abs=0.006)


@pytest.mark.parametrize(("servers", "too_long"), [(8, 0.21), (64, 0.89)])
def test_documented_error_for_regular_arrivals_at_many_servers(servers, too_long):
    exact = mean_wait_regular_arrivals(0.9 * servers, 1.0, servers, servers + 200)
    approximate = allen_cunneen(0.9 * servers, 1.0, servers, scv_arrival=0, scv_service=1)
    assert approximate / exact - 1 == pytest.approx(too_long, abs=0.006)


@pytest.mark.parametrize(("servers", "error"), [(8, -0.10), (64, -0.36)])
def test_documented_error_for_bursty_arrivals_at_many_servers(servers, error):
    exact = mean_wait_hyper_arrivals(0.9 * servers, 4.0, servers, servers + 300)
    approximate = allen_cunneen(0.9 * servers, 1.0, servers, scv_arrival=4, scv_service=1)
    assert approximate / exact - 1 == pytest.approx(error, abs=0.006)


def test_documented_error_for_variable_services_at_eight_servers():
    exact = mean_wait_hyper_services(7.2, 4.0, 8, 300)
    approximate = allen_cunneen(7.2, 1.0, 8, scv_arrival=1, scv_service=4)
    assert approximate / exact - 1 == pytest.approx(0.07, abs=0.005)


def test_where_nothing_varies_nobody_waits():
    queue = GGc(7.2, 1.0, 8, 0, 0)
    assert queue.p_wait == queue.mean_waiting_time == queue.waiting_time_quantile(0.9999) == 0
    assert queue.waiting_time_tail(0) == 0
    assert queue.mean_sojourn_time == queue.sojourn_time_quantile(0.5) == 1
    assert list(queue.sojourn_time_tail([0.999, 1.0])) == [1, 0]


def test_tails_join_up_at_the_edges_of_the_service_fit():
    for scv in (1e-12, 1 - 1e-9, 1 + 1e-9):
        nearby = GGc(7.2, 1.0, 8, 1.0, scv).sojourn_time_quantile(0.99)
        assert nearby == pytest.approx(
            GGc(7.2, 1.0, 8, 1.0, round(scv)).sojourn_time_quantile(0.99), rel=1e-4
        )


@settings(deadline=None)
@given(st.floats(0.05, 0.99), st.integers(1, 40), st.floats(0, 9), st.floats(1e-6, 9))
def test_quantiles_undo_tails(load, servers, scv_arrival, scv_service):
    queue = GGc(load * servers, 1.0, servers, scv_arrival, scv_service)
    for q in (0.5, 0.99):
        t = queue.sojourn_time_quantile(q)
        assert queue.sojourn_time_tail(t) == pytest.approx(1 - q, rel=1e-6)
        if (wait := queue.waiting_time_quantile(q)) > 0:
            assert queue.waiting_time_tail(wait) == pytest.approx(1 - q, rel=1e-9)


def test_the_wait_is_the_area_under_its_tail():
    queue = GGc(7.2, 1.0, 8, 3.0, 0.4)
    t = np.linspace(0, 100, 100_001)
    assert np.trapezoid(queue.waiting_time_tail(t), t) == pytest.approx(
        queue.mean_waiting_time, rel=1e-4
    )
    assert np.trapezoid(queue.sojourn_time_tail(t), t) == pytest.approx(
        queue.mean_sojourn_time, rel=1e-4
    )


@pytest.mark.parametrize("name", ["scv_arrival", "scv_service"])
@pytest.mark.parametrize("bad", [-1e-9, math.nan, math.inf, "2", False, None])
def test_bad_variability_is_named(name, bad):
    scvs = {"scv_arrival": 1.0, "scv_service": 1.0, name: bad}
    with pytest.raises(ValueError, match=f"{name} = {bad!r}: expected"):
        GGc(0.5, 1.0, 2, **scvs)
    with pytest.raises(ValueError, match=f"{name} = {bad!r}: expected"):
        kingman(0.5, 1.0, **scvs)
    with pytest.raises(ValueError, match=f"{name} = {bad!r}: expected"):
        allen_cunneen(0.5, 1.0, 2, **scvs)
