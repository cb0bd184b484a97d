"""A load test from the files of a client."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from labutils.serving.measured.measured_run import MeasuredRun, MeasuredStage, quantiles

from .client import AIPERF, COURSE, REPORTS, Client
from .client_json import Sheet, read_sheets
from .rows import Row, log_of, row_of, rows_of

FEW, MOST_STAGES = 200, 100
AIPERF_REPORT = "profile_export_aiperf.json"


def read_run(
    path, *, prompt_tokens: int | None = None, output_tokens: int | None = None
) -> MeasuredRun:
    """The load test in a file of GuideLLM, AIPerf, inference-perf, vllm bench or the course's own.

    Which one it is, its keys say. A folder holds inference-perf's stages, or AIPerf's report; of
    ``labutils.loadtest`` it is the file of ``--records``. Single requests are read from the same
    file, or from what the client puts beside it. ``output_tokens`` is the length that every answer
    was asked to have, ``prompt_tokens`` that of the prompts, where the file does not say.
    ``ValueError`` says what is wrong; what is only missing stands in the run's ``notes``.
    """
    path = Path(path)
    sheets = [sheet for file in _files(path) for sheet in read_sheets(file)]
    client = _client(path, sheets)
    if client is COURSE:
        stages = [_stage_of_rows([row_of(client, sheet) for sheet in sheets])]
        whole, parts = Sheet({}, path.name), [Sheet({}, path.name)]
    else:
        whole = sheets[0]
        parts = whole.items(client.stages) if client.stages else sheets
        if len(parts) > MOST_STAGES:
            raise ValueError(f"{path}: {len(parts)} stages, expected at most {MOST_STAGES}")
        folder = path if path.is_dir() else path.parent
        stages = [_stage(client, part, rows_of(client, part, folder)) for part in parts]
    if prompt_tokens:
        stages = [replace(stage, prompt_tokens={"mean": prompt_tokens}) for stage in stages]
    asked = output_tokens
    if not asked and not whole.number(client.asked_spread):
        asked = whole.count(client.asked_tokens) or None
    told = [word for pair in zip(parts, stages) for word in _lacks(client, *pair)]
    source = " ".join(filter(None, (client.name, whole.word(client.version))))
    return MeasuredRun(
        path.name, source, tuple(stages), output_tokens=asked,
        notes=tuple(filter(None, (*told, client.note))),
    )  # fmt: skip


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path.with_name(AIPERF_REPORT) if path.name == AIPERF.beside else path]
    stages = path.glob("stage_*_lifecycle_metrics.json")
    files = sorted(stages, key=lambda file: (len(file.name), file.name))
    files = files or list(path.glob(AIPERF_REPORT))
    if not files:
        raise ValueError(f"{path}: no stage_0_lifecycle_metrics.json, no {AIPERF_REPORT} in it")
    return files


def _client(path: Path, sheets: Sequence[Sheet]) -> Client:
    for client in (*REPORTS, COURSE):
        if sheets and all(sheets[0].get(key) is not None for key in client.known_by):
            return client
    known = "; ".join(f"{one.name} has {' and '.join(one.known_by)}" for one in (*REPORTS, COURSE))
    raise ValueError(f"{path}: of no client that is known here ({known})")


def _stage(client: Client, sheet: Sheet, rows: list[Row]) -> MeasuredStage:
    """As the client reports it; what it leaves out is taken from single requests."""
    names = client.stage
    answered, failed = sheet.count(names["answered"]), sheet.count(names["failed"]) or 0
    kept = sum(row.status != "cancelled" for row in rows)  # a sample of them has no arrivals
    own = _stage_of_rows(rows) if kept and kept == (answered or 0) + failed else None
    seconds = sheet.number(names["duration_s"]) or (own and own.duration_s)
    if not answered or not seconds:
        missing = names["duration_s" if answered else "answered"]
        raise ValueError(f"{sheet.where}: {missing} is missing or 0: nothing can be compared")
    reported = {
        name: sheet.quantiles(field, client.quantiles)
        for name, field in names.items()
        if "{}" in field
    }
    concurrency = sheet.count(names.get("concurrency", ""))
    if sheet.word(names["rate_per_s"]) == "inf":  # all at once, or as clients get free
        rate = None if concurrency else math.inf
    else:
        rate = sheet.number(names["rate_per_s"])
    stage = MeasuredStage(
        duration_s=seconds, requests=answered + failed, failed=failed,
        rate_per_s=rate, concurrency=concurrency,
        arrivals=sheet.word(names.get("arrivals", "")), **reported,
    )  # fmt: skip
    if own is None:
        return stage
    both = {
        name: value | getattr(stage, name)
        for name, value in vars(own).items()
        if isinstance(value, dict)
    }
    return replace(stage, log=own.log, events_per_token=own.events_per_token, **both)


def _stage_of_rows(rows: list[Row]) -> MeasuredStage:
    """A stage from single requests alone."""
    log = log_of(rows)
    if log is None or not log.ok.any() or not np.nanmax(log.finish_s) > 0:
        raise ValueError("no request was sent and answered: nothing can be compared")
    lost = (log.status == "failed") | (log.status == "timed_out")
    answers = [row for row in rows if row.status == "ok"]
    counted = sum(row.tokens for row in answers if row.events)
    return MeasuredStage(
        duration_s=float(np.nanmax(log.finish_s)), requests=len(log),
        failed=int(lost.sum()), ttft_s=quantiles(log.ttft_from_send_s[log.ok]),
        e2e_s=quantiles(log.e2e_from_send_s[log.ok]),
        prompt_tokens=quantiles([row.prompt for row in answers if row.prompt]),
        reported_output_tokens=quantiles(log.output_tokens[log.ok]),
        reported_tpot_s=quantiles(log.tpot_s[log.ok]),
        failed_after_s=quantiles(log.e2e_from_send_s[lost]), log=log,
        events_per_token=sum(row.events for row in answers) / counted if counted else None,
    )  # fmt: skip


def _lacks(client: Client, sheet: Sheet, stage: MeasuredStage):
    """What a stage's file does not say; ``ValueError`` where its units cannot be right."""
    where, ttft, e2e = sheet.where, stage.ttft_s.get("mean"), stage.e2e_s.get("mean")
    if ttft is not None and e2e is not None and ttft > e2e:
        raise ValueError(
            f"{where}: mean TTFT {ttft:.4g} s is longer than the whole answer, {e2e:.4g} s: "
            "one of them is in another unit"
        )
    if e2e is None:
        yield f"{where}: no end-to-end times; TTFT and the client's TPOT can be compared"
    if ttft is None:
        yield f"{where}: no TTFT (was the answer streamed?); end-to-end times can be compared"
    if stage.requests < FEW:
        yield f"{where}: {stage.requests} requests; means may do, tails need {FEW} and more"
    planned = sheet.count(client.stage.get("planned", "")) or 0
    if stage.requests < 0.99 * planned:
        yield f"{where}: {stage.requests} of {planned} requests ended: the client stopped early"
