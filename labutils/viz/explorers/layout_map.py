"""The map of layouts of chapter 12: simulated beforehand, judged by any promise at once."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from labutils.llm.specification.catalog import accelerator
from labutils.serving.multi_gpu import LayoutMap, MapPoint
from labutils.serving.multi_gpu.kept_maps import load_maps
from labutils.serving.multi_gpu.layout_map import SETTING
from labutils.serving.multi_gpu.scenes import PLACES, REQUESTS, WORKLOADS, Scene
from labutils.viz.controls import choice, steps
from labutils.viz.explorer import Explorer
from labutils.viz.figures.layout_panels import (
    BEST,
    FRONTIER,
    OTHER,
    CostPanel,
    KeptPanel,
    LatencyPanel,
    Row,
    dollars,
)
from labutils.viz.style import new_figure

LOADS = ("light", "middle", "heavy", "too heavy for most")
TTFTS_S = (0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0, 8.0)
TPOTS_MS = (4, 6, 8, 10, 15, 20, 30, 40, 60, 100, 200)


def layout_explorer(
    maps: Mapping[Scene, LayoutMap] | None = None,
    *,
    model: str = "Llama-3.1-70B",
    ttft_s: float = 2.0,
    tpot_ms: float = 40,
) -> Explorer:
    """Explore all layouts of a model on eight cards: latencies, kept shares, cost, frontier.

    ``maps`` are those that the course keeps, if left out. A layout in one pool stands there with
    the token budget that keeps the promise best. A move of the promise counts the kept requests of
    every run anew; nothing is simulated while you look. Prices are the middle of the table's
    illustrative range for a card and hour.
    """
    view = _View(load_maps() if maps is None else maps)
    controls = {
        "model": choice("model", list(REQUESTS), model),
        "place": choice("eight cards, link", [(_short(place), place) for place in PLACES]),
        "workload": choice("workload", list(WORKLOADS)),
        "load": steps("load", LOADS, LOADS[2]),
        "ttft_s": steps("promise: TTFT (s)", TTFTS_S, ttft_s),
        "tpot_ms": steps("promise: TPOT (ms)", TPOTS_MS, tpot_ms),
    }
    return Explorer(view.fig, view.update, controls=controls)


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, maps: Mapping[Scene, LayoutMap]):
        self._maps = maps
        self._points = lru_cache(64)(self._judged)
        self.fig, (left, middle, right) = new_figure(
            title="One model on eight cards: which layout, for which promise?",
            width=9.6,
            height=4.4,
            cols=3,
            width_ratios=(1.15, 0.7, 0.7),
        )
        middle.sharey(right)
        self._panels = LatencyPanel(left), KeptPanel(middle), CostPanel(right)

    def _judged(self, scene: Scene, ttft_s: float, tpot_s: float) -> dict:
        """For each rate the points by name, in the order in which the map has them."""
        price = sum(accelerator(scene.card).price_per_hour) / 2
        here, found = self._maps[scene], {}
        names = list(dict.fromkeys(_layout(run.name) for run in here.runs))
        promise = {"ttft_s": ttft_s, "tpot_s": tpot_s, "price_per_hour": price}
        for rate in here.rates_per_s:
            told = {_layout(each.name): each for each in here.points(rate, **promise, tuned=True)}
            found[rate] = [told[name] for name in names]
        return found

    def update(self, *, model, place, workload, load, ttft_s, tpot_ms) -> str:
        """Count who kept the promise; return whose first token is earliest, who keeps most, and
        who is cheapest."""
        scene = Scene(model, *place, workload)
        found = self._points(scene, ttft_s, tpot_ms / 1000)
        rate = list(found)[LOADS.index(load)]
        most = max(point.kept for point in found[rate])
        rows = [_row(*points, most) for points in zip(found[rate], zip(*found.values()))]
        latencies, kept, costs = self._panels
        latencies.draw(rows, ttft_s, tpot_ms)
        kept.draw(rows)
        costs.draw(rows)
        return _finding(found, rate)


def _short(place: tuple[str, str]) -> str:
    return ", ".join(each.split()[0] for each in place)


def _layout(name: str) -> str:
    return name.split(SETTING)[0]


def _row(point: MapPoint, at_all_rates: Sequence[MapPoint], most: float) -> Row:
    is_best = point.on_frontier and 0 < most == point.kept
    return Row(
        name=_layout(point.name),
        ttft_s=point.ttft_p99_s,
        tpot_ms=1e3 * point.tpot_p99_s,
        kept=point.kept,
        low=point.kept_low,
        high=point.kept_high,
        cost=min(each.cost_per_million_tokens for each in at_all_rates),
        shade=BEST if is_best else FRONTIER if point.on_frontier else OTHER,
    )


def _finding(found: dict[float, list[MapPoint]], rate: float) -> str:
    here = found[rate]
    first = min(here, key=lambda point: point.ttft_p99_s)
    most = max(here, key=lambda point: (point.kept, point.on_frontier))
    said = f"At {rate:g} requests/s {first.name} has the earliest first token "
    said += f"(p99 {first.ttft_p99_s:.2g} s); "
    if not most.kept:
        return said + "no layout keeps the promise at all."
    near = sum(point.kept_high >= most.kept_low for point in here) - 1
    kept, low, high = (100 * share for share in (most.kept, most.kept_low, most.kept_high))
    said += f"{most.name} keeps the promise most often, {kept:.3g} % ({low:.3g} to {high:.3g} %"
    said += f"; the intervals of {near} more overlap); " if near else "); "
    every = [(point, at) for at, points in found.items() for point in points if point.kept]
    cheap, at = min(every, key=lambda pair: pair[0].cost_per_million_tokens)
    price = dollars(cheap.cost_per_million_tokens)
    return said + f"cheapest is {cheap.name} at {at:g}/s: {price} per 10⁶ kept tokens."
