"""How far predictions are from measurements."""

from collections.abc import Iterable, Mapping

import numpy as np

from .measured_run import MeasuredRun

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
            name: figure(predicted, stage, name) / figure(measured, stage, name) - 1
            for name in FIGURES
        }
        for stage in range(len(measured.stages))
    ]


def figure(run: MeasuredRun, stage: int, name: str) -> float:
    """One figure of one stage, in seconds: NaN where it was not reported."""
    one = run.stages[stage]
    if FIGURES[name] is None:
        known = "mean" in one.e2e_s and "mean" in one.ttft_s and (run.output_tokens or 0) > 1
        return run.tpot_s(one) if known else np.nan
    column, statistic = FIGURES[name]
    return getattr(one, column).get(statistic, np.nan)


def summary(rows: Iterable[Mapping[str, float]]) -> dict[str, tuple[float, float]]:
    """For each figure the median of the absolute errors, and the worst error with its sign."""
    rows = list(rows)
    columns = {name: np.array([row[name] for row in rows]) for name in FIGURES}
    return {
        name: (float(np.median(np.abs(column))), float(column[np.argmax(np.abs(column))]))
        for name, column in columns.items()
    }
