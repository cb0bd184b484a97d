"""Simulate queues: arrivals and services as arrays, queues as loops.

>>> import numpy as np
>>> rng = np.random.default_rng(7)
>>> run = fifo_queue(poisson_arrivals(0.8, 1000, rng), exponential_services(1.0, 1000, rng))
>>> print(run.waiting_time_s.mean().round(3), run.in_flight().peak)
3.372 16

The loops are compiled on their first call (a second or two, once per machine). The same story
told in SimPy, slow and readable, is ``labutils.simulation.queues.twins``.

The rooms, in order: ``draws`` (arrivals, services), ``queues``, ``batches``, ``hedging``;
``pipeline`` and ``flush`` have doors of their own. Beside this one lie the experiments that run on
them: ``closed_loop``, ``window``, ``run_length``, ``suspects``,
``hedging_bench``, ``incident``, ``expert_picks``.
"""

from labutils.simulation.batches.batch_run import BatchRun, batch_queue
from labutils.simulation.draws.arrivals import (
    gamma_arrivals,
    on_off_arrivals,
    periodic_arrivals,
    piecewise_poisson_arrivals,
    poisson_arrivals,
    replayed_arrivals,
)
from labutils.simulation.draws.services import (
    deterministic_services,
    exponential_services,
    gamma_services,
    hyperexponential_services,
    lognormal_services,
)
from labutils.simulation.draws.variates import draw_unit
from labutils.simulation.hedging.fleet import FleetDraws, fleet_draws
from labutils.simulation.hedging.hedging import HedgedRun, hedged_fleet
from labutils.simulation.queues.batch_means import MeanEstimate, batch_means, drop_warm_up
from labutils.simulation.queues.in_flight import InFlightCurve, in_flight_curve
from labutils.simulation.queues.order_of_service import sojourn_times
from labutils.simulation.queues.queue_run import QueueRun, fifo_queue, waiting_times
from labutils.simulation.queues.sweep import LoadCurve, load_curve
from labutils.simulation.queues.transient import backlog_runs

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
    "sojourn_times",
    "waiting_times",
]
