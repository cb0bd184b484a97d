"""The serving simulator: a public trace with everything on, and a million requests."""

import resource
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from time import perf_counter

from labutils.serving import BlockManager, Continuous, Request, StepCost, simulate
from labutils.workload import mix, read_azure, trace_file

from .registry import Goal, Row, Settings, Unavailable, benchmark
from .timing import Contender, side_by_side

COST = StepCost(6e-3, 60e-6, 3.4e-9, 30e-6, 65e-9)
LONGEST_ANSWER = 1_000


@benchmark
def azure_conversation(settings: Settings) -> Iterator[Row]:
    """Serving simulator, Azure conversation trace: chunked prefill, pages, keys for each page"""
    trace = _azure().take(settings.choose(19_366, 1_500))
    timings = side_by_side(
        {
            "keys": Contender(lambda: _serve(trace, keys=True)),
            "no keys": Contender(lambda: _serve(trace, keys=False)),
            "steps": Contender(lambda: _serve(trace, keys=True, jumps=False)),
        },
        rounds=settings.choose(5, 1),
    )
    run = _serve(trace, keys=True)
    jumps, plain, steps = (timings[name] for name in ("keys", "no keys", "steps"))
    note = f"{run.steps:,} steps in {len(run.telemetry):,} jumps"
    whole = f"{len(trace):,} requests"
    goal = _goal(1.3, settings)
    yield Row(whole, jumps.best_ns / 1e9, "s", jumps.median_ns / 1e9, goal, note)
    yield Row(f"  {whole} that share no page", plain.best_ns / 1e9, "s", plain.median_ns / 1e9)
    yield Row(f"  {whole}, step by step", steps.best_ns / 1e9, "s", steps.median_ns / 1e9)
    best, median = steps.times_slower_than(jumps)
    yield Row("  step by step / jumps", best, "×", median)


@benchmark
def a_million_requests(settings: Settings) -> Iterator[Row]:
    """Serving simulator, requests like Azure's conversations behind a progress bar"""
    n = settings.choose(1_000_000, 3_000)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        seconds, peak_bytes = alone.submit(_serve_many, n).result()
    done = f"{n:,} requests, log without gaps included"
    yield Row(done, seconds, "s", goal=_goal(60, settings))
    yield Row("  peak memory of the process", peak_bytes / 1e9, "GB", goal=_goal(2, settings))


def _goal(limit: float, settings: Settings) -> Goal | None:
    """The goal for the whole size; a part of it, or one noisy round, can meet none."""
    return None if settings.quick else Goal(limit)


def _azure():
    try:
        return read_azure(trace_file("azure-conversation"))
    except OSError as missing:
        raise Unavailable(str(missing)) from None


def _serve(trace, *, keys: bool, jumps: bool = True):
    """One whole run, from the columns of the trace to those of the log."""
    scheduler = Continuous(256, BlockManager(4_000, 16), token_budget=2_048, chunked=True)
    source, options = trace, {"max_output_tokens": LONGEST_ANSWER}
    if keys:
        source, options = _with_keys(trace), {"output_tokens": trace.output_tokens.tolist()}
    run = simulate(source, scheduler, COST, jumps=jumps, **options)
    assert run.log_without_gaps.ok.all()
    return run


def _with_keys(trace) -> list[Request]:
    """Requests that share nothing, each page with a key of its own: the work without the hits."""
    return [
        Request(row, prompt, LONGEST_ANSWER, arrival_s, partial(_unique_keys, row, prompt))
        for row, (prompt, arrival_s) in enumerate(
            zip(trace.prompt_tokens.tolist(), trace.arrival_s.tolist())
        )
    ]


def _unique_keys(row: int, prompt_tokens: int, page_tokens: int) -> tuple[int, ...]:
    first = row << 20
    return tuple(range(first, first + prompt_tokens // page_tokens))


def _serve_many(n: int) -> tuple[float, float]:
    """Seconds and peak bytes of a process that serves ``n`` requests."""
    trace = mix("azure-conversation").trace(n, 4.0, seed=1)
    begin = perf_counter()
    scheduler = Continuous(256, BlockManager(4_000, 16), token_budget=2_048, chunked=True)
    run = simulate(trace, scheduler, COST, progress=True)
    assert run.log_without_gaps.ok.all()
    return perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0
