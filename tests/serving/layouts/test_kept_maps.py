"""The map in its file: never kinder than its runs, and the course's own is what the code makes."""

import math

import numpy as np
import pytest

from labutils.llm.layouts import Pools
from labutils.serving.multi_gpu import serve_layout, serve_pools
from labutils.serving.multi_gpu.kept_maps import FIRST_S, STEP, load_maps, save_maps
from labutils.serving.multi_gpu.layout_map import LayoutMap, MapRun
from labutils.serving.multi_gpu.scenes import (
    BUDGETS,
    REQUESTS,
    SEED,
    WORKLOADS,
    Scene,
    placed,
    runs_in,
    runs_of,
    scenes,
)
from labutils.workload import mix

SMALL = Scene("Llama-3.1-70B", "H200", "NVLink 4", "code")
LARGE = Scene("Llama-3.1-8B", "H100 SXM", "PCIe 5", "chats")


@pytest.fixture(scope="module")
def maps():
    return load_maps()


def drawn(count, rng):
    times = {name: first * 1.7 ** rng.uniform(-2, 14, count) for name, first in FIRST_S.items()}
    times["tpot_s"][:3] = 0.0, np.inf, 1e9
    return MapRun("x", 2.0, 8, 5.0, output_tokens=rng.integers(0, 2000, count), **times)


def test_times_come_back_at_most_a_step_later_and_never_sooner(tmp_path):
    run = drawn(400, np.random.default_rng(3))
    save_maps({SMALL: [run]}, tmp_path / "map.npz")
    (again,) = load_maps(tmp_path / "map.npz")[SMALL].runs
    assert (again.name, again.rate_per_s, again.cards, again.span_s) == ("x", 2.0, 8, 5.0)
    assert (again.output_tokens == run.output_tokens).all()
    for name, first in FIRST_S.items():
        before, after = getattr(run, name), getattr(again, name)
        last = first * (1 + STEP) ** 252
        inside = (before >= first) & (before < last)
        assert inside.sum() > 200
        assert (after >= before * (1 - 1e-9)).all()
        assert (after[inside] <= before[inside] * (1 + STEP) * (1 + 1e-9)).all()
        assert np.isinf(after[before > last * (1 + STEP)]).all()
    assert again.tpot_s[0] == 0 and np.isinf(again.tpot_s[1:3]).all()


def test_a_promise_on_a_mark_is_judged_exactly(tmp_path):
    run = drawn(400, np.random.default_rng(5))
    save_maps({SMALL: [run]}, tmp_path / "map.npz")
    promise = {name: first * (1 + STEP) ** 60 for name, first in FIRST_S.items()}
    told = [
        each.points(2.0, price_per_hour=1.0, **{k: v * (1 + 1e-9) for k, v in promise.items()})[0]
        for each in (LayoutMap([run]), load_maps(tmp_path / "map.npz")[SMALL])
    ]
    assert 0 < told[0].kept < 1 and told[0].kept == told[1].kept


def test_the_course_has_every_scene_with_every_layout_that_fits(maps):
    assert tuple(maps) == scenes()
    for scene, known in maps.items():
        assert known.rates_per_s == scene.rates_per_s
        names = [
            name if isinstance(where, Pools) else f"{name} · {budget}"
            for name, where in placed(scene).items()
            for budget in (BUDGETS if not isinstance(where, Pools) else (0,))
        ]
        assert [run.name for run in known.runs] == names * len(known.rates_per_s)
        assert {run.cards for run in known.runs} == {8}
        assert {run.ttft_s.size for run in known.runs} == {REQUESTS[scene.model]}


@pytest.mark.parametrize(
    ("scene", "name", "budget", "at"),
    [
        (SMALL, "TP4 × DP2", 512, 0),
        (SMALL, "TP2 × DP3 → TP2", 0, 1),
        (Scene("Qwen3-30B-A3B", "H100 SXM", "NVLink 4", "code"), "TP2 × DP2 → TP2 × DP2", 0, 1),
        (Scene("Qwen3-30B-A3B", "H100 SXM", "NVLink 4", "chats"), "DP8 × EP8", 2048, 0),
        pytest.param(LARGE, "TP8", 512, 2, marks=pytest.mark.full),
    ],
)
def test_the_file_is_what_the_simulator_says_today(maps, scene, name, budget, at):
    where, rate = placed(scene)[name], scene.rates_per_s[at]
    asked = mix(WORKLOADS[scene.workload])
    trace = asked.trace(REQUESTS[scene.model], rate, seed=SEED, burstiness=1.0)
    if budget:
        name, run = f"{name} · {budget}", serve_layout(trace, where, token_budget=budget)
    else:
        run = serve_pools(trace, where)
    (kept,) = (each for each in maps[scene].runs if (each.name, each.rate_per_s) == (name, rate))
    log = run.log
    assert (kept.output_tokens == log.output_tokens).all()
    near, last_s = np.isfinite(kept.ttft_s), FIRST_S["ttft_s"] * (1 + STEP) ** 252
    ratio = kept.ttft_s[near] / log.ttft_s[near]
    assert near[log.ttft_s < last_s].all()  # later than the last mark is infinitely late
    assert not near[log.ttft_s > last_s * (1 + STEP)].any()
    assert ratio.min() > 1 - 1e-9 and ratio.max() < 1 + 2 * STEP
    assert near.mean() > (0.5 if scene == LARGE else 0.9)  # its third rate is beyond capacity
    long = (log.output_tokens > 1) & np.isfinite(kept.tpot_s)
    ratio = kept.tpot_s[long] / log.tpot_s[long]
    assert ratio.min() > 1 - 1e-9 and ratio.max() < 1 + 2 * STEP


def test_goodput_is_the_rate_times_what_is_kept():
    scene = Scene("Llama-3.1-70B", "H100 SXM", "NVLink 4", "code")
    runs = list(runs_of(scene, requests=20))
    assert len(runs) == runs_in(scene)
    point = LayoutMap(runs).points(2.0, ttft_s=60.0, tpot_s=10.0, price_per_hour=3.0)[0]
    assert point.kept == 1 and point.goodput_per_s_per_card == pytest.approx(2 / 8)
    assert math.isfinite(point.cost_per_million_tokens)


def test_what_does_not_hold_a_long_request_is_left_out():
    names = set(placed(Scene("Llama-3.1-70B", "H100 SXM", "NVLink 4", "chats")))
    assert "TP4 × DP2" in names and "TP2 × DP4" not in names and "DP8" not in names
    assert not any("EP" in name for name in names)
