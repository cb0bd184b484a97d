"""The left edge of the U: which batches keep up."""

import pytest

from labutils.batching import AffineBatchTime, LogBatchTime, least_stable_batch
from labutils.queueing import UnstableQueueError

MODEL = AffineBatchTime(0.004, 0.0009)


@pytest.mark.parametrize("rate, batch", ((800, 12), (204, 1), (205, 2), (1099, 404), (3, 1)))
def test_the_first_batch_that_outruns_the_arrivals(rate, batch):
    assert least_stable_batch(rate, MODEL) == batch
    assert batch / (0.004 + 0.0009 * batch) > rate
    assert batch == 1 or (batch - 1) / (0.004 + 0.0009 * (batch - 1)) <= rate


def test_exact_equality_does_not_keep_up():
    assert least_stable_batch(4, lambda b: 1.0 + 0 * b) == 5


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
