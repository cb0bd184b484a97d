"""The map against its runs counted by hand, and that a promise changes the winner."""

import math

import numpy as np
import pytest

from labutils import llm
from labutils.llm.layouts import Deployment, Hosts, Layout, Pools, Rates, link
from labutils.serving.multi_gpu import serve_layout
from labutils.serving.multi_gpu.layout_map import LayoutMap, MapRun
from labutils.workload import mix

H100 = Hosts(device=llm.accelerator("H100 SXM"))


def placed(**shape) -> Deployment:
    rates = Rates(bandwidth_share=0.8)
    return Deployment(
        model=llm.model("Llama-3.1-8B"), layout=Layout(**shape), hosts=H100, rates=rates
    )


@pytest.fixture(scope="module")
def drawn() -> LayoutMap:
    where = {
        "TP4": placed(tp=4),
        "DP4": placed(dp=4),
        "PP4": placed(pp=4),
        "apart": Pools(prefill=placed(tp=2), decode=placed(tp=2), link=link("400 Gbit/s")),
    }
    return LayoutMap.simulate(where, mix("azure-conversation"), (8.0, 40.0), requests=120, seed=4)


PRICE = {"price_per_hour": 2.0}


def test_a_point_is_its_run_counted_again(drawn):
    trace = mix("azure-conversation").trace(120, rate_per_s=8.0, seed=4)
    run = serve_layout(trace, placed(dp=4))
    limits = {"ttft_s": 0.06, "tpot_s": 0.009}
    (point,) = (p for p in drawn.points(8.0, **limits, **PRICE) if p.name == "DP4")
    assert 0 < point.kept < 1 and point.cards == 4
    assert point.kept == run.kept(**limits)
    assert point.goodput_per_s_per_card == pytest.approx(run.goodput_per_s_per_card(**limits))
    cost = run.cost_per_million_kept_tokens(**PRICE, **limits)
    assert point.cost_per_million_tokens == pytest.approx(cost)
    assert point.kept_low < point.kept < point.kept_high
    late = np.sort(run.log.ttft_s)[math.ceil(0.99 * 120) - 1]
    assert point.ttft_p99_s == late


def test_a_looser_promise_is_kept_by_more_and_a_tight_one_changes_the_winner(drawn):
    loose, tight = (
        {p.name: p for p in drawn.points(40.0, ttft_s=ttft, tpot_s=tpot, **PRICE)}
        for ttft, tpot in ((20.0, 0.5), (0.3, 0.0055))
    )
    assert all(loose[name].kept >= tight[name].kept for name in loose)
    assert loose["PP4"].kept == 1 and tight["PP4"].kept == 0
    assert tight["TP4"].kept > tight["DP4"].kept
    assert tight["PP4"].cost_per_million_tokens == math.inf


def test_whoever_leads_in_something_is_on_the_frontier(drawn):
    points = drawn.points(40.0, ttft_s=1.0, tpot_s=0.02, **PRICE)
    goods = [point.goodput_per_s_per_card for point in points]
    assert goods == sorted(goods, reverse=True)
    for best in (
        max(points, key=lambda p: p.goodput_per_s_per_card),
        min(points, key=lambda p: p.ttft_p99_s),
        min(points, key=lambda p: p.tpot_p99_s),
    ):
        assert best.on_frontier
    for point in points:
        beaten = [
            other for other in points
            if other.goodput_per_s_per_card > point.goodput_per_s_per_card
            and other.ttft_p99_s < point.ttft_p99_s and other.tpot_p99_s < point.tpot_p99_s
        ]  # fmt: skip
        assert not (beaten and point.on_frontier)


def test_who_never_answered_kept_nothing_and_a_single_token_has_no_gap():
    run = MapRun(
        "x", 1.0, 2, 10.0, np.array([0.1, np.inf]), np.array([0.0, np.inf]), np.array([1, 0])
    )
    (point,) = LayoutMap([run]).points(1.0, ttft_s=1.0, tpot_s=1e-9, **PRICE)
    assert (point.kept, point.kept_low, point.kept_high) == (0.5, 0.0, 1.0)
    assert point.goodput_per_s_per_card == pytest.approx(1 / 10 / 2)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    rng, covered = np.random.default_rng(8), 0
    for _ in range(400):
        ttft = np.where(rng.random(500) < 0.8, 0.1, 9.0)
        run = MapRun("x", 1.0, 1, 1.0, ttft, np.zeros(500), np.ones(500))
        (point,) = LayoutMap([run]).points(1.0, ttft_s=1.0, tpot_s=1.0, **PRICE)
        covered += point.kept_low <= 0.8 <= point.kept_high
    assert abs(covered / 400 - 0.95) < 5 * math.sqrt(0.95 * 0.05 / 400)


def test_a_map_comes_back_from_its_file(drawn, tmp_path):
    drawn.save(tmp_path / "map.json")
    again = LayoutMap.load(tmp_path / "map.json")
    assert again.rates_per_s == drawn.rates_per_s == (8.0, 40.0)
    limits = {"ttft_s": 0.5, "tpot_s": 0.02, **PRICE}
    for mine, theirs in zip(again.points(40.0, **limits), drawn.points(40.0, **limits)):
        assert mine.name == theirs.name and mine.on_frontier == theirs.on_frontier
        assert mine.kept == pytest.approx(theirs.kept, abs=0.02)


def test_what_a_map_does_not_hold_is_refused(drawn):
    with pytest.raises(ValueError, match=r"rate_per_s = 9\.0: expected one of 8, 40"):
        drawn.points(9.0, ttft_s=1.0, tpot_s=1.0, **PRICE)
    with pytest.raises(ValueError, match="ttft_s = 0"):
        drawn.points(8.0, ttft_s=0, tpot_s=1.0, **PRICE)
    with pytest.raises(ValueError, match="runs"):
        LayoutMap([])


def test_a_tuned_layout_stands_once_with_the_setting_that_keeps_most():
    def run(name, ttft_s):
        return MapRun(name, 1.0, 1, 9.0, np.array(ttft_s), np.zeros(2), np.ones(2))

    runs = [
        run("A · 1", [0.2, 0.9]), run("A · 2", [0.3, 0.4]), run("B", [0.1, 9.0]),
        run("C · 1", [0.4, 0.4]), run("C · 2", [0.4, 0.1]),
    ]  # fmt: skip
    many, few = (
        LayoutMap(runs).points(1.0, ttft_s=0.5, tpot_s=1.0, **PRICE, tuned=how)
        for how in (False, True)
    )
    assert len(many) == 5 and {point.name for point in few} == {"A · 2", "B", "C · 1"}
