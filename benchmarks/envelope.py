"""The simulator, fitted on the engine, against the engine itself: same arrivals, same lengths."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from labutils.workload import RequestTrace

from .jobs import SMALL
from .registry import Goal, Row, Settings, benchmark

SEATS, TOKEN_BUDGET, PAGE_TOKENS, NUM_PAGES = 16, 128, 16, 400
LONGEST_PROMPT, MEAN_ANSWER, LONGEST_ANSWER = 128, 32, 96
SHARES = (0.5, 0.7, 1.0, 1.2)
"""Loads by share of the measured capacity. At 1 nothing is graded: there the engine's own runs
differ by as much."""

TURNS = 5

LABELS = {
    "ttft_p50_s": "TTFT p50",
    "ttft_p99_s": "TTFT p99",
    "tpot_p50_s": "TPOT p50",
    "tpot_p99_s": "TPOT p99",
    "backlog_per_s": "backlog slope",
}


@dataclass(frozen=True)
class Turn:
    """One experiment from fit to reveal, short enough for the machine to stay what it was."""

    calibration: object
    capacity_per_s: float
    reveal: object


@benchmark
def predicted_against_measured(settings: Settings) -> Iterator[Row]:
    """Simulator against engine: predicted by measured, less 1, at shares of measured capacity"""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # one of two threads that is interrupted keeps the other waiting
    try:
        new_engine = engine_factory()
        turns = [one_turn(settings, new_engine) for _ in range(settings.choose(TURNS, 1))]
    finally:
        torch.set_num_threads(threads)
    yield from rows_of(turns, graded=not settings.quick)


def one_turn(settings: Settings, new_engine) -> Turn:
    """Calibrate, find the capacity, predict every load, and only then run them."""
    from labutils.serving.calibrate import calibrate
    from labutils.serving.envelope import Envelope, capacity_per_s, drift, measure_load
    from labutils.serving.open_loop import replay

    lengths = some_lengths(settings.choose(400, 60))
    calibration = calibrate(
        new_engine,
        seconds=settings.choose(4, 1),
        longest_prompt=LONGEST_PROMPT,
        longest_answer=LONGEST_ANSWER,
    )
    capacity = capacity_per_s(replay(new_engine(), lengths))
    loads = {share: arriving(lengths, share * capacity) for share in SHARES}
    envelope = Envelope.of(loads, scheduler, calibration.cost)
    engines = {share: new_engine() for share in SHARES}
    measured = {share: [measure_load(loads[share], engines[share])] for share in SHARES}
    steps = [step for engine in engines.values() for step in engine.steps]
    moved = drift(steps, calibration.cost)
    reveal = envelope.opened(measured, drift=moved, noise=calibration.noise)
    return Turn(calibration, capacity, reveal)


def rows_of(turns: list[Turn], *, graded: bool) -> Iterator[Row]:
    """The middle one of the turns for each figure, and how far the turns lie apart."""
    fits = [turn.calibration for turn in turns]
    noise, moved = (median(x) for x in ([f.noise for f in fits], [_moved(t) for t in turns]))
    cost = {name: f"{value:.3g}" for name, value in fits[-1].costs.items()}
    yield Row("measured capacity", median(turn.capacity_per_s for turn in turns), "req/s")
    yield Row(
        "fit, error of a single step", median(f.relative_rms for f in fits), "", note=str(cost)
    )
    yield Row("fit, spread of repetitions", noise, "", note=fits[-1].verdict())
    yield Row("steps of the runs against the fit", moved, "", note=turns[-1].reveal.verdict())
    for rows in zip(*(turn.reveal.rows for turn in turns)):
        yield _figure(rows, graded=graded and rows[0].graded)


def _moved(turn: Turn) -> float:
    return abs(turn.reveal.drift)


def _figure(rows, *, graded: bool) -> Row:
    """One quantity under one load over all turns: the middle error, and the engine's spread."""
    error, first = median(row.error for row in rows), rows[0]
    measured = [row.measured for row in rows]
    note = f"signed {error:+.3f}; measured {median(measured):.4g}"
    if len(rows) > 1:
        spread = (max(measured) - min(measured)) / median(measured)
        note += f", spread of {len(rows)} runs {spread:.0%}"
    name = f"at {first.share:.1f} of capacity, {LABELS[first.quantity]}"
    return Row(name, abs(error), "", goal=Goal(0.10) if graded else None, note=note)


def engine_factory():
    """Makes fresh engines around one packed model."""
    from labutils.serving import Engine, LlamaModel, packed

    model = packed(LlamaModel(SMALL))
    return lambda **options: Engine(model, scheduler(), **options)


def scheduler():
    """The policy of both worlds: sixteen seats, prompts in chunks, pages for everybody."""
    from labutils.serving import BlockManager, Continuous

    blocks = BlockManager(NUM_PAGES, PAGE_TOKENS)
    return Continuous(SEATS, blocks, token_budget=TOKEN_BUDGET, chunked=True)


def some_lengths(requests: int) -> RequestTrace:
    """Prompts uniform, answers geometric and capped, everybody there at once."""
    draws = np.random.default_rng(4)
    prompts = draws.integers(8, LONGEST_PROMPT, requests, endpoint=True)
    answers = np.minimum(draws.geometric(1 / MEAN_ANSWER, requests), LONGEST_ANSWER)
    return RequestTrace(np.zeros(requests), prompts, answers)


def arriving(trace: RequestTrace, rate_per_s: float) -> RequestTrace:
    """The same requests at the times of a Poisson process, stretched to just this mean rate."""
    gaps = np.random.default_rng(9).exponential(size=len(trace))
    arrival_s = np.cumsum(gaps) - gaps[0]
    return replace(trace, arrival_s=arrival_s * (len(trace) - 1) / (rate_per_s * arrival_s[-1]))
