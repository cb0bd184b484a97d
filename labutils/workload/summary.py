"""A trace at a glance."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LengthSummary:
    """Mean and quantiles of a column of token counts."""

    mean: float
    p50: float
    p90: float
    p99: float
    longest: int

    @classmethod
    def of(cls, tokens: np.ndarray) -> "LengthSummary":
        if not len(tokens):
            return cls(np.nan, np.nan, np.nan, np.nan, 0)
        p50, p90, p99 = np.quantile(tokens, (0.5, 0.9, 0.99))
        return cls(float(tokens.mean()), float(p50), float(p90), float(p99), int(tokens.max()))

    def __str__(self) -> str:
        return (
            f"mean {self.mean:,.0f}, p50 {self.p50:,.0f}, p90 {self.p90:,.0f}, "
            f"p99 {self.p99:,.0f}, longest {self.longest:,}"
        )


@dataclass(frozen=True)
class TraceSummary:
    """What ``RequestTrace.summary`` says. ``reuse`` is the share of prefix blocks seen before."""

    name: str
    num_requests: int
    duration_s: float
    rate_per_s: float
    gap_cv: float
    prompt_tokens: LengthSummary
    output_tokens: LengthSummary
    reuse: float | None
    note: str

    @classmethod
    def of(cls, trace) -> "TraceSummary":
        return cls(
            name=trace.name,
            num_requests=len(trace),
            duration_s=trace.duration_s,
            rate_per_s=trace.rate_per_s,
            gap_cv=trace.gap_cv,
            prompt_tokens=LengthSummary.of(trace.prompt_tokens),
            output_tokens=LengthSummary.of(trace.output_tokens),
            reuse=_reuse(trace.prefix_keys),
            note=trace.note,
        )

    def __str__(self) -> str:
        lines = [
            f"{self.name}: {self.num_requests:,} requests in {self.duration_s:,.0f} s, "
            f"{self.rate_per_s:.3g} per second, gaps with CV {self.gap_cv:.3g}",
            f"prompt tokens: {self.prompt_tokens}",
            f"output tokens: {self.output_tokens}",
        ]
        if self.reuse is not None:
            lines.append(f"prefix blocks seen before: {self.reuse:.1%}")
        return "\n".join(lines + ([self.note] if self.note else []))


def _reuse(prefix_keys) -> float | None:
    if not prefix_keys:
        return None
    blocks = sum(map(len, prefix_keys))
    return 1 - len({key for keys in prefix_keys for key in keys}) / blocks if blocks else 0.0
