"""Arrival processes: when requests come, in seconds, in order.

At one and the same rate a process may tick like a metronome or come in bursts, and the wait
behind a busy server depends on which. Time 0 opens the doors; the first request comes one gap
later.
"""

import numpy as np

from labutils.ground.arguments import non_negative, positive
from labutils.simulation.draws.draw_checks import (
    generator,
    how_many,
    none_negative,
    ordered,
    same_length,
)
from labutils.simulation.draws.variates import draw_unit


def poisson_arrivals(arrival_rate: float, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw ``n`` arrivals of a Poisson process: independent exponential gaps (scv 1).

    This is what many independent users look like together. ``arrival_rate`` is per second.
    """
    return np.cumsum(draw_unit("exponential", n, rng)) / positive("arrival_rate", arrival_rate)


def gamma_arrivals(
    arrival_rate: float, n: int, rng: np.random.Generator, *, scv_arrival: float
) -> np.ndarray:
    """Draw ``n`` arrivals with independent gamma gaps: smooth below scv 1, bursty above.

    ``scv_arrival`` is the square of the gaps' coefficient of variation: for gaps of CV 2 pass
    4. Load generators that ask for a "burstiness" mean the gamma shape, 1 / scv_arrival.
    """
    gaps = draw_unit("gamma", n, rng, scv_arrival)
    return np.cumsum(gaps) / positive("arrival_rate", arrival_rate)


def periodic_arrivals(arrival_rate: float, n: int) -> np.ndarray:
    """Return ``n`` arrivals at equal gaps of 1 / ``arrival_rate`` seconds (scv 0)."""
    return np.arange(1, how_many(n) + 1) / positive("arrival_rate", arrival_rate)


def on_off_arrivals(
    arrival_rate: float,
    n: int,
    rng: np.random.Generator,
    *,
    mean_on_s: float,
    mean_off_s: float,
) -> np.ndarray:
    """Draw ``n`` arrivals of a source that falls silent and comes back (interrupted Poisson).

    On and off periods are exponential with the given means; while on, requests come at the
    rate that makes ``arrival_rate`` the average over both. The source begins switched on.

    With peak rate p, a = 1/mean_on_s and b = 1/mean_off_s the gaps are independent and their
    scv is 1 + 2 p a / (a + b)² (Kuczura 1973: the process is a hyperexponential renewal one).
    """
    positive("mean_on_s", mean_on_s)
    non_negative("mean_off_s", mean_off_s)
    on_share = mean_on_s / (mean_on_s + mean_off_s)
    gaps_while_on = (
        draw_unit("exponential", n, rng) * on_share / positive("arrival_rate", arrival_rate)
    )
    # Within a gap the source switches off a Poisson number of times; k silences together
    # last a gamma time of shape k.
    silences = rng.poisson(gaps_while_on / mean_on_s)
    return np.cumsum(gaps_while_on + mean_off_s * rng.standard_gamma(silences))


def replayed_arrivals(times_s, *, speed: float = 1.0) -> np.ndarray:
    """Return recorded arrivals from 0 on, ``speed`` times as fast as they were recorded.

    Raises ``ValueError`` naming the first row that is earlier than the row before it.
    """
    times = ordered("times_s", times_s)
    return (times - times[0]) / positive("speed", speed)


def piecewise_poisson_arrivals(arrival_rates, durations_s, rng: np.random.Generator) -> np.ndarray:
    """Draw Poisson arrivals whose rate changes from one stretch of time to the next.

    ``piecewise_poisson_arrivals([120, 90], [30, 300], rng)`` is half a minute at 120/s, then
    five minutes at 90/s. A rate may be 0. The number of arrivals is random, and can be 0.

    Given how many fall into a stretch, they lie in it independently and uniformly.
    """
    rates = none_negative("arrival_rates", arrival_rates)
    durations = none_negative("durations_s", durations_s)
    same_length("durations_s", durations, "arrival_rates", rates)
    counts = generator("rng", rng).poisson(rates * durations)
    starts = np.cumsum(durations) - durations
    return np.sort(
        np.repeat(starts, counts) + np.repeat(durations, counts) * rng.random(counts.sum())
    )
