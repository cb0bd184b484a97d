"""The pipeline and the flushed service against their stories in SimPy, on the same draws."""

from collections.abc import Callable, Iterator

import numpy as np

from labutils.laws.queueing import Stage, largest_rate
from labutils.simulation import flush, pipeline, poisson_arrivals
from labutils.simulation.flush import flush_twin
from labutils.simulation.pipeline import pipeline_twin

from .registry import Goal, Row, Settings, benchmark
from .timing import Contender, side_by_side

REQUESTS = 100_000
PLAN = (
    Stage("embed", 0.012, scv=0.2),
    pipeline.Parallel(Stage("bm25", 0.006, scv=0.5), Stage("vector", 0.025, servers=2, scv=0.5)),
    Stage("rerank", 0.085),
    Stage("generate", 0.6, servers=12, scv=0.6),
)


@benchmark
def five_stages(settings: Settings) -> Iterator[Row]:
    """Pipeline of five stages, two of them side by side, 100,000 requests at a load of 0.8"""
    rng = np.random.default_rng(5)
    rate = 0.8 * largest_rate(pipeline.stages_of(PLAN))
    arrivals = poisson_arrivals(rate, REQUESTS, rng)
    services = pipeline.stage_services(PLAN, REQUESTS, rng)
    few = settings.choose(4_000, 500)
    yield from _against(
        "pipeline",
        Contender(lambda: pipeline.run_pipeline(PLAN, arrivals, services), REQUESTS, repeats=3),
        Contender(lambda: pipeline_twin.run_pipeline(PLAN, arrivals[:few], services[:few]), few),
        settings,
    )


@benchmark
def flushed_cache(settings: Settings) -> Iterator[Row]:
    """A service whose cache is flushed, 16 minutes at 200 requests a second, no remedy"""
    service, seconds = flush.CachedService(), settings.choose(150, 90)

    def runs(run: Callable, duration_s: int) -> Contender:
        draws = flush.flush_draws(service, duration_s, np.random.default_rng(3))
        options = {"duration_s": duration_s, "flush_s": 60}
        return Contender(lambda: run(service, draws, **options), draws.arrival_s.size)

    yield from _against(
        "flush", runs(flush.run_flush, 960), runs(flush_twin.run_flush, seconds), settings
    )


def _against(name: str, kernel: Contender, story: Contender, settings: Settings) -> Iterator[Row]:
    timings = side_by_side({"kernel": kernel, "simpy": story}, rounds=settings.choose(5, 2))
    for key, said in (("kernel", name), ("simpy", f"{name} in SimPy")):
        yield Row(f"{said}, per request", timings[key].best_ns, "ns", timings[key].median_ns)
    best, median = timings["simpy"].times_slower_than(timings["kernel"])
    yield Row(f"  SimPy / {name}", best, "×", median, Goal(50, at_least=True))
