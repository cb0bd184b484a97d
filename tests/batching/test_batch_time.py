"""The three batch-time models, against numbers worked out by hand."""

import math

import numpy as np
import pytest

from labutils.laws.batching import AffineBatchTime, LogBatchTime, RooflineBatchTime

AFFINE = AffineBatchTime(fixed_s=0.004, per_item_s=0.0009)
LOG = LogBatchTime(single_s=0.020, alpha=0.2)
ROOF = RooflineBatchTime(bytes_s=0.006, per_item_s=0.00025, overhead_s=0.001)


@pytest.mark.parametrize(
    "model, batch, seconds",
    (
        (AFFINE, 1, 0.0049),
        (AFFINE, 32, 0.0328),
        (LOG, 1, 0.020),
        (LOG, 32, 0.0338629436),  # 20 ms · (1 + 0.2 · 3.4657359)
        (LOG, 128, 0.0394081210557),
        (ROOF, 3, 0.007),
        (ROOF, 24, 0.007),
        (ROOF, 30, 0.0085),
        (RooflineBatchTime(0.002, 0.003), 5, 0.015),
    ),
)
def test_seconds_and_throughput_of_one_batch(model, batch, seconds):
    assert model(batch) == pytest.approx(seconds, rel=1e-9)
    assert isinstance(model(batch), float)
    assert model.throughput_per_s(batch) == pytest.approx(batch / seconds, rel=1e-9)


@pytest.mark.parametrize("model", (AFFINE, LOG, ROOF))
def test_many_sizes_at_once(model):
    sizes = [7, 1, 2.5, 300]
    assert model(sizes).tolist() == [model(size) for size in sizes]
    assert model.throughput_per_s(sizes).tolist() == [model.throughput_per_s(s) for s in sizes]


def test_the_limits_of_throughput():
    assert AFFINE.limit_per_s == pytest.approx(1111.11, abs=0.01)
    assert AFFINE.throughput_per_s(10**7) < AFFINE.limit_per_s
    assert ROOF.limit_per_s == pytest.approx(4000)
    assert AffineBatchTime(0.1, 0.0).limit_per_s == math.inf
    assert LOG.limit_per_s == math.inf
    assert LOG.throughput_per_s(10**7) > 1000 * AFFINE.limit_per_s


def test_the_roof_bends_at_its_ridge():
    assert ROOF.ridge_batch == pytest.approx(24)
    assert RooflineBatchTime(0.003, 0.0).ridge_batch == math.inf
    assert RooflineBatchTime(0.0, 0.003).ridge_batch == 0


@pytest.mark.parametrize(
    "batch", (0, 0.5, -3, math.nan, math.inf, "8", None, True, [2, 0.9], [[1]])
)
@pytest.mark.parametrize("model", (AFFINE, LOG, ROOF))
def test_no_batch_is_below_one(model, batch):
    with pytest.raises(ValueError, match="batch"):
        model(batch)


@pytest.mark.parametrize(
    "make, message",
    (
        (lambda: AffineBatchTime(-0.1, 1.0), r"fixed_s = -0\.1"),
        (lambda: AffineBatchTime(1.0, math.nan), "per_item_s = nan"),
        (lambda: AffineBatchTime(0, 0), r"fixed_s \+ per_item_s = 0"),
        (lambda: LogBatchTime(0, 0.2), "single_s = 0"),
        (lambda: LogBatchTime(1, -0.2), r"alpha = -0\.2"),
        (lambda: RooflineBatchTime(0, 0, 1), r"bytes_s \+ per_item_s = 0"),
        (lambda: RooflineBatchTime(1, 1, -1), "overhead_s = -1"),
    ),
)
def test_costs_that_cannot_be(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_numpy_numbers_are_numbers():
    assert AFFINE(np.int64(4)) == AFFINE(np.array(4)) == AFFINE(4)
