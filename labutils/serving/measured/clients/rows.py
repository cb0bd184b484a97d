"""Requests one by one, where a client keeps them: the columns of a ``RequestLog``."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from labutils.metrics import RequestLog

from .sheet import Sheet, parse, read_lines, read_text

AIPERF_LINES = "profile_export.jsonl"
PERF_REQUESTS = "per_request_lifecycle_metrics.json"


class Row(NamedTuple):
    """One request, in seconds of the client's clock. What was not reached is NaN.

    ``events`` are those of the answer; 0 where nobody counted.
    """

    due_s: float
    sent_s: float
    first_s: float
    last_s: float
    end_s: float
    tokens: int
    status: str
    events: int = 0


def guidellm_rows(stage: Sheet) -> Iterable[Row]:
    """Of a benchmark of GuideLLM, which keeps them in the same file."""
    for key, status in (("successful", "ok"), ("errored", "failed"), ("incomplete", "cancelled")):
        for i, content in enumerate(stage.items(f"requests.{key}")):
            row = Sheet(content, f"{stage.where}, requests.{key}.{i}")
            late = "timeout" in (row.word("info.error") or "").lower()
            yield Row(
                _time(row, "info.timings.targeted_start"),
                _time(row, "request_start_time"),
                _time(row, "info.timings.first_token_iteration"),
                _time(row, "info.timings.last_token_iteration"),
                _time(row, "request_end_time"),
                row.count("output_tokens") or 0,
                "timed_out" if late and status == "failed" else status,
                row.count("info.timings.token_iterations") or 0,
            )


def aiperf_rows(path: Path) -> Iterable[Row]:
    """Of the lines that AIPerf puts beside its report."""
    for row in read_lines(path):
        if row.word("metadata.benchmark_phase") not in (None, "profiling"):
            continue
        sent = _time(row, "metadata.request_start_ns", 1e-9)
        end = _time(row, "metadata.request_end_ns", 1e-9)
        ttft = row.number("metrics.time_to_first_token.value", 1e-3)
        due = row.number("metadata.credit_issued_ns", 1e-9)
        took = row.number("metrics.request_latency.value", 1e-3)
        last = math.nan if took is None else sent + took
        yield Row(
            sent if due is None else due, sent, math.nan if ttft is None else sent + ttft,
            last, end, row.count("metrics.output_sequence_length.value") or 0, _aiperf_status(row),
            len(row.items("metrics.inter_chunk_latency.value")) + (ttft is not None),
        )  # fmt: skip


def _aiperf_status(row: Sheet) -> str:
    if row.get("metadata.was_cancelled"):
        return "cancelled" if not row.get("error") else "timed_out"
    error = str(row.get("error") or "").lower()
    return ("timed_out" if "timeout" in error else "failed") if error else "ok"


def perf_rows(path: Path, stage: int | None) -> Iterable[Row]:
    """Of inference-perf's file of all requests: those of a stage, or all of them (None)."""
    rows = parse(read_text(path), path.name)
    for i, content in enumerate(rows if isinstance(rows, list) else ()):
        row = Sheet(content, f"{path.name}, {i}")
        if stage is not None and row.count("stage_id") != stage:
            continue
        info = "info.response_metrics" if row.get("info.response_metrics") else "info"
        sent = _time(row, "start_time")
        first, last = (_time(row, f"{info}.output_token_times.{at}") for at in (0, -1))
        yield Row(
            sent, sent, first, last, _time(row, "end_time"),
            row.count(f"{info}.output_tokens") or 0, "failed" if row.get("error") else "ok",
            len(row.items(f"{info}.output_token_times")),
        )  # fmt: skip


def vllm_rows(stage: Sheet) -> Iterable[Row]:
    """Of ``vllm bench serve --save-detailed``, which keeps columns."""
    for i in range(len(stage.items("start_times"))):
        sent, ttft = _time(stage, f"start_times.{i}"), _time(stage, f"ttfts.{i}")
        gaps = [gap for gap in stage.items(f"itls.{i}") if isinstance(gap, int | float)]
        failed = bool(stage.get(f"errors.{i}"))
        first = math.nan if failed else sent + ttft
        waited = stage.number(f"queue_times.{i}") or 0.0
        yield Row(
            sent - waited, sent, first, first + sum(gaps), first + sum(gaps),
            stage.count(f"output_lens.{i}") or 0, "failed" if failed else "ok",
            0 if failed else 1 + len(gaps),
        )  # fmt: skip


def course_rows(path: Path) -> Iterable[Row]:
    """Of the lines of ``labutils.loadtest run --records``."""
    for row in read_lines(path):
        counted = row.count("tags.server_output_tokens")
        events = len(row.items("token_times_s"))
        yield Row(
            _time(row, "intended_arrival_s"), _time(row, "sent_s"),
            _time(row, "token_times_s.0"), _time(row, "token_times_s.-1"), _time(row, "finish_s"),
            events if counted is None else counted, row.word("status") or "failed", events,
        )  # fmt: skip


def log_of(rows: Iterable[Row]) -> RequestLog | None:
    """The log, from the first request's due time on; None without requests or without times.

    Clocks of several threads differ by microseconds: a time before its predecessor is put there.
    """
    rows = sorted((row for row in rows if not math.isnan(row.due_s)), key=lambda row: row.due_s)
    if not rows:
        return None
    times = np.array([row[:5] for row in rows]) - min(rows[0].due_s, rows[0].sent_s)
    times[:, 0] = np.fmin(times[:, 0], times[:, 1])
    reached = np.fmax.accumulate(times, axis=1)
    times = np.where(np.isnan(times), np.nan, reached)
    order = np.argsort(times[:, 0], kind="stable")
    due, sent, first, last, end = times[order].T
    return RequestLog.from_times(
        due, end, sent_s=sent, first_token_s=first, last_token_s=last,
        output_tokens=[rows[i].tokens for i in order],
        status=[_status(rows[i]) for i in order],
    )  # fmt: skip


def events_per_token(rows: Iterable[Row]) -> float | None:
    """Events of an answer for each token that was counted; None where nobody counted either."""
    counted = [row for row in rows if row.status == "ok" and row.events and row.tokens]
    if not counted:
        return None
    return sum(row.events for row in counted) / sum(row.tokens for row in counted)


def _status(row: Row) -> str:
    return "failed" if row.status == "ok" and math.isnan(row.end_s) else row.status


def _time(row: Sheet, path: str, scale: float = 1.0) -> float:
    value = row.number(path, scale)
    return math.nan if value is None else value
