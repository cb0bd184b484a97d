"""Many replicas behind a router: a million requests, an autoscaler, a router in Python."""

import math
import random
import resource
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from time import process_time

import numpy as np

from labutils.engine import PagePool, Scheduler
from labutils.serving.replicas import ReplicasRun, Scaling, TwoChoices, serve_replicas
from labutils.serving.simulator import StepCost
from labutils.workload import RequestTrace, mix

from .registry import Goal, Row, Settings, benchmark

COST = StepCost(6e-3, 60e-6, 3.4e-9, 30e-6, 65e-9)
OLD = StepCost(60e-3, 600e-6, 34e-9, 300e-6, 650e-9)  # ten times as slow
EACH_PER_S = 4.0
DAY_S = 86_400
REPORT_EVERY_S = 0.1


class InPython:
    """Two choices on stale reports, as a learner writes them."""

    report_every_s = REPORT_EVERY_S

    def __init__(self):
        self.rng = random.Random(1)

    def choose(self, request, views) -> int:
        one, other = self.rng.sample(range(views.replicas), 2)
        waiting, running = views.waiting, views.running
        first = waiting[one] + running[one] <= waiting[other] + running[other]
        return one if first else other


@benchmark
def a_million_requests(settings: Settings) -> Iterator[Row]:
    """Replicas, requests like Azure's conversations, two choices on reports 100 ms old"""
    n = settings.choose(1_000_000, 3_000)
    for replicas, limit_s in ((8, 5), (64, 8)):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            seconds, peak_bytes = alone.submit(_serve_many, replicas, n).result()
        name = f"{replicas} replicas, {n:,} requests, log included"
        yield Row(name, seconds, "s", goal=_goal(limit_s, settings), note="processor time")
        yield Row("  peak memory of the process", peak_bytes / 1e9, "GB", goal=_goal(1, settings))


class CountsInPython(InPython):
    """Two choices on the router's own counts."""

    def choose(self, request, views) -> int:
        one, other = self.rng.sample(range(views.replicas), 2)
        counts = views.in_flight
        return one if counts[one] <= counts[other] else other


class ThreeInFlight:
    """An autoscaler that wants three requests in flight at each of 8 to 16 replicas."""

    def replicas(self, pool) -> int:
        return min(max(math.ceil(sum(pool.in_flight) / 3), 8), 16)


@benchmark
def a_day_with_an_autoscaler(settings: Settings) -> Iterator[Row]:
    """Replicas, a day of 200,000 requests, 8 to 16 replicas, a decision every 30 s"""
    n = settings.choose(200_000, 2_000)
    trace = _day(n)
    rounds = [_seconds(trace, 16, TwoChoices(), OLD, Scaling(ThreeInFlight(), first=8))
              for _ in range(settings.choose(3, 1))]  # fmt: skip
    yield Row(f"{n:,} requests in a day", min(rounds), "s", goal=_goal(2, settings),
              note="processor time")  # fmt: skip


@benchmark
def a_router_in_python(settings: Settings) -> Iterator[Row]:
    """Replicas, a router in Python against the compiled one: processor time of a whole run"""
    n = settings.choose(100_000, 3_000)
    for replicas in (8, 64):
        trace = mix("azure-conversation").trace(n, EACH_PER_S * replicas, seed=1)
        for ours, theirs, by in (
            (TwoChoices(REPORT_EVERY_S), InPython(), "reports"),
            (TwoChoices(), CountsInPython(), "own counts"),
        ):
            rounds = [(_seconds(trace, replicas, ours), _seconds(trace, replicas, theirs))
                      for _ in range(settings.choose(5, 1))]  # fmt: skip
            compiled_s, python_s = map(min, zip(*rounds))
            name = f"{replicas} replicas, a request in Python by {by}"
            yield Row(name, python_s / n * 1e6, "µs")
            ratio = python_s / compiled_s
            yield Row("  Python / compiled", ratio, "×", goal=_goal(10, settings))


def _goal(limit: float, settings: Settings) -> Goal | None:
    """The goal for the whole size alone."""
    return None if settings.quick else Goal(limit)


def _day(n: int) -> RequestTrace:
    """Requests that come three times as often at noon as at midnight."""
    trace = mix("azure-conversation").trace(n, n / DAY_S, seed=1)
    day_s = np.linspace(0, DAY_S, 1_441)
    come = day_s - DAY_S / (4 * math.pi) * np.sin(2 * math.pi * day_s / DAY_S)
    return replace(trace, arrival_s=np.interp(trace.arrival_s, come, day_s))


def _serve(trace: RequestTrace, replicas: int, router, cost=COST, scaling=None) -> ReplicasRun:
    schedulers = [
        Scheduler(256, PagePool(4_000, 16), token_budget=2_048, chunked=True)
        for _ in range(replicas)
    ]
    run = serve_replicas(trace, schedulers, cost, router, scaling=scaling)
    assert run.log.ok.all() and run.gaps.quantile(0.99) > 0
    return run


def _seconds(trace: RequestTrace, replicas: int, router, *options) -> float:
    begin = process_time()
    _serve(trace, replicas, router, *options)
    return process_time() - begin


def _serve_many(replicas: int, n: int) -> tuple[float, float]:
    """Seconds of a run of ``n`` requests, and peak bytes of its process, their trace included."""
    router = TwoChoices(REPORT_EVERY_S)
    _serve(mix("azure-conversation").trace(100, EACH_PER_S, seed=1), 2, router)
    trace = mix("azure-conversation").trace(n, EACH_PER_S * replicas, seed=1)
    seconds = _seconds(trace, replicas, router)
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0
