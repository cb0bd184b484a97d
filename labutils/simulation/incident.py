"""An incident in a hedged fleet, many times over: what a dashboard shows while it lasts."""

from dataclasses import dataclass

import numpy as np

from labutils.ground.arguments import positive, sample, whole
from labutils.simulation.draws.arrivals import piecewise_poisson_arrivals
from labutils.simulation.draws.draw_checks import generator
from labutils.simulation.hedging.fleet import fleet_draws
from labutils.simulation.hedging.hedging import HedgedRun, hedged_fleet


@dataclass(frozen=True, eq=False)
class IncidentRuns:
    """What was seen at ``times_s``; the tables hold a row for each run.

    ``median_s`` is the median latency of the answers given in the window before each time, NaN
    where there was none; ``unanswered`` counts the requests that wait for their answer.
    ``asked`` is the load of the requests that came in the window, and ``sent`` that of requests
    and copies; each is counted as one mean service, so 1 is what the servers can do. From
    ``cancel_from_s`` on ``sent`` equals ``asked``: of two exponential services of which the first
    answer stops the other, the pair costs one.
    """

    times_s: np.ndarray
    median_s: np.ndarray
    unanswered: np.ndarray
    asked: np.ndarray
    sent: np.ndarray


def incident_runs(
    arrival_rates,
    durations_s,
    times_s,
    *,
    num_servers: int,
    mean_service_time: float,
    trigger_s: float,
    cancel: str = "finish",
    cancel_from_s: float = np.inf,
    window_s: float = 1.0,
    runs: int,
    rng: np.random.Generator,
) -> IncidentRuns:
    """Run a hedged fleet ``runs`` times through the same stretches of load.

    The arrival rate changes from stretch to stretch as in ``piecewise_poisson_arrivals``;
    services are exponential and independent; ``trigger_s``, ``cancel`` and ``cancel_from_s``
    are those of ``hedged_fleet``. ``times_s`` must ascend. Every run starts empty, at time 0.

    Raises ``ValueError`` naming the argument that is wrong.
    """
    times, window = sample("times_s", times_s), positive("window_s", window_s)
    if (np.diff(times) < 0).any():
        raise ValueError("times_s: expected times in ascending order")
    shape = (whole("runs", runs), times.size)
    empty = np.full(shape, np.nan), np.zeros(shape, dtype=int), np.zeros(shape), np.zeros(shape)
    seen = IncidentRuns(times, *empty)
    for row in range(runs):
        arrivals = piecewise_poisson_arrivals(arrival_rates, durations_s, generator("rng", rng))
        if not arrivals.size:
            continue
        draws = fleet_draws(arrivals.size, num_servers, rng, mean_service_time=mean_service_time)
        run = hedged_fleet(
            arrivals,
            draws,
            num_servers=num_servers,
            trigger_s=trigger_s,
            cancel=cancel,
            cancel_from_s=cancel_from_s,
        )
        seen.median_s[row], seen.unanswered[row] = _dashboard(run, times, window)
        copies_s = run.arrival_s[run.hedged] + trigger_s
        streams = run.arrival_s, copies_s[copies_s < cancel_from_s]
        rates = np.array([_per_second(moments, times, window) for moments in streams])
        requests, copies = rates * mean_service_time / num_servers
        seen.asked[row], seen.sent[row] = requests, requests + copies
    return seen


def _per_second(moments_s, times, window: float):
    """How many of the ascending moments lie in (t - window, t] from 0 on, per second."""
    before, until = np.searchsorted(moments_s, (times - window, times), side="right")
    return (until - before) / np.clip(times, np.finfo(float).tiny, window)


def _dashboard(run: HedgedRun, times, window: float) -> tuple[np.ndarray, np.ndarray]:
    """Median latency of the answers in (t - window, t], and requests open at t, for each t."""
    order = np.argsort(run.finish_s, kind="stable")
    answered_s, latency_s = run.finish_s[order], run.sojourn_time_s[order]
    first, last = np.searchsorted(answered_s, (times - window, times), side="right")
    medians = [np.median(latency_s[a:b]) if b > a else np.nan for a, b in zip(first, last)]
    return np.array(medians), np.searchsorted(run.arrival_s, times, side="right") - last
