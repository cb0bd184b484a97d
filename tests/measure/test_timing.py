"""A Timing's figures against values counted by hand, and what it refuses."""

import numpy as np
import pytest

from labutils.measure import Timing


def test_the_middle_and_the_spread_by_counting():
    timing = Timing((0.009, 0.002, 0.007, 0.003, 0.004, 0.090, 0.005, 0.001, 0.006, 0.008))
    assert (timing.low_s, timing.median_s, timing.high_s) == (0.001, 0.005, 0.009)


def test_one_interrupted_run_moves_the_median_by_one_rank_at_most():
    calm = Timing(tuple(0.010 + 1e-5 * k for k in range(21)))
    hit = Timing((*calm.samples_s[:-1], 5.0))
    assert hit.median_s == calm.median_s == pytest.approx(0.0101)


@pytest.mark.parametrize(
    ("samples", "steady"),
    [((0.01, 0.019), True), ((0.01, 0.02), True), ((0.01, 0.021), False), ((0.0, 0.01), False)],
)
def test_runs_within_a_factor_of_two_are_steady(samples, steady):
    assert Timing(samples).is_steady is steady


def test_one_interrupted_run_in_twelve_leaves_a_timing_steady():
    assert Timing((*[0.01 + 1e-4 * k for k in range(11)], 0.9)).is_steady


def test_samples_keep_their_order_and_become_plain_numbers():
    timing = Timing(np.array([3, 1, 2]))
    assert timing.samples_s == (3.0, 1.0, 2.0)
    assert {type(value) for value in timing.samples_s} == {float}


def test_it_reads_with_units():
    assert str(Timing((0.003712, 0.0036, 0.0039))) == "3.71 ms (80 % of 3 runs: 3.6 ms to 3.9 ms)"
    assert str(Timing((17e-6,))).startswith("17 µs (")


@pytest.mark.parametrize(
    ("samples", "named"),
    [((), "samples_s"), ((0.1, -0.2), r"samples_s\[1\] = -0.2"), ((0.1, np.nan), "samples_s")],
)
def test_bad_samples_are_named(samples, named):
    with pytest.raises(ValueError, match=named):
        Timing(samples)
