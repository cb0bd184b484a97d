"""Faults of the ruler that are about when requests were sent."""

import math

import numpy as np

from labutils.metrics import RequestLog
from labutils.serving.measured.measured_run import MeasuredRun, MeasuredStage, ratio

from .finding import Finding

_NAMES = {"even": ("constant", "even", "uniform"), "exponential": ("poisson", "exponential")}


def closed_loop(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Each request waits for an answer: the rate is what the server gave, not what was offered."""
    fault, stated = "a closed loop", stage.concurrency if stage.rate_per_s is None else None
    seen = {} if stage.log is None else _followed(stage.log)
    if not seen and not stated:
        return Finding(fault, None, "needs the moments at which requests were sent and ended")
    share, uneven = seen.get("sent as another ended", 0.0), seen.get("in flight, var / mean", 1.0)
    words = f"{100 * share:.0f} % of the requests were sent as another ended"
    if not stated and (share < 0.8 or seen["cv of gaps"] < 0.1):
        if uneven > 0.2 or seen["cv of gaps"] < 0.1:
            return Finding(fault, False, words, seen)
        words += ", but as many were in flight all the time"
        return Finding(fault, None, words, seen)
    words = f"{stated} clients, each of which waits for its answer" if stated else words
    seen["requests/s"] = rate = (stage.requests - stage.failed) / stage.duration_s
    words += f": {rate:.3g} requests/s are what the server answered, not what it was offered"
    return Finding(fault, True, words, seen)


def _followed(log: RequestLog) -> dict[str, float]:
    """How sends follow ends, but for the first ones, for whom nobody had to end.

    A send follows an end within a third of the time between two ends: by chance 30 % do. Where
    sends are even, ends may always stand before them, and nothing follows from it.
    """
    ends, sent = (np.sort(times[~np.isnan(times)]) for times in (log.finish_s, log.sent_s))
    if len(ends) < 3 or sent[-1] <= ends[0]:
        return {}
    ended = np.searchsorted(ends, sent, side="right")
    later, gaps_s = ended > 0, np.diff(sent)
    waited_s = sent[later] - ends[ended[later] - 1]
    in_flight = (np.arange(1, len(sent) + 1) - ended)[later]
    return {
        "sent as another ended": float(np.mean(waited_s <= 0.35 * np.ptp(ends) / len(ends))),
        "in flight, var / mean": float(in_flight.var() / in_flight.mean()),
        "cv of gaps": float(gaps_s.std() / gaps_s.mean()),
    }


def rate(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Requests sent per second against the rate that was asked for."""
    fault, asked, log = "another rate than was asked for", stage.rate_per_s, stage.log
    if not asked or asked == math.inf:
        return Finding(fault, False, "no rate was asked for")
    if log is None:
        sent = stage.requests / stage.duration_s  # up to the last send, or up to its answer
        slack, words = stage.e2e_s.get("mean", 0.0) / stage.duration_s, "ended"
    else:
        sent, slack = (len(log) - 1) / max(float(np.ptp(log.sent_s)), 1e-9), 0.0
        words = "were sent"
    chance = 0.0 if stage.arrivals in _NAMES["even"] else 3 / math.sqrt(stage.requests)
    words = f"{sent:.4g} requests/s {words}, {asked:.4g} were asked for"
    seen = {"asked": asked, "sent": sent}
    if abs(sent / asked - 1) <= 0.03 + chance + slack:
        return Finding(fault, False, words, seen)
    if log is None:
        return Finding(fault, True, f"{words}; by the client or the server, cannot tell", seen)
    seen["late_s"] = late_s = float(np.median(log.sent_s - log.intended_arrival_s))
    return Finding(fault, True, f"{words}; the client sent them {late_s:.2g} s late (median)", seen)


def gaps(run: MeasuredRun, stage: MeasuredStage) -> Finding:
    """Even or exponential gaps, against what the client calls them."""
    fault, called, log = "arrivals of another kind than named", stage.arrivals, stage.log
    if stage.rate_per_s == math.inf or (stage.concurrency and stage.rate_per_s is None):
        return Finding(fault, False, "a closed loop, or all at once: there are no gaps")
    if log is None or len(log) < 30:
        tail = ratio(stage.e2e_s, "p90", "median")
        if math.isnan(tail):
            return Finding(fault, None, "needs start times")
        words = f"needs start times; E2E p90 / median, {tail:.3f}, may come of gaps or of lengths"
        return Finding(fault, None, words, {"p90 / median": tail})
    between_s = np.diff(np.sort(log.sent_s))
    cv = float(between_s.std() / max(between_s.mean(), 1e-9))
    kind = "even" if cv < 0.3 else "exponential" if 0.8 < cv < 1.25 else "neither"
    words, seen = f"gaps with a CV of {cv:.2f} ({kind})", {"cv": cv}
    if kind != "even":
        seen["like the one before"] = alike = float(
            np.corrcoef(between_s[1:], between_s[:-1])[0, 1]
        )
        if alike > 0.3 + 3 / math.sqrt(len(between_s)):
            kind = "runs"
            words += f", each much like the one before (correlation {alike:.2f})"
    if called is None:
        return Finding(fault, None, f"{words}; the file does not say what they are called", seen)
    return Finding(fault, called not in _NAMES.get(kind, ()), f"{words}, called {called}", seen)
