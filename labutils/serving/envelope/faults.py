"""Faults of the ruler: what the data say about the client that measured.

Each check looks at one stage and returns a ``Finding``. Where it needs what is not in the file, it
says so and judges nothing.
"""

import numpy as np

from labutils.metrics.latency import required_sample_size
from labutils.serving.measured.measured_run import MeasuredRun, MeasuredStage, ratio

from .finding import Finding
from .sending import closed_loop, gaps, rate

MOST_STAGES = 2.0  # answers may be waited for after the last send, but not for so long
_TAILS = {"p90": 0.9, "p95": 0.95, "p99": 0.99}


def faults(run: MeasuredRun) -> list[list[Finding]]:
    """The findings about each stage, in the order of ``CHECKS``."""
    return [[check(run, stage) for check in CHECKS] for stage in run.stages]


def events(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Several events a token: the gaps between events are not those between tokens."""
    fault, seen, per_token = "events taken for tokens", {}, None
    counted = stage.reported_output_tokens.get("mean", 0)
    true = run.output_tokens or counted
    short, by_own_count = _too_short(stage, true), _too_short(stage, counted)
    if stage.events_per_token is not None:
        per_token = stage.events_per_token * (counted / true if counted and true else 1.0)
        seen["events a token"] = per_token
    elif short is not None:  # a client that divides by its own count has another fault
        per_token = 1.0 if abs((by_own_count or 0.0) - 1) < 0.1 else short
    if short is not None:
        seen["true / reported TPOT"] = short
    itl = ratio(stage.reported_itl_s, "median", "mean")
    if itl == itl:
        seen["median / mean ITL"] = itl
    if not seen:
        return Finding(fault, None, "needs E2E, TTFT, the client's TPOT and the answers' length")
    words = f"{per_token or 1.0:.2f} events a token"
    if (per_token or 1.0) < 1.5:
        if seen.get("median / mean ITL", 1.0) > 0.1:
            return Finding(fault, False, words, seen)
        words = "half of the gaps are empty"
    if short is not None and short >= 1.5:
        words += f"; the client's TPOT is {short:.2f} times too short"
    elif stage.reported_itl_s:
        words += "; the client's ITL is too short, its TPOT holds"
    else:
        words += "; the client's TPOT holds, since it divides by tokens"
    return Finding(fault, True, words, seen)


def _too_short(stage: MeasuredStage, tokens: float) -> float | None:
    """TPOT by an answer's span and its length, over the client's; None where one is missing."""
    e2e, ttft, tpot = (q.get("mean") for q in (stage.e2e_s, stage.ttft_s, stage.reported_tpot_s))
    if tokens <= 1 or not tpot or e2e is None or ttft is None:
        return None
    return (e2e - ttft) / (tokens - 1) / tpot


def tokens(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Answers that have another length than was asked, where the end of text is ignored."""
    fault = "tokens of another tokenizer"
    asked, counted = run.output_tokens, stage.reported_output_tokens.get("mean")
    if asked is None or counted is None:
        missing = "the length asked for (end of text ignored)" if asked is None else "its count"
        return Finding(fault, None, f"needs {missing}")
    words = f"{counted:.4g} tokens an answer, {asked} were asked for"
    shown = abs(counted / asked - 1) > 0.02
    if shown:
        words += ": answers ended by themselves, or the client counts what is none of the server's"
    return Finding(fault, shown, words, {"asked": asked, "counted": counted})


def timeout(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Failures that all took equally long: the client's patience, not the server's latency."""
    fault, after = "a time-out that cuts latencies", stage.failed_after_s
    if not stage.failed:
        return Finding(fault, False, "no request failed")
    if not after.keys() >= {"median", "p10", "p90"}:
        return Finding(fault, None, f"{stage.failed} failed; needs after how long each of them did")
    spread = (after["p90"] - after["p10"]) / max(after["median"], 1e-9)
    seen = {"failed": stage.failed, "after_s": after["median"], "spread": spread}
    words = (
        f"{stage.failed} failed after {after['median']:.4g} s (p10 to p90: {100 * spread:.1g} %)"
    )
    longest = stage.e2e_s.get("max", stage.e2e_s.get("p99"))
    if longest is not None:
        seen["longest answer_s"] = longest
        words += f", the longest answer took {longest:.4g} s"
    return Finding(fault, spread < 0.05, words, seen)


def survivors(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Percentiles of answers alone, although requests failed."""
    fault, share = "percentiles without the failed", stage.failed / stage.requests
    if not stage.failed:
        return Finding(fault, False, "no request failed")
    words = f"{100 * share:.3g} % failed: of all who asked, p{100 * (1 - share):.3g} is infinite"
    return Finding(fault, True, words, {"failed share": share})


def too_few(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Percentiles that so few answers do not bound."""
    fault, answered = "too few requests", stage.requests - stage.failed
    stated = [name for name in _TAILS if name in stage.e2e_s or name in stage.ttft_s]
    short = {name: required_sample_size(_TAILS[name]) for name in stated}
    short = {name: needed for name, needed in short.items() if needed > answered}
    words = f"{answered} answers"
    for name, needed in short.items():
        words += f"; {name} has no upper bound below {needed}"
    return Finding(fault, bool(short), words, {"answers": answered, **short})


def cold_start(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """The first requests of the first stage, slower than all others."""
    fault, e2e = "cold start", stage.e2e_s
    if stage is not run.stages[0]:
        return Finding(fault, False, "not the first stage")
    if stage.log is not None and stage.log.ok.sum() >= 50:
        e2e_s = stage.log.e2e_from_send_s[stage.log.ok]
        first = len(e2e_s) // 50 + 2
        times = float(np.median(e2e_s[:first]) / np.median(e2e_s[first:]))
        words = f"the first {first} answers took {times:.2f} times as long as the others"
        return Finding(fault, times > 1.3, words, {"first / others": times})
    if not e2e.keys() >= {"p90", "p99"}:
        return Finding(fault, None, "needs single requests, or p90 and p99 of E2E")
    jump = ratio(e2e, "p99", "p90")
    later_jump = ratio(run.stages[1].e2e_s if len(run.stages) > 1 else {}, "p99", "p90")
    words, seen = f"E2E p99 is {jump:.2f} times p90", {"p99 / p90": jump}
    if jump < 1.3:
        return Finding(fault, False, words, seen)
    if later_jump < 1 + (jump - 1) / 3:
        seen["in stage 1"] = later_jump
        return Finding(fault, True, f"{words}, in stage 1 {later_jump:.2f}: no steady state", seen)
    return Finding(fault, None, f"{words}; needs single requests", seen)


def units(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Times that no test of this duration can have: milliseconds taken for seconds, say."""
    fault, mean = "times in another unit", stage.e2e_s.get("mean", stage.ttft_s.get("mean"))
    if mean is None:
        return Finding(fault, None, "needs end-to-end times, or TTFT")
    times = mean / stage.duration_s
    words = f"the mean answer takes {times:.3g} times as long as the whole stage"
    return Finding(fault, times > MOST_STAGES, words, {"mean / duration": times})


CHECKS = (units, events, tokens, timeout, survivors, closed_loop, rate, gaps, too_few, cold_start)
