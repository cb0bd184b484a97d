import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from labutils.laws.queueing import MM1, MMc

from .oracles import birth_death, mmc_sojourn_tail, time_left


def test_eight_servers_at_ninety_percent():
    queue = MMc(arrival_rate=7.2, service_rate=1, num_servers=8)
    assert queue.utilization == pytest.approx(0.9)
    assert queue.p_wait == pytest.approx(0.7015, abs=5e-5)
    assert queue.mean_sojourn_time == pytest.approx(1.877, abs=5e-4)
    assert queue.sojourn_time_quantile(0.99) == pytest.approx(7.09, abs=5e-3)


@pytest.mark.parametrize(("servers", "services_waited"), [(1, 4.0), (8, 0.29), (64, 0.004)])
def test_the_wait_at_eighty_percent_depends_on_the_slots(servers, services_waited):
    queue = MMc(0.8 * servers * 3.0, 3.0, servers)
    assert queue.mean_waiting_time * 3.0 == pytest.approx(services_waited, rel=0.1)


@pytest.mark.parametrize(
    ("arrival_rate", "service_rate", "servers"),
    [
        (1.1, 0.7, 2),
        (9.0, 4.0, 3),
        (3.0, 0.5, 9),
    ],
)
def test_means_and_tails_agree_with_the_solved_chain(arrival_rate, service_rate, servers):
    queue = MMc(arrival_rate, service_rate, servers)
    p = birth_death(arrival_rate, service_rate, servers, 180)
    n = np.arange(181)
    assert queue.p_wait == pytest.approx(p[servers:].sum(), rel=1e-9)
    assert queue.mean_queue_length == pytest.approx(p @ np.maximum(0, n - servers), rel=1e-8)
    assert queue.mean_num_in_system == pytest.approx(p @ n, rel=1e-8)
    for t in (0.3 / service_rate, 2.2 / service_rate):
        waits, sojourns = zip(*(time_left(i, service_rate, servers, t) for i in range(80)))
        assert queue.waiting_time_tail(t) == pytest.approx(p[:80] @ waits, rel=1e-5)
        assert queue.sojourn_time_tail(t) == pytest.approx(p[:80] @ sojourns, rel=1e-5)


@pytest.mark.parametrize(
    ("arrival_rate", "service_rate", "servers"),
    [
        (7.2, 1.0, 8),
        (299.99, 1.0, 300),
        (5.0, 2.0, 300),
        (9_995.0, 1.0, 10_000),
        (7.0 + 1e-12, 1.0, 8),
        (7.0 - 1e-9, 1.0, 8),
        (1 - 1e-9, 1.0, 1),
        (1e-3, 0.5, 2),
    ],
)
@pytest.mark.parametrize("t", [0.0, 0.7, 13.0])
def test_the_sojourn_tail_keeps_its_digits(arrival_rate, service_rate, servers, t):
    queue = MMc(arrival_rate, service_rate, servers)
    exact = mmc_sojourn_tail(arrival_rate, service_rate, servers, t)
    assert queue.sojourn_time_tail(t) == pytest.approx(exact, rel=1e-10)


def test_the_sojourn_quantile_is_smooth_where_the_two_rates_meet():
    # At num_servers * (1 - utilization) = 1 the textbook form divides 0 by 0.
    quantiles = [
        MMc(7.0 + shift, 1.0, 8).sojourn_time_quantile(0.99)
        for shift in (-1e-6, -1e-12, 0.0, 1e-12, 1e-6)
    ]
    assert all(a <= b for a, b in pairwise(quantiles))
    assert quantiles[-1] - quantiles[0] < 1e-4
    waits = MMc(7.0, 1.0, 8).p_wait
    t = quantiles[2]
    assert math.exp(-t) * (1 + waits * t) == pytest.approx(0.01, rel=1e-12)


LOADS = st.floats(1e-3, 1 - 1e-7)
SERVERS = st.integers(1, 250)


@settings(deadline=None)
@given(LOADS, SERVERS, st.floats(1e-4, 1 - 1e-7))
def test_quantiles_undo_tails(load, servers, q):
    queue = MMc(load * servers * 5.0, 5.0, servers)
    assert queue.sojourn_time_tail(queue.sojourn_time_quantile(q)) == pytest.approx(1 - q, rel=1e-9)
    wait = queue.waiting_time_quantile(q)
    if wait > 0:
        assert queue.waiting_time_tail(wait) == pytest.approx(1 - q, rel=1e-9)
    else:
        assert queue.waiting_time_tail(0) <= 1 - q


@settings(deadline=None)
@given(LOADS, SERVERS)
def test_pooling_beats_splitting(load, servers):
    assume(servers > 1)
    pooled = MMc(load * servers, 1.0, servers)
    split = MM1(load, 1.0)
    assert pooled.mean_waiting_time < split.mean_waiting_time
    assert pooled.sojourn_time_quantile(0.95) < split.sojourn_time_quantile(0.95)


@settings(deadline=None)
@given(st.floats(1e-3, 0.999), st.integers(1, 120))
def test_waits_fall_with_servers_and_rise_with_load(load, servers):
    arrival_rate = load * servers
    queue = MMc(arrival_rate, 1.0, servers)
    assert MMc(arrival_rate, 1.0, servers + 1).mean_waiting_time <= queue.mean_waiting_time
    assert MMc(arrival_rate * 0.99, 1.0, servers).mean_waiting_time <= queue.mean_waiting_time
    assert MMc(arrival_rate * 0.99, 1.0, servers).sojourn_time_quantile(0.9) <= (
        queue.sojourn_time_quantile(0.9) * (1 + 1e-12)
    )


@pytest.mark.parametrize(("load", "servers"), [(0.35, 3), (0.85, 8), (0.97, 40)])
def test_mean_waits_are_the_area_under_the_tails(load, servers):
    queue = MMc(load * servers * 2.0, 2.0, servers)
    for mean, tail in (
        (queue.mean_waiting_time, queue.waiting_time_tail),
        (queue.mean_sojourn_time, queue.sojourn_time_tail),
    ):
        t = np.linspace(0, 60 * queue.mean_sojourn_time, 60_001)
        assert np.trapezoid(tail(t), t) == pytest.approx(mean, rel=1e-4)


def test_the_sojourn_law_is_the_wait_plus_an_independent_service():
    rng = np.random.default_rng(7)
    queue = MMc(arrival_rate=11.0, service_rate=3.0, num_servers=4)
    waits = rng.random(300_000) < queue.p_wait
    sojourn = waits * rng.exponential(1.0, 300_000) + rng.exponential(1 / 3.0, 300_000)
    for q in (0.3, 0.8, 0.99):
        above = (sojourn > queue.sojourn_time_quantile(q)).mean()
        assert abs(above - (1 - q)) < 5 * math.sqrt(q * (1 - q) / 300_000)
