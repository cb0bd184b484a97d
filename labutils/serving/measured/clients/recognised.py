"""Whose file it is, by its keys."""

from collections.abc import Mapping
from pathlib import Path

from .client import CLIENTS, Client
from .sheet import Sheet, parse, read_text

STAGES, AIPERF_REPORT = "stage_*_lifecycle_metrics.json", "profile_export_aiperf.json"


def recognised(path: Path) -> tuple[Client, list[Sheet]]:
    """The client, and its objects: one for each stage, or one that lists them."""
    sheets = [sheet for file in _files(path) for sheet in _sheets(file)]
    for client in CLIENTS:
        if all(sheet.get(key) is not None for sheet in sheets for key in client.known_by):
            return client, sheets
    known = "; ".join(f"{one.name} has {' and '.join(one.known_by)}" for one in CLIENTS)
    raise ValueError(f"{path}: of no client that is known here ({known})")


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    stages = sorted(path.glob(STAGES), key=lambda file: (len(file.name), file.name))
    files = stages or sorted(path.glob(AIPERF_REPORT))
    if not files:
        raise ValueError(f"{path}: expected {STAGES} or {AIPERF_REPORT} in this folder")
    return files


def _sheets(path: Path) -> list[Sheet]:
    """The object of a file, or those of its lines: ``--append-result`` writes one below another."""
    text = read_text(path)
    try:
        contents = [parse(text, path.name)]
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not lines[0].rstrip().endswith("}"):
            raise
        contents = [parse(line, path.name) for line in lines]
    return [Sheet(_flat(content), path.name) for content in contents]


def _flat(content):
    """The content, where vllm has no rate that is a word, and the course's report no lists."""
    if not isinstance(content, Mapping):
        return content
    if content.get("request_rate") == "inf":
        return {**content, "request_rate": None}
    return _flat_report(Sheet(content, "report")) if "mean_in_flight" in content else content


def _flat_report(report: Sheet) -> dict:
    ends = Sheet(report.get("statuses"), f"{report.where}, statuses")
    lost = [ends.count(name) or 0 for name in ("timed_out", "failed", "rejected")]
    seconds = (report.number("to_s") or 0.0) - (report.number("from_s") or 0.0)
    flat = {**report.content, "failed": sum(lost), "duration_s": seconds}
    for i, content in enumerate(report.items("latencies")):
        row = Sheet(content, f"{report.where}, latencies.{i}")
        places = range(len(row.items("quantiles")))
        flat[row.word("name") or ""] = {"mean": row.get("mean_s")} | {
            f"p{100 * (row.number(f'quantiles.{j}.q') or 0):g}": row.get(f"quantiles.{j}.value_s")
            for j in places
        }
    return flat
