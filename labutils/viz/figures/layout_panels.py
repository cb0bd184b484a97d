"""The panels of chapter 12's map: layouts as points of two latencies, and what each is worth."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.ticker import NullLocator

from labutils.viz.labels import label_line, move_label, readable
from labutils.viz.style import CARD, INK, band, color, dress, line, points

MOST_ROWS = 13
WIDEST, NAMES_PAD = "13  TP2 × DP2 → TP2 × DP2", 160
TTFT_S, TPOT_MS = (0.02, 12.0), (2.0, 250.0)
BEST, FRONTIER, OTHER = color("measurement"), color("theory"), color("reference")
KEYS = (
    (0.0, "★ most kept", BEST),
    (0.33, "● on the frontier", FRONTIER),
    (0.78, "○ beaten", OTHER),
)
MARKERS = {BEST: "*", FRONTIER: "o", OTHER: "o"}
TICKS = [n * 10.0**power for power in range(-2, 3) for n in (1, 2, 5)]
LEAST_COST = 0.05
"""Dollars at which the axis of costs begins."""


class Row(NamedTuple):
    """One layout under a promise: kept shares at the chosen rate, its price at the best one."""

    name: str
    ttft_s: float
    tpot_ms: float
    kept: float
    low: float
    high: float
    cost: float
    shade: str


class LatencyPanel:
    """p99 TTFT against p99 TPOT: one numbered point a layout, and the promise as a box."""

    def __init__(self, ax):
        dress(ax, x="p99 of TTFT (s)", y="p99 of TPOT (ms)", title="Which answers first?\n")
        ax.set(xscale="log", yscale="log", xlim=TTFT_S, ylim=TPOT_MS)
        self._ax = ax
        for x, text, shade in KEYS:
            look = {"fontsize": 9, "color": readable(shade), "va": "bottom"}
            ax.text(x, 1.01, text, transform=ax.transAxes, **look)
        self._box = ax.add_collection(PolyCollection([], **band("limit", alpha=0.08)))
        (self._limit,) = ax.plot([], [], **line("limit", linewidth=1.6))
        look = {"fontsize": 10, "color": readable(color("limit")), "va": "bottom"}
        self._said = ax.text(0.02, 0.02, "", transform=ax.transAxes, **look)
        self._dots = [ax.plot([1], [10], **points("theory"))[0] for _ in range(MOST_ROWS)]
        self._numbers = [
            label_line(ax, dot, f"{place}", fontsize=10)
            for place, dot in enumerate(self._dots, start=1)
        ]

    def draw(self, rows: Sequence[Row], ttft_s: float, tpot_ms: float) -> None:
        """Move the points and the box; what is beyond all limits stands at their end."""
        spots = [(np.clip(row.ttft_s, *TTFT_S), np.clip(row.tpot_ms, *TPOT_MS)) for row in rows]
        x, y = np.transpose([*spots, (ttft_s, tpot_ms)])
        left, bottom = _room(self._ax.xaxis, x), _room(self._ax.yaxis, y)
        corners = [(left, bottom), (ttft_s, bottom), (ttft_s, tpot_ms), (left, tpot_ms)]
        self._box.set_verts([corners])
        self._limit.set_data([left, ttft_s, ttft_s], [tpot_ms, tpot_ms, bottom])
        self._said.set_text(f"promise: {ttft_s:g} s, {tpot_ms:g} ms")
        for dot, number in zip(self._dots, self._numbers):
            dot.set_data([], [])
            number.set_visible(False)
        for dot, number, row, spot in zip(self._dots, self._numbers, rows, spots):
            dot.set_data([spot[0]], [spot[1]])
            number.set_color(readable(row.shade))
            _mark(dot, row.shade)
        for dot, number, _ in zip(self._dots, self._numbers, rows):  # one after the other
            move_label(number, dot)


def _room(axis, values) -> float:
    """Let a log axis reach around all values, with plain ticks; return where it begins."""
    low, high = values.min() / 1.4, values.max() * 1.4
    axis.set_view_interval(low, high, ignore=True)
    ticks = [tick for tick in TICKS if low <= tick <= high]
    axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_minor_locator(NullLocator())
    return low


def _mark(dot, shade: str) -> None:
    """A star, a filled point or an open one."""
    dot.set_marker(MARKERS[shade])
    dot.set_markersize(13 if shade == BEST else 7)
    dot.set_color(shade)
    dot.set_markeredgecolor(shade if shade == OTHER else CARD)
    dot.set_markerfacecolor(CARD if shade == OTHER else shade)


class KeptPanel:
    """The share of requests that kept the promise: a point with its interval for each layout."""

    def __init__(self, ax):
        self._ax = ax
        dress(ax, x="requests that kept it (%)", title="Which keeps it?\n")
        ax.grid(False, axis="y")
        ax.set(xlim=(-4, 104), xticks=[0, 50, 100])
        ax.tick_params(axis="y", length=0, labelcolor=INK)
        ax.set_yticks(range(1, MOST_ROWS + 1), [WIDEST] * MOST_ROWS, ha="left")
        ax.tick_params(axis="y", pad=NAMES_PAD)
        self._spans = ax.add_collection(LineCollection([], colors=INK, linewidths=1.6))
        self._dots = [ax.plot([], [], **points("theory"))[0] for _ in range(MOST_ROWS)]
        self._names: list[str] = []

    def draw(self, rows: Sequence[Row]) -> None:
        """Move the points, a row for each layout over the whole height."""
        self._name([row.name for row in rows])
        for place, dot in enumerate(self._dots):
            row = rows[place] if place < len(rows) else None
            dot.set_data([100 * row.kept] if row else [], [place + 1] if row else [])
            if row:
                _mark(dot, row.shade)
        spans = [[(100 * r.low, y), (100 * r.high, y)] for y, r in enumerate(rows, start=1)]
        self._spans.set_segments(spans)

    def _name(self, names: list[str]) -> None:
        if names != self._names:
            self._names = names
            labels = [f"{at}  {name}" for at, name in enumerate(names, start=1)]
            self._ax.set_yticks(range(1, len(names) + 1), labels, ha="left")
            self._ax.set_ylim(len(names) + 0.6, 0.4)


class CostPanel:
    """Dollars for a million tokens that kept the promise, each layout at its own best rate."""

    def __init__(self, ax):
        self._ax = ax
        dress(ax, x="$ per 10⁶ kept tokens", title="At what price,\nat its best rate?")
        ax.grid(False, axis="y")
        ax.set(xscale="log", xlim=(LEAST_COST, 3000))
        ax.set_xticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
        ax.minorticks_off()
        ax.tick_params(axis="y", length=0, labelleft=False)
        self._dots = [ax.plot([], [], **points("theory"))[0] for _ in range(MOST_ROWS)]
        look = {"fontsize": 10, "color": INK, "va": "center"}
        self._costs = [ax.text(1, 1, "", ha="left", **look) for _ in range(MOST_ROWS)]

    def draw(self, rows: Sequence[Row]) -> None:
        """Move the points; a layout that never keeps the promise has none."""
        for place, (dot, text) in enumerate(zip(self._dots, self._costs)):
            row = rows[place] if place < len(rows) else None
            is_kept = row is not None and np.isfinite(row.cost)
            dot.set_data([row.cost] if is_kept else [], [place + 1] if is_kept else [])
            if is_kept:
                _mark(dot, row.shade)
            text.set_text("" if row is None else dollars(row.cost))
            text.set_position((1.5 * row.cost if is_kept else 1.2 * LEAST_COST, place + 1))


def dollars(cost: float) -> str:
    """A price as it is written; of what is never kept "never"."""
    if not np.isfinite(cost):
        return "never"
    return f"${cost:.2f}" if cost < 100 else f"${cost:,.0f}"
