import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.laws.queueing import Overload

LAUNCH = Overload(arrival_rate=20_000, service_rate=550, duration_s=1200, arrival_rate_after=55)


def test_the_launch_that_read_its_p99_off_the_wrong_curve():
    assert LAUNCH.waiting_time_of_arrival_at(1200) == pytest.approx(42_436, abs=0.5)
    assert LAUNCH.peak_waiting_time == LAUNCH.waiting_time_of_arrival_at(1200)
    assert LAUNCH.peak_backlog == LAUNCH.backlog_at_end == 23_340_000
    assert LAUNCH.growth_per_s == 19_450
    assert LAUNCH.utilization == pytest.approx(36.36, abs=0.01)


def test_thirty_seconds_at_one_point_two_then_back_to_point_nine():
    spike = Overload(arrival_rate=660, service_rate=550, duration_s=30, arrival_rate_after=495)
    assert spike.drain_per_s == pytest.approx(55)
    assert spike.drain_s == pytest.approx(60)
    assert spike.healthy_after_s == pytest.approx(90)
    assert spike.backlog_at(60) == pytest.approx(spike.peak_backlog / 2)


@settings(deadline=None)
@given(st.floats(0.1, 50), st.floats(0.1, 50), st.floats(0.1, 30), st.floats(0, 60))
def test_a_leaky_bucket_stepped_through_time_agrees(arrival_rate, service_rate, duration, after):
    overload = Overload(arrival_rate, service_rate, duration, after)
    step, backlog, peak = duration / 200, 0.0, 0.0
    for i in range(700):
        rate = arrival_rate if i < 200 else after
        assert overload.backlog_at(i * step) == pytest.approx(
            backlog, abs=1e-6 + 1e-3 * abs(service_rate - after) * duration
        )
        backlog = max(0.0, backlog + (rate - service_rate) * step)
        peak = max(peak, backlog)
    if after <= service_rate:
        assert overload.peak_backlog == pytest.approx(peak, abs=1e-6)
    else:
        assert overload.peak_backlog == math.inf


@settings(deadline=None)
@given(st.floats(1.01, 40), st.floats(0, 0.99), st.floats(0.1, 1e4))
def test_the_bucket_is_empty_when_all_arrivals_are_served(load, load_after, duration):
    overload = Overload(load * 7, 7, duration, load_after * 7)
    arrived = load * 7 * duration + load_after * 7 * overload.drain_s
    assert arrived == pytest.approx(7 * overload.healthy_after_s)
    assert overload.backlog_at(overload.healthy_after_s) == pytest.approx(
        0, abs=1e-6 * overload.peak_backlog
    )
    assert overload.backlog_at(overload.healthy_after_s * 1.01) == 0


def test_waits_are_those_of_a_first_come_first_served_line():
    # Regular arrivals every 0.1 s for 40 s, then every 0.5 s; one service takes 0.25 s.
    overload = Overload(10, 4, 40, 2)
    arrivals = np.concatenate((np.arange(0, 40, 0.1), np.arange(40, 200, 0.5)))
    wait, waits = 0.0, []
    for gap in np.diff(arrivals, append=arrivals[-1] + 1):
        waits.append(wait)
        wait = max(0.0, wait + 0.25 - gap)
    assert overload.waiting_time_of_arrival_at(arrivals) == pytest.approx(waits, abs=0.3)


def test_a_rate_that_stays_too_high_never_heals():
    lasting = Overload(100, 50, 10, 60)
    assert lasting.drain_s == lasting.healthy_after_s == lasting.peak_waiting_time == math.inf
    assert lasting.backlog_at(20) == 500 + 100
    level = Overload(100, 50, 10, 50)
    assert level.drain_s == math.inf and level.peak_backlog == 500 == level.backlog_at(1e6)


def test_below_saturation_the_fluid_stays_at_zero():
    calm = Overload(40, 50, 10, 50)
    assert calm.growth_per_s == calm.peak_backlog == calm.drain_s == 0
    assert calm.healthy_after_s == 10
    assert list(calm.backlog_at([0, 5, 50])) == [0, 0, 0]
    assert Overload(40, 50, 10, 51).drain_s == math.inf


@pytest.mark.parametrize(
    "name", ["arrival_rate", "service_rate", "duration_s", "arrival_rate_after"]
)
@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, "2", True])
def test_bad_arguments_are_named(name, bad):
    fields = {
        "arrival_rate": 3.0,
        "service_rate": 2.0,
        "duration_s": 1.0,
        "arrival_rate_after": 1.0,
        name: bad,
    }
    with pytest.raises(ValueError, match=f"{name} = {bad!r}: expected a finite number"):
        Overload(**fields)
    with pytest.raises(ValueError, match=f"t = {bad!r}: expected"):
        LAUNCH.backlog_at(bad)


def test_zero_is_a_rate_only_after_the_overload():
    assert Overload(3, 2, 10, 0).drain_s == 5
    for name in ("arrival_rate", "service_rate", "duration_s"):
        fields = {
            "arrival_rate": 3.0,
            "service_rate": 2.0,
            "duration_s": 1.0,
            "arrival_rate_after": 1.0,
            name: 0,
        }
        with pytest.raises(ValueError, match=f"{name} = 0: expected a finite number above 0"):
            Overload(**fields)
