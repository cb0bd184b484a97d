"""When requests come: evenly, at random, or in bursts, always at a stated mean rate."""

from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments
from labutils.simulation.draws.arrivals import gamma_arrivals, on_off_arrivals, periodic_arrivals
from labutils.simulation.draws.draw_checks import generator

MOST_ARRIVALS = 10_000_000
LEAST_CV, MOST_CV = 0.01, 30
"""Below, gaps are equal as far as a clock can tell; above, a run holds one cluster or none."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Arrivals:
    """An arrival process of mean rate ``rate_per_s``, watched from any moment on.

    Make one with ``Arrivals.evenly``, ``poisson``, ``gamma`` or ``on_off``. What is random has been
    going on for ever when the watch begins, so that the expected number of requests in a run of
    any length is its length times the rate, bursts or not.
    """

    rate_per_s: float
    gap_cv: float = 1.0
    mean_on_s: float = 0.0
    mean_off_s: float = 0.0

    def __post_init__(self):
        arguments.positive("rate_per_s", self.rate_per_s)
        cv = arguments.non_negative("gap_cv", self.gap_cv)
        if cv and not LEAST_CV <= cv <= MOST_CV:
            raise ValueError(f"gap_cv = {cv!r}: expected 0, or {LEAST_CV} to {MOST_CV}")
        if arguments.non_negative("mean_off_s", self.mean_off_s):
            arguments.positive("mean_on_s", self.mean_on_s)

    @classmethod
    def evenly(cls, rate_per_s: float) -> "Arrivals":
        """At equal gaps, the first after one gap."""
        return cls(rate_per_s, gap_cv=0.0)

    @classmethod
    def poisson(cls, rate_per_s: float) -> "Arrivals":
        """Independent exponential gaps: many users who know nothing of each other."""
        return cls(rate_per_s)

    @classmethod
    def gamma(cls, rate_per_s: float, *, gap_cv: float) -> "Arrivals":
        """Independent gamma gaps of that coefficient of variation: above 1 in clusters."""
        return cls(rate_per_s, gap_cv=arguments.positive("gap_cv", gap_cv))

    @classmethod
    def on_off(cls, rate_per_s: float, *, mean_on_s: float, mean_off_s: float) -> "Arrivals":
        """Poisson while on, silent while off; both periods are exponential."""
        off_s = arguments.positive("mean_off_s", mean_off_s)
        return cls(rate_per_s, mean_on_s=mean_on_s, mean_off_s=off_s)

    @property
    def on_share(self) -> float:
        """The share of time in which requests come at all."""
        return self.mean_on_s / (self.mean_on_s + self.mean_off_s) if self.mean_off_s else 1.0

    @property
    def peak_rate_per_s(self) -> float:
        """The rate while requests come."""
        return self.rate_per_s / self.on_share

    def moments(self, seconds: float, rng: np.random.Generator) -> np.ndarray:
        """The moments of one run, in seconds from its start, up to and including ``seconds``.

        ``ValueError`` for a run of more than ten million requests.
        """
        seconds, rng = arguments.positive("seconds", seconds), generator("rng", rng)
        expected = seconds * self.rate_per_s
        if expected > MOST_ARRIVALS:
            raise ValueError(
                f"seconds × rate_per_s = {expected:.4g}: expected at most {MOST_ARRIVALS:,}"
            )
        if self.gap_cv == 0:
            moments = periodic_arrivals(self.rate_per_s, int(expected * (1 + _ROUNDING)) + 1)
            return np.minimum(moments[moments <= seconds * (1 + _ROUNDING)], seconds)
        moments = self._some(seconds, rng)
        while moments[-1] <= seconds:
            more = self._renewals(len(moments), rng)
            moments = np.concatenate((moments, moments[-1] + more))
        return moments[moments <= seconds]

    def __str__(self) -> str:
        rate = f"{self.rate_per_s:g} per second"
        if self.mean_off_s:
            periods = f"on {self.mean_on_s:g} s, off {self.mean_off_s:g} s in the mean"
            return f"{rate} on average, in bursts of {self.peak_rate_per_s:g}: {periods}"
        ways = {0.0: "at equal gaps", 1.0: "Poisson"}
        return f"{rate}, {ways.get(self.gap_cv, f'gamma gaps of CV {self.gap_cv:g}')}"

    def _some(self, seconds: float, rng: np.random.Generator) -> np.ndarray:
        """The first moments, seen by somebody who comes at a random time (equilibrium renewal).

        The rest of a gap is a uniform part of one drawn by its length, and a gamma gap of shape k
        drawn by its length has shape k + 1 (Cox 1962, chapter 5). An on-off source is found off
        with its share of time, and stays so as long as from the beginning.
        """
        moments = self._renewals(int(seconds * self.rate_per_s * 1.1) + 16, rng)
        if self.mean_off_s:
            is_off = rng.random() >= self.on_share
            return moments + (rng.exponential(self.mean_off_s) if is_off else 0.0)
        shape = self.gap_cv**-2
        first = rng.random() * rng.standard_gamma(shape + 1) / shape / self.rate_per_s
        return moments - moments[0] + first

    def _renewals(self, n: int, rng: np.random.Generator) -> np.ndarray:
        if self.mean_off_s:
            return on_off_arrivals(
                self.rate_per_s, n, rng, mean_on_s=self.mean_on_s, mean_off_s=self.mean_off_s
            )
        return gamma_arrivals(self.rate_per_s, n, rng, scv_arrival=self.gap_cv**2)
