"""A service minute by minute: how many requests came, how many were bad, and planted incidents.

A request is bad if it breaks the objective: failed, or too late.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments

MINUTES_A_DAY = 24 * 60
MONTH_MIN = 30 * MINUTES_A_DAY


@dataclass(frozen=True)
class Incident:
    """From minute ``start_min`` on, for ``length_min`` minutes, each request fails with this share.

    It comes on top of what fails anyway.
    """

    start_min: int
    length_min: int
    error_share: float

    def __post_init__(self):
        arguments.whole("start_min", self.start_min, at_least=0)
        arguments.whole("length_min", self.length_min)
        arguments.share("error_share", self.error_share)

    @property
    def end_min(self) -> int:
        """The first minute after the incident."""
        return self.start_min + self.length_min


@dataclass(frozen=True)
class Minutes:
    """Requests in each minute (``total``), how many of them were ``bad``, and what was planted."""

    total: np.ndarray
    bad: np.ndarray
    incidents: tuple[Incident, ...] = ()

    def __post_init__(self):
        total, bad = np.asarray(self.total), np.asarray(self.bad)
        if total.ndim != 1 or total.shape != bad.shape or not total.size:
            raise ValueError(f"bad = shape {bad.shape}: expected that of total, {total.shape}")
        wrong = np.flatnonzero((bad < 0) | (bad > total))
        if wrong.size:
            at = int(wrong[0])
            raise ValueError(f"bad[{at}] = {bad[at]}: expected 0 to total[{at}] = {total[at]}")
        late = [one for one in self.incidents if one.end_min > total.size]
        if late:
            raise ValueError(f"incidents = {late}: expected an end within {total.size} minutes")

    def touched(self, window_min: int) -> np.ndarray:
        """For each minute whether an incident lies in the ``window_min`` minutes up to its end."""
        touched = np.zeros(len(self.total), dtype=bool)
        for incident in self.incidents:
            touched[incident.start_min : incident.end_min + window_min - 1] = True
        return touched


def error_shares(base: float, incidents: Sequence[Incident], length_min: int) -> np.ndarray:
    """The chance that a request is bad, in each minute: 1 - (1 - base) · Π (1 - error share)."""
    good = np.full(length_min, 1 - arguments.fraction("base", base))
    for incident in incidents:
        good[incident.start_min : incident.end_min] *= 1 - incident.error_share
    return 1 - good


def daily_wave(per_min: float, *, swing: float = 0.6, length_min: int = MONTH_MIN) -> np.ndarray:
    """Mean requests a minute over days with a quiet night: ``per_min`` · (1 - swing · cos(2πt)).

    ``swing`` 0 is a flat day, 0.6 makes the noon four times as busy as midnight.
    """
    swing = arguments.non_negative("swing", swing)
    if swing > 1:
        raise ValueError(f"swing = {swing!r}: expected a share from 0 to 1")
    days = np.arange(arguments.whole("length_min", length_min)) / MINUTES_A_DAY
    return arguments.positive("per_min", per_min) * (1 - swing * np.cos(2 * np.pi * days))


def draw_minutes(
    mean_per_min, base: float, incidents: Sequence[Incident] = (), *, rng: np.random.Generator
) -> Minutes:
    """Counts for each minute: Poisson arrivals of the given means, each bad by its minute's chance.

    ``base`` is the share that fails on a good day. Requests fail independently of each other, which
    real ones do not: so real false alarms are more frequent than these.
    """
    means = arguments.sample("mean_per_min", mean_per_min)
    shares = error_shares(base, incidents, means.size)
    total = rng.poisson(means)
    return Minutes(total, rng.binomial(total, shares), tuple(incidents))
