"""The kernels against ten lines of Python, on the same arrays: no randomness in the verdict."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.simulation import fifo_queue, waiting_times
from labutils.simulation.queues import kernels

from .reference_queue import starts

# 1, few and many servers, and both sides of the switch between the two kernels.
SERVERS = (1, 2, 3, 8, 20, 32, 33, 57)


@pytest.mark.parametrize("num_servers", SERVERS)
@pytest.mark.parametrize("utilization", (0.85, 0.96, 1.4))
def test_starts_equal_the_reference(visits, num_servers, utilization):
    arrivals, services = visits(
        num_servers, 4_001, utilization=utilization, num_servers=num_servers
    )
    run = fifo_queue(arrivals, services, num_servers=num_servers)
    expected = np.array(starts(arrivals.tolist(), services.tolist(), num_servers))
    assert np.abs(run.start_s - expected).max() <= 1e-9
    assert np.abs(run.departure_s - (expected + services)).max() <= 1e-9
    assert (run.start_s > arrivals).any(), "an input in which nobody waits proves nothing"


@pytest.mark.parametrize("utilization", (0.4, 0.9, 1.3))
def test_lindley_equals_the_reference(visits, utilization):
    arrivals, services = visits(11, 7_003, utilization=utilization, num_servers=1)
    expected = np.array(starts(arrivals.tolist(), services.tolist(), 1)) - arrivals
    assert np.abs(waiting_times(arrivals, services) - expected).max() <= 1e-9


def test_both_many_server_kernels_agree_to_the_last_bit(visits):
    arrivals, services = visits(5, 3_001, utilization=0.97, num_servers=9)
    walked, fenced = np.empty(3_001), np.empty(3_001)
    kernels.starts_at_few_servers(arrivals, services, 9, walked)
    kernels.starts_at_many_servers(arrivals, services, 9, fenced)
    assert (walked == fenced).all()


def test_five_customers_worked_by_hand():
    run = fifo_queue([0, 1, 1, 4, 30], [5, 2, 4, 1, 3], num_servers=2)
    assert run.start_s.tolist() == [0, 1, 3, 5, 30]
    assert run.departure_s.tolist() == [5, 3, 7, 6, 33]
    assert run.waiting_time_s.tolist() == [0, 0, 2, 1, 0]
    assert run.sojourn_time_s.tolist() == [5, 2, 6, 2, 3]
    assert run.service_time_s.tolist() == [5, 2, 4, 1, 3]
    assert waiting_times([0, 1, 1, 4, 30], [5, 2, 4, 1, 3]).tolist() == [0, 4, 6, 7, 0]


@pytest.mark.parametrize("num_servers", (1, 3, 40))
def test_nobody_waits_when_gaps_and_services_are_equal_and_load_is_below_one(num_servers):
    # Binary fractions, so that the comparison is exact: 0.96875 of capacity.
    gap = 1.0
    services = np.full(2_000, 0.96875 * num_servers)
    run = fifo_queue(gap * np.arange(2_000), services, num_servers=num_servers)
    assert not run.waiting_time_s.any()


def test_just_above_saturation_the_wait_grows_by_the_same_amount_every_time():
    waits = waiting_times(np.arange(1_000.0), np.full(1_000, 1.125))
    assert waits.tolist() == (0.125 * np.arange(1_000)).tolist()


def test_more_servers_than_customers_serve_everybody_at_once():
    assert fifo_queue([2.0, 2.0, 2.5], [9, 9, 9], num_servers=50).waiting_time_s.max() == 0


@pytest.mark.parametrize("num_servers", (1, 3, 40))
@pytest.mark.parametrize("shift_s", (-1e4, 1e6))
def test_time_has_no_origin(visits, num_servers, shift_s):
    arrivals, services = visits(3, 901, utilization=1.3, num_servers=num_servers)
    here = fifo_queue(arrivals, services, num_servers=num_servers).waiting_time_s
    there = fifo_queue(arrivals + shift_s, services, num_servers=num_servers).waiting_time_s
    # A clock at a million seconds ticks in steps of 1e-10.
    assert np.abs(here - there).max() <= 1e-6
    assert here.max() > services.mean()


def test_input_arrays_of_any_layout_give_the_same_run_and_stay_untouched(visits):
    arrivals, services = visits(4, 301, utilization=0.9, num_servers=2)
    expected = fifo_queue(arrivals, services, num_servers=2).start_s
    strided = np.repeat(arrivals, 2)[::2]
    frozen = services.copy()
    frozen.flags.writeable = False
    assert (fifo_queue(strided, frozen, num_servers=2).start_s == expected).all()
    assert (
        fifo_queue(arrivals.tolist(), services.tolist(), num_servers=2).start_s == expected
    ).all()
    assert (frozen == services).all()


# Quarters make ties, simultaneous arrivals and instant services common, and sums exact.
quarters = st.integers(0, 12).map(lambda k: k / 4)
rows = st.lists(st.tuples(quarters, quarters), min_size=1, max_size=17)


@given(rows, st.integers(1, 6))
@settings(max_examples=200, deadline=None)
def test_small_queues_with_ties_equal_the_reference(rows, num_servers):
    gaps, services = (np.array(column) for column in zip(*rows))
    arrivals = np.cumsum(gaps)
    run = fifo_queue(arrivals, services, num_servers=num_servers)
    assert run.start_s.tolist() == starts(arrivals, services, num_servers)
    if num_servers == 1:
        assert waiting_times(arrivals, services).tolist() == run.waiting_time_s.tolist()


@given(rows, st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_service_is_first_come_first_served_and_no_server_idles_while_someone_waits(
    rows, num_servers
):
    gaps, services = (np.array(column) for column in zip(*rows))
    run = fifo_queue(np.cumsum(gaps), services, num_servers=num_servers)
    assert (np.diff(run.start_s) >= 0).all()
    busy, waiting, inside = run.in_service(), run.queue(), run.in_flight()
    for t in np.concatenate((run.arrival_s, run.departure_s)):
        assert busy.at(t) <= num_servers
        assert waiting.at(t) == 0 or busy.at(t) == num_servers
        assert inside.at(t) == waiting.at(t) + busy.at(t)
