"""What a reader has to know before the figures of a report, in plain sentences."""

from collections.abc import Iterator

from labutils.ground.units import format_quantity
from labutils.metrics.latency import required_sample_size

from .figures import LATE_S, LATE_SHARE

FEW_IN_WINDOW = 0.5


def remarks(report, *, interrupted: bool) -> tuple[str, ...]:
    """The sentences, the gravest first. ``report`` is a ``LoadReport`` without them."""
    parts = (_late, _unanswered, _loop, _few, _not_judged, _tokens)
    found = [line for part in parts for line in part(report)]
    if report.is_open and report.recorded < report.planned:
        found.insert(0, f"{report.recorded} of {report.planned} requests have a record.")
    if interrupted:
        found.insert(0, f"The run was interrupted after {_time(report.to_s)}.")
    return tuple(found)


def _late(report) -> Iterator[str]:
    if report.is_generator_late:
        yield (
            f"The generator was late: one request in a hundred left {_time(report.lateness.p99_s)} "
            f"or more after its moment (up to {_time(LATE_S)} and {LATE_SHARE:.0%} of the median "
            "TTFT are fine). Part of these latencies is the generator's own, not the server's. Use "
            "more processes, a lower rate or an idle machine."
        )


def _unanswered(report) -> Iterator[str]:
    missing = {
        status: report.statuses[status]
        for status in ("rejected", "failed", "timed_out")
        if report.statuses.get(status)
    }
    if missing:
        told = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in missing.items())
        yield (
            f"{sum(missing.values())} of {sum(report.statuses.values())} requests have no answer "
            f"({told}). They stand in no percentile; the promises count them as broken."
        )


def _not_judged(report) -> Iterator[str]:
    if slow := report.left_out.get("slow_reader"):
        yield (
            f"{slow} slow readers stand in no latency and no goodput: how long they took is their "
            "own doing. The requests beside them show what they did to others."
        )


def _loop(report) -> Iterator[str]:
    if not report.is_open:
        yield (
            "This was a closed loop: while the server was slow its users waited and asked less. "
            "The percentiles leave out the requests that would have come meanwhile (coordinated "
            "omission)."
        )


def _few(report) -> Iterator[str]:
    row, least = report.latency("E2E"), required_sample_size(0.99, confidence=report.confidence)
    if 0 < row.count < least:
        yield (
            f"{row.count} answers say nothing about how high p99 may be "
            f"({report.confidence:.0%} confidence takes {least})."
        )
    answers = report.statuses.get("ok", 0)
    in_window = report.requests_per_s * (report.to_s - report.from_s)
    if in_window < FEW_IN_WINDOW * answers:
        yield (
            "Most answers ended after the last request was due, so the rates say little: the run "
            "is short against its answers."
        )


def _tokens(report) -> Iterator[str]:
    if report.server_output_tokens not in (None, report.output_tokens):
        yield (
            f"The server counts {report.server_output_tokens} output tokens, the streams held "
            f"{report.output_tokens} events with text. One event is not one token here, so TPOT "
            "and ITL are times per event."
        )


def _time(seconds: float) -> str:
    return format_quantity(seconds, "s")
