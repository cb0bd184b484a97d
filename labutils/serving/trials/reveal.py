"""Predictions beside measurements: which hold, and whether the machine lets anybody say so."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

OF_THE_STEPS = 0.025
"""What a sum of five coefficients may be off by, over steps of one kind, without any noise."""

IN_ITS_BAND = 0.95
"""A band is made for this share of a right simulator's predictions."""

BARELY_LUCK = 0.06
"""More predictions outside than luck puts there in this share of runs speak against the simulator:
the only one of a run, which is outside in 0.05, and three of nine."""

MOST_NOISE = 0.04
"""Passes of the same steps that differ by more show nothing about a model: at 0.7 of capacity a
step that takes 4 % longer makes waits 13 % longer."""


def band(share: float, repeatability: float, ratios: Sequence[float] = ()) -> float:
    """How far a prediction at ``share`` of capacity may be off, relative to the measurement.

    The cost of a step is off by ``OF_THE_STEPS``, and the machine repeats itself within
    ``repeatability``. Waiting grows like 1 / (1 - load), and a backlog like load - 1: either
    multiplies a small error of the steps by 1 / |1 - load|. A p99 rests on two or three answers of
    a piece and repeats itself worse than steps do: where predicted over measured, the ``ratios`` of
    the pieces, differs by more among them, that counts instead.
    """
    of_the_steps, noise = (off / abs(1 - share) for off in (OF_THE_STEPS, repeatability))
    known = [ratio for ratio in ratios if not math.isnan(ratio)]
    return of_the_steps + max(noise, spread(known) if known else 0.0)


def luck(inside: int, graded: int) -> float:
    """How often so few predictions of a right simulator lie within their bands, or fewer.

    By the binomial distribution, as if they missed independently of each other.
    """
    return sum(
        math.comb(graded, k) * IN_ITS_BAND**k * (1 - IN_ITS_BAND) ** (graded - k)
        for k in range(inside + 1)
    )


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

    ``band`` is how far off the prediction may be. The pieces' middle counts: a stall of the machine
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
    def predicted(self) -> float:
        """The middle of what was predicted for the pieces."""
        return median(said for said, _ in self.pieces)

    @property
    def measured(self) -> float:
        """The middle of what was measured in the pieces."""
        return median(found for _, found in self.pieces)

    @property
    def ratios(self) -> tuple[float, ...]:
        """Predicted over measured for each piece; NaN where nothing was measured."""
        return tuple(said / found if found else math.nan for said, found in self.pieces)

    @property
    def error(self) -> float:
        """How far the predictions are off, relative to the measurements: 0.1 for 10 % too much.

        Each piece is compared with its own prediction; this is the middle of them.
        """
        known = [ratio for ratio in self.ratios if not math.isnan(ratio)]
        return median(known) - 1 if known else math.nan

    @property
    def inside(self) -> bool:
        """Whether the prediction lies within the band."""
        return abs(self.error) <= self.band

    def line(self) -> str:
        """One line of a table; the quantity's name ends with its unit."""
        numbers = f"{self.predicted:10.3g}{self.measured:10.3g}{_signed(100 * self.error):>6} %"
        judged = f"{100 * self.band:6.0f} %" if self.graded else f"  not judged: {self.why_not}"
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
        """Whether the machine was steady, and no more lie outside than luck puts there."""
        steady = bool(self.graded) and not self.steady.is_busy
        return steady and luck(self.inside, len(self.graded)) >= BARELY_LUCK

    def lines(self) -> list[str]:
        """A line for each row: what was predicted, what was measured, how far apart they are."""
        title = f"{'load':5}{'quantity':15}{'predicted':>10}{'measured':>10}{'error':>8}{'band':>8}"
        note = "each number is the middle of its pieces, the error that of the pieces' errors"
        return [title, *(row.line() for row in self.rows), note]

    def verdict(self) -> str:
        """A line or two: how many predictions hold, or why that cannot be said."""
        if not self.graded:
            why = "; ".join(dict.fromkeys(row.why_not for row in self.rows))
            return f"Not judged: {why}. {NOTHING_SAID}\n{self.steady}."
        held = f"{self.inside} of {len(self.graded)} predictions within their band"
        if not self.steady.is_busy:
            return f"{held};\n{self._by_luck()};\n{self.steady}."
        return (
            f"The machine was busy: {self.steady}; its speed varied by a factor of "
            f"{self.steady.speed_range:.1f}. {NOTHING_SAID} ({held}.)"
        )

    def _by_luck(self) -> str:
        """What to think of that number: how often a right simulator has it, or fewer."""
        n, inside = len(self.graded), self.inside
        told = f"a right simulator has all {n} in {100 * IN_ITS_BAND**n:.0f} of 100 runs"
        few = f", {inside} or fewer in {100 * luck(inside, n):.2g}, by luck alone"
        return told + few * (inside < n)


NOTHING_SAID = (
    "This says nothing about the simulator. Close other programs, seal again, and run again."
)


def _signed(number: float) -> str:
    """Rounded, with its sign; no sign before a zero."""
    return f"{round(number):+d}" if round(number) else "0"
