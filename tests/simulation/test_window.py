"""A window's request-seconds, counted by requests, against the area under the curve."""

import math

import numpy as np
import pytest

from labutils.simulation import in_flight_curve
from labutils.simulation.window import count_window


def some_log(seed, n=137):
    """Requests in no particular order, some of them nested, on a clock that begins before 0."""
    rng = np.random.default_rng(seed)
    arrivals = rng.uniform(-5, 30, n)
    return arrivals, arrivals + rng.gamma(0.7, 3.0, n)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("window", [(0.0, 11.5), (3.25, 3.5), (-9.0, 80.0), (29.0, 61.0)])
def test_by_requests_equals_by_seconds(seed, window):
    log = some_log(seed)
    by_seconds = in_flight_curve(*log).integral(*window)
    assert count_window(*log, *window).area_s == pytest.approx(by_seconds, rel=1e-12)


def test_each_term_of_a_log_written_by_hand():
    """Window 10 to 20: A is carried in, B comes and goes, C is carried out, D spans it all."""
    arrivals, departures = [7.0, 12.0, 18.5, 4.0, 20.0, 2.0], [13.0, 15.0, 26.0, 29.0, 21.0, 10.0]
    count = count_window(arrivals, departures, 10, 20)
    assert count.num_arrivals == 2  # B and C; the one at 20 belongs to the next window
    assert count.stays_s == 3.0 + 7.5
    assert count.carried_in_s == 3.0 + 10.0
    assert count.carried_out_s == 6.0
    assert count.area_s == 17.5
    assert count.arrival_rate == 0.2 and count.mean_stay_s == 5.25
    assert count.edge_share == pytest.approx((10.5 - 17.5) / 17.5)


def test_who_comes_at_the_first_moment_counts():
    assert count_window([10.0], [11.0], 10, 20).num_arrivals == 1


def test_from_empty_to_empty_there_are_no_edges():
    count = count_window(*some_log(5), -100, 200)
    assert count.carried_in_s == count.carried_out_s == 0
    assert count.edge_share == 0


def test_a_window_in_which_nobody_comes_has_no_mean_stay():
    count = count_window([1.0, 2.0], [30.0, 3.0], 10, 20)
    assert math.isnan(count.mean_stay_s) and count.area_s == 10.0
    assert math.isnan(count_window([1.0], [2.0], 10, 20).edge_share)


@pytest.mark.parametrize(
    ("log", "window", "words"),
    [
        (([1.0], [2.0]), (5, 5), "to_s = 5: expected a time after from_s = 5"),
        (([1.0], [2.0]), (5, 4), "to_s = 4"),
        (([1.0, 2.0], [2.0]), (0, 4), "departure_s"),
        (([1.0, math.nan], [2.0, 3.0]), (0, 4), r"arrival_s\[1\]"),
        (([], []), (0, 4), "arrival_s"),
    ],
)
def test_bad_input_is_named(log, window, words):
    with pytest.raises(ValueError, match=words):
        count_window(*log, *window)
