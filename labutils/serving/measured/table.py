"""Load tests of vLLM 0.15.1 on H100s, from ``data/vllm_h100_runs.json``."""

import json
from functools import cache

import labutils

from .measured_run import MeasuredRun, MeasuredStage


@cache
def measured_runs() -> tuple[MeasuredRun, ...]:
    """Twelve runs: four models, two workloads in two stages each, and an overload of each model.

    Source: github.com/inference-sim/training, commit ed5c1d2; versions and settings of the engine
    from github.com/inference-sim/sim-to-real-accuracy-validation, commit dcec3fd. The figures are
    as the client reported them. GPU memory share, pages and block size are not recorded.
    """
    text = labutils.datafile("vllm_h100_runs.json").read_text(encoding="utf-8")
    table = json.loads(text)
    return tuple(_run(row, table) for row in table["runs"])


def measured_run(name: str) -> MeasuredRun:
    """The run of that name, such as ``"Llama-2-7B general"``."""
    by_name = {run.name: run for run in measured_runs()}
    if name not in by_name:
        raise ValueError(f"name = {name!r}: expected one of {', '.join(by_name)}")
    return by_name[name]


def _run(row: dict, table: dict) -> MeasuredRun:
    known = {name: row[name] for name in row if name not in ("asked", "stages")}
    stages = tuple(MeasuredStage(**stage) for stage in row["stages"])
    return MeasuredRun(source=table["source"], device=table["device"], stages=stages, **known)
