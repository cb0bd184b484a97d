"""A report as lines of text, and the words that the page shares with it."""

import math
from collections.abc import Iterator

from labutils.ground.units import format_quantity

LONG_NAMES = {
    "TTFT": "time to first token",
    "TPOT": "time per token after the first, a request's mean",
    "ITL": "each gap between two tokens",
    "E2E": "whole answer",
}


def table(report) -> str:
    """The whole report as text, in the order in which it should be read."""
    return "\n".join(
        [report.name, *(f"! {line}" for line in report.remarks), ""]
        + [f"{name:<22}{value}" for name, value in facts(report)]
        + ["", *_latencies(report), *_promises(report), *_reasons(report)]
    )


def facts(report) -> Iterator[tuple[str, str]]:
    """Names and values, as text, of what is one figure each."""
    counts = ", ".join(f"{count} {status}" for status, count in report.statuses.items())
    left = ", ".join(f"{count} {why}" for why, count in report.left_out.items())
    yield "measured", f"{seconds(report.from_s)} to {seconds(report.to_s)} of the run"
    yield "warm-up cut", f"{seconds(report.from_s)}, {report.num_cut} requests"
    yield "requests", f"{sum(report.statuses.values())}: {counts or 'none'}"
    if left:
        yield "not judged", left
    yield "offered", f"{report.offered_per_s:.4g} requests/s"
    yield "answered", f"{report.requests_per_s:.4g} requests/s, {report.tokens_per_s:.4g} tokens/s"
    yield "goodput", f"{report.goodput_per_s:.4g} requests/s that kept every promise"
    yield "in flight", f"{report.mean_in_flight:.4g} on average"
    if late := report.lateness:
        yield (
            "generator late by",
            f"{seconds(late.p50_s)} p50, {seconds(late.p99_s)} p99, {seconds(late.max_s)} at most",
        )


def seconds(value: float | None) -> str:
    """A time in words; a bound that there is not as a dash."""
    return "–" if value is None else format_quantity(value, "s")


def quantile(one) -> str:
    """A quantile and its interval."""
    return f"{seconds(one.value_s)} [{seconds(one.low_s)}, {seconds(one.high_s)}]"


def share(value: float) -> str:
    """A share as a percentage; a dash without anything to share."""
    return "–" if math.isnan(value) else f"{value:.1%}"


def promised(row) -> str:
    """What a kind was promised, and how many kept each part."""
    return ", ".join(
        f"{name.removesuffix('_s').upper()} ≤ {seconds(limit)}: {row.kept_each[name]}"
        for name, limit in row.limits.items()
    )


def _latencies(report) -> Iterator[str]:
    heads = "".join(f"{name:<34}" for name in ("p50", "p90", "p99"))
    yield f"{'':<6}{'n':>7}  {heads}".rstrip()
    for row in report.latencies:
        cells = "".join(f"{quantile(one):<34}" for one in row.quantiles) or "none measured"
        yield f"{row.name:<6}{row.count:>7}  {cells}".rstrip()
    yield f"in brackets: {report.confidence:.0%} intervals, if requests were independent"


def _promises(report) -> Iterator[str]:
    for row in report.promises:
        yield (
            f"{row.kind}: {row.kept} of {row.requests} kept all promises "
            f"({share(row.share)}); {promised(row)}"
        )


def _reasons(report) -> Iterator[str]:
    for reason, count in report.reasons.items():
        yield f"{count} × {reason}"
