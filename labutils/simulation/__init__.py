"""Simulate queues: arrivals and services as arrays, first-come-first-served queues as loops.

>>> rng = np.random.default_rng(7)
>>> run = fifo_queue(poisson_arrivals(0.8, 1000, rng), exponential_services(1.0, 1000, rng))
>>> run.waiting_time_s.mean(), run.in_flight().peak

The loops are compiled on their first call (a second or two, once per machine). The same story
told in SimPy, slow and readable, is ``labutils.simulation.twins``.
"""

from .arrivals import (
    gamma_arrivals,
    on_off_arrivals,
    periodic_arrivals,
    piecewise_poisson_arrivals,
    poisson_arrivals,
    replayed_arrivals,
)
from .batch_means import MeanEstimate, batch_means, drop_warm_up
from .batch_run import BatchRun, batch_queue
from .fleet import FleetDraws, fleet_draws
from .hedging import HedgedRun, hedged_fleet
from .in_flight import InFlightCurve, in_flight_curve
from .queue_run import QueueRun, fifo_queue, waiting_times
from .services import (
    deterministic_services,
    exponential_services,
    gamma_services,
    hyperexponential_services,
    lognormal_services,
)
from .sweep import LoadCurve, load_curve
from .transient import backlog_runs
from .variates import draw_unit

__all__ = [
    "BatchRun",
    "FleetDraws",
    "HedgedRun",
    "InFlightCurve",
    "LoadCurve",
    "MeanEstimate",
    "QueueRun",
    "backlog_runs",
    "batch_means",
    "batch_queue",
    "deterministic_services",
    "draw_unit",
    "drop_warm_up",
    "exponential_services",
    "fifo_queue",
    "fleet_draws",
    "gamma_arrivals",
    "gamma_services",
    "hedged_fleet",
    "hyperexponential_services",
    "in_flight_curve",
    "load_curve",
    "lognormal_services",
    "on_off_arrivals",
    "periodic_arrivals",
    "piecewise_poisson_arrivals",
    "poisson_arrivals",
    "replayed_arrivals",
    "waiting_times",
]
