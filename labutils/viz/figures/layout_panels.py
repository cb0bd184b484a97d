"""The panels of chapter 12's map: layouts as points of two latencies, and what each is worth."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection

from labutils.viz.labels import readable
from labutils.viz.style import INK, band, color, dress, line, points

MOST_ROWS = 13
TTFT_S, TPOT_MS = (0.02, 12.0), (2.0, 250.0)
BEST, FRONTIER, OTHER = color("measurement"), color("theory"), color("reference")
KEYS = (
    (0.0, "■ most here", BEST),
    (0.3, "■ on the frontier", FRONTIER),
    (0.72, "■ beaten", OTHER),
)


class Row(NamedTuple):
    """One layout under a promise: at the chosen rate, and at its own best one."""

    name: str
    ttft_s: float
    tpot_ms: float
    goodput: float
    low: float
    high: float
    best_goodput: float
    cost: str
    shade: str


class LatencyPanel:
    """p99 TTFT against p99 TPOT: one numbered point a layout, and the promise as a box."""

    def __init__(self, ax):
        dress(ax, x="p99 of TTFT (s)", y="p99 of TPOT (ms)", title="which answers first?\n")
        ax.set(xscale="log", yscale="log", xlim=TTFT_S, ylim=TPOT_MS)
        ax.set_xticks([0.05, 0.2, 1, 5], ["0.05", "0.2", "1", "5"])
        ax.set_yticks([3, 10, 30, 100], ["3", "10", "30", "100"])
        ax.minorticks_off()
        self._box = ax.add_collection(PolyCollection([], **band("limit", alpha=0.08)))
        (self._limit,) = ax.plot([], [], **line("limit", linewidth=1.6))
        look = {"fontsize": 10, "color": readable(color("limit")), "va": "bottom"}
        self._said = ax.text(TTFT_S[0] * 1.1, TPOT_MS[0] * 1.05, "", **look)
        self._dots = [ax.plot([], [], **points("theory", marker="o"))[0] for _ in range(MOST_ROWS)]
        look = {"fontsize": 10, "color": INK, "va": "bottom", "ha": "left"}
        self._numbers = [ax.text(1, 1, "", **look) for _ in range(MOST_ROWS)]

    def draw(self, rows: Sequence[Row], ttft_s: float, tpot_ms: float) -> None:
        """Move the points and the box; what is beyond an axis stands at its end."""
        left, bottom = TTFT_S[0], TPOT_MS[0]
        corners = [(left, bottom), (ttft_s, bottom), (ttft_s, tpot_ms), (left, tpot_ms)]
        self._box.set_verts([corners])
        self._limit.set_data([left, ttft_s, ttft_s], [tpot_ms, tpot_ms, bottom])
        self._said.set_text(f"promise: {ttft_s:g} s, {tpot_ms:g} ms")
        for place, (dot, number) in enumerate(zip(self._dots, self._numbers)):
            if place >= len(rows):
                dot.set_data([], [])
                number.set_text("")
                continue
            x = np.clip(rows[place].ttft_s, TTFT_S[0] * 1.05, TTFT_S[1] / 1.1)
            y = np.clip(rows[place].tpot_ms, TPOT_MS[0] * 1.05, TPOT_MS[1] / 1.1)
            dot.set_data([x], [y])
            dot.set_color(rows[place].shade)
            number.set_text(str(place + 1))
            number.set_position((1.05 * x, 1.03 * y))


class GoodputPanel:
    """Requests that kept the promise, a second and card: bars with intervals, and the best rate."""

    def __init__(self, ax):
        self._ax = ax
        title = "which keeps it most often, and at what price?\n"
        dress(ax, x="kept requests / (s · card)   ◆ at its best rate, $/10⁶ tokens", title=title)
        ax.grid(False, axis="y")
        ax.set(ylim=(MOST_ROWS + 0.4, 0.3))
        # Names stand inside the axes, so that a long one does not move them; as labels of ticks
        # they are drawn once for a scene.
        ax.tick_params(axis="y", length=0, pad=-5, labelsize=10, labelcolor=INK)
        for x, text, shade in KEYS:
            look = {"fontsize": 10, "color": readable(shade), "va": "bottom"}
            ax.text(x, 1.01, text, transform=ax.transAxes, **look)
        self._bars = ax.add_collection(PolyCollection([], linewidths=0))
        self._spans = ax.add_collection(LineCollection([], colors=INK, linewidths=1.4))
        (self._best,) = ax.plot([], [], **points("ink", marker="D", markersize=5))
        look = {"fontsize": 10, "color": INK, "va": "center"}
        self._names: list[str] = []
        self._costs = [ax.text(0, n + 1, "", ha="left", **look) for n in range(MOST_ROWS)]

    def draw(self, rows: Sequence[Row], top: float) -> None:
        """Move the bars; ``top`` is the goodput at which the axis ends."""
        if self._ax.get_xlim()[1] != 1.28 * top:
            self._ax.set_xlim(-1.05 * top, 1.28 * top)
            ticks = np.array([0, 0.5, 1.0]) * top
            self._ax.set_xticks(ticks, [f"{tick:.2g}" for tick in ticks])
        self._name([row.name for row in rows])
        places = np.arange(len(rows)) + 1
        boxes = [
            [(0, y - 0.32), (row.goodput, y - 0.32), (row.goodput, y + 0.32), (0, y + 0.32)]
            for row, y in zip(rows, places)
        ]
        self._bars.set_verts(boxes)
        self._bars.set_facecolor([row.shade for row in rows])
        self._spans.set_segments([[(r.low, y), (r.high, y)] for r, y in zip(rows, places)])
        self._best.set_data([row.best_goodput for row in rows], places)
        for at, cost in enumerate(self._costs):
            row = rows[at] if at < len(rows) else None
            cost.set_text(row.cost if row else "")
            cost.set_x((max(row.best_goodput, row.high) if row else 0) + 0.04 * top)

    def _name(self, names: list[str]) -> None:
        if names != self._names:
            self._names = names
            labels = [f"{at}  {name}" for at, name in enumerate(names, start=1)]
            self._ax.set_yticks(range(1, len(names) + 1), labels, ha="left")
