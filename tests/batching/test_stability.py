"""The left edge of the U: which batches keep up."""

from fractions import Fraction
from itertools import product

import pytest

from labutils.laws.batching import (
    AffineBatchTime,
    LogBatchTime,
    full_batch_mean_wait,
    least_stable_batch,
)
from labutils.laws.queueing import UnstableQueueError

MODEL = AffineBatchTime(0.004, 0.0009)


@pytest.mark.parametrize("rate, batch", ((800, 12), (204, 1), (205, 2), (1099, 404), (3, 1)))
def test_the_first_batch_that_outruns_the_arrivals(rate, batch):
    assert least_stable_batch(rate, MODEL) == batch
    assert batch / (0.004 + 0.0009 * batch) > rate
    assert batch == 1 or (batch - 1) / (0.004 + 0.0009 * (batch - 1)) <= rate


def test_exact_equality_does_not_keep_up():
    assert least_stable_batch(4, lambda b: 1.0 + 0 * b) == 5
    assert least_stable_batch(1000, MODEL) == 41  # 40 / (4 ms + 36 ms) is 1,000 but for rounding
    with pytest.raises(UnstableQueueError):
        full_batch_mean_wait(1000.0, MODEL(40), 40)
    assert full_batch_mean_wait(1000.0, MODEL(41), 41) < 1


def test_exact_equality_of_round_machines_does_not_keep_up():
    """In fractions, for machines as a course would choose them: 0.9 ms more for each request."""
    exact = wrong = 0
    for fixed, each, rate in product(range(1, 13), range(1, 20), (40, 50, 200, 400, 1000)):
        time = Fraction(fixed, 1000), Fraction(each, 10_000)
        keeps_up = (n for n in range(1, 400) if n > rate * (time[0] + time[1] * n))
        least = next(keeps_up, None)
        if least is None:
            continue
        exact += least - 1 == rate * (time[0] + time[1] * (least - 1))
        wrong += least_stable_batch(rate, AffineBatchTime(*map(float, time))) != least
    assert exact > 50 and not wrong


def test_a_logarithm_keeps_up_with_anything():
    assert least_stable_batch(5e4, LogBatchTime(0.02, 0.2), max_batch=10_000) == 2571


def test_an_overload_says_by_how_much():
    with pytest.raises(UnstableQueueError, match=r"arrival_rate = 1200/s .*869\.56.* 1\.38 times"):
        least_stable_batch(1200, MODEL, max_batch=16)
    with pytest.raises(ValueError, match=r"arrival_rate = 1111\.2/s against a capacity of 11"):
        least_stable_batch(1111.2, MODEL)


def test_what_it_refuses():
    with pytest.raises(ValueError, match="arrival_rate = 0"):
        least_stable_batch(0, MODEL)
    with pytest.raises(ValueError, match="max_batch = 0"):
        least_stable_batch(1, MODEL, max_batch=0)
