"""Faults of the ruler that are about when requests were sent."""

import math

import numpy as np

from .finding import Finding
from .measured_run import MeasuredRun, MeasuredStage

_EVEN, _RANDOM = ("constant", "even", "uniform"), ("poisson", "exponential")


def closed_loop(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Each request waits for an answer: the rate is what the server gave, not what was offered."""
    fault, words = "a closed loop", ""
    if stage.concurrency is not None:
        words = f"{stage.concurrency} clients, each waits for its answer"
    if stage.log is None:
        if not words:
            return Finding(fault, None, "needs the moments at which requests were sent and ended")
        return Finding(fault, True, _not_offered(words, stage), {"clients": stage.concurrency})
    following, in_flight = _following(stage)
    seen = {"sent right after an end": following, "in flight": in_flight}
    if following < 0.8:
        return Finding(fault, False, f"{100 * following:.0f} % were sent as another ended", seen)
    words = words or f"{100 * following:.0f} % were sent as another ended"
    return Finding(fault, True, _not_offered(words, stage), seen)


def _not_offered(words: str, stage: MeasuredStage) -> str:
    rate = (stage.requests - stage.failed) / stage.duration_s
    return f"{words}: its {rate:.3g} requests/s are the server's answer, no load that was offered"


def _following(stage: MeasuredStage) -> tuple[float, float]:
    """Which share was sent within a 20th of an answer's time of an end, and mean in flight.

    The first ones, for whom nobody had to end, are left out. By chance a share of it is, too: where
    ends come often, the limit is a fifth of the time between two ends.
    """
    log = stage.log
    ends, sent = np.sort(log.finish_s[~np.isnan(log.finish_s)]), np.sort(log.sent_s)
    sent = sent[~np.isnan(sent)]
    if len(ends) < 3 or sent[-1] <= ends[0]:
        return 0.0, math.nan
    later = sent[sent >= ends[0]]
    wait_s = later - ends[np.searchsorted(ends, later, side="right") - 1]
    limit_s = min(0.05 * float(np.median(log.e2e_s[log.ok])), 0.2 * float(np.ptp(ends)) / len(ends))
    return float(np.mean(wait_s <= limit_s)), log.mean_in_flight(0.0, float(ends[-1]))


def rate(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Requests sent per second against the rate that was asked for."""
    fault, asked = "the rate asked for was not sent", stage.rate_per_s
    if asked is None:
        return Finding(fault, False, "no rate was asked for")
    sent, how = _sent_rate(stage)
    if sent is None:
        return Finding(fault, None, "needs the moments at which requests were sent")
    seen = {"asked": asked, "sent": sent}
    chance = 3 / math.sqrt(stage.requests) if stage.arrivals in (*_RANDOM, None) else 0.0
    words = f"{sent:.4g} requests/s {how}, {asked:.4g} asked for"
    if abs(sent / asked - 1) <= 0.03 + chance:
        return Finding(fault, False, words, seen)
    return Finding(fault, True, f"{words}: {_why(stage, sent / asked)}", seen)


def _sent_rate(stage: MeasuredStage) -> tuple[float | None, str]:
    if stage.log is not None and len(stage.log) > 1:
        span_s = float(np.ptp(stage.log.sent_s[~np.isnan(stage.log.sent_s)]))
        return ((len(stage.log) - 1) / span_s, "were sent") if span_s else (None, "")
    tail_s = stage.e2e_s.get("mean", 0.0)
    if stage.duration_s <= 2 * tail_s:
        return None, ""
    slow, fast = (stage.requests / (stage.duration_s - cut) for cut in (0.0, tail_s))
    nearest = min(max(stage.rate_per_s, slow), fast)  # it may end with the last send, or the answer
    return nearest, "ended"


def _why(stage: MeasuredStage, ratio: float) -> str:
    if stage.log is None:
        return "client or server, cannot tell without the moments of sending"
    late_s = float(np.nanmedian(stage.log.sent_s - stage.log.intended_arrival_s))
    if ratio < 1 and late_s > 0.05 * stage.e2e_s.get("median", math.inf):
        return f"it was {late_s:.3g} s late (median), so the client could not keep up"
    return "the client planned it so" if late_s < 0.01 else f"sends were {late_s:.3g} s late"


def names(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Even or exponential gaps, against what the client calls them."""
    fault, called = "arrivals that are not what they are called", stage.arrivals
    if stage.concurrency is not None and stage.rate_per_s is None:
        return Finding(fault, False, "a closed loop has no gaps of its own")
    if stage.log is None or len(stage.log) < 30:
        tail = stage.e2e_s.get("p90", math.nan) / stage.e2e_s.get("median", math.nan)
        words = "needs start times of single requests"
        if not math.isnan(tail):
            words += f"; p90 by median of E2E, {tail:.3f}, may come of uneven gaps or of lengths"
        return Finding(fault, None, words)
    gaps = np.diff(np.sort(stage.log.sent_s[~np.isnan(stage.log.sent_s)]))
    cv = float(gaps.std() / gaps.mean())
    kind = "even" if cv < 0.3 else "exponential" if 0.8 < cv < 1.25 else "neither"
    words = f"gaps with a CV of {cv:.2f} are {_AS[kind]}"
    seen = {"cv of gaps": cv}
    if called is None:
        return Finding(fault, None, f"{words}; the file does not say what was asked for", seen)
    right = {"even": _EVEN, "exponential": _RANDOM}.get(kind, ())
    return Finding(fault, called not in right, f"{words}, called {called!r}", seen)


_AS = {"even": "even", "exponential": "exponential", "neither": "neither even nor exponential"}
