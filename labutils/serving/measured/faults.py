"""Faults of the ruler: what the data say about the client that measured.

Each check looks at one stage and returns a ``Finding``. Where it needs what is not in the file, it
says so and judges nothing.
"""

import math

from labutils.metrics.latency import required_sample_size

from . import arrivals
from .finding import Finding
from .measured_run import MeasuredRun, MeasuredStage

_QUANTILE = {"p90": 0.9, "p95": 0.95, "p99": 0.99}


def faults(run: MeasuredRun) -> list[list[Finding]]:
    """The findings about each stage, in the order of ``CHECKS``."""
    return [[check(run, stage) for check in CHECKS] for stage in run.stages]


def events(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Several events a token: gaps between events are no gaps between tokens."""
    fault = "events counted as tokens"
    tpot, itl = stage.reported_tpot_s.get("mean"), stage.reported_itl_s
    n = run.output_tokens or stage.reported_output_tokens.get("mean")
    seen = {"events a token": stage.events_per_token}
    if n and n > 1 and tpot and {"mean"} <= stage.e2e_s.keys() & stage.ttft_s.keys():
        span_s = stage.e2e_s["mean"] - stage.ttft_s["mean"]
        seen["span / reported TPOT / gaps"] = span_s / tpot / (n - 1)
    if itl.get("mean") and "median" in itl:
        seen["median / mean ITL"] = itl["median"] / itl["mean"]
    seen = {name: value for name, value in seen.items() if value is not None}
    if not seen:
        return Finding(fault, None, "needs end-to-end time, TTFT, the client's TPOT and the length")
    ratio = seen.get("span / reported TPOT / gaps", 1.0)
    per_token = max(seen.get("events a token", 1.0), ratio)
    empty = seen.get("median / mean ITL", 1.0) < 0.1
    if per_token < 1.5 and not empty:
        return Finding(fault, False, f"{per_token:.2f} events a token", seen)
    words = f"{per_token:.2f} events a token" if per_token >= 1.5 else "half of the gaps are empty"
    if ratio >= 1.5:
        words += "; the client's TPOT is that of events, the true one is that much longer"
    elif empty or itl:
        words += "; its ITL is that of events"
    else:
        words += "; its TPOT holds, since it divides by tokens"
    return Finding(fault, True, words, seen)


def tokens(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Answers as long as asked, where the end-of-text token is ignored; other counts are not."""
    fault = "tokens of another tokenizer"
    asked, counted = run.output_tokens, stage.reported_output_tokens.get("mean")
    if asked is None or counted is None:
        missing = "the length that was asked for" if asked is None else "the client's count"
        return Finding(fault, None, f"needs {missing} (with end-of-text ignored)")
    seen = {"asked": asked, "counted": counted}
    words = f"{counted:.4g} tokens an answer, {asked} were asked for"
    if abs(counted / asked - 1) <= 0.02:
        return Finding(fault, False, words, seen)
    words += "; unless answers ended by themselves, the client tokenised their text again"
    return Finding(fault, True, words, seen)


def timeout(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Failures that all took equally long: the client's patience, not the server's latency."""
    fault = "a time-out taken for latency"
    if not stage.failed:
        return Finding(fault, False, "no request failed")
    late = stage.failed_after_s
    if not {"median", "p10", "p90"} <= late.keys():
        return Finding(fault, None, f"{stage.failed} failed; needs how long each of them took")
    spread = (late["p90"] - late["p10"]) / late["median"] if late["median"] else math.inf
    longest = stage.e2e_s.get("max", stage.e2e_s.get("p99"))
    seen = {"failed": stage.failed, "after_s": late["median"], "spread": spread}
    if longest is not None:
        seen["longest answer_s"] = longest
    if spread > 0.05:
        return Finding(fault, False, "failures came at different times", seen)
    words = f"{stage.failed} failed after {late['median']:.4g} s, nearly all at once"
    if longest is not None and longest > 0.8 * late["median"]:
        words += f"; answers reach up to it ({longest:.4g} s), so longer ones are missing"
    return Finding(fault, True, words, seen)


def survivors(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Percentiles of answers alone, although requests failed."""
    fault = "percentiles without the failed"
    if not stage.failed:
        return Finding(fault, False, "no request failed")
    share = stage.failed / stage.requests
    words = (
        f"{100 * share:.3g} % failed and stand in no percentile: of all who asked, those from "
        f"p{100 * (1 - share):.3g} on got nothing"
    )
    return Finding(fault, True, words, {"failed share": share})


def too_few(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Percentiles that so few requests do not bound."""
    fault, answered = "too few requests", stage.requests - stage.failed
    stated = {name for name in _QUANTILE if name in stage.e2e_s or name in stage.ttft_s}
    needs = {name: required_sample_size(_QUANTILE[name]) for name in sorted(stated)}
    short = {name: n for name, n in needs.items() if n > answered}
    if not short:
        return Finding(fault, False, f"{answered} answers", {"answered": answered})
    asked = ", ".join(f"{name} needs {n}" for name, n in short.items())
    words = f"{answered} answers: {asked} to be bounded at all (95 %)"
    return Finding(fault, True, words, {"answered": answered, **short})


def cold_start(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """The first requests of the first stage, slower than all others."""
    fault = "cold start"
    if stage is not run.stages[0]:
        return Finding(fault, False, "not the first stage")
    if stage.log is not None:
        return _cold_by_requests(fault, stage)
    if not {"median", "p90", "p99"} <= stage.e2e_s.keys():
        return Finding(fault, None, "needs single requests, or p90 and p99 of end-to-end times")
    jump = stage.e2e_s["p99"] / stage.e2e_s["p90"]
    seen = {"p99 / p90 of E2E": jump}
    later = run.stages[1].e2e_s if len(run.stages) > 1 else {}
    if {"p99", "p90"} <= later.keys():
        seen["in stage 1"] = later["p99"] / later["p90"]
    if jump < 1.3:
        return Finding(fault, False, f"E2E p99 is {jump:.2f} times p90", seen)
    if seen.get("in stage 1", jump) < 1 + (jump - 1) / 3:
        words = f"E2E p99 is {jump:.2f} times p90, in stage 1 {seen['in stage 1']:.2f}"
        return Finding(fault, True, f"{words}: mean and tail here are no steady state", seen)
    return Finding(fault, None, f"E2E p99 is {jump:.2f} times p90; needs single requests", seen)


def _cold_by_requests(fault: str, stage: MeasuredStage) -> Finding:
    import numpy as np

    e2e_s = stage.log.e2e_s[stage.log.ok]
    first = max(3, len(e2e_s) // 50)
    if len(e2e_s) < 10 * first:
        return Finding(fault, None, f"{len(e2e_s)} answers, needs {10 * first}")
    ratio = float(np.median(e2e_s[:first]) / np.median(e2e_s[first:]))
    seen, words = {"first / later E2E": ratio}, f"the first {first} took {ratio:.2f} times as long"
    return Finding(fault, ratio > 1.3, f"{words} as the others", seen)


CHECKS = (
    events, tokens, timeout, survivors, arrivals.closed_loop, arrivals.rate, arrivals.names,
    too_few, cold_start,
)  # fmt: skip
