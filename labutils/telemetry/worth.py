"""What a faster stage is worth over many requests: for the mean, the median and the tail."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments
from labutils.laws.scaling import amdahl_ceiling, amdahl_speedup
from labutils.telemetry.exclusive import exclusive_times
from labutils.telemetry.replay import what_if
from labutils.telemetry.span import Span, root_of


@dataclass(frozen=True)
class Worth:
    """Old time over new time, for the mean and two percentiles (nearest rank) of the durations.

    ``share`` is the stage's mean exclusive time over the mean duration (1 at most: parallel copies
    of a stage may sum to more); ``amdahl`` and ``ceiling`` are what Amdahl's law makes of it, for
    the factor and for any factor.
    """

    stage: str
    factor: float
    mean: float
    p50: float
    p99: float
    share: float
    amdahl: float
    ceiling: float


def worth_of(traces: Sequence[Sequence[Span]], stage: str, factor: float) -> Worth:
    """Replay every trace with the stage ``factor`` times as fast, and compare.

    Assumes what ``what_if`` assumes, no queueing above all. Raises ``ValueError`` for a factor
    that is not above 0, a stage that no trace has, a trace with an open span, or no trace.
    """
    before = np.array(durations_s(traces))
    names = {span.name for spans in traces for span in spans}
    if stage not in names:
        raise ValueError(f"stage = {stage!r}: expected one of {', '.join(sorted(names))}")
    after = np.array([what_if(spans, stage, factor) for spans in traces])
    share = min(1.0, _exclusive_s(traces, stage) / math.fsum(before))
    old, new = (_figures(values) for values in (before, after))
    gains = {name: old[name] / new[name] if new[name] > 0 else math.inf for name in old}
    finite = min(factor, 1e300)  # the law takes no infinite factor; this one is beyond any
    return Worth(
        stage, factor, **gains, share=share, amdahl=amdahl_speedup(share, finite),
        ceiling=amdahl_ceiling(share),
    )  # fmt: skip


def durations_s(traces: Sequence[Sequence[Span]]) -> list[float]:
    """How long each request took, from the start of its root to its end."""
    return arguments.sample("traces", [root_of(spans).duration_s for spans in traces]).tolist()


def trace_at(traces: Sequence[Sequence[Span]], quantile: float) -> Sequence[Span]:
    """The trace whose duration is that quantile: the smallest that so many do not exceed."""
    ordered = np.argsort(durations_s(traces), kind="stable")
    rank = math.ceil(arguments.fraction("quantile", quantile) * len(traces) - 1e-9)
    return traces[ordered[max(rank, 1) - 1]]


def _exclusive_s(traces, stage: str) -> float:
    return math.fsum(
        exclusive[span.id]
        for spans in traces
        for exclusive in [exclusive_times(spans)]
        for span in spans
        if span.name == stage
    )


def _figures(durations: np.ndarray) -> dict[str, float]:
    p50, p99 = np.quantile(durations, [0.5, 0.99], method="inverted_cdf")  # nearest rank
    return {"mean": float(durations.mean()), "p50": float(p50), "p99": float(p99)}
