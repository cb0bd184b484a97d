"""Fits: they find the costs that made the data, weigh errors as shares, and admit a misfit."""

import numpy as np
import pytest

from labutils.laws.batching import (
    AffineBatchTime,
    LogBatchTime,
    RooflineBatchTime,
    fit_affine,
    fit_log,
    fit_roofline,
)

SIZES = np.array([32, 1, 3, 7, 7, 100, 250])


@pytest.mark.parametrize(
    "fit, model",
    (
        (fit_affine, AffineBatchTime(0.0041, 0.00093)),
        (fit_affine, AffineBatchTime(2.5, 1e-6)),
        (fit_affine, AffineBatchTime(0.0, 0.013)),
        (fit_log, LogBatchTime(0.021, 0.17)),
        (fit_log, LogBatchTime(3.0, 0.0)),
        (fit_roofline, RooflineBatchTime(0.020, 0.001, 0.003)),
        (fit_roofline, RooflineBatchTime(0.020, 0.00081, 0.0)),
        (fit_roofline, RooflineBatchTime(5e-6, 1e-6, 4e-6)),
    ),
)
def test_the_costs_behind_noiseless_times_come_back(fit, model):
    found = fit(SIZES, model(SIZES))
    for name, cost in vars(model).items():
        assert getattr(found.model, name) == pytest.approx(cost, rel=2e-3, abs=1e-9 * model(1))
    assert found.relative_rms < 1e-5
    assert np.abs(found.residuals_s).max() < 1e-4 * model(1)


def test_affine_costs_minimise_the_relative_error():
    rng = np.random.default_rng(5)
    times = AffineBatchTime(0.004, 0.0009)(SIZES) * rng.lognormal(0, 0.05, SIZES.size)
    found = fit_affine(SIZES, times)

    def error(fixed, slope):
        return np.sqrt(np.mean((1 - (fixed + slope * SIZES) / times) ** 2))

    fixed, slope = found.model.fixed_s, found.model.per_item_s
    assert found.relative_rms == pytest.approx(error(fixed, slope))
    for a, b in ((1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99), (1.01, 0.99)):
        assert error(fixed * a, slope * b) > found.relative_rms


def test_no_cost_comes_out_negative():
    quadratic = 1e-3 * SIZES.astype(float) ** 2
    assert fit_affine(SIZES, quadratic).model.fixed_s == 0
    falling = 1.0 / SIZES
    assert fit_affine(SIZES, falling).model.per_item_s == 0
    assert fit_log(SIZES, falling).model.alpha == 0


def test_the_wrong_model_shows_in_its_residuals():
    times = RooflineBatchTime(0.020, 0.001, 0.003)(SIZES)
    line = fit_affine(SIZES, times)
    assert line.relative_rms > 0.05 > 1e3 * fit_roofline(SIZES, times).relative_rms
    assert fit_log(SIZES, times).relative_rms > line.relative_rms
    assert line.batches.tolist() == [1, 3, 7, 7, 32, 100, 250]
    np.testing.assert_allclose(line.residuals_s, line.times_s - line.model(line.batches))
    np.testing.assert_allclose(line.relative_residuals * line.times_s, line.residuals_s)


def test_a_roof_that_was_not_reached_bends_at_the_largest_size():
    found = fit_roofline([1, 2, 5, 40], [0.01] * 4)
    assert found.model([1, 40]).tolist() == pytest.approx([0.01, 0.01])
    assert found.model.ridge_batch == pytest.approx(40)
    assert found.model.overhead_s < 1e-12


def test_times_that_no_logarithm_follows():
    with pytest.raises(ValueError, match="a logarithm can follow"):
        fit_log([2, 4, 2000], [1e-6, 1, 9000])


@pytest.mark.parametrize("fit", (fit_affine, fit_log, fit_roofline))
@pytest.mark.parametrize(
    "sizes, times, message",
    (
        ([1, 2, 3], [1, 2], "times_s = 2 values: .* 3 batches"),
        ([1, 0, 3], [1, 2, 3], r"batches\[1\] = 0"),
        ([1, 2, 3], [1, 2, 0.0], r"times_s\[2\] = 0"),
        ([4, 4], [1, 2], "at least two different sizes"),
        ([1, 2], [1, float("nan")], r"times_s\[1\] = nan"),
        ([], [], "batches"),
    ),
)
def test_measurements_that_cannot_be(fit, sizes, times, message):
    with pytest.raises(ValueError, match=message):
        fit(sizes, times)
