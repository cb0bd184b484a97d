"""In-flight curves against counting by hand, and Little's law with all three parts measured."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.simulation import InFlightCurve, fifo_queue, in_flight_curve

from .reference_queue import count_inside

quarters = st.integers(0, 20).map(lambda k: k / 4)
stays = st.lists(st.tuples(quarters, quarters), min_size=1, max_size=15)


def test_three_stays_worked_by_hand():
    curve = in_flight_curve([1, 2, 6], [5, 4, 7])
    assert curve.times_s.tolist() == [1, 2, 4, 5, 6, 7]
    assert curve.counts.tolist() == [1, 2, 1, 0, 1, 0]
    assert curve.peak == 2
    assert [curve.at(t) for t in (0.9, 1, 3.9, 4, 6.5, 99)] == [0, 1, 2, 1, 1, 0]
    assert curve.at(np.array([[1.5, 2.5], [5.5, 6.5]])).tolist() == [[1, 2], [0, 1]]
    assert curve.integral(0, 10) == 7
    assert curve.integral(2.5, 4.5) == 3.5
    assert curve.integral(3, 3) == 0
    assert curve.mean(0, 4) == 1.25


def test_a_curve_may_end_with_people_inside():
    curve = InFlightCurve(np.array([1.0, 3.0]), np.array([2, 1]))
    assert [curve.at(t) for t in (0, 1, 3, 50)] == [0, 2, 1, 1]
    assert curve.integral(-5, 5) == 6


@given(stays, st.lists(quarters, min_size=2, max_size=2, unique=True))
@settings(max_examples=200, deadline=None)
def test_curve_counts_and_adds_up_like_a_person_with_a_list(stays, window):
    came = [arrival for arrival, _ in stays]
    left = [arrival + stay for arrival, stay in stays]
    curve = in_flight_curve(came, left)
    for t in np.arange(-1, 11, 0.125):
        assert curve.at(t) == count_inside(came, left, t)
    low, high = sorted(window)
    overlap = sum(max(0, min(b, high) - max(a, low)) for a, b in zip(came, left))
    assert curve.integral(low, high) == pytest.approx(overlap, abs=1e-12)
    assert curve.peak == max(count_inside(came, left, t) for t in came + left)
    assert (np.diff(curve.times_s) > 0).all()


@pytest.mark.parametrize("num_servers, utilization", ((1, 0.9), (3, 1.2), (40, 0.8)))
def test_littles_law_holds_on_every_path_that_starts_and_ends_empty(
    visits, num_servers, utilization
):
    n = 20_011
    arrivals, services = visits(8, n, utilization=utilization, num_servers=num_servers)
    run = fifo_queue(arrivals, services, num_servers=num_servers)
    opened, closed = 1.3, run.departure_s.max() + 2.4
    window = closed - opened
    arrival_rate = n / window
    for curve, stay in (
        (run.in_flight(), run.departure_s - arrivals),
        (run.queue(), run.start_s - arrivals),
        (run.in_service(), services),
    ):
        # L from the curve alone, midpoint by midpoint of a sorted list of all instants.
        instants = np.sort(np.concatenate(([opened, closed], curve.times_s)))
        levels = curve.at((instants[1:] + instants[:-1]) / 2)
        measured_l = float((levels * np.diff(instants)).sum()) / window
        assert curve.mean(opened, closed) == pytest.approx(measured_l, rel=1e-12)
        assert measured_l == pytest.approx(arrival_rate * stay.mean(), rel=1e-9)
        assert curve.counts[-1] == 0


def test_rows_of_a_log_may_come_in_any_order(visits):
    arrivals, services = visits(2, 1_001, utilization=0.9, num_servers=2)
    run = fifo_queue(arrivals, services, num_servers=2)
    shuffled = np.random.default_rng(1).permutation(1_001)
    tidy, messy = run.in_flight(), in_flight_curve(arrivals[shuffled], run.departure_s[shuffled])
    assert (tidy.times_s == messy.times_s).all()
    assert (tidy.counts == messy.counts).all()


def test_time_shares_are_the_lengths_of_the_steps():
    # one inside from 1 to 4, a second one from 2 to 3, nobody from 4 to 9, one from 9 to 11
    curve = in_flight_curve([1.0, 2.0, 9.0], [4.0, 3.0, 11.0])
    assert curve.time_shares() == pytest.approx([5 / 10, 4 / 10, 1 / 10])


def test_time_shares_need_some_time():
    with pytest.raises(ValueError, match="times_s"):
        in_flight_curve([1.0], [1.0]).time_shares()


def test_a_departure_before_its_arrival_names_the_row():
    with pytest.raises(ValueError, match=r"departure_s\[2\] = 2.5: .*arrival_s\[2\] = 3"):
        in_flight_curve([1.0, 2.0, 3.0, 9.0], [1.5, 2.0, 2.5, 1.0])


@pytest.mark.parametrize(
    "arrivals, departures, message",
    (
        ([], [], "arrival_s = .*at least one"),
        ([1.0, 2.0], [3.0], "departure_s = 1 values: expected one for each of the 2"),
        ([1.0, float("nan")], [3.0, 4.0], r"arrival_s\[1\] = nan"),
        ([1.0, 2.0], [3.0, float("inf")], r"departure_s\[1\] = inf"),
        ([[1.0]], [[2.0]], "arrival_s = 'shape"),
    ),
)
def test_bad_logs_are_named(arrivals, departures, message):
    with pytest.raises(ValueError, match=message):
        in_flight_curve(arrivals, departures)


def test_windows_that_run_backwards_or_hold_no_time_are_refused():
    curve = in_flight_curve([1.0], [2.0])
    with pytest.raises(ValueError, match="to_s = 1"):
        curve.integral(2, 1)
    with pytest.raises(ValueError, match="to_s = 2"):
        curve.mean(2, 2)
    with pytest.raises(ValueError, match="to_s = nan"):
        curve.integral(0, float("nan"))
