"""What the batching server refuses, and that it says why."""

import math

import numpy as np
import pytest

from labutils.simulation import batch_queue

GOOD = {"max_batch": 3, "batch_timeout_s": 0.5}


@pytest.mark.parametrize(
    "arrivals, message",
    (
        ([1, 2, 5, 4.5], r"arrival_s\[3\] = 4.5: .*arrival_s\[2\] = 5 is later"),
        ([1, math.nan], r"arrival_s\[1\] = nan"),
        ([1, math.inf], r"arrival_s\[1\] = inf"),
        ([], "arrival_s = .*at least one number"),
        ([[1, 2]], "arrival_s = .*one-dimensional"),
        ("soon", "arrival_s = 'soon'"),
        (None, "arrival_s = "),
    ),
)
def test_arrivals_that_make_no_queue(arrivals, message):
    with pytest.raises(ValueError, match=message):
        batch_queue(arrivals, [0, 1, 1, 1], **GOOD)


@pytest.mark.parametrize(
    "service, message",
    (
        ([0, 1, 1], r"service_s = shape \(3,\): .* max_batch = 3"),
        (0.5, r"service_s = shape \(\)"),
        ([[0, 1, 1, 1]], r"service_s = shape \(1, 4\)"),
        ([0, 1, -2, 1], r"service_s\[2\] = -2"),
        ([0, 1, 1, math.nan], r"service_s\[3\] = nan"),
        (lambda size: -size, r"service_s\[1\] = -1"),
        (lambda size: math.inf, r"service_s\[1\] = inf"),
    ),
)
def test_service_times_that_cannot_be(service, message):
    with pytest.raises(ValueError, match=message):
        batch_queue([0, 1, 2, 3], service, **GOOD)


@pytest.mark.parametrize("max_batch", (0, -1, 2.5, "two", None, True, math.inf))
def test_batches_come_in_whole_numbers(max_batch):
    with pytest.raises(ValueError, match=r"max_batch = .*whole number of at least 1"):
        batch_queue([0, 1], [0, 1, 1], max_batch=max_batch, batch_timeout_s=0)


@pytest.mark.parametrize("timeout", (-0.1, math.nan, -math.inf, "long", None, True))
def test_patience_is_a_time(timeout):
    with pytest.raises(ValueError, match=r"batch_timeout_s = .*at least 0 seconds"):
        batch_queue([0, 1], [0, 1, 1], max_batch=2, batch_timeout_s=timeout)


def test_what_is_allowed_although_it_looks_odd():
    """A negative clock, a place 0 of any kind, a table or batch larger than the run."""
    table = np.array([math.nan, 1.0, 1.0, 5.0, math.nan])
    run = batch_queue(np.array([-3, -2]), table, max_batch=2, batch_timeout_s=np.float32(0))
    assert run.finish_s.tolist() == [-2, -1]
    assert batch_queue([0, 1], table, max_batch=10**6, batch_timeout_s=math.inf).mean_batch == 2
    assert math.isnan(table[0])


def test_the_columns_are_not_changed():
    arrivals, table = np.array([0.0, 1.0, 4.0]), np.array([7.0, 1.0, 2.0])
    arrivals.flags.writeable = table.flags.writeable = False
    batch_queue(arrivals, table, max_batch=2, batch_timeout_s=1)
    assert arrivals.tolist() == [0, 1, 4]
    assert table.tolist() == [7, 1, 2]
