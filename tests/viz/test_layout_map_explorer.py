"""The map's explorer: what it shows is what the kept runs say under that promise."""

from itertools import combinations

import numpy as np
import pytest

from labutils.serving.multi_gpu.kept_maps import load_maps
from labutils.serving.multi_gpu.scenes import Scene, placed
from labutils.viz.explorers.layout_map import LOADS, layout_explorer

SCENES = [
    Scene("Llama-3.1-70B", "H100 SXM", "NVLink 4", "chats"),
    Scene("Llama-3.1-70B", "H200", "NVLink 4", "chats"),
]


@pytest.fixture(scope="module")
def maps():
    kept = load_maps()
    return {scene: kept[scene] for scene in SCENES}


@pytest.fixture(scope="module")
def explorer(maps):
    return layout_explorer(maps)


def panels(explorer):
    return explorer._update.__self__._panels


@pytest.mark.parametrize("load", LOADS)
def test_points_and_bars_are_those_of_the_map(explorer, maps, load):
    explorer(load=load, ttft_s=1.0, tpot_ms=30)
    rate = SCENES[0].rates_per_s[LOADS.index(load)]
    promise = {"ttft_s": 1.0, "tpot_s": 0.03, "price_per_hour": 3.5}
    told = maps[SCENES[0]].points(rate, **promise)
    by_name, best = {point.name: point for point in told}, {}
    for point in sorted(told, key=lambda each: (-each.kept, each.ttft_p99_s)):
        best.setdefault(point.name.split(" · ")[0], point.name)
    latencies, kept, costs = panels(explorer)
    names = [best[name] for name in placed(SCENES[0])]
    assert any(name.endswith("· 512") for name in names)
    for at, name in enumerate(names):
        assert latencies._dots[at].get_xdata()[0] == pytest.approx(by_name[name].ttft_p99_s)
        assert latencies._dots[at].get_ydata()[0] == pytest.approx(1e3 * by_name[name].tpot_p99_s)
        share = kept._dots[at].get_xdata()[0]
        assert share == pytest.approx(100 * by_name[name].kept)
        low, high = kept._spans.get_segments()[at][:, 0]
        assert low <= share <= high
    shown = [label.get_text() for label in kept._ax.get_yticklabels()]
    assert shown == [f"{at}  {name}" for at, name in enumerate(placed(SCENES[0]), start=1)]
    assert not any(text.get_text() for text in costs._costs[len(names) :])


def test_a_price_is_that_of_the_layouts_best_rate(explorer, maps):
    explorer(load="light", ttft_s=1.0, tpot_ms=30)
    here, costs = maps[SCENES[0]], panels(explorer)[2]
    for at, name in enumerate(placed(SCENES[0])):
        every = [
            point.cost_per_million_tokens
            for rate in here.rates_per_s
            for point in here.points(rate, ttft_s=1.0, tpot_s=0.03, price_per_hour=3.5, tuned=True)
            if point.name.split(" · ")[0] == name and point.kept
        ]
        shown = costs._dots[at].get_xdata()
        assert list(shown) == pytest.approx([min(every)] if every else [])


def test_no_number_covers_another(explorer):
    for place in (("H100 SXM", "NVLink 4"), ("H200", "NVLink 4")):
        explorer(place=place, load="heavy", ttft_s=2.0, tpot_ms=40)
        numbers = [one for one in panels(explorer)[0]._numbers if one.get_visible()]
        boxes = [one.get_window_extent() for one in numbers]
        assert len(boxes) == len(placed(SCENES[place[0] == "H200"]))
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_a_tighter_promise_is_kept_by_fewer_and_the_finding_says_by_whom(explorer):
    loose = explorer(load="middle", ttft_s=8.0, tpot_ms=200)
    assert "100 %" in loose and "cheapest is" in loose
    _, kept, costs = panels(explorer)
    before = [dot.get_xdata()[0] for dot in kept._dots if len(dot.get_xdata())]
    explorer(tpot_ms=20)
    after = [dot.get_xdata()[0] for dot in kept._dots if len(dot.get_xdata())]
    assert np.all(np.array(after) <= np.array(before)) and sum(after) < sum(before)
    assert "no layout keeps the promise" in explorer(tpot_ms=4)
    assert {text.get_text() for text in costs._costs} == {"never", ""}


def test_another_card_brings_other_layouts_and_prices(explorer):
    explorer(ttft_s=8.0, tpot_ms=200)
    _, kept, costs = panels(explorer)
    few = len(kept._names)
    cheap = costs._costs[0].get_text()
    explorer(place=("H200", "NVLink 4"))
    assert len(kept._names) > few
    assert costs._costs[0].get_text() > cheap


def test_the_promise_stands_as_a_box(explorer):
    explorer(ttft_s=0.5, tpot_ms=60)
    latencies, *_ = panels(explorer)
    assert latencies._limit.get_xdata()[-1] == 0.5 and latencies._limit.get_ydata()[0] == 60
    assert "0.5 s, 60 ms" in latencies._said.get_text()


def test_bad_input_is_named(maps):
    with pytest.raises(ValueError, match="TPOT"):
        layout_explorer(maps, tpot_ms=17)
    with pytest.raises(ValueError, match="place = 'T4'"):
        layout_explorer(maps)(place="T4")
