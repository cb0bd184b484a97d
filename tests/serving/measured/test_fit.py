"""How far off a prediction is, and constants that are found again."""

import math
from dataclasses import replace

import numpy as np
import pytest

from labutils.serving.measured import (
    FIGURES,
    MeasuredRun,
    MeasuredStage,
    Physics,
    errors,
    fit_runs,
    simulate_run,
    summary,
    workload,
)
from tests.serving.measured.small_runs import small_run

TRUE = Physics(bandwidth_share=0.72, per_layer_s=41e-6, late_steps=1, edge_s=7e-3)
SHARE_AND_LAYERS = ("bandwidth_share", "per_layer_s")


def stage(ttft_s, e2e_s):
    return MeasuredStage(duration_s=10, requests=20, failed=0, ttft_s=ttft_s, e2e_s=e2e_s)


MEASURED = MeasuredRun(
    name="by hand",
    source="made up",
    stages=(
        stage({"mean": 0.5, "median": 0.4, "p90": 1.0}, {"mean": 2.0, "p90": 4.0}),
        stage({"median": 0.5}, {"mean": 5.0}),
    ),
    output_tokens=4,
)
PREDICTED = replace(
    MEASURED,
    stages=(
        stage({"mean": 0.3, "median": 0.5, "p90": 0.8}, {"mean": 2.4, "p90": 4.0}),
        stage({"mean": 0.3, "median": 0.4, "p90": 0.8}, {"mean": 4.0, "p90": 4.0}),
    ),
)


def served(run, seed=1):
    """The run with the figures of an engine whose constants are ``TRUE``."""
    return simulate_run(run, TRUE, workload(run, seed=seed)).run


def test_errors_by_hand():
    first, second = errors(PREDICTED, MEASURED)
    assert first == pytest.approx(
        {
            "mean E2E": 0.2,
            "p90 E2E": 0.0,
            "median TTFT": 0.25,
            "mean TTFT": -0.4,
            "p90 TTFT": -0.2,
            "TPOT": 0.4,  # (2.4 - 0.3) / 3 beside (2 - 0.5) / 3
        }
    )
    told = {name: value for name, value in second.items() if not math.isnan(value)}
    assert told == pytest.approx({"mean E2E": -0.2, "median TTFT": -0.2})
    assert first.keys() == second.keys() == FIGURES.keys()


def test_answers_of_unknown_lengths_have_no_time_per_token():
    for output_tokens in (None, 1):
        measured = replace(MEASURED, output_tokens=output_tokens)
        first, _ = errors(replace(PREDICTED, output_tokens=output_tokens), measured)
        assert math.isnan(first["TPOT"]) and first["mean E2E"] == pytest.approx(0.2)


def test_stages_are_compared_one_by_one():
    with pytest.raises(ValueError, match="predicted has 1 stages: expected 2"):
        errors(replace(PREDICTED, stages=PREDICTED.stages[:1]), MEASURED)


def test_a_summary_tells_the_median_size_and_the_worst_with_its_sign():
    rows = [dict.fromkeys(FIGURES, value) for value in (0.1, -0.4, 0.2)]
    rows[2]["TPOT"] = -0.9
    told = summary(iter(rows))
    assert told["mean E2E"] == (0.2, -0.4) and told["TPOT"] == (0.4, -0.9)
    assert told.keys() == FIGURES.keys()


def test_a_stage_without_a_figure_leaves_the_summary_of_the_others():
    rows = [dict.fromkeys(FIGURES, value) for value in (0.1, -0.4)]
    rows.append(dict.fromkeys(FIGURES, math.nan) | {"TPOT": 0.3})
    told = summary([row | {"p90 TTFT": math.nan} for row in rows])
    assert told["mean E2E"] == (0.25, -0.4) and told["TPOT"] == (0.3, -0.4)
    assert np.isnan(told["p90 TTFT"]).all()


@pytest.fixture(scope="module")
def two_models():
    names = "Llama-2-7B general", "Llama-2-70B general"
    return [served(small_run(name, 5, 60, requests=600, output_tokens=120)) for name in names]


