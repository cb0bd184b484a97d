"""The envelope: what the simulator says before the engine runs, against what the engine then does.

Both serve the same requests: same arrivals, same lengths. The simulator knows the engine by its
``StepCost`` alone, which was fitted beforehand, on other steps. Predictions are sealed (a digest
is printed) before anything runs.
"""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from statistics import median

import numpy as np

from labutils import arguments
from labutils.latency import percentile
from labutils.metrics import RequestLog

from .calibrate import NOISY
from .old_simulator import simulate
from .step_cost import StepCost
from .step_record import StepRecord

BAND = 0.10
"""How far a prediction may be from the measurement, relative to it."""

STABLE, OVERLOADED = 0.7, 1.2
"""Shares of capacity: up to the first, latencies are graded; from the second on, the backlog."""

MOST_DRIFT = 0.03
"""At 0.7 of capacity a step that takes 3 % longer makes waits about 10 % longer. The growth at 1.2
is a difference of two near numbers: there 2 % are enough, so 3 % may cost that row its band."""

_LONGEST_PAUSE = 0.2  # of a step, between two that follow each other without a wait


@dataclass(frozen=True)
class Figures:
    """What a run under one load comes down to; times in seconds, NaN without answers.

    ``backlog_per_s`` is the growth of the number of requests inside, per second.
    """

    ttft_p50_s: float
    ttft_p99_s: float
    tpot_p50_s: float
    tpot_p99_s: float
    backlog_per_s: float

    @classmethod
    def of(cls, log: RequestLog, until_s: float) -> "Figures":
        """The figures of a log whose clock starts with the first arrival at 0."""
        tails = []
        for latencies in (log.ttft_s, log.tpot_s):
            known = latencies[log.ok & ~np.isnan(latencies)]
            tails += [percentile(known, q) if known.size else np.nan for q in (0.5, 0.99)]
        return cls(*map(float, tails), backlog_slope(log, until_s))


LATENCIES, BACKLOG = tuple(f.name for f in fields(Figures))[:-1], "backlog_per_s"


def backlog_slope(log: RequestLog, until_s: float) -> float:
    """Requests inside, growing per second: a line through their number from until_s / 4 on."""
    until_s = arguments.positive("until_s", until_s)
    times = np.linspace(until_s / 4, until_s, 301)
    ends = np.sort(log.finish_s[~np.isnan(log.finish_s)])
    came = np.searchsorted(np.sort(log.intended_arrival_s), times, side="right")
    inside = came - np.searchsorted(ends, times, side="right")
    return float(np.polyfit(times, inside, 1)[0])


def capacity_per_s(log: RequestLog) -> float:
    """Answers a second that an engine gave while it had more requests than places.

    ``log`` is of a backlog that was there at the beginning. Counted from the first tenth of the
    answers on, when the batch has filled, until the last request was admitted.
    """
    ends, closes = np.sort(log.finish_s[log.ok]), float(np.nanmax(log.admitted_s))
    first = len(ends) // 10
    last = int(np.searchsorted(ends, closes))
    if last - first < 10:
        raise ValueError(
            f"log has {max(last - first, 0)} answers between the first tenth and the last "
            "admission: expected ten or more; give it a longer backlog"
        )
    return float((last - 1 - first) / (ends[last - 1] - ends[first]))


def predict_load(trace, scheduler, step_cost: StepCost) -> Figures:
    """What the simulator says of ``trace``, served by a fresh ``scheduler``."""
    return Figures.of(simulate(trace, scheduler, step_cost).log_without_gaps, trace.duration_s)


def measure_load(trace, engine) -> Figures:
    """What ``engine`` does with ``trace``, on the wall clock and with open-loop arrivals."""
    from .open_loop import replay

    return Figures.of(replay(engine, trace), trace.duration_s)


def drift(steps: Sequence[StepRecord], step_cost: StepCost) -> float:
    """How much longer steps took than the fitted cost says, in all: 0.02 for 2 % longer.

    ``steps`` are those of one run, in order. What the host did between two steps counts as well,
    unless it was so long that the engine must have waited for an arrival.
    """
    taken = np.array([one.wall_s for one in steps])
    starts = np.array([one.start_s for one in steps])
    between = np.diff(starts) - taken[:-1]
    between[between > _LONGEST_PAUSE * taken[:-1]] = 0.0
    said = sum(step_cost.time_s(one.shape) for one in steps)
    return float((taken.sum() + between.sum()) / said - 1)


