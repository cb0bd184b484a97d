"""The simulator against load tests of vLLM on H100s: what it says of models that it never saw."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from time import perf_counter

import numpy as np

from labutils.serving.measured import (
    Physics,
    errors,
    fit_runs,
    measured_run,
    measured_runs,
    simulate_run,
    summary,
    workload,
)

from .registry import Goal, Row, Settings, benchmark

PATIENCE_S = 300.0
PEAKS = Physics(bandwidth_share=1.0)
AS_TAUGHT = Physics(per_layer_s=25e-6)  # the standing share of 0.8, and chapter 05's time a layer
ONE_LATE = Physics(late_steps=1)
SHARE, LAYER, EDGE = "bandwidth_share", "per_layer_s", "edge_s"
STANDS = "share and a layer"  # the form that the course uses
FORMS = {  # every form that was tried: the free constants, and what stays fixed
    "share": ((SHARE, EDGE), replace(ONE_LATE, per_layer_s=0.0)),
    "a layer, share 0.8": ((LAYER, EDGE), ONE_LATE),
    "share and a step": ((SHARE, "per_step_s", EDGE), ONE_LATE),
    "share and a sequence": ((SHARE, "per_sequence_s", EDGE), ONE_LATE),
    "share and a layer, no step missed": ((SHARE, LAYER, EDGE), Physics()),
    "share and a layer, shared caches at 0.7": (
        (SHARE, LAYER, EDGE),
        replace(ONE_LATE, grouped_share=0.7),
    ),
    STANDS: ((SHARE, LAYER, EDGE), ONE_LATE),
}
PUBLISHED = {  # signed %, mean E2E of "Llama-2-7B codegen" at 5 and 10 requests/s
    "Vidur": (-14, 3),
    "BLIS evolved": (26, 15),
    "BLIS roofline": (-11, 15),
    "AIConfigurator": (-15, 11),
    "llm-optimizer": (-43, -32),
}
_SOURCE = "error_records.csv of github.com/inference-sim/sim-to-real-accuracy-validation, dcec3fd"


def _steady() -> list:
    return [run for run in measured_runs() if run.workload != "reasoning"]


def _errors(physics: Physics, runs) -> list[dict[str, float]]:
    return [row for run in runs for row in errors(simulate_run(run, physics).run, run)]


def _said(rows) -> str:
    told = summary(rows)
    return ", ".join(
        f"{name} {100 * mid:.1f} ({100 * worst:+.0f})" for name, (mid, worst) in told.items()
    )


def _mean_e2e(name: str, rows, limit: float | None) -> Row:
    goal = Goal(limit) if limit else None
    return Row(name, 100 * summary(rows)["mean E2E"][0], "%", goal=goal, note=_said(rows))


@benchmark
def unfitted(settings: Settings) -> Iterator[Row]:
    """Real runs: predicted without having seen one, error of mean E2E; all (worst, signed) in %"""
    runs = _steady()[: settings.choose(8, 2)]
    yield _mean_e2e("at the peaks", _errors(PEAKS, runs), None)
    yield _mean_e2e("share 0.8", _errors(Physics(), runs), None)
    yield _mean_e2e("share 0.8 and 25 µs a layer", _errors(AS_TAUGHT, runs), 6.0)


@benchmark
def fitted(settings: Settings) -> Iterator[Row]:
    """Real runs: constants fitted on two models, errors on the two others, all six splits, in %"""
    runs, slowest_s = _steady(), 0.0
    models = sorted({run.model for run in runs})
    splits = list(combinations(models, 2))[: settings.choose(6, 1)]
    forms = {STANDS: FORMS[STANDS]} if settings.quick else FORMS
    for form, (free, physics) in forms.items():
        seen, unseen = [], []
        for split in splits:
            begin_s = perf_counter()
            fit = fit_runs([run for run in runs if run.model in split], free, physics=physics)
            took_s = perf_counter() - begin_s
            for run in runs:
                (seen if run.model in split else unseen).extend(_errors(fit.physics, [run]))
            if form == STANDS:
                slowest_s = max(slowest_s, took_s)
        stands = form == STANDS
        yield _mean_e2e(f"{form}: on the fitted models", seen, None)
        yield _mean_e2e(f"{form}: on the others", unseen, 3.5 if stands else None)
        if stands:
            for name, limit in (("p90 E2E", 3.5), ("TPOT", 3.5), ("median TTFT", 6.0)):
                error = 100 * summary(unseen)[name][0]
                yield Row(f"{form}: {name} of the others", error, "%", goal=Goal(limit))
    yield Row("the slowest fit of a split", slowest_s, "s", goal=Goal(10.0))


@benchmark
def overloads(settings: Settings) -> Iterator[Row]:
    """Real runs: four overloads whose clients gave up after 300 s; fitted on the steady runs"""
    physics = fit_runs(_steady()).physics
    for guess in (1.0, 0.7):
        here = replace(physics, grouped_share=guess)
        for run in measured_runs():
            if run.workload != "reasoning":
                continue
            told = simulate_run(run, here, patience_s=PATIENCE_S).run
            one, real = told.stages[0], run.stages[0]
            name = f"{run.model}, shared caches at {guess:g}"
            tpot = 100 * abs(told.tpot_s(one) / run.tpot_s(real) - 1)
            yield Row(f"{name}: TPOT off", tpot, "%", goal=Goal(15.0))
            shares = [100 * stage.failed / stage.requests for stage in (one, real)]
            note = f"simulated {shares[0]:.0f} %, measured {shares[1]:.0f} %"
            off = abs(shares[0] - shares[1])
            yield Row(f"{name}: gave up, off by", off, "points", goal=Goal(10.0), note=note)


@benchmark
def others(settings: Settings) -> Iterator[Row]:
    """Real runs: the one run of which other simulators published errors, mean E2E"""
    run = measured_run("Llama-2-7B codegen")
    blind = fit_runs([one for one in _steady() if one.model != run.model]).physics
    both = [100 * row["mean E2E"] for row in _errors(blind, [run])]
    note = ", ".join(f"{one:+.0f} %" for one in both)
    name = "this course, fitted on the other three models"
    yield Row(name, float(np.mean(np.abs(both))), "%", note=note)
    for name, both in PUBLISHED.items():
        note = ", ".join(f"{one:+d} %" for one in both) + f"; {_SOURCE}"
        yield Row(name, float(np.mean(np.abs(both))), "%", note=note)


@benchmark
def speed(settings: Settings) -> Iterator[Row]:
    """Real runs: a load test of 16,800 requests, simulated"""
    run = measured_run("Llama-2-7B general")
    load = workload(run)
    times_s = []
    for _ in range(settings.choose(9, 2) + 1):
        begin_s = perf_counter()
        simulate_run(run, AS_TAUGHT, load)
        times_s.append(perf_counter() - begin_s)
    warm = sorted(times_s[1:])
    yield Row("a run", warm[0], "s", median=warm[len(warm) // 2], goal=Goal(0.1))
