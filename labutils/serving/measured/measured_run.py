"""A load test of a real engine: what was asked for, and what its client reported."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from labutils.metrics import RequestLog

Quantiles = Mapping[str, float]  # "mean", "median", "p90" and so on: those that a client reports

_PERCENT = {"median": 50, "p10": 10, "p90": 90, "p95": 95, "p99": 99, "max": 100}


def quantiles(values) -> Quantiles:
    """The mean and quantiles of those values that are no NaN; none where all are."""
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    if not known.size:
        return {}
    cuts = np.percentile(known, list(_PERCENT.values()))
    return {"mean": float(known.mean())} | dict(zip(_PERCENT, cuts.tolist()))


def ratio(known: Quantiles, over: str, under: str) -> float:
    """One quantile over another; NaN where either is missing, or nothing is divided by."""
    return known.get(over, np.nan) / (known.get(under) or np.nan)


@dataclass(frozen=True)
class MeasuredStage:
    """One stage of a load test: one rate (or so many clients in a closed loop) for a while.

    Times are in seconds; quantiles that a client does not report are missing. ``reported_`` marks
    what depends on how the client counts tokens: it may be wrong. ``log`` has the requests one by
    one where the client kept them, its times from the stage's beginning. ``arrivals`` is what the
    client calls them ("poisson", "constant"), ``events_per_token`` the events of an answer that it
    read for each token that it counted.
    """

    duration_s: float
    requests: int
    failed: int
    ttft_s: Quantiles
    e2e_s: Quantiles
    rate_per_s: float | None = None
    concurrency: int | None = None
    prompt_tokens: Quantiles = field(default_factory=dict)
    reported_output_tokens: Quantiles = field(default_factory=dict)
    reported_tpot_s: Quantiles = field(default_factory=dict)
    reported_itl_s: Quantiles = field(default_factory=dict)
    failed_after_s: Quantiles = field(default_factory=dict)
    log: RequestLog | None = None
    arrivals: str | None = None
    events_per_token: float | None = None


@dataclass(frozen=True)
class MeasuredRun:
    """A load test: model, cards and engine as far as they are known, and its stages.

    ``output_tokens`` is the length that every answer was asked to have (``None``: they differ).
    ``model`` and ``device`` are names of ``labutils.llm``'s catalogue. ``notes`` say what its file
    lacks.
    """

    name: str
    source: str
    stages: tuple[MeasuredStage, ...]
    model: str | None = None
    device: str | None = None
    tp: int = 1
    workload: str = ""
    max_running: int | None = None
    token_budget: int | None = None
    output_tokens: int | None = None
    notes: tuple[str, ...] = ()

    def tpot_s(self, stage: MeasuredStage) -> float:
        """Mean time per token after the first: the span of an answer over its gaps.

        It does not ask how the client counts: TTFT, end-to-end time and the true length suffice.
        """
        if self.output_tokens is None or self.output_tokens < 2:
            raise ValueError(
                f"output_tokens of {self.name} is {self.output_tokens}: expected the length of its "
                "answers, 2 or more"
            )
        return (stage.e2e_s["mean"] - stage.ttft_s["mean"]) / (self.output_tokens - 1)