@dataclass(frozen=True)
class Envelope:
    """Predictions by share of capacity, made before the engine runs."""

    predicted: Mapping[float, Figures]

    @classmethod
    def of(cls, loads: Mapping[float, object], scheduler: Callable, step_cost: StepCost):
        """Predict every load (share of capacity -> trace); ``scheduler()`` makes a fresh one."""
        return cls(
            {share: predict_load(one, scheduler(), step_cost) for share, one in loads.items()}
        )

    @property
    def seal(self) -> str:
        """Eight letters that no other predictions have (the beginning of their SHA-256)."""
        numbers = sorted((share, *astuple(one)) for share, one in self.predicted.items())
        return hashlib.sha256(repr(numbers).encode()).hexdigest()[:8]

    def opened(
        self, measured: Mapping[float, Sequence[Figures]], *, drift: float, noise: float = 0.0
    ) -> "Reveal":
        """Put the measured runs of each load beside the predictions."""
        rows = [
            row for share in sorted(measured) for row in self._rows(share, list(measured[share]))
        ]
        return Reveal(tuple(rows), drift, noise)

    def _rows(self, share: float, runs: list[Figures]) -> list["Row"]:
        names = (BACKLOG,) if share >= OVERLOADED else LATENCIES
        said, graded = self.predicted[share], share <= STABLE or share >= OVERLOADED
        values = {name: tuple(getattr(run, name) for run in runs) for name in names}
        return [Row(share, name, getattr(said, name), values[name], graded) for name in names]


@dataclass(frozen=True)
class Row:
    """One quantity under one load: what was predicted, and what each run measured."""

    share: float
    quantity: str
    predicted: float
    runs: tuple[float, ...]
    graded: bool

    @property
    def measured(self) -> float:
        """The median of the runs."""
        return median(self.runs)

    @property
    def error(self) -> float:
        """How far the prediction is off, relative to the measurement: 0.1 for 10 % too much."""
        return self.over_measured(self.predicted) - 1

    def over_measured(self, value: float) -> float:
        """``value`` over the measurement; NaN where that is 0, as a backlog's slope may be."""
        return value / self.measured if self.measured else math.nan

    @property
    def spread(self) -> float:
        """Largest less smallest run, relative to the measurement."""
        return self.over_measured(max(self.runs) - min(self.runs))

    @property
    def inside(self) -> bool:
        """Whether the prediction lies within the band."""
        return abs(self.error) <= BAND

    def line(self) -> str:
        """One line of a table; the quantity's name ends with its unit."""
        numbers = f"{self.predicted:10.3g}{self.measured:10.3g}{100 * self.error:+6.0f} %"
        return f"{self.share:<5g}{self.quantity:15}{numbers}{'' if self.graded else '  not graded'}"


@dataclass(frozen=True)
class Reveal:
    """All rows, and whether the machine held still enough for them to mean something.

    ``drift``: how much longer steps took than when their cost was fitted. ``noise``: how far the
    repetitions of that fit differ.
    """

    rows: tuple[Row, ...]
    drift: float
    noise: float = 0.0

    @property
    def is_noisy(self) -> bool:
        """Whether the machine changed more than the band allows for, or the fit is too noisy."""
        return abs(self.drift) > MOST_DRIFT or self.noise > NOISY

    @property
    def inside(self) -> int:
        """Graded predictions within the band."""
        return sum(row.inside for row in self.graded)

    @property
    def graded(self) -> tuple[Row, ...]:
        """The rows that count."""
        return tuple(row for row in self.rows if row.graded)

    def lines(self) -> list[str]:
        """A line for each row: what was predicted, what was measured, how far apart they are."""
        title = f"{'load':5}{'quantity':15}{'predicted':>10}{'measured':>10}{'error':>8}"
        return [title, *(row.line() for row in self.rows)]

    def verdict(self) -> str:
        """One sentence: how many predictions hold, or why that cannot be said."""
        held = f"{self.inside} of {len(self.graded)} predictions within {100 * BAND:.0f} %"
        if not self.is_noisy:
            return f"{held}; steps took {100 * self.drift:+.1f} % against the fit."
        return (
            f"Too noisy to judge: steps took {100 * self.drift:+.0f} % against the fit, whose own "
            f"repetitions differ by {100 * self.noise:.0f} %. ({held}.) Close other programs, fit "
            "again, and run for longer."
        )
