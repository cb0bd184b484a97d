"""Requests one by one, where a client keeps them, and the ``RequestLog`` that they make."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from labutils.metrics import RequestLog

from .client import INFERENCE_PERF, VLLM_BENCH, Client
from .client_json import Sheet, read_sheets


class Row(NamedTuple):
    """One request, in seconds of the client's clock, NaN for what was not reached.

    ``events`` are those of the answer; 0 where nobody counted.
    """

    due_s: float
    sent_s: float
    first_s: float
    last_s: float
    end_s: float
    tokens: int
    events: int
    prompt: int
    status: str


def rows_of(client: Client, stage: Sheet, folder: Path) -> list[Row]:
    """The requests of a stage, as many as its client kept."""
    beside = folder / client.beside
    if client.beside and beside.is_file():
        sheets = [(sheet, "ok") for sheet in read_sheets(beside)]
        if client is INFERENCE_PERF:  # all stages in one file
            number = re.match(r"stage_(\d+)_", stage.where)
            mine = (None, int(number[1])) if number else (None,)
            sheets = [one for one in sheets if one[0].count("stage_id") in mine]
    else:
        stage = _transposed(stage) if client is VLLM_BENCH else stage
        sheets = [(s, status) for status, path in client.rows.items() for s in stage.items(path)]
    return [row_of(client, sheet, status) for sheet, status in sheets]


def row_of(client: Client, sheet: Sheet, status: str = "ok") -> Row:
    """One request; ``status`` is what it is where nothing says otherwise."""

    def time_s(name: str, otherwise: float = math.nan) -> float:
        value = sheet.number(client.row.get(name, ""))
        return otherwise if value is None else value

    def count(name: str) -> int:
        return sheet.count(client.row.get(name, "")) or 0

    sent, end = time_s("sent"), time_s("end")
    first = time_s("first", sent + time_s("ttft"))
    gaps = client.row.get("gaps")
    events = count("events") + (count("gaps") + 1 if gaps and not math.isnan(first) else 0)
    status, error = sheet.word(client.row.get("status", "")) or status, client.row.get("error", "")
    if sheet.get(error):
        status = "timed_out" if "timeout" in str(sheet.get(error)).lower() else "failed"
    if status == "ok" and math.isnan(end):
        status = "failed"
    last = time_s("last", math.nan if math.isnan(first) else end)
    return Row(
        time_s("due", sent), sent, first, last, end, count("tokens") or events, events,
        count("prompt"), status,
    )  # fmt: skip


def _transposed(stage: Sheet) -> Sheet:
    """The columns of ``--save-detailed`` as requests; nobody knows when a failed one ended."""
    requests = []
    for i in range(stage.count("start_times") or 0):
        sent, ttft = (stage.number(f"{name}.{i}") or 0.0 for name in ("start_times", "ttfts"))
        row = {
            "due": sent - (stage.number(f"queue_times.{i}") or 0.0), "sent": sent,
            "tokens": stage.get(f"output_lens.{i}"), "prompt": stage.get(f"input_lens.{i}"),
            "error": stage.get(f"errors.{i}"), "gaps": stage.numbers(f"itls.{i}"),
        }  # fmt: skip
        if not row["error"]:
            row |= {"ttft": ttft, "end": sent + ttft + sum(row["gaps"])}
        requests.append(row)
    return Sheet({"requests": requests}, stage.where)


def log_of(rows: Sequence[Row]) -> RequestLog | None:
    """The log, from the first request's due time on; None without requests that have times.

    Clocks of several threads differ by microseconds: a time before its predecessor is put there.
    """
    rows = [row for row in rows if not math.isnan(row.sent_s)]
    if not rows:
        return None
    times = np.array([row[:5] for row in rows])
    times[:, 0] = np.fmin(times[:, 0], times[:, 1])
    order = np.argsort(times[:, 0], kind="stable")
    ordered = np.where(np.isnan(times), np.nan, np.fmax.accumulate(times, axis=1))[order]
    due, sent, first, last, end = (ordered - ordered[0, 0]).T
    return RequestLog.from_times(
        due, end, sent_s=sent, first_token_s=first, last_token_s=last,
        output_tokens=[rows[i].tokens for i in order], status=[rows[i].status for i in order],
    )  # fmt: skip
