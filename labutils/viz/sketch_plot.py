"""The paper that a sketch is drawn on: axes, ticks, and the curve through the handles."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator

from labutils.ground import arguments
from labutils.ground.units import format_quantity

FINE = 401  # points of a finely drawn curve


@dataclass(frozen=True)
class SketchPlot:
    """Axes of a sketch. *Height* is a y as a share of the plot: 0 at the bottom, 1 at the top.

    Invariant: ``x`` rises and lies within ``x_range``; ``y_range`` rises, above 0 if ``y_log``.
    """

    x: tuple[float, ...]
    x_label: str
    y_label: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    y_log: bool
    y_unit: str
    title: str

    def __post_init__(self):
        if len(arguments.sample("x", self.x)) < 2 or not (np.diff(self.x) > 0).all():
            raise ValueError(f"x = {self.x!r}: expected at least two numbers that rise")
        low, high = _pair("x_range", self.x_range)
        if not low <= self.x[0] < self.x[-1] <= high:
            raise ValueError(f"x_range = {self.x_range!r}: expected a range that holds every x")
        if self.y_log and _pair("y_range", self.y_range)[0] <= 0:
            raise ValueError(f"y_range = {self.y_range!r}: expected both above 0 on a log axis")
        _pair("y_range", self.y_range)

    def height(self, y) -> np.ndarray:
        """Return y as a share of the plot's height; beyond the plot it is below 0 or above 1."""
        low, high = self._axis(np.asarray(self.y_range, dtype=float))
        with np.errstate(divide="ignore", invalid="ignore"):
            return (self._axis(np.asarray(y, dtype=float)) - low) / (high - low)

    def y_at(self, height) -> np.ndarray:
        """Return the y at a share of the plot's height: the inverse of ``height``."""
        low, high = self._axis(np.asarray(self.y_range, dtype=float))
        y = low + np.asarray(height, dtype=float) * (high - low)
        return 10**y if self.y_log else y

    def clip(self, y) -> np.ndarray:
        """Return y held within the plot."""
        return np.clip(np.asarray(y, dtype=float), *self.y_range)

    def drawn_curve(self, values) -> tuple[np.ndarray, np.ndarray]:
        """Return the curve through the handles, finely: (xs, ys).

        Monotone between neighbours and free of overshoot (piecewise cubic, Fritsch and Butland,
        1984), in the coordinates of the screen, as ``sketch.js`` draws it.
        """
        xs = np.union1d(np.linspace(self.x[0], self.x[-1], FINE), self.x)
        heights = PchipInterpolator(self.x, self.height(self.clip(values)))(xs)
        return xs, self.y_at(np.clip(heights, 0, 1))

    def real_curve(self, truth: Callable | tuple) -> tuple[np.ndarray, np.ndarray]:
        """Return the real curve over the whole plot, finely: (xs, ys); ys may leave the plot.

        ``truth`` is a function of one x, or a pair (xs, ys). Left and right of the handles a
        ``ValueError`` of the function (an unstable queue, say) leaves the point out.
        """
        xs = np.union1d(np.linspace(*self.x_range, FINE), self.x)
        if callable(truth):
            ys = np.array([self._called(truth, x) for x in xs])
        else:
            ys = self._interpolated(truth, xs)
        kept = ~np.isnan(ys)
        if not kept[(xs >= self.x[0]) & (xs <= self.x[-1])].all():
            raise ValueError(f"truth: expected a number from x = {self.x[0]} to {self.x[-1]}")
        return xs[kept], ys[kept]

    def y_ticks(self) -> list[tuple[float, str]]:
        """Return (y, label) for each grid line."""
        ticks = _log_ticks(*self.y_range) if self.y_log else _round_ticks(*self.y_range)
        return [(y, self.tick_label(y)) for y in ticks]

    def tick_label(self, y: float) -> str:
        """Return a y with its unit, in one unit only: "100 ms", "1,000 s"."""
        if self.y_unit == "s" and y >= 1:
            return format_quantity(float(y), "1") + " s"
        if self.y_unit == "×":
            return format_quantity(float(y), "1") + "×"
        return format_quantity(float(y), self.y_unit or "1")

    def _axis(self, y: np.ndarray) -> np.ndarray:
        return np.log10(np.maximum(y, 0)) if self.y_log else y

    def _called(self, truth: Callable, x: float) -> float:
        try:
            return float(truth(float(x)))
        except (ValueError, ZeroDivisionError):
            if self.x[0] <= x <= self.x[-1]:
                raise
            return math.nan

    def _interpolated(self, truth, xs: np.ndarray) -> np.ndarray:
        known_x, known_y = (np.asarray(side, dtype=float) for side in truth)
        if known_x.shape != known_y.shape or known_x.ndim != 1 or not (np.diff(known_x) > 0).all():
            raise ValueError("truth = (xs, ys): expected two sequences of one length, xs rising")
        heights = np.interp(xs, known_x, self.height(known_y), left=math.nan, right=math.nan)
        return self.y_at(heights)


def _pair(name: str, values) -> tuple[float, float]:
    low, high = arguments.sample(name, values) if len(values) == 2 else (1, 0)
    if not low < high:
        raise ValueError(f"{name} = {values!r}: expected two numbers, the smaller one first")
    return float(low), float(high)


def _log_ticks(low: float, high: float) -> list[float]:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    few = high / low < 1001
    ticks = [m * 10.0**d for d in decades for m in ((1, 2, 5) if few else (1,))]
    return [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]


def _round_ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]
