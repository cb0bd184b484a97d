"""The load that a load test put on its engine, as far as its report tells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from labutils.ground import arguments
from labutils.workload.trace import RequestTrace

from .measured_run import MeasuredRun, MeasuredStage, Quantiles

PAGE_TOKENS = 16
TEXTS = 100  # different prompts of the runs on H100, asked in a circle
PAUSE_S = 60.0  # between two stages, so that the first has ended
_LEVELS = {f"p{percent}": percent / 100 for percent in range(1, 100)} | {"median": 0.5}


@dataclass(frozen=True, eq=False)
class Load:
    """Requests of all stages in a row; ``stage`` has the number of each one's stage."""

    trace: RequestTrace
    stage: np.ndarray


def workload(
    run: MeasuredRun,
    *,
    arrivals: Literal["exponential", "even"] = "exponential",
    cached: bool = True,
    texts: int = TEXTS,
    shared_tokens: int = 0,
    seed: int = 1,
) -> Load:
    """The requests of ``run``, stage after stage.

    They arrive when they did where the client kept that. Otherwise gaps are even, or exponential
    and then stretched so that a stage takes as long as its rate says, as clients do that draw gaps
    for a fixed time; at an infinite rate all come at once. Prompts have the lengths of the report's
    quantiles. With ``cached`` they are ``texts`` different ones in a circle, whose pages a prefix
    cache may know; without, they share the pages of their first ``shared_tokens``.
    """
    if arrivals not in ("exponential", "even"):
        raise ValueError(f"arrivals = {arrivals!r}: expected 'exponential' or 'even'")
    rng = np.random.default_rng(seed)
    texts = arguments.whole("texts", texts)
    lengths = lengths_of(run.stages[0].prompt_tokens, texts, rng)
    times, stages, text, begin_s = [], [], [], 0.0
    for number, stage in enumerate(run.stages):
        times.append(begin_s + _times(stage, arrivals, rng))
        count = len(times[-1])
        stages.append(np.full(count, number))
        text.append(np.arange(count) % texts)
        begin_s += stage.duration_s + PAUSE_S
    text = np.concatenate(text)
    is_known = cached or shared_tokens >= PAGE_TOKENS
    trace = RequestTrace(
        arrival_s=np.concatenate(times),
        prompt_tokens=lengths[text],
        output_tokens=_answers(run, text.size, rng),
        prefix_keys=_keys(text, lengths, None if cached else shared_tokens) if is_known else None,
        prefix_page_tokens=PAGE_TOKENS if is_known else None,
        name=run.name,
    )
    return Load(trace, np.concatenate(stages))


def _times(stage: MeasuredStage, arrivals: str, rng: np.random.Generator) -> np.ndarray:
    """When the requests of a stage come, from its beginning on."""
    if stage.log is not None:
        return np.sort(stage.log.intended_arrival_s)
    if not stage.rate_per_s:
        raise ValueError("neither a rate, nor a closed loop, nor single requests: no load to serve")
    count = stage.requests
    gaps = rng.exponential(size=count) if arrivals == "exponential" else np.ones(count)
    return np.cumsum(gaps) * (count / stage.rate_per_s) / gaps.sum()


def lengths_of(quantiles: Quantiles, count: int, rng: np.random.Generator) -> np.ndarray:
    """``count`` whole lengths with these quantiles, in random order: straight lines between them.

    Where only a mean is known, all are that long; ``ValueError`` where nothing is.
    """
    known = sorted((_LEVELS[name], value) for name, value in quantiles.items() if name in _LEVELS)
    if not known and "mean" not in quantiles:
        raise ValueError("lengths of prompts or answers: expected quantiles, or a mean")
    known = known or [(0.5, quantiles["mean"])]
    levels, values = zip(*known, strict=True)
    lengths = np.interp((np.arange(count) + 0.5) / count, levels, values)
    return rng.permutation(np.maximum(lengths.round(), 1).astype(int))


def _answers(run: MeasuredRun, count: int, rng: np.random.Generator) -> np.ndarray:
    if run.output_tokens is not None:
        return np.full(count, run.output_tokens)
    return lengths_of(run.stages[0].reported_output_tokens, count, rng)


def _keys(
    text: np.ndarray, lengths: np.ndarray, shared_tokens: int | None
) -> tuple[Sequence[tuple], ...]:
    """Names of the pages of each request's prompt: its text's, or those that all of them share."""
    keys = [
        tuple((number, page) for page in range(length // PAGE_TOKENS))
        if shared_tokens is None
        else tuple(("shared", page) for page in range(min(shared_tokens, length) // PAGE_TOKENS))
        for number, length in enumerate(lengths)
    ]
    return tuple(keys[number] for number in text)
