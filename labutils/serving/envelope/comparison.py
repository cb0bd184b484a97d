"""Prediction beside measurement, the faults of the ruler, and what cannot be told: as text."""

import math

from labutils.ground.units import format_quantity
from labutils.serving.measured.errors import figure
from labutils.serving.measured.measured_run import MeasuredRun, MeasuredStage

from .faults import faults
from .finding import Finding
from .predicted import Assumed, patience_s, predicted

MOST_FAILED = 0.01
_ROWS = (
    ("mean E2E", "e2e_s", "mean"), ("median E2E", "e2e_s", "median"), ("p90 E2E", "e2e_s", "p90"),
    ("median TTFT", "ttft_s", "median"), ("TPOT", "tpot_s", "mean"),
)  # fmt: skip


def comparison(run: MeasuredRun, assumed: Assumed, *, seed: int = 0) -> str:
    """What a reader is told of ``run``, stage by stage."""
    parts = [f"{run.name}: {run.source}"]
    for i, (stage, found) in enumerate(zip(run.stages, faults(run))):
        parts.append("\n".join((_title(i, stage), *_table(run, stage, assumed, seed))))
        parts.append("\n".join(_told(found)))
    if run.notes:
        parts.append("\n".join(("About the file", *(f"  {note}" for note in run.notes))))
    return "\n\n".join(parts)


def _title(i: int, stage: MeasuredStage) -> str:
    load = "load as it came"
    if stage.rate_per_s is not None:
        load = "all at once" if stage.rate_per_s == math.inf else f"{stage.rate_per_s:g} requests/s"
    elif stage.concurrency is not None:
        load = f"{stage.concurrency} clients"
    return f"Stage {i}: {load}, {stage.requests} requests, {stage.failed} failed"


def _table(run: MeasuredRun, stage: MeasuredStage, assumed: Assumed, seed: int):
    try:
        said = predicted(run, stage, assumed, seed=seed)
    except ValueError as error:
        said = {}
        yield f"  no prediction: {error}"
    yield f"  {'':12}{'predicted':>13}{'measured':>13}{'predicted is':>15}"
    gave_up_after_s = patience_s(run, stage)
    comparable = gave_up_after_s is not None or stage.failed <= MOST_FAILED * stage.requests
    for label, name, quantile in _ROWS:
        measured = _measured(run, stage, name, quantile)
        yield _row(label, said.get(name, {}).get(quantile), measured, comparable)
    rate = (stage.requests - stage.failed) / stage.duration_s
    yield _row("requests/s", said.get("requests_per_s"), rate, comparable, unit="")
    if gave_up_after_s is not None and said:
        shares = [100 * share for share in (said["gave_up"], stage.failed / stage.requests)]
        yield f"  {'gave up':12}{shares[0]:11.1f} %{shares[1]:11.1f} %"
        yield f"  Clients gave up after {gave_up_after_s:.4g} s, in the prediction as well."
    if not comparable:
        yield "  The prediction is of clients who wait, the measurement of those who were answered."


def _measured(run: MeasuredRun, stage: MeasuredStage, name: str, quantile: str) -> float | None:
    """As reported; TPOT of span and length where both are known, since clients count events."""
    if name != "tpot_s":
        return getattr(stage, name).get(quantile)
    tpot_s = figure(run, stage, "TPOT")
    return stage.reported_tpot_s.get("mean") if math.isnan(tpot_s) else tpot_s


def _row(label: str, said: float | None, measured: float | None, comparable, unit="s") -> str:
    texts = ["?" if value is None else _short(value, unit) for value in (said, measured)]
    error = "cannot tell"
    if comparable and said and measured:
        error = f"{100 * (said / measured - 1):+.0f} %"
    return f"  {label:12}{texts[0]:>13}{texts[1]:>13}{error:>15}"


def _short(value: float, unit: str) -> str:
    rounded = float(f"{value:.3g}")
    return format_quantity(rounded, unit) if unit else f"{rounded:g}"


def _told(found: list[Finding]):
    for title, shown in (("Faults of the ruler", True), ("Cannot tell", None)):
        those = [one for one in found if one.shown is shown]
        if those or shown:
            yield title + ("" if those else ": none found")
        for one in those:
            yield f"  {one.fault}: {one.words}"
    clean = [one.fault for one in found if one.shown is False]
    if clean:
        yield "Looked for, not found"
        yield f"  {'; '.join(clean)}"
