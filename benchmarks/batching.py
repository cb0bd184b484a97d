"""Batching kernels against the same server in SimPy, in one run."""

import math
from collections import deque
from collections.abc import Iterator

import numpy as np
import simpy

from labutils.laws.batching import AffineBatchTime, BulkQueue
from labutils.simulation import batch_queue, poisson_arrivals
from labutils.simulation.batches import batch_kernels, batch_twin

from .registry import Goal, Row, Settings, benchmark
from .timing import Contender, Timing, side_by_side

CUSTOMERS = 200_000
FAST, SLOW = AffineBatchTime(0.005, 0.0005), AffineBatchTime(0.004, 0.0009)


@benchmark
def timeout_batches(settings: Settings) -> Iterator[Row]:
    """Fill-or-timeout batching, 200,000 customers: at most 8, batches of 10 s, load 0.7"""
    yield from _case("timeout 8 s", 0.56, lambda batch: 10.0, 8, 8.0, settings, Goal(3))


@benchmark
def small_batches(settings: Settings) -> Iterator[Row]:
    """Chapter 04's server at 400 requests/s, where batches hold 2 to 3"""
    yield from _case("take everything", 400, FAST, 32, 0.0, settings)
    yield from _case("timeout 5 ms", 400, FAST, 32, 0.005, settings)


@benchmark
def full_batches(settings: Settings) -> Iterator[Row]:
    """Batches of exactly 16 at 800 requests/s"""
    yield from _case("fill 16", 800, SLOW, 16, math.inf, settings)


@benchmark
def exact_steady_states(settings: Settings) -> Iterator[Row]:
    """Exact mean latency from the embedded chain, for comparison with a simulated run"""
    timings = side_by_side(
        {
            "take everything, 400/s": Contender(lambda: BulkQueue(400, FAST, 32).mean_sojourn_time),
            "fill 12, 800/s, utilization 0.99": Contender(
                lambda: BulkQueue(800, SLOW, 12, least_batch=12).mean_sojourn_time
            ),
        },
        rounds=settings.choose(7, 2),
    )
    for name, timing in timings.items():
        yield Row(f"exact, {name}", timing.best_ns / 1e6, "ms", timing.median_ns / 1e6)


def _case(name, rate, model, most, timeout, settings: Settings, goal=None) -> Iterator[Row]:
    arrivals = poisson_arrivals(rate, CUSTOMERS, np.random.default_rng(1))
    rule = {"max_batch": most, "batch_timeout_s": timeout}
    timings = side_by_side(
        {
            "kernel": _kernel(arrivals, model, most, timeout),
            "checked": _compiled(lambda: batch_queue(arrivals, model, **rule)),
            "latency": _compiled(lambda: batch_queue(arrivals, model, **rule).sojourn_time_s),
            **_stories(arrivals[: settings.choose(20_000, 2_000)], model, rule),
        },
        rounds=settings.choose(7, 2),
    )
    yield from _rows(name, timings, goal)


def _kernel(arrivals, model, most, timeout) -> Contender:
    table = np.array([0.0, *(model(size) for size in range(1, most + 1))])
    first, (ready, start) = np.empty(arrivals.size, dtype=np.int64), np.empty((2, arrivals.size))
    return _compiled(
        lambda: batch_kernels.batch_starts(arrivals, table, most, timeout, first, ready, start)
    )


def _stories(arrivals, model, rule) -> dict[str, Contender]:
    """The readable twin, and SimPy as fast as one server and one source can be told."""
    finish_s = batch_queue(arrivals, model, **rule).finish_s
    stories = {"twin": lambda: batch_twin.batch_queue(arrivals, model, **rule).finish_s}
    if rule["batch_timeout_s"] < math.inf:
        stories["lean"] = lambda: LeanStory(arrivals.tolist(), model, **rule).finish_s
    for story in stories.values():
        np.testing.assert_allclose(story(), finish_s, atol=1e-9)
    return {name: Contender(story, arrivals.size) for name, story in stories.items()}


class LeanStory:
    """A source that wakes the server only when it has something to do; no store, no races."""

    def __init__(self, arrival_s, model, *, max_batch, batch_timeout_s):
        self.env, self.line, self.finish_s = simpy.Environment(), deque(), []
        self.needed, self.bell = 0, None
        self.env.process(self._source(arrival_s))
        self.env.process(self._server(len(arrival_s), model, max_batch, batch_timeout_s))
        self.env.run()

    def _source(self, arrival_s):
        for arrival in arrival_s:
            yield self.env.timeout(max(0.0, arrival - self.env.now))
            self.line.append(arrival)
            if self.bell is not None and len(self.line) >= self.needed:
                self.bell.succeed()
                self.bell = None

    def _server(self, customers, model, most, timeout):
        env, line = self.env, self.line
        while len(self.finish_s) < customers:
            if not line:
                yield self._rings(1)
            patience = line[0] + timeout - env.now
            if len(line) < most and patience > 0:
                yield self._rings(most) | env.timeout(patience)
                self.bell = None
            size = min(len(line), most)
            for _ in range(size):
                line.popleft()
            yield env.timeout(model(size))
            self.finish_s += [env.now] * size

    def _rings(self, needed):
        self.needed, self.bell = needed, self.env.event()
        return self.bell


def _compiled(call) -> Contender:
    return Contender(call, CUSTOMERS, repeats=9)


def _rows(name, timings: dict[str, Timing], goal) -> Iterator[Row]:
    kernel = timings["kernel"]
    yield Row(f"{name}, kernel", kernel.best_ns, "ns", kernel.median_ns, goal)
    labels = {
        "checked": "batch_queue",
        "latency": "every request's latency",
        "twin": "SimPy, readable twin",
        "lean": "SimPy, lean",
    }
    for key in (key for key in labels if key in timings):
        yield Row(f"{name}, {labels[key]}", timings[key].best_ns, "ns", timings[key].median_ns)
    peer = "lean" if "lean" in timings else "twin"
    best, median = timings[peer].times_slower_than(kernel)
    yield Row(f"  {name}, {labels[peer]} / kernel", best, "×", median)
