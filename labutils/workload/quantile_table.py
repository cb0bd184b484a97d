"""Draw lengths from a handful of published quantiles and a mean."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labutils.ground.arguments import positive, sample, whole


@dataclass(frozen=True, eq=False)
class QuantileTable:
    """A distribution known by its ``values`` at the shares ``levels`` and by its ``mean``.

    Between two neighbours the value rises as lo + (hi − lo)·t^bend, where t runs from 0 to 1. A
    straight line (bend 1) would overstate a long tail, so one bend is chosen for the whole table
    such that the mean comes out exact. Below the first level the first value is taken.

    ``ValueError`` for tables that do not ascend or a mean that no bend can give.
    """

    levels: np.ndarray
    values: np.ndarray
    mean: float

    def __post_init__(self):
        levels, values = sample("levels", self.levels), sample("values", self.values)
        if len(levels) != len(values) or levels[0] <= 0 or levels[-1] != 1:
            raise ValueError(f"levels = {levels}: expected one per value, above 0 and up to 1")
        if (np.diff(levels) <= 0).any() or (np.diff(values) < 0).any():
            raise ValueError(f"levels, values = {levels}, {values}: expected both to ascend")
        object.__setattr__(self, "mean", positive("mean", self.mean))
        object.__setattr__(self, "levels", np.concatenate(([0.0], levels)))
        object.__setattr__(self, "values", np.concatenate((values[:1], values)))
        lowest, spread = self._lowest_and_spread()
        if not (lowest < self.mean < lowest + spread or lowest == self.mean):
            raise ValueError(
                f"mean = {self.mean}: expected one between {lowest:.4g} and {lowest + spread:.4g}, "
                "which the quantiles allow"
            )

    @cached_property
    def bend(self) -> float:
        """The exponent between quantiles: a piece's mean is lo + (hi − lo) / (1 + bend)."""
        lowest, spread = self._lowest_and_spread()
        return spread / (self.mean - lowest) - 1 if spread else 1.0

    def at(self, share) -> np.ndarray:
        """The value below which a ``share`` of the distribution lies: the inverse CDF."""
        share = np.asarray(share, dtype=float)
        if not ((share >= 0) & (share <= 1)).all():
            raise ValueError("share: expected numbers from 0 to 1")
        piece = np.minimum(self.levels.searchsorted(share, side="right"), len(self.levels) - 1) - 1
        width = self.levels[piece + 1] - self.levels[piece]
        along = (share - self.levels[piece]) / width
        low = self.values[piece]
        return low + (self.values[piece + 1] - low) * along**self.bend

    def draw_whole(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """``n`` independent draws, rounded to whole numbers of at least 1."""
        if not isinstance(rng, np.random.Generator):
            raise ValueError(f"rng = {rng!r}: expected a numpy.random.Generator")
        drawn = np.rint(self.at(rng.random(whole("n", n)))).astype(np.int64)
        return np.maximum(drawn, 1)

    def _lowest_and_spread(self) -> tuple[float, float]:
        widths = np.diff(self.levels)
        return float(widths @ self.values[:-1]), float(widths @ np.diff(self.values))
