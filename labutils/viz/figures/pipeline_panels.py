"""The panels of chapter 09's explorer: bars and points that move, on axes that rarely do."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.collections import PolyCollection

from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import readable
from labutils.viz.style import INK, color, dress, line, points

TOPS_MS = tuple(lead * 10**power for power in range(7) for lead in (1, 2, 5))
SHADES = {  # of a stretch: does the result wait for it, and is it served?
    (True, True): color("limit"),
    (True, False): color("waiting"),
    (False, True): mixed("reference", 0.45),
    (False, False): mixed("reference", 0.2),
}
KEYS = (("■ served", SHADES[True, True]), ("■ in a queue", SHADES[True, False]),
        ("■ in parallel, not waited for", color("reference")))  # fmt: skip
MOST_GAIN = 20.0
BARS = {"mean": "measurement", "p99": "backlog"}
FIGURES = ("mean", "p50", "p99")


class WaterfallPanel:
    """One request: a row for each stage, from joining its queue to being served."""

    def __init__(self, ax, rows: Sequence[str], title: str):
        self._ax, k = ax, len(rows)
        dress(ax, x="time since the request came (ms)", title=f"{title}\n")
        _rows(ax, rows)
        self._bars = ax.add_collection(PolyCollection([], linewidths=0))
        look = {"fontsize": 9, "color": INK, "va": "center", "textcoords": "offset points"}
        self._times = [ax.annotate("", (0, i + 0.5), xytext=(3, 0), **look) for i in range(k)]
        ax.margins(0)
        for x, (text, shade) in zip((0, 0.18, 0.42), KEYS):
            key = ax.annotate(
                text, (x, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points",
                fontsize=9.5, color=readable(shade),
            )  # fmt: skip
            key.set_in_layout(False)

    def draw(self, ready_ms, start_ms, done_ms, critical, top_ms: float) -> None:
        """Move the bars: three times for each stage, and whether the result waited for it."""
        self._ax.set_xlim(0, 1.18 * top_ms)
        rows = np.arange(len(ready_ms))
        waits = _boxes(rows, ready_ms, start_ms, 0.5)
        services = _boxes(rows, start_ms, done_ms, 0.66)
        shades = [SHADES[bool(is_so), served] for served in (False, True) for is_so in critical]
        self._bars.set_verts([*waits, *services])
        self._bars.set_facecolor(shades)
        for text, row, ready, done in zip(self._times, rows, ready_ms, done_ms):
            text.xy = (done, row + 0.5)
            text.set_text(_ms(done - ready))


class SharePanel:
    """Each stage's share of the time: over all requests, and over those near p99."""

    def __init__(self, ax, rows: Sequence[str]):
        dress(ax, x="share of the time (%)", title="where the time goes\n")
        _rows(ax, rows)
        ax.set_xlim(0, 112)
        ax.set_xticks(range(0, 101, 20))
        self._bars = {
            name: ax.add_collection(PolyCollection([], facecolor=color(role), linewidths=0))
            for name, role in BARS.items()
        }
        look = {"fontsize": 8.5, "color": INK, "va": "center", "textcoords": "offset points"}
        self._texts = {
            name: [ax.annotate("", (0, 0), xytext=(3, 0), **look) for _ in rows] for name in BARS
        }
        for x, (name, role) in zip((0, 0.3), BARS.items()):
            said = "■ all requests" if name == "mean" else "■ requests near p99"
            ax.annotate(
                said, (x, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points",
                fontsize=9.5, color=readable(color(role)),
            ).set_in_layout(False)  # fmt: skip

    def draw(self, shares: Mapping[str, np.ndarray]) -> None:
        """Move the bars to the shares of ``"mean"`` and ``"p99"``, each from 0 to 1."""
        for place, (name, bars) in zip((-0.19, 0.19), self._bars.items()):
            percent = 100 * shares[name]
            rows = np.arange(percent.size) + place
            bars.set_verts(_boxes(rows, np.zeros(percent.size), percent, 0.34))
            for text, row, share in zip(self._texts[name], rows, percent):
                text.xy = (share, row + 0.5)
                text.set_text(f"{share:.0f}")


class GainPanel:
    """What a change gained, beside what Amdahl's law says of it and its ceiling."""

    def __init__(self, ax):
        dress(ax, x="times as fast as before", title="what the change is worth\n")
        _rows(ax, FIGURES)
        ax.set(xscale="log", xlim=(0.5, 1.45 * MOST_GAIN))
        ax.set_xticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
        ax.minorticks_off()
        ax.axvline(1, color=color("reference"), linewidth=1)
        self._law = ax.axvline(1, **line("theory"))
        self._ceiling = ax.axvline(1, **line("limit"))
        (self._dots,) = ax.plot([1] * 3, np.arange(3) + 0.5, **points("measurement", markersize=9))
        look = {"fontsize": 10, "color": INK, "va": "center", "textcoords": "offset points"}
        self._texts = [ax.annotate("", (1, i + 0.5), xytext=(9, 0), **look) for i in range(3)]
        for x, said, role in ((0, "| Amdahl", "theory"), (0.22, "¦ its ceiling", "limit"),
                              (0.5, "● simulated", "measurement")):  # fmt: skip
            ax.annotate(
                said, (x, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points",
                fontsize=9.5, color=readable(color(role)),
            ).set_in_layout(False)  # fmt: skip

    def draw(self, gains: Sequence[float], amdahl: float, ceiling: float) -> None:
        """Move points and lines; what is beyond the axis stands at its edge, with its number."""
        shown = np.clip(gains, 0.5, MOST_GAIN)
        self._dots.set_xdata(shown)
        for row, (text, gain, at) in enumerate(zip(self._texts, gains, shown)):
            text.xy = (at, row + 0.5)
            text.set_text(f"×{gain:.2f}")
        for mark, value in ((self._law, amdahl), (self._ceiling, ceiling)):
            mark.set_xdata([min(value, 1.3 * MOST_GAIN)] * 2)


def _rows(ax, names: Sequence[str]) -> None:
    ax.grid(False, axis="y")
    ax.set_ylim(len(names), 0)
    ax.set_yticks(np.arange(len(names)) + 0.5, names)
    ax.tick_params(axis="y", length=0, labelsize=9.5, labelcolor=INK)


def _boxes(rows, left, right, height: float) -> np.ndarray:
    """Corners of one box in each row, shape (rows, 4, 2)."""
    low = rows + (1 - height) / 2
    corners = ((left, low), (right, low), (right, low + height), (left, low + height))
    return np.stack([np.stack(corner, axis=-1) for corner in corners], axis=1)


def _ms(value: float) -> str:
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.1f}"
