"""Fit a batch-time model to measured batches, and say how well it fits.

All fits minimise the *relative* errors (time said / time measured - 1), since a timing is off by
a share of itself, and a batch of 1 must count as much as a batch of 512. No cost comes out
negative.
"""

from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments
from labutils.laws.batching.batch_time import (
    AffineBatchTime,
    BatchTime,
    LogBatchTime,
    RooflineBatchTime,
)

RIDGES_TRIED, TIE = 400, 1e-12


@dataclass(frozen=True, eq=False)
class BatchFit:
    """A fitted ``model`` with the measurements behind it, in ascending order of batch size."""

    model: BatchTime
    batches: np.ndarray
    times_s: np.ndarray

    @property
    def residuals_s(self) -> np.ndarray:
        """Measured less fitted, in seconds: a pattern in them says that the model is wrong."""
        return self.times_s - self.model(self.batches)

    @property
    def relative_residuals(self) -> np.ndarray:
        """``residuals_s`` as a share of the measured times."""
        return self.residuals_s / self.times_s

    @property
    def relative_rms(self) -> float:
        """Root mean square of the relative residuals: 0.02 is a typical error of 2 %."""
        return float(np.sqrt(np.mean(self.relative_residuals**2)))


def fit_affine(batches, times_s) -> BatchFit:
    """Fit ``AffineBatchTime`` to the seconds ``times_s`` that batches of sizes ``batches`` took.

    A size may come more than once. Raises ``ValueError`` for sizes below 1, times that are not
    above 0, two different lengths, or fewer than two different sizes.
    """
    sizes, times = _measurements(batches, times_s)
    fixed, slope = _costs([np.ones_like(sizes), sizes], times)
    return BatchFit(AffineBatchTime(fixed, slope), sizes, times)


def fit_log(batches, times_s) -> BatchFit:
    """Fit ``LogBatchTime``; arguments and errors as ``fit_affine``.

    Also raises ``ValueError`` for times that no logarithm follows: the fitted time of one
    request would be 0.
    """
    sizes, times = _measurements(batches, times_s)
    single, growth = _costs([np.ones_like(sizes), np.log(sizes)], times)
    if single == 0:
        raise ValueError(
            f"times_s = {times.tolist()}: expected times that a logarithm can follow, "
            "but the best fit gives a batch of 1 no time at all"
        )
    return BatchFit(LogBatchTime(single, growth / single), sizes, times)


def fit_roofline(batches, times_s) -> BatchFit:
    """Fit ``RooflineBatchTime``; arguments and errors as ``fit_affine``.

    The ridge is sought between the smallest and the largest size measured. At the largest it means
    "not reached", and ``per_item_s`` is then a bound from above. The slope and the overhead can be
    told apart only if at least two sizes lie past the ridge.
    """
    sizes, times = _measurements(batches, times_s)

    def columns(ridge: float):
        return [np.maximum(ridge, sizes), np.ones_like(sizes)]

    ridge = _best_ridge(columns, sizes, times)
    per_item, overhead = _costs(columns(ridge), times)
    return BatchFit(RooflineBatchTime(per_item * ridge, per_item, overhead), sizes, times)


def _best_ridge(columns, sizes: np.ndarray, times: np.ndarray) -> float:
    """Try ridges everywhere, then look closely around the best: the error has several dips."""
    from scipy.optimize import minimize_scalar

    def error(ridge: float) -> float:
        return _misfit(columns(ridge), times)

    tried = np.unique(np.append(np.geomspace(sizes[0], sizes[-1], RIDGES_TRIED), sizes))
    errors = np.array([error(ridge) for ridge in tried])
    at = int(np.flatnonzero(errors <= errors.min() + TIE)[-1])  # flat times: no ridge in sight
    low, high = tried[max(at - 1, 0)], tried[min(at + 1, tried.size - 1)]
    closer = minimize_scalar(error, bounds=(low, high), method="bounded")
    return float(closer.x) if closer.fun < errors[at] - TIE else float(tried[at])


def _costs(columns, times: np.ndarray) -> tuple[float, ...]:
    return tuple(_solve(columns, times)[0].tolist())


def _misfit(columns, times: np.ndarray) -> float:
    return float(_solve(columns, times)[1])


def _solve(columns, times: np.ndarray):
    """Least squares of the relative errors with weights of at least 0 (Lawson and Hanson 1974)."""
    from scipy.optimize import nnls

    scaled = np.column_stack([column / times for column in columns])
    size = np.linalg.norm(scaled, axis=0)
    size[size == 0] = 1.0
    costs, misfit = nnls(scaled / size, np.ones_like(times))
    return costs / size, misfit


def _measurements(batches, times_s) -> tuple[np.ndarray, np.ndarray]:
    sizes, times = arguments.sample("batches", batches), arguments.sample("times_s", times_s)
    if sizes.size != times.size:
        raise ValueError(
            f"times_s = {times.size} values: expected one for each of the {sizes.size} batches"
        )
    for name, values, least, expected in (
        ("batches", sizes, 1.0, "sizes of at least 1"),
        ("times_s", times, np.nextafter(0, 1), "times above 0 seconds"),
    ):
        if values.min() < least:
            at = int(values.argmin())
            raise ValueError(f"{name}[{at}] = {values[at]:.12g}: expected {expected}")
    if np.unique(sizes).size < 2:
        raise ValueError(f"batches = {sizes.tolist()}: expected at least two different sizes")
    order = np.argsort(sizes, kind="stable")
    return sizes[order], times[order]
