"""The serving simulator: a public trace, an explorer's share of it, and a million requests."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from time import perf_counter

from labutils.engine import PagePool, Scheduler
from labutils.serving.simulator import StepCost, simulate
from labutils.workload import RequestTrace, mix, read_azure, trace_file

from .registry import Goal, Row, Settings, Unavailable, benchmark
from .timing import Contender, Timing, side_by_side

COST = StepCost(6e-3, 60e-6, 3.4e-9, 30e-6, 65e-9)
LONGEST_ANSWER = 1_000
PAGE = 16
FIRST_RUN = """
from time import perf_counter
from labutils.engine import PagePool, Scheduler
from labutils.serving.simulator import StepCost, simulate
from labutils.workload import uniform_trace
trace = uniform_trace(9, rate_per_s=3, prompt_tokens=20, output_tokens=4)
begun = perf_counter()
simulate(trace, Scheduler(4, PagePool(99)), StepCost(0.01), compiled=True)
print(perf_counter() - begun)
"""


@benchmark
def azure_conversation(settings: Settings) -> Iterator[Row]:
    """Serving simulator, Azure conversation trace: chunked prefill, pages, preemption"""
    trace = _azure().take(settings.choose(19_366, 1_500))
    named = _with_keys(trace)
    twin = {"none": Contender(lambda: _serve(trace)), "keys": Contender(lambda: _serve(named))}
    fast = side_by_side(twin, rounds=settings.choose(9, 1))
    slow = side_by_side(
        {"plain": Contender(lambda: _serve(named, compiled=False))}, rounds=settings.choose(2, 1)
    )["plain"]
    run = _serve(named)
    preempted = int(run.requests["preemptions"].sum())
    note = f"{run.steps:,} steps, {preempted:,} preemption{'s' * (preempted != 1)}"
    whole = f"{len(trace):,} requests"
    yield _milliseconds(f"{whole}, a key for each page", fast["keys"], settings, note)
    yield _milliseconds(f"  {whole} without keys", fast["none"], settings)
    yield Row("  plain, step by step", slow.best_ns / 1e9, "s", slow.median_ns / 1e9)
    yield Row("  plain / compiled", slow.best_ns / fast["keys"].best_ns, "×")


@benchmark
def an_explorers_run(settings: Settings) -> Iterator[Row]:
    """Serving simulator, 20,000 requests of a mix simulated anew, as a slider moves"""
    n = settings.choose(20_000, 1_000)
    trace = mix("azure-conversation").trace(n, 4.0, seed=1)
    call = {"run": Contender(lambda: _serve(trace))}
    timing = side_by_side(call, rounds=settings.choose(9, 1))["run"]
    yield _milliseconds(f"{n:,} requests, percentiles included", timing, settings)


@benchmark
def a_million_requests(settings: Settings) -> Iterator[Row]:
    """Serving simulator, requests like Azure's conversations behind a progress bar"""
    n = settings.choose(1_000_000, 3_000)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        seconds, peak_bytes = alone.submit(_serve_many, n).result()
    yield Row(f"{n:,} requests, log included", seconds, "s", goal=_goal(3, settings))
    yield Row("  peak memory of the process", peak_bytes / 1e9, "GB", goal=_goal(1, settings))


@benchmark
def the_first_run_of_a_process(settings: Settings) -> Iterator[Row]:
    """Serving simulator, the first compiled run of a process: taken from the folder of the cache"""
    _first_run_s()  # compiles, where nothing is kept yet
    runs = [_first_run_s() for _ in range(settings.choose(5, 1))]
    yield Row("numba imported, loop loaded", min(runs), "s", sorted(runs)[len(runs) // 2])


def _milliseconds(name: str, timing: Timing, settings: Settings, note: str = "") -> Row:
    return Row(name, timing.best_ns / 1e6, "ms", timing.median_ns / 1e6, _goal(60, settings), note)


def _goal(limit: float, settings: Settings) -> Goal | None:
    """The goal for the whole size; a part of it, or one noisy round, can meet none."""
    return None if settings.quick else Goal(limit)


def _azure() -> RequestTrace:
    try:
        return read_azure(trace_file("azure-conversation"))
    except OSError as missing:
        raise Unavailable(str(missing)) from None


def _with_keys(trace: RequestTrace) -> RequestTrace:
    """Requests that share nothing, each page with a key of its own: the work without the hits."""
    prompts = enumerate(trace.prompt_tokens.tolist())
    keys = tuple(tuple(range(row << 20, (row << 20) + prompt // PAGE)) for row, prompt in prompts)
    return replace(trace, prefix_keys=keys, prefix_page_tokens=PAGE)


def _serve(trace: RequestTrace, *, compiled: bool = True, progress: bool = False):
    """One whole run, from the columns of the trace to those of the log."""
    scheduler = Scheduler(256, PagePool(4_000, PAGE), token_budget=2_048, chunked=True)
    options = {"max_output_tokens": LONGEST_ANSWER, "compiled": compiled, "progress": progress}
    run = simulate(trace, scheduler, COST, **options)
    assert run.log.ok.all() and run.gaps.quantile(0.99) > 0
    return run


def _serve_many(n: int) -> tuple[float, float]:
    """Seconds of a run of ``n`` requests, and peak bytes of its process, their trace included."""
    _serve(mix("azure-conversation").trace(100, 4.0, seed=1))
    trace, begin = mix("azure-conversation").trace(n, 4.0, seed=1), perf_counter()
    _serve(trace, progress=True)
    return perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def _first_run_s() -> float:
    done = subprocess.run([sys.executable, "-c", FIRST_RUN], capture_output=True, check=True)
    return float(done.stdout)
