import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.laws.queueing import MM1, MMc

from .oracles import birth_death, time_left


def test_the_source_story_at_ninety_percent():
    queue = MM1(arrival_rate=0.9, service_rate=1.0)
    assert queue.mean_sojourn_time == pytest.approx(10)
    assert queue.mean_waiting_time == pytest.approx(9)
    assert queue.mean_queue_length == pytest.approx(8.1)
    assert queue.mean_num_in_system == pytest.approx(9)
    assert queue.sojourn_time_quantile(0.99) == pytest.approx(46.0517, abs=1e-4)


def test_the_shared_record_keeps_its_units():
    queue = MM1(arrival_rate=500, service_rate=550)
    assert queue.mean_sojourn_time == pytest.approx(0.020)
    assert queue.sojourn_time_quantile(0.99) == pytest.approx(0.0921, abs=1e-4)
    assert queue.scv_service == queue.num_servers == 1
    assert queue.mean_service_time == pytest.approx(1 / 550)
    assert queue.offered_load == queue.utilization == pytest.approx(10 / 11)


@pytest.mark.parametrize(("arrival_rate", "service_rate"), [(0.3, 0.7), (2.0, 5.0), (41.0, 60.0)])
def test_means_and_tails_agree_with_the_solved_chain(arrival_rate, service_rate):
    queue = MM1(arrival_rate, service_rate)
    p = birth_death(arrival_rate, service_rate, 1, 120)
    n = np.arange(121)
    assert queue.p_wait == pytest.approx(1 - p[0], rel=1e-9)
    assert queue.mean_num_in_system == pytest.approx(p @ n, rel=1e-9)
    assert queue.mean_queue_length == pytest.approx(p @ np.maximum(0, n - 1), rel=1e-9)
    t = 1.7 / service_rate
    waits, sojourns = zip(*(time_left(i, service_rate, 1, t) for i in range(60)))
    assert queue.waiting_time_tail(t) == pytest.approx(p[:60] @ waits, rel=1e-6)
    assert queue.sojourn_time_tail(t) == pytest.approx(p[:60] @ sojourns, rel=1e-6)


@settings(deadline=None)
@given(st.floats(1e-6, 1 - 1e-6), st.floats(1e-3, 1e4), st.floats(1e-6, 1 - 1e-9))
def test_equals_mmc_with_one_server(load, service_rate, q):
    one, many = MM1(load * service_rate, service_rate), MMc(load * service_rate, service_rate, 1)
    for name in ("p_wait", "mean_waiting_time", "mean_sojourn_time", "mean_queue_length"):
        assert getattr(one, name) == pytest.approx(getattr(many, name), rel=1e-9)
    assert one.sojourn_time_quantile(q) == pytest.approx(many.sojourn_time_quantile(q), rel=1e-8)
    assert one.waiting_time_quantile(q) == pytest.approx(
        many.waiting_time_quantile(q), rel=1e-7, abs=1e-9 * one.mean_sojourn_time
    )


def test_a_hair_below_saturation():
    queue = MM1(1 - 1e-9, 1.0)
    spare = 1 - (1 - 1e-9)
    assert queue.mean_sojourn_time == 1 / spare
    assert queue.sojourn_time_quantile(0.999) == pytest.approx(math.log(1000) / spare, rel=1e-12)


def test_the_sojourn_time_is_what_random_sums_of_services_give():
    rng = np.random.default_rng(31)
    ahead = rng.geometric(0.25, 200_000)  # 1 + the number inside at utilization 0.75
    sojourn = rng.gamma(ahead, 1 / 4.0)
    queue = MM1(arrival_rate=3.0, service_rate=4.0)
    for t in (0.2, 1.0, 3.5):
        share = queue.sojourn_time_tail(t)
        assert abs((sojourn > t).mean() - share) < 5 * math.sqrt(share / 200_000)
