import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import poisson

from labutils.laws.queueing import MMc, MMcK

from .oracles import birth_death, time_left

QUEUES = [(2.0, 3.0, 1, 5), (7.0, 3.0, 1, 4), (5.0, 0.9, 3, 11), (2.7, 0.9, 3, 3), (2.7, 0.9, 3, 8)]


@pytest.mark.parametrize("queue", QUEUES)
def test_means_agree_with_the_solved_chain(queue):
    arrival_rate, service_rate, servers, capacity = queue
    model, p = MMcK(*queue), birth_death(*queue)
    n = np.arange(capacity + 1)
    assert model.p_block == pytest.approx(p[-1], rel=1e-9)
    assert model.mean_num_in_system == pytest.approx(p @ n, rel=1e-9)
    assert model.mean_queue_length == pytest.approx(p @ np.maximum(0, n - servers), abs=1e-9)
    assert model.throughput == pytest.approx(service_rate * (p @ np.minimum(n, servers)), rel=1e-9)
    assert model.utilization == pytest.approx(p @ np.minimum(n, servers) / servers, rel=1e-9)
    assert model.offered_load == pytest.approx(arrival_rate / service_rate)


@pytest.mark.parametrize("queue", QUEUES)
@pytest.mark.parametrize("t", [0.0, 0.4, 2.5])
def test_tails_agree_with_the_absorbing_chain(queue, t):
    _, service_rate, servers, capacity = queue
    model, p = MMcK(*queue), birth_death(*queue)
    waits, sojourns = zip(*(time_left(i, service_rate, servers, t) for i in range(capacity)))
    entered = p[:-1] / p[:-1].sum()
    assert model.waiting_time_tail(t) == pytest.approx(entered @ waits, rel=1e-9, abs=1e-12)
    assert model.sojourn_time_tail(t) == pytest.approx(entered @ sojourns, rel=1e-9)
    assert model.p_wait == pytest.approx(p[servers:-1].sum() / p[:-1].sum(), abs=1e-12)


def sojourn_tail_by_steps(queue, t):
    """Count departures of the busy house: a service is a geometric number of them."""
    arrival_rate, service_rate, servers, capacity = queue
    log_p = np.cumsum(
        [
            0.0,
            *(
                math.log(arrival_rate / (min(n, servers) * service_rate))
                for n in range(1, capacity)
            ),
        ]
    )
    p = np.exp(log_p - log_p.max())
    first = np.append(p[:servers].sum(), p[servers:]) / p.sum()  # departures before service
    most = len(first) + 40 * servers
    still_here = np.zeros(most + 1)  # P(not gone after i departures)
    here, in_service = 1.0, 0.0
    for i in range(most + 1):
        in_service += first[i] if i < len(first) else 0.0
        still_here[i] = here
        here -= in_service / servers
        in_service *= 1 - 1 / servers
    chances = poisson.pmf(np.arange(most + 1), servers * service_rate * t)
    return float(chances @ still_here)


@pytest.mark.parametrize(
    "queue",
    [
        (2.4, 1.0, 2, 3000),
        (600.0, 1.0, 500, 700),
        (80.0, 1.0, 64, 1000),
        (64.0, 1.0, 64, 4000),
        (3.0, 1.0, 1, 400),
        (1.0, 1.0, 1, 1500),
    ],
)
def test_the_sojourn_tail_of_large_systems(queue):
    model = MMcK(*queue)
    for factor in (0.2, 0.9, 1.0, 1.15, 1.6):
        t = factor * model.mean_sojourn_time
        assert model.sojourn_time_tail(t) == pytest.approx(
            sojourn_tail_by_steps(queue, t), rel=1e-8, abs=1e-12
        )


def test_a_large_room_below_saturation_is_the_endless_queue():
    small, endless = MMcK(7.2, 1.0, 8, 900), MMc(7.2, 1.0, 8)
    assert small.p_block < 1e-40
    for name in ("p_wait", "mean_waiting_time", "mean_sojourn_time", "mean_num_in_system"):
        assert getattr(small, name) == pytest.approx(getattr(endless, name), rel=1e-10)
    assert small.sojourn_time_quantile(0.99) == pytest.approx(endless.sojourn_time_quantile(0.99))
    assert small.waiting_time_quantile(0.999) == pytest.approx(endless.waiting_time_quantile(0.999))


def test_thirty_six_times_too_much_is_refused_not_unstable():
    queue = MMcK(arrival_rate=20_000, service_rate=550, num_servers=1, capacity=100)
    assert queue.throughput == pytest.approx(550)
    assert queue.p_block == pytest.approx(1 - 550 / 20_000)
    assert queue.utilization == pytest.approx(1) and queue.utilization <= 1
    assert queue.mean_sojourn_time == pytest.approx(100 / 550, rel=1e-3)
    flooded = MMcK(arrival_rate=1e9, service_rate=1.0, num_servers=2, capacity=20_000)
    assert flooded.p_block == pytest.approx(1 - 2e-9, abs=1e-15)
    assert flooded.mean_waiting_time == pytest.approx((20_000 - 2) / 2, rel=1e-6)


def test_without_waiting_room_nobody_waits():
    queue = MMcK(5.0, 1.0, 4, 4)
    assert queue.p_wait == queue.mean_waiting_time == queue.waiting_time_quantile(0.999) == 0
    assert queue.sojourn_time_tail(0.7) == pytest.approx(math.exp(-0.7))
    assert queue.sojourn_time_quantile(0.9) == pytest.approx(math.log(10))


def test_more_servers_than_anyone_needs():
    queue = MMcK(3.0, 1.0, 2_000, 2_500)
    assert queue.p_block == queue.p_wait == 0
    assert queue.mean_sojourn_time == 1


@settings(deadline=None)
@given(st.floats(0.05, 8), st.integers(1, 20), st.integers(0, 60), st.floats(0.01, 0.9999))
def test_quantiles_undo_tails_and_little_holds(load, servers, room, q):
    queue = MMcK(load * servers, 1.0, servers, servers + room)
    assert queue.sojourn_time_tail(queue.sojourn_time_quantile(q)) == pytest.approx(1 - q, rel=1e-8)
    wait = queue.waiting_time_quantile(q)
    if wait > 0:
        assert queue.waiting_time_tail(wait) == pytest.approx(1 - q, rel=1e-8)
    p = birth_death(load * servers, 1.0, servers, servers + room)
    assert queue.mean_num_in_system == pytest.approx(p @ np.arange(servers + room + 1), rel=1e-6)


@pytest.mark.parametrize("bad", [3, 0, 4.5, math.nan, "9", True])
def test_bad_capacities_are_named(bad):
    with pytest.raises(ValueError, match=f"capacity = {bad!r}: expected a whole number of at"):
        MMcK(1.0, 1.0, 4, bad)
