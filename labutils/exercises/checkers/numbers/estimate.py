"""A figure estimated from simulation output; wrong and too noisy are kept apart."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Complex

import numpy as np

from labutils.exercises.checkers.numbers.scale import slip_of_scale
from labutils.exercises.checkers.numbers.tolerance import Window
from labutils.exercises.comparing.compare import type_in_words
from labutils.exercises.definition.exercise import Checker, Misconception, named_apart, trusted
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.ground.arguments import fraction, positive, sample

NUM_BATCHES = 20
CONFIDENCE = 0.99
MOST_CORRELATION = 0.6  # between neighbouring batches: above it they are shorter than the memory
MOST_SPREAD = 0.25  # half width over estimate: above it the interval itself is a guess
_FEWEST = 5 * NUM_BATCHES


@dataclass(frozen=True)
class Estimate(Checker):
    """A checker for a sample whose mean (or ``quantile``) estimates ``expected``.

    The sample is one run in order of time, such as the waits of successive requests; neighbours
    may resemble each other. Its interval comes from 20 batches, at 99 %.

    Right: the interval is no wider than ``tolerance`` (relative) to either side, and the estimate
    lies within the tolerance. Wrong: it lies outside, and noise cannot explain that. Too noisy:
    the run is too short to tell; the verdict says how much longer it needs to be.
    """

    expected: Callable[[], float]
    unit: str
    tolerance: float
    misconceptions: tuple[Misconception, ...] = ()
    quantile: float | None = None

    def __post_init__(self):
        positive("tolerance", self.tolerance)
        named_apart(self.misconceptions)
        if self.quantile is not None:
            fraction("quantile", self.quantile)

    @property
    def reference_answer(self) -> float:
        return trusted("reference", lambda: float(self.expected()))

    def check(self, answer) -> Verdict:
        try:
            values = sample("sample", answer)
        except ValueError as error:
            return Verdict(Status.unreadable, _not_a_sample(answer, error))
        if values.size < _FEWEST:
            return Verdict(
                Status.too_noisy,
                f"{values.size} values tell too little: hand in {_FEWEST} at the very least, and "
                "ten thousand to begin with.",
            )
        return _not_a_run(values) or self._judged(self._measured(values))

    def _measured(self, values: np.ndarray) -> "Measured":
        from labutils.simulation.queues.batch_means import (
            half_width_of_mean,  # numba: not at import
        )

        size = values.size // NUM_BATCHES
        settled = values[values.size - size * NUM_BATCHES :]
        batches = np.array([self._statistic(b) for b in settled.reshape(NUM_BATCHES, size)])
        half_width = half_width_of_mean(batches, confidence=CONFIDENCE)
        return Measured(
            self._statistic(settled), float(half_width), _correlation(batches), values.size
        )

    def _statistic(self, values: np.ndarray) -> float:
        if self.quantile is None:
            return float(values.mean())
        return float(np.quantile(values, self.quantile, method="inverted_cdf"))

    def _judged(self, found: "Measured") -> Verdict:
        window = Window(self.reference_answer, self.tolerance)
        distance = abs(found.value - window.centre)
        narrow = found.half_width <= window.half_width
        if found.correlation > MOST_CORRELATION:
            return _too_noisy(found, 4.0, self._detail(found), _DRIFTS)
        if narrow and window.holds(found.value):
            message = "Your run is long enough, and its result agrees with the theory."
            return Verdict(Status.right, message, self._detail(found))
        settled = found.share <= MOST_SPREAD
        if narrow or (settled and distance > window.half_width + found.half_width):
            return self._wrong(found, window)
        longer = (found.half_width / window.half_width) ** 2
        return _too_noisy(found, longer, self._detail(found), _WIDE)

    def _wrong(self, found: "Measured", window: Window) -> Verdict:
        for item in self.misconceptions:
            value = trusted(f"misconception {item.name!r}", lambda item=item: float(item.answer()))
            reach = max(found.half_width, self.tolerance * abs(value))
            if abs(found.value - value) <= reach:
                detail = self._detail(found)
                return Verdict(Status.misconception, item.message, detail, diagnosis=item.name)
        share = max(self.tolerance, found.share)
        slip = slip_of_scale(found.value, window.centre, unit=self.unit, share=share, slack=share)
        if slip:
            return Verdict(slip.status, slip.message, self._detail(found))
        way = "large" if found.value > window.centre else "small"
        return Verdict(
            Status.wrong,
            f"Your result is too {way}, and noise does not explain it: a longer run of the same "
            "kind will not help. Look at what you simulate and at what you measure.",
            self._detail(found),
        )

    def _detail(self, found: "Measured") -> str:
        what = "mean" if self.quantile is None else f"p{100 * self.quantile:g}"
        unit = "" if self.unit == "1" else f" {self.unit}"
        return (
            f"your {what}: {found.value:.4g}{unit} ± {found.half_width:.2g}{unit}\n"
            f"(99 % interval, {found.num_values:,} values in {NUM_BATCHES} batches)"
        )


@dataclass(frozen=True)
class Measured:
    """What a sample says: the estimate, its interval, the correlation of neighbouring batches."""

    value: float
    half_width: float
    correlation: float
    num_values: int

    @property
    def share(self) -> float:
        return self.half_width / abs(self.value) if self.value else math.inf


_WIDE = "Its interval is wider than the answer needs."
_DRIFTS = (
    "Neighbouring stretches of it resemble each other: the run is short against the queue's "
    "memory, or it still drifts (does the server keep up?)."
)


def _too_noisy(found: Measured, longer: float, detail: str, why: str) -> Verdict:
    factor = _rounded_up(1.2 * longer)  # a little more, or half of the reruns fail again
    return Verdict(
        Status.too_noisy,
        f"Your run is too short to tell right from wrong. {why} Make it at least {factor:g} times "
        f"as long (n = {_rounded_up(found.num_values * factor):,.0f}), and check again.",
        detail,
    )


def _rounded_up(number: float) -> float:
    """``number`` rounded up to two significant digits."""
    step = 10.0 ** (math.floor(math.log10(number)) - 1)
    return math.ceil(number / step - 1e-9) * step


def _correlation(batches: np.ndarray) -> float:
    centred = batches - batches.mean()
    total = float(centred @ centred)
    return float(centred[1:] @ centred[:-1]) / total if total else 0.0


def _not_a_run(values: np.ndarray) -> Verdict | None:
    steps = np.diff(values)
    if not steps.any():
        message = "All your values are alike. Hand in the values that the simulation gave."
        return Verdict(Status.wrong, message, diagnosis="constant")
    if (steps >= 0).all() or (steps <= 0).all():
        message = "Your values are sorted. Hand them in in order of time: the check needs it."
        return Verdict(Status.wrong, message, diagnosis="sorted")
    return None


def _not_a_sample(answer, error: ValueError) -> str:
    if callable(answer):
        return "That is a function. Hand in the values that it returns."
    if answer is None:
        return (
            "That is None. Does the function that you called lack its return, or change something "
            "in place? Hand in the whole sample, in order of time."
        )
    if isinstance(answer, Complex) or getattr(answer, "ndim", 1) == 0:
        return "That is a single value. Hand in the whole sample, in order of time."
    if isinstance(answer, str) or not hasattr(answer, "__len__"):
        where = "" if isinstance(answer, str) else " Does one of its fields hold them?"
        kind = type_in_words(answer)
        return f"That is {kind}. Hand in the values themselves, in order of time.{where}"
    found, _, expected = str(error).rpartition(": expected ")
    found = f"{found}. " if len(found) < 60 else ""  # a long list is not worth repeating
    return f"{found}Expected: {expected}."
