"""The request-seconds of a time window, counted by requests, with what its edges cut off."""

import math
from dataclasses import dataclass

import numpy as np

from labutils.ground.arguments import sample
from labutils.simulation.draws.draw_checks import same_length


@dataclass(frozen=True)
class WindowCount:
    """What the requests of a log say about the window from ``from_s`` to ``to_s``.

    ``num_arrivals`` came in the window, the first moment counted and the last not;
    ``stays_s`` adds up their whole stays, wherever these end. ``carried_in_s`` is what requests
    that came earlier stayed inside the window, ``carried_out_s`` what the window's own arrivals
    stayed after it. All in request-seconds.

    Invariant: ``stays_s + carried_in_s - carried_out_s`` is the area under the in-flight curve
    (Little 1961 in its form for a finite window).
    """

    from_s: float
    to_s: float
    num_arrivals: int
    stays_s: float
    carried_in_s: float
    carried_out_s: float

    @property
    def arrival_rate(self) -> float:
        """Arrivals per second, λ."""
        return self.num_arrivals / (self.to_s - self.from_s)

    @property
    def mean_stay_s(self) -> float:
        """Mean whole stay of those who came in the window, W; NaN where nobody came."""
        return self.stays_s / self.num_arrivals if self.num_arrivals else math.nan

    @property
    def area_s(self) -> float:
        """Request-seconds inside the window, L·T."""
        return self.stays_s + self.carried_in_s - self.carried_out_s

    @property
    def edge_share(self) -> float:
        """By how much λ·W differs from L, as a share of L; NaN where nobody is inside."""
        return (self.stays_s - self.area_s) / self.area_s if self.area_s else math.nan


def count_window(arrival_s, departure_s, from_s: float, to_s: float) -> WindowCount:
    """Count a window's request-seconds by requests, from one arrival and departure per row.

    Raises ``ValueError`` for a window without duration, and for empty, not finite or unequally
    long columns.
    """
    arrivals, departures = sample("arrival_s", arrival_s), sample("departure_s", departure_s)
    same_length("departure_s", departures, "arrival_s", arrivals)
    if not from_s < to_s:
        raise ValueError(f"to_s = {to_s!r}: expected a time after from_s = {from_s!r}")
    came = (arrivals >= from_s) & (arrivals < to_s)
    before = arrivals < from_s
    carried_in = np.minimum(departures[before], to_s) - from_s
    carried_out = departures[came] - to_s
    return WindowCount(
        from_s=float(from_s),
        to_s=float(to_s),
        num_arrivals=int(came.sum()),
        stays_s=float((departures[came] - arrivals[came]).sum()),
        carried_in_s=float(np.maximum(carried_in, 0).sum()),
        carried_out_s=float(np.maximum(carried_out, 0).sum()),
    )
