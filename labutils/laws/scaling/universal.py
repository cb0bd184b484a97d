"""Machines that wait for each other and agree with each other: the universal scalability law."""

import math
from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments

_SURE = 0.95  # how sure a fit must be of the coherency before it speaks of a peak
_ROUNDING = 1e-18  # squared relative error of a point that only rounding explains


@dataclass(frozen=True)
class UniversalScalability:
    """Throughput of N machines: one_per_s · N / (1 + α(N - 1) + βN(N - 1)).

    ``contention`` α, from 0 to 1, is the share of the work that is done one after the other;
    ``coherency`` β, from 0, is what each pair of machines spends on agreeing, in units of one
    machine's work. ``one_per_s`` is the throughput of one machine, per second. β = 0 is Amdahl's
    law with the share 1 - α; both 0 is N machines that do N times as much. Source: Gunther 1993,
    "A Simple Capacity Model of Massively Parallel Transaction Systems" (CMG), and 2007, "Guerrilla
    Capacity Planning", chapter 4.

    >>> law = UniversalScalability(contention=0.04, coherency=0.0006)
    >>> law.peak_at, round(law.speedup(40), 2), round(law.speedup(80), 2)
    (40.0, 11.44, 10.06)
    """

    contention: float
    coherency: float
    one_per_s: float = 1.0

    def __post_init__(self):
        contention = arguments.non_negative("contention", self.contention)
        if contention > 1:
            raise ValueError(f"contention = {self.contention!r}: expected a share from 0 to 1")
        clean = {
            "contention": contention,
            "coherency": arguments.non_negative("coherency", self.coherency),
            "one_per_s": arguments.positive("one_per_s", self.one_per_s),
        }
        for name, value in clean.items():
            object.__setattr__(self, name, value)

    def speedup(self, machines: float) -> float:
        """Throughput of ``machines`` (at least 1) over that of one."""
        n = arguments.positive("machines", machines)
        if n < 1:
            raise ValueError(f"machines = {machines!r}: expected at least 1")
        return n / (1 + (n - 1) * (self.contention + self.coherency * n))

    def throughput_per_s(self, machines: float) -> float:
        """What ``machines`` complete per second."""
        return self.one_per_s * self.speedup(machines)

    def efficiency(self, machines: float) -> float:
        """Speed-up over ``machines``: the share of each that reaches the throughput."""
        return self.speedup(machines) / machines

    @property
    def peak_at(self) -> float:
        """Machines beyond which each further one lowers the throughput, √((1 - α)/β).

        Infinite without coherency, where the throughput only levels off; 1 where a second machine
        already costs more than it does. Whole numbers on both sides are to be compared.
        """
        if self.coherency == 0:
            return math.inf if self.contention < 1 else 1.0
        return max(1.0, math.sqrt((1 - self.contention) / self.coherency))

    @property
    def ceiling(self) -> float:
        """The speed-up that no number of machines exceeds: at the peak, or 1/α without one."""
        if math.isfinite(self.peak_at):
            return self.speedup(self.peak_at)
        return 1 / self.contention if self.contention else math.inf


@dataclass(frozen=True)
class ScalabilityFit:
    """A law fitted to a measured curve, and how far it may be trusted.

    ``relative_error`` is the root mean square of the points' relative distances from the law;
    ``most_measured`` the largest number of machines among them.
    """

    law: UniversalScalability
    relative_error: float
    most_measured: float

    @property
    def verdict(self) -> str:
        """What the points say about a peak, in one sentence."""
        law = self.law
        if law.coherency == 0:
            return (
                "No peak: the points cannot tell the coherency from 0. By this law the throughput "
                f"levels off at {law.ceiling:.3g} times that of one machine."
            )
        peak = f"{law.peak_at:.3g} machines, {law.ceiling:.3g} times as fast as one"
        if law.peak_at > self.most_measured:
            return f"The peak, {peak}, lies beyond the {self.most_measured:g} measured: a guess."
        return f"The peak lies at {peak}; each machine beyond lowers the throughput."


def fit_scalability(machines, throughput_per_s) -> ScalabilityFit:
    """Fit the universal scalability law to throughputs measured on several numbers of machines.

    Multiplied out, N/X = a + bN + cN(N - 1) with one_per_s = 1/(a + b), α = b/(a + b) and
    β = c/(a + b): least squares with a, b, c from 0 up (Lawson and Hanson 1974), each point's
    distance taken relative to its N/X. Coherency is left out (0, no peak) where that makes the
    fit no worse than chance would, by an F test at 5 %; three points leave nothing to judge by.

    Raises ``ValueError`` unless at least three different numbers of machines, each at least 1,
    have a throughput above 0.
    """
    counts, measured = _points(machines, throughput_per_s)
    terms = np.column_stack([np.ones_like(counts), counts, counts * (counts - 1)])
    rows = terms * (measured / counts)[:, None]
    full, left = _least_squares(rows)
    plain, left_without = _least_squares(rows[:, :2])
    if left_without - left <= _chance(left, counts.size - 3) + _ROUNDING * counts.size:
        full, left = np.append(plain, 0.0), left_without
    one = full[0] + full[1]
    if one <= _ROUNDING**0.5 * full[2]:
        raise ValueError(
            f"throughput_per_s = {measured.tolist()}: expected a curve that starts somewhere; "
            "this one falls so steeply that one machine would have no end of throughput"
        )
    law = UniversalScalability(full[1] / one, full[2] / one, 1 / one)
    return ScalabilityFit(law, math.sqrt(left / counts.size), float(counts.max()))


def _points(machines, throughput_per_s) -> tuple[np.ndarray, np.ndarray]:
    counts = arguments.sample("machines", machines)
    measured = arguments.sample("throughput_per_s", throughput_per_s)
    if counts.size != measured.size:
        raise ValueError(
            f"throughput_per_s = {measured.size} values: expected {counts.size}, one for each "
            "number of machines"
        )
    for name, values, least in (("machines", counts, 1), ("throughput_per_s", measured, 0)):
        wrong = np.flatnonzero((values < least) | (values == 0))
        if wrong.size:
            bound = "at least 1" if least else "a throughput above 0"
            raise ValueError(f"{name}[{wrong[0]}] = {values[wrong[0]]:g}: expected {bound}")
    if np.unique(counts).size < 3:
        raise ValueError(
            f"machines = {counts.tolist()}: expected at least three different numbers, "
            "for three unknowns"
        )
    return counts, measured


def _least_squares(rows: np.ndarray) -> tuple[np.ndarray, float]:
    """The weights from 0 up whose sums come nearest to 1, and the squared distance left."""
    from scipy.optimize import nnls  # imported late: it costs more than the rest of this room

    weights, distance = nnls(rows, np.ones(len(rows)))
    return weights, distance**2


def _chance(left: float, spare: int) -> float:
    """How much a needless third term lowers the squared distance, at most, in 95 % of fits."""
    from scipy.special import fdtri

    return left / spare * fdtri(1, spare, _SURE) if spare > 0 else 0.0
