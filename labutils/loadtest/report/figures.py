"""The figures of a report: quantiles with intervals, promises kept, what the generator was late."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from labutils.metrics.latency import percentile, percentile_interval

QUANTILES = (0.5, 0.9, 0.99)
LATE_S = 0.005
LATE_SHARE = 0.05


@dataclass(frozen=True)
class Quantile:
    """The ``q``-quantile in seconds, and between what it lies; None where there is no bound."""

    q: float
    value_s: float
    low_s: float | None
    high_s: float | None

    @classmethod
    def of(cls, seconds: np.ndarray, q: float, confidence: float) -> "Quantile":
        """By nearest rank, its interval by the binomial law of the ranks (``latency.ranks``)."""
        low, high = percentile_interval(seconds, q, confidence=confidence)
        bounds = (bound if math.isfinite(bound) else None for bound in (low, high))
        return cls(q, percentile(seconds, q), *bounds)


@dataclass(frozen=True)
class LatencyRow:
    """One latency over ``count`` values: its mean and quantiles (none of either without values)."""

    name: str
    count: int
    mean_s: float | None
    quantiles: tuple[Quantile, ...]

    @classmethod
    def of(cls, name: str, seconds: np.ndarray, *, confidence: float) -> "LatencyRow":
        """Over the values that were measured; NaN were not."""
        known = seconds[~np.isnan(seconds)]
        if not known.size:
            return cls(name, 0, None, ())
        quantiles = tuple(Quantile.of(known, q, confidence) for q in QUANTILES)
        return cls(name, known.size, float(known.mean()), quantiles)

    def at(self, q: float) -> float:
        """The ``q``-quantile in seconds; NaN without values."""
        return next((one.value_s for one in self.quantiles if one.q == q), math.nan)


@dataclass(frozen=True)
class KeptRow:
    """What the requests of one kind got: how many kept all that was promised, and each part."""

    kind: str
    requests: int
    kept: int
    limits: Mapping[str, float] = field(default_factory=dict)
    kept_each: Mapping[str, int] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """Of its requests, those that kept everything; NaN without requests."""
        return self.kept / self.requests if self.requests else math.nan


@dataclass(frozen=True)
class Lateness:
    """How late the generator itself was: from the intended moment to the send, in seconds."""

    p50_s: float
    p99_s: float
    max_s: float

    @classmethod
    def of(cls, late_s: np.ndarray) -> "Lateness | None":
        """Of the requests that were sent; None without any."""
        if not late_s.size:
            return None
        p50, p99 = percentile(late_s, (0.5, 0.99))
        return cls(float(p50), float(p99), float(late_s.max()))

    def spoils(self, median_ttft_s: float) -> bool:
        """Whether the latencies are the generator's own: p99 above 5 ms, or 5 % of the TTFT."""
        return self.p99_s > LATE_S or self.p99_s > LATE_SHARE * median_ttft_s