def test_planted_constants_are_found_again(two_models):
    found = fit_runs(two_models)
    for name, within in {"bandwidth_share": 0.01, "per_layer_s": 0.01, "edge_s": 0.05}.items():
        assert getattr(found.physics, name) == pytest.approx(getattr(TRUE, name), rel=within)
        low, high = found.intervals[name]
        assert low < getattr(found.physics, name) < high < 1.2 * low
    assert found.warnings == () and found.physics.late_steps == 1


def test_rugged_loads_give_them_back_too():
    """Short answers: two steps more or less are a percent, whatever the constants are."""
    names = "Llama-2-7B general", "Llama-2-70B general"
    runs = [served(small_run(name, 8, 40, requests=600, output_tokens=60)) for name in names]
    found = fit_runs(runs, SHARE_AND_LAYERS, physics=TRUE).physics
    assert found.bandwidth_share == pytest.approx(TRUE.bandwidth_share, rel=0.01)
    assert found.per_layer_s == pytest.approx(TRUE.per_layer_s, rel=0.03)


def test_what_is_not_free_stays(two_models):
    known = replace(TRUE, flops_share=0.6, per_layer_s=20e-6)
    found = fit_runs(two_models, ["bandwidth_share"], physics=known).physics
    assert replace(found, bandwidth_share=TRUE.bandwidth_share) == replace(
        known, bandwidth_share=TRUE.bandwidth_share
    )
    assert found.bandwidth_share < TRUE.bandwidth_share  # it has to explain the layers, too


def test_no_share_is_above_one(two_models):
    """Layers are said to take longer than they do, so the bandwidth has to make up for it."""
    slower, weights = replace(TRUE, per_layer_s=120e-6), {"TPOT": 1.0}
    found = fit_runs(two_models, ["bandwidth_share"], physics=slower, weights=weights)
    assert found.physics.bandwidth_share == 1


def test_a_constant_that_changes_nothing_is_named(two_models):
    """The edge moves all tokens of an answer alike, so no time between two of them knows it."""
    free, weights = ("bandwidth_share", "edge_s"), {"TPOT": 1.0}
    found = fit_runs(two_models, free, physics=TRUE, weights=weights)
    assert found.warnings == ("edge_s: no figure changes with it",)
    assert found.intervals["edge_s"] == (0, math.inf)
    with pytest.raises(ValueError, match="nothing to draw by: edge_s: no figure"):
        found.drawn(np.random.default_rng(1))


def test_one_stage_does_not_tell_bandwidth_from_layers():
    run = served(small_run("Llama-2-7B general", 8, requests=300, output_tokens=60))
    weights = {"mean E2E": 1.0, "p90 E2E": 1.0, "TPOT": 1.0}
    found = fit_runs([run], SHARE_AND_LAYERS, physics=TRUE, weights=weights)
    text = "bandwidth_share and per_layer_s: these loads do not tell them apart"
    assert found.warnings == (text,)
    few = fit_runs([run], SHARE_AND_LAYERS, physics=TRUE, weights={"TPOT": 1.0})
    assert few.warnings == ("1 figures for 2 constants: no interval",)


def test_drawn_constants_scatter_as_the_intervals_say(two_models):
    found = fit_runs(two_models)
    rng = np.random.default_rng(3)
    drawn = [found.drawn(rng) for _ in range(400)]
    layers = np.log([one.per_layer_s / found.physics.per_layer_s for one in drawn])
    assert layers.std() == pytest.approx(np.sqrt(found.covariance[1, 1]), rel=0.15)
    assert {one.late_steps for one in drawn} == {1}


@pytest.mark.parametrize("free", [("bandwidth_share", "late_steps"), ("colour",), ()])
def test_other_constants_are_refused_with_those_that_there_are(two_models, free):
    with pytest.raises(ValueError, match="expected names among bandwidth_share, per_layer_s"):
        fit_runs(two_models, free)


def test_runs_that_cannot_be_fitted_to_are_refused():
    with pytest.raises(ValueError, match="by hand, stage 1 does not report TPOT: expected"):
        fit_runs([MEASURED], weights={"mean E2E": 1.0, "TPOT": 1.0})
    with pytest.raises(ValueError, match="runs is empty"):
        fit_runs([])
    with pytest.raises(ValueError, match=r"weights has \['E2E'\]: expected names among mean E2E"):
        fit_runs([MEASURED], weights={"E2E": 1.0})
