"""The hedged fleet: what a request costs the kernel, its SimPy twin, and an explorer's move."""

from collections.abc import Iterator

import numpy as np

from labutils.simulation import fleet_draws, hedged_fleet
from labutils.simulation.hedging import hedging_kernels, hedging_twin

from .registry import Goal, Row, Settings, benchmark
from .timing import Contender, side_by_side

REQUESTS = 200_000
SERVERS = 20
UTILIZATION = 0.8
TRIGGER = -np.log(0.05) / (1 - UTILIZATION)
"""p95 of the fleet before it hedges, in mean service times."""

CASES = {
    "no hedging": (np.inf, "none"),
    "hedged at p95, cancelled on finish": (TRIGGER, "finish"),
    "hedged at p95, tied": (TRIGGER, "start"),
    "hedged at once, cancelled on finish": (0.0, "finish"),
    "hedged at p95, collapsed": (TRIGGER, "none"),
}


@benchmark
def kernel(settings: Settings) -> Iterator[Row]:
    """Hedged fleet, 200,000 requests at 20 servers and utilization 0.8"""
    arrivals, draws = _requests()
    contenders = {
        name: Contender(lambda o=options: _kernel(arrivals, draws, *o), REQUESTS, repeats=3)
        for name, options in CASES.items()
    }
    few = settings.choose(10_000, 1_000)
    some = (arrivals[:few], type(draws)(draws.service_s[:few], draws.servers[:few]))
    contenders["SimPy"] = Contender(lambda: _run(hedging_twin.hedged_fleet, *some), few)
    timings = side_by_side(contenders, rounds=settings.choose(7, 2))
    for name in CASES:
        yield Row(f"fleet, {name}", timings[name].best_ns, "ns", timings[name].median_ns)
    simpy = timings["SimPy"]
    yield Row("fleet SimPy, cancelled on finish", simpy.best_ns, "ns", simpy.median_ns)
    best, median = simpy.times_slower_than(timings["hedged at p95, cancelled on finish"])
    yield Row("  fleet SimPy / kernel", best, "×", median)


@benchmark
def explorer_move(settings: Settings) -> Iterator[Row]:
    """One move of a hedging explorer: simulate 200,000 requests, read two percentiles and costs"""
    arrivals, draws = _requests()
    timings = side_by_side(
        {
            name: Contender(lambda o=options: _move(arrivals, draws, *o), repeats=3)
            for name, options in CASES.items()
        },
        rounds=settings.choose(7, 2),
    )
    for name, timing in timings.items():
        goal = None if "collapsed" in name else Goal(25)
        yield Row(f"move, {name}", timing.best_ns / 1e6, "ms", timing.median_ns / 1e6, goal)


def _requests():
    rng = np.random.default_rng(3)
    arrivals = np.cumsum(rng.exponential(1 / (UTILIZATION * SERVERS), REQUESTS))
    return arrivals, fleet_draws(REQUESTS, SERVERS, rng, mean_service_time=1.0)


def _kernel(arrivals, draws, trigger, cancel):
    """The compiled loop alone, with fresh arrays to write into."""
    start, stop = np.full((2, 2 * arrivals.size), np.nan)
    finish, hedged = np.full(arrivals.size, np.nan), np.zeros(arrivals.size, dtype=bool)
    rule = {"none": 0, "finish": 1, "start": 2}[cancel]
    hedging_kernels.run_fleet(
        arrivals,
        draws.service_s.ravel(),
        draws.servers.ravel(),
        SERVERS,
        trigger,
        rule,
        -np.inf,
        (start, stop, finish, hedged),
    )


def _run(fleet, arrivals, draws, trigger=TRIGGER, cancel="finish"):
    return fleet(arrivals, draws, num_servers=SERVERS, trigger_s=trigger, cancel=cancel)


def _move(arrivals, draws, trigger, cancel):
    run = _run(hedged_fleet, arrivals, draws, trigger, cancel)
    ranks = [REQUESTS // 2, int(0.99 * REQUESTS)]
    return np.partition(run.sojourn_time_s, ranks)[ranks], run.extra_requests, run.extra_work
