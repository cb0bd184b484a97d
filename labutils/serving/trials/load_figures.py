"""What a run under one load comes down to."""

from dataclasses import dataclass, fields

import numpy as np

from labutils.ground import arguments
from labutils.metrics import RequestLog
from labutils.metrics.latency import percentile

LEAST_REQUESTS = 200
"""Answers behind a percentile that is graded: of fewer, a p99 is the latest one or two."""


@dataclass(frozen=True)
class LoadFigures:
    """Times in seconds, NaN without answers; ``requests`` is how many answers they rest on.

    ``backlog_per_s`` is the growth of the number of requests in the system, per second.
    """

    ttft_p50_s: float
    ttft_p99_s: float
    tpot_p50_s: float
    tpot_p99_s: float
    backlog_per_s: float
    requests: int

    @classmethod
    def of(cls, log: RequestLog, until_s: float) -> "LoadFigures":
        """The figures of a log that starts with the first arrival; its growth up to ``until_s``."""
        tails = []
        for latencies in (log.ttft_s, log.tpot_s):
            known = latencies[log.ok & ~np.isnan(latencies)]
            tails += [percentile(known, q) if known.size else np.nan for q in (0.5, 0.99)]
        return cls(*map(float, tails), backlog_slope(log, until_s), int(log.ok.sum()))


BACKLOG = "backlog_per_s"
LATENCIES = tuple(f.name for f in fields(LoadFigures) if f.name not in (BACKLOG, "requests"))
TAILS = tuple(name for name in LATENCIES if "p99" in name)


def backlog_slope(log: RequestLog, until_s: float) -> float:
    """Requests in the system, growing per second: a line through their number from a quarter on."""
    until_s = arguments.positive("until_s", until_s)
    times = np.linspace(until_s / 4, until_s, 301)
    ends = np.sort(log.finish_s[~np.isnan(log.finish_s)])
    came = np.searchsorted(np.sort(log.intended_arrival_s), times, side="right")
    inside = came - np.searchsorted(ends, times, side="right")
    return float(np.polyfit(times, inside, 1)[0])


def capacity_per_s(log: RequestLog) -> float:
    """Answers a second that an engine gave while it had more requests than places.

    ``log`` is of a backlog that was there at the beginning. Counted from the first tenth of the
    answers on, when the batch has filled, until the last request was admitted.
    """
    ends, closes = np.sort(log.finish_s[log.ok]), float(np.nanmax(log.admitted_s))
    first = len(ends) // 10
    last = int(np.searchsorted(ends, closes))
    if last - first < 10:
        raise ValueError(
            f"log has {max(last - first, 0)} answers between the first tenth and the last "
            "admission: expected ten or more; give it a longer backlog"
        )
    return float((last - 1 - first) / (ends[last - 1] - ends[first]))
