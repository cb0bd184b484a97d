"""A load test from the files of a client."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from labutils.metrics import RequestLog
from labutils.serving.measured.measured_run import MeasuredRun, MeasuredStage, Quantiles

from .client import AIPERF, GUIDELLM, INFERENCE_PERF, VLLM_BENCH, Client
from .recognised import recognised
from .rows import (
    AIPERF_LINES, PERF_REQUESTS, Row, aiperf_rows, course_rows, events_per_token, guidellm_rows,
    log_of, perf_rows, vllm_rows,
)  # fmt: skip
from .sheet import Sheet

FEW = 200
MOST_STAGES = 100
_PERCENT = {
    "min": 0,
    "p10": 10,
    "p25": 25,
    "median": 50,
    "p75": 75,
    "p90": 90,
    "p99": 99,
    "max": 100,
}


def read_run(path, *, output_tokens: int | None = None) -> MeasuredRun:
    """The load test in a file of GuideLLM, AIPerf, inference-perf, vllm bench or the course's own.

    A folder holds inference-perf's stages, or AIPerf's ``profile_export_aiperf.json``; a file
    ``.jsonl`` has the records of ``labutils.loadtest``. Requests one by one are read from the same
    file, or from what the client puts beside it. ``output_tokens`` is the length that every answer
    was asked to have, where the file does not say. ``ValueError`` says what is wrong; what is only
    missing stands in the run's ``notes``.
    """
    path = Path(path)
    if path.suffix == ".jsonl" and path.name != AIPERF_LINES:
        return _course_run(path, output_tokens)
    client, sheets = recognised(path.parent if path.name == AIPERF_LINES else path)
    whole = sheets[0]
    if client.stages:
        listed = enumerate(whole.items(client.stages))
        sheets = [Sheet(content, f"{whole.where}, {client.stages}.{i}") for i, content in listed]
    if len(sheets) > MOST_STAGES:
        raise ValueError(f"{path}: {len(sheets)} stages, expected at most {MOST_STAGES}")
    folder = path if path.is_dir() else path.parent
    notes: list[str] = [client.advice] if client.advice else []
    stages = []
    for i, sheet in enumerate(sheets):
        rows = _rows(client, sheet, folder, i if len(sheets) > 1 else None)
        stages.append(_stage(client, sheet, rows, notes))
    asked = whole.count(client.asked_output) if client.asked_output else None
    version = whole.word(client.version) if client.version else None
    return MeasuredRun(
        path.name, " ".join(filter(None, (client.name, version))), tuple(stages),
        output_tokens=output_tokens or asked, notes=tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def _rows(client: Client, sheet: Sheet, folder: Path, stage: int | None) -> list[Row]:
    if client is GUIDELLM:
        return list(guidellm_rows(sheet))
    if client is VLLM_BENCH:
        return list(vllm_rows(sheet))
    if client is AIPERF and (folder / AIPERF_LINES).is_file():
        return list(aiperf_rows(folder / AIPERF_LINES))
    if client is INFERENCE_PERF and (folder / PERF_REQUESTS).is_file():
        return list(perf_rows(folder / PERF_REQUESTS, stage))
    return []


def _stage(client: Client, sheet: Sheet, rows: list[Row], notes: list[str]) -> MeasuredStage:
    answered, failed = sheet.count(client.answered), sheet.count(client.failed) or 0
    seconds = sheet.number(client.duration_s)
    if answered is None or not seconds:
        missing = client.answered if answered is None else client.duration_s
        raise ValueError(f"{sheet.where}: {missing} is missing, so there is no rate to compare")
    log = log_of(rows)

    def quantiles(field) -> Quantiles:
        found = field[0] and answered and sheet.quantiles(field[0], client.quantiles, field[1])
        return found or {}

    stage = MeasuredStage(
        seconds, answered + failed, failed,
        quantiles(client.ttft) or _of_log(log, "ttft_s"),
        quantiles(client.e2e) or _of_log(log, "e2e_s"),
        sheet.number(client.rate) if client.rate else None,
        sheet.count(client.concurrency) if client.concurrency else None,
        prompt_tokens=quantiles((client.prompt, 1.0)),
        reported_output_tokens=quantiles((client.output, 1.0)),
        reported_tpot_s=quantiles(client.tpot), reported_itl_s=quantiles(client.itl),
        failed_after_s=quantiles(client.failed_after) or _of_failed(log), log=log,
        arrivals=sheet.word(client.arrivals) if client.arrivals else None,
        events_per_token=events_per_token(rows),
    )  # fmt: skip
    planned = sheet.count(client.planned) if client.planned else None
    notes += _lacks(sheet, stage, planned or stage.requests)
    return stage


def _course_run(path: Path, output_tokens: int | None) -> MeasuredRun:
    """A run from records alone: all its quantiles are of the requests."""
    rows = list(course_rows(path))
    log = log_of(rows)
    if log is None:
        raise ValueError(f"{path}: expected records of labutils.loadtest, one a line")
    ok, seconds = log.ok, float(np.nanmax(log.finish_s, initial=0.0))
    stage = MeasuredStage(
        seconds, len(log), int((~ok).sum()), _of_log(log, "ttft_s"), _of_log(log, "e2e_s"),
        reported_output_tokens=_quantiles(log.output_tokens[ok]),
        reported_tpot_s=_of_log(log, "tpot_s"), failed_after_s=_of_failed(log), log=log,
        events_per_token=events_per_token(rows),
    )  # fmt: skip
    sheet = Sheet({}, path.name)
    notes = tuple(_lacks(sheet, stage, len(log)))
    return MeasuredRun(
        path.name, "labutils.loadtest", (stage,), output_tokens=output_tokens, notes=notes
    )


def _lacks(sheet: Sheet, stage: MeasuredStage, planned: int) -> list[str]:
    """What the file does not say, in words; ``ValueError`` where its units cannot be right."""
    where, told = sheet.where, []
    ttft, e2e = stage.ttft_s.get("mean"), stage.e2e_s.get("mean")
    if ttft is not None and e2e is not None and ttft > e2e:
        raise ValueError(
            f"{where}: mean TTFT {ttft:.4g} s is longer than the whole answer, {e2e:.4g} s: "
            "one of them is in another unit"
        )
    if e2e is None:
        told.append(f"{where}: no end-to-end times; TTFT and the client's TPOT can be compared")
    if ttft is None:
        told.append(
            f"{where}: no TTFT (was the answer streamed?); end-to-end times can be compared"
        )
    if stage.requests < FEW:
        told.append(f"{where}: {stage.requests} requests; means may do, tails need {FEW} and more")
    if stage.requests < 0.99 * planned:
        told.append(f"{where}: {stage.requests} of {planned} requests ended: it stopped early")
    return told


def _of_log(log: RequestLog | None, name: str) -> Quantiles:
    return {} if log is None else _quantiles(getattr(log, name)[log.ok])


def _of_failed(log: RequestLog | None) -> Quantiles:
    if log is None:
        return {}
    return _quantiles(log.e2e_from_send_s[(log.status == "failed") | (log.status == "timed_out")])


def _quantiles(values: Sequence[float]) -> Quantiles:
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    if not known.size:
        return {}
    cuts = np.percentile(known, list(_PERCENT.values()))
    return {"mean": float(known.mean())} | dict(zip(_PERCENT, cuts.tolist()))
