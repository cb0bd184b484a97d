"""The map's explorer: what it shows is what the kept runs say under that promise."""

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
    view = explorer._update.__self__
    return view._latencies, view._goods


@pytest.mark.parametrize("load", LOADS)
def test_points_and_bars_are_those_of_the_map(explorer, maps, load):
    explorer(load=load, ttft_s=1.0, tpot_ms=30)
    rate = SCENES[0].rates_per_s[LOADS.index(load)]
    told = maps[SCENES[0]].points(rate, ttft_s=1.0, tpot_s=0.03, price_per_hour=1.0)
    by_name, best = {point.name: point for point in told}, {}
    for point in sorted(told, key=lambda each: (-each.kept, each.ttft_p99_s)):
        best.setdefault(point.name.split(" · ")[0], point.name)
    latencies, goods = panels(explorer)
    names = [best[name] for name in placed(SCENES[0])]
    assert any(name.endswith("· 512") for name in names)
    for at, name in enumerate(names):
        assert latencies._dots[at].get_xdata()[0] == pytest.approx(by_name[name].ttft_p99_s)
        assert latencies._dots[at].get_ydata()[0] == pytest.approx(1e3 * by_name[name].tpot_p99_s)
        width = goods._bars.get_paths()[at].vertices[:, 0].max()
        assert width == pytest.approx(by_name[name].goodput_per_s_per_card)
        low, high = goods._spans.get_segments()[at][:, 0]
        assert low <= width <= high
    shown = [label.get_text() for label in goods._ax.get_yticklabels()]
    assert shown == [f"{at}  {name}" for at, name in enumerate(placed(SCENES[0]), start=1)]
    assert not any(text.get_text() for text in goods._costs[len(names) :])


def test_a_tighter_promise_is_kept_by_fewer_and_the_finding_says_by_whom(explorer):
    loose = explorer(load="middle", ttft_s=8.0, tpot_ms=200)
    assert "100 %" in loose and "cheapest is" in loose
    _, goods = panels(explorer)
    wide = goods._bars.get_paths()
    before = [path.vertices[:, 0].max() for path in wide]
    explorer(tpot_ms=20)
    after = [path.vertices[:, 0].max() for path in goods._bars.get_paths()]
    assert np.all(np.array(after) <= np.array(before)) and sum(after) < sum(before)
    assert "no layout keeps the promise" in explorer(tpot_ms=4)
    assert {text.get_text() for text in goods._costs} == {"never", ""}


def test_another_card_brings_other_layouts_and_prices(explorer):
    explorer(ttft_s=8.0, tpot_ms=200)
    _, goods = panels(explorer)
    few = len(goods._names)
    cheap = goods._costs[0].get_text()
    explorer(place=("H200", "NVLink 4"))
    assert len(goods._names) > few
    assert goods._costs[0].get_text() > cheap


def test_the_promise_stands_as_a_box(explorer):
    explorer(ttft_s=0.5, tpot_ms=60)
    latencies, _ = panels(explorer)
    assert latencies._limit.get_xdata()[-1] == 0.5 and latencies._limit.get_ydata()[0] == 60
    assert "0.5 s, 60 ms" in latencies._said.get_text()


def test_bad_input_is_named(maps):
    with pytest.raises(ValueError, match="TPOT"):
        layout_explorer(maps, tpot_ms=17)
    with pytest.raises(ValueError, match="place = 'T4'"):
        layout_explorer(maps)(place="T4")
