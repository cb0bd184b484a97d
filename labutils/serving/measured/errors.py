"""How far predictions are from measurements."""

from collections.abc import Iterable, Mapping

import numpy as np

from .measured_run import MeasuredRun, MeasuredStage

FIGURES = {
    "mean E2E": ("e2e_s", "mean"),
    "p90 E2E": ("e2e_s", "p90"),
    "median TTFT": ("ttft_s", "median"),
    "mean TTFT": ("ttft_s", "mean"),
    "p90 TTFT": ("ttft_s", "p90"),
    "TPOT": None,
}


def errors(predicted: MeasuredRun, measured: MeasuredRun) -> list[dict[str, float]]:
    """For each stage the relative error of each figure: +0.1 is a tenth too long.

    A figure that either side lacks is NaN.
    """
    if len(predicted.stages) != len(measured.stages):
        raise ValueError(
            f"predicted has {len(predicted.stages)} stages: expected {len(measured.stages)}, as "
            "many as measured"
        )
    return [
        {
            name: figure(predicted, said, name) / figure(measured, stage, name) - 1
            for name in FIGURES
        }
        for said, stage in zip(predicted.stages, measured.stages, strict=True)
    ]


def figure(run: MeasuredRun, stage: MeasuredStage, name: str) -> float:
    """One figure of one stage, in seconds: NaN where it was not reported."""
    if FIGURES[name] is None:
        known = "mean" in stage.e2e_s and "mean" in stage.ttft_s and (run.output_tokens or 0) > 1
        return run.tpot_s(stage) if known else np.nan
    column, statistic = FIGURES[name]
    return getattr(stage, column).get(statistic, np.nan)


def summary(rows: Iterable[Mapping[str, float]]) -> dict[str, tuple[float, float]]:
    """For each figure the median of the absolute errors, and the worst error with its sign.

    Of those rows that have the figure; NaN where none has it.
    """
    rows = list(rows)
    columns = {name: [row[name] for row in rows if not np.isnan(row[name])] for name in FIGURES}
    return {name: _middle_and_worst(column) for name, column in columns.items()}


def _middle_and_worst(column: list[float]) -> tuple[float, float]:
    if not column:
        return np.nan, np.nan
    return float(np.median(np.abs(column))), float(max(column, key=abs))
