"""How many requests are inside, as a curve over time.

The curve steps up at each arrival and down at each departure. Its integral is request-seconds,
the quantity on both sides of Little's law: add up the curve over time, or the stays over
requests.
"""

from dataclasses import dataclass

import numpy as np

from labutils.ground.arguments import sample
from labutils.simulation.draws.draw_checks import same_length
from labutils.simulation.queues.kernels import step_curve


@dataclass(frozen=True, eq=False)
class InFlightCurve:
    """A right-continuous step curve: ``counts[i]`` from ``times_s[i]`` until the next time.

    Before the first time it is 0. Whatever happens in one instant is one step, so a request
    that leaves in the instant in which it came never shows.
    """

    times_s: np.ndarray
    counts: np.ndarray

    @property
    def peak(self) -> int:
        """The largest count."""
        return int(self.counts.max())

    def at(self, t_s):
        """Count at time ``t_s``, the steps of that instant included; a number or an array."""
        step = np.searchsorted(self.times_s, t_s, side="right") - 1
        count = np.where(step < 0, 0, self.counts[step])
        return int(count) if np.ndim(t_s) == 0 else count

    def integral(self, from_s: float, to_s: float) -> float:
        """Area under the curve between two times, in request-seconds."""
        _check_window(from_s, to_s)
        inside = slice(*np.searchsorted(self.times_s, (from_s, to_s), side="right"))
        edges = np.concatenate(([from_s], self.times_s[inside], [to_s]))
        levels = np.concatenate(([self.at(from_s)], self.counts[inside]))
        return float(levels @ np.diff(edges))

    def mean(self, from_s: float, to_s: float) -> float:
        """Average count over the time between two times: the L of Little's law."""
        if not from_s < to_s:
            raise ValueError(f"to_s = {to_s!r}: expected a time after from_s = {from_s!r}")
        return self.integral(from_s, to_s) / (to_s - from_s)

    def time_shares(self) -> np.ndarray:
        """Share of the time from the first step to the last that is spent at 0, 1, 2, …"""
        lasted = np.diff(self.times_s)
        if lasted.size == 0:
            raise ValueError(f"times_s = {self.times_s}: expected two times at least")
        return np.bincount(self.counts[:-1], weights=lasted) / lasted.sum()


def in_flight_curve(arrival_s, departure_s) -> InFlightCurve:
    """Count who is inside, from one arrival and one departure time per request.

    Requests may come in any order, so the rows of a log will do.

    Raises ``ValueError`` naming the first row that departs before it arrives, and for empty,
    not finite, or unequally long columns.
    """
    arrivals, departures = sample("arrival_s", arrival_s), sample("departure_s", departure_s)
    same_length("departure_s", departures, "arrival_s", arrivals)
    _check_order(arrivals, departures)
    times = np.empty(2 * arrivals.size)
    counts = np.empty(2 * arrivals.size, dtype=np.int64)
    # A stable sort is quick on columns that are nearly in order, as departures are.
    in_order = (np.sort(column, kind="stable") for column in (arrivals, departures))
    steps = step_curve(*in_order, times, counts)
    return InFlightCurve(times[:steps], counts[:steps])


def _check_order(arrivals, departures) -> None:
    too_early = np.flatnonzero(departures < arrivals)
    if too_early.size:
        i = int(too_early[0])
        raise ValueError(
            f"departure_s[{i}] = {departures[i]:.12g}: expected no departure before the arrival "
            f"of the same row, arrival_s[{i}] = {arrivals[i]:.12g}"
        )


def _check_window(from_s, to_s) -> None:
    if not from_s <= to_s:
        raise ValueError(f"to_s = {to_s!r}: expected a time no earlier than from_s = {from_s!r}")
