"""Queues before they settle: the same story many times, read at the same moments."""

import numpy as np

from labutils.ground.arguments import positive, sample, whole
from labutils.simulation.draws.arrivals import piecewise_poisson_arrivals
from labutils.simulation.draws.draw_checks import generator
from labutils.simulation.draws.services import exponential_services
from labutils.simulation.queues.queue_run import fifo_queue


def backlog_runs(
    arrival_rates,
    durations_s,
    service_rate: float,
    times_s,
    *,
    runs: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Count the requests in the system at ``times_s`` in each of ``runs`` runs (runs × times).

    One server with exponential services takes Poisson arrivals whose rate changes from stretch
    to stretch, as in ``piecewise_poisson_arrivals``. Every run starts empty, at time 0: begin
    with a stretch long enough to forget it.
    """
    positive("service_rate", service_rate)
    times = sample("times_s", times_s)
    counts = np.zeros((whole("runs", runs), times.size), dtype=int)
    for row in counts:
        arrivals = piecewise_poisson_arrivals(arrival_rates, durations_s, generator("rng", rng))
        if arrivals.size:
            services = exponential_services(1 / service_rate, arrivals.size, rng)
            row[:] = fifo_queue(arrivals, services).in_flight().at(times)
    return counts
