"""Predictions beside measurements: which hold, and whether the machine lets anybody say so."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

OF_THE_STEPS = 0.025
"""What a sum of five coefficients may be off by, over steps of one kind, without any noise."""

MOST_NOISE = 0.04
"""Passes of the same steps that differ by more show nothing about a model: at 0.7 of capacity a
step that takes 4 % longer makes waits 13 % longer."""


def band(share: float, repeatability: float) -> float:
    """How far a prediction at ``share`` of capacity may be off, relative to the measurement.

    The cost of a step is off by ``OF_THE_STEPS``, and the machine repeats itself within
    ``repeatability``. Waiting grows like 1 / (1 - load), and a backlog like load - 1: either
    multiplies a small error of the steps by 1 / |1 - load|.
    """
    return (OF_THE_STEPS + repeatability) / abs(1 - share)


def spread(values: Sequence[float]) -> float:
    """Half the range of the middle 80 % of ``values``, relative to the middle one."""
    low, middle, high = np.quantile(values, (0.1, 0.5, 0.9))
    return float((high - low) / 2 / middle)


@dataclass(frozen=True)
class Steadiness:
    """How far the machine agreed with itself.

    ``before``: how far passes of the same steps differed before the predictions were made;
    ``between``: those between the loads; ``drift``: how much longer the latter took. The clock was
    set by each of them, so a drift is taken out. ``speed_range``: the slowest tenth of the
    yardsticks by the fastest, a factor that the clock has taken out as well.
    """

    before: float
    between: float = 0.0
    drift: float = 0.0
    speed_range: float = 1.0

    @property
    def is_busy(self) -> bool:
        """Whether it disagreed with itself by too much to judge anything."""
        return max(self.before, self.between) > MOST_NOISE

    def __str__(self) -> str:
        return (
            f"the same steps repeat within {100 * self.before:.1f} %, between the loads within "
            f"{100 * self.between:.1f} %"
        )


@dataclass(frozen=True)
class Row:
    """One quantity under one load, piece by piece: what was predicted, and what was measured.

    ``band`` is how far off the prediction may be. The middle piece counts: a stall of the machine
    spoils the piece that it falls into, and no other.
    """

    share: float
    quantity: str
    pieces: tuple[tuple[float, float], ...]
    band: float
    why_not: str = ""

    @property
    def graded(self) -> bool:
        """Whether the row is graded; ``why_not`` says why not."""
        return not self.why_not

    @property
    def middle(self) -> tuple[float, float]:
        """The piece in the middle by its ratio: what was predicted, and what was measured."""
        ranked = sorted(zip(self.ratios, self.pieces))
        return ranked[(len(ranked) - 1) // 2][1]

    @property
    def predicted(self) -> float:
        """Of the piece in the middle."""
        return self.middle[0]

    @property
    def measured(self) -> float:
        """Of the piece in the middle."""
        return self.middle[1]

    @property
    def ratios(self) -> tuple[float, ...]:
        """Predicted over measured for each piece; NaN where nothing was measured."""
        return tuple(said / found if found else math.nan for said, found in self.pieces)

    @property
    def error(self) -> float:
        """How far the predictions are off, relative to the measurements: 0.1 for 10 % too much."""
        said, found = self.middle
        return said / found - 1 if found else math.nan

    @property
    def inside(self) -> bool:
        """Whether the prediction lies within the band."""
        return abs(self.error) <= self.band

    def line(self) -> str:
        """One line of a table; the quantity's name ends with its unit."""
        numbers = f"{self.predicted:10.3g}{self.measured:10.3g}{_signed(100 * self.error):>6} %"
        judged = f"{100 * self.band:6.0f} %" if self.graded else f"  not graded: {self.why_not}"
        return f"{self.share:<5g}{self.quantity:15}{numbers}{judged}"


@dataclass(frozen=True)
class Reveal:
    """All rows, and how ``steady`` the machine was."""

    rows: tuple[Row, ...]
    steady: Steadiness

    @property
    def graded(self) -> tuple[Row, ...]:
        """The rows that count."""
        return tuple(row for row in self.rows if row.graded)

    @property
    def inside(self) -> int:
        """Graded predictions within their band."""
        return sum(row.inside for row in self.graded)

    @property
    def holds(self) -> bool:
        """Whether the machine was steady, and every graded prediction within its band."""
        return not self.steady.is_busy and self.inside == len(self.graded) > 0

    def lines(self) -> list[str]:
        """A line for each row: what was predicted, what was measured, how far apart they are."""
        title = f"{'load':5}{'quantity':15}{'predicted':>10}{'measured':>10}{'error':>8}{'band':>8}"
        note = "each line is one piece of the load, the one in the middle by its error"
        return [title, *(row.line() for row in self.rows), note]

    def verdict(self) -> str:
        """A line or two: how many predictions hold, or why that cannot be said."""
        held = f"{self.inside} of {len(self.graded)} predictions within their band"
        if not self.steady.is_busy:
            return f"{held};\n{self.steady}."
        return (
            f"The machine was busy: {self.steady}; its speed varied by a factor of "
            f"{self.steady.speed_range:.1f}. This says nothing about the simulator. ({held}.) "
            "Close other programs, seal again, and run again."
        )


def _signed(number: float) -> str:
    """Rounded, with its sign; no sign before a zero."""
    return f"{round(number):+d}" if round(number) else "0"
