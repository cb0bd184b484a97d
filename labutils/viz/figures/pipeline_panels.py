"""The panels of chapter 09's explorer: bars and points that move, on axes that rarely do."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.transforms import ScaledTranslation

from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import readable
from labutils.viz.style import INK, color, dress, line, points

TOPS_MS = tuple(lead * 10**power for power in range(7) for lead in (1, 2, 3, 5))
SHADES = {  # of a stretch: does the result wait for it, and is it served?
    (True, True): color("limit"),
    (True, False): color("waiting"),
    (False, True): mixed("reference", 0.45),
    (False, False): mixed("reference", 0.2),
}
BARS = {"mean": "measurement", "p99": "backlog"}
FIGURES = ("mean", "p50", "p99")
KEYS = (
    (0, "■ served", SHADES[True, True]),
    (0.2, "■ in a queue", SHADES[True, False]),
    (0.48, "■ in parallel, not waited for", color("reference")),
)
SHARE_KEYS = (
    (0, "■ all requests", color(BARS["mean"])),
    (0.34, "■ requests near p99", color(BARS["p99"])),
)
GAIN_KEYS = (
    (0, "— Amdahl", color("theory")),
    (0.25, "- - its ceiling", color("limit")),
    (0.55, "● simulated", color("measurement")),
)
MOST_GAIN = 20.0


class WaterfallPanel:
    """One request: a row for each stage, from joining its queue to being served."""

    def __init__(self, ax, rows: Sequence[str], title: str):
        self._ax = ax
        dress(ax, x="ms since it came; at bars: queue + service", title=f"{title}\n")
        _rows(ax, rows)
        ax.locator_params(axis="x", nbins=5)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        _key(ax, KEYS)
        self._bars = ax.add_collection(PolyCollection([]))
        self._times = _texts(ax, len(rows), gap_pt=3)

    def draw(self, ready_ms, start_ms, done_ms, critical, top_ms: float) -> None:
        """Move the bars: three times for each stage, and whether the result waited for it."""
        self._ax.set_xlim(0, 1.18 * top_ms)
        rows = np.arange(len(ready_ms))
        waits = _boxes(rows, ready_ms, start_ms, 0.5)
        services = _boxes(rows, start_ms, done_ms, 0.66)
        shades = [SHADES[bool(is_so), served] for served in (False, True) for is_so in critical]
        self._bars.set_verts([*waits, *services])
        self._bars.set(facecolor=shades, edgecolor=shades)
        # An outline keeps a short service in sight; a wait of 0 has none.
        self._bars.set_linewidth([0.0] * rows.size + [0.9] * rows.size)
        for text, ready, done in zip(self._times, ready_ms, done_ms):
            text.set_x(done)
            text.set_text(_ms(done - ready))


class SharePanel:
    """Each stage's share of the time: over all requests, and over those near p99."""

    def __init__(self, ax, rows: Sequence[str]):
        dress(ax, x="share of the time (%)", title="where the time goes\n")
        _rows(ax, rows)
        ax.set(xlim=(0, 122), xticks=range(0, 101, 20))
        _key(ax, SHARE_KEYS)
        self._bars = [
            ax.add_collection(PolyCollection([], facecolor=color(role), linewidths=0))
            for role in BARS.values()
        ]
        self._texts = _texts(ax, len(rows), gap_pt=4)

    def draw(self, shares: Mapping[str, np.ndarray]) -> None:
        """Move the bars to the shares of ``"mean"`` and ``"p99"``, each from 0 to 1."""
        percent = 100 * np.array([shares[name] for name in BARS])
        rows = np.arange(percent.shape[1])
        for bars, place, widths in zip(self._bars, (-0.19, 0.19), percent):
            bars.set_verts(_boxes(rows + place, np.zeros(rows.size), widths, 0.34))
        for text, (mean, tail) in zip(self._texts, percent.T):
            text.set_x(max(mean, tail))
            text.set_text(f"{mean:.0f}, {tail:.0f}")


class GainPanel:
    """What a change gained, beside what Amdahl's law says of it and its ceiling."""

    def __init__(self, ax):
        dress(ax, x="times as fast as before", title="what the change is worth\n")
        _rows(ax, FIGURES)
        ax.set(xscale="log", xlim=(0.5, 3.2 * MOST_GAIN))
        ax.set_xticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
        ax.minorticks_off()
        ax.axvline(1, color=color("reference"), linewidth=1)
        _key(ax, GAIN_KEYS)
        self._law = ax.axvline(1, **line("theory"))
        self._ceiling = ax.axvline(1, **line("limit"))
        (self._dots,) = ax.plot([1] * 3, np.arange(3) + 0.5, **points("measurement", markersize=9))
        self._texts = _texts(ax, 3, gap_pt=0, ha="right", fontsize=10.5)

    def draw(self, gains: Sequence[float], amdahl: float, ceiling: float) -> None:
        """Move points and lines; what is beyond the axis stands at its end, with its number."""
        self._dots.set_xdata(np.clip(gains, 0.52, MOST_GAIN))
        for text, gain in zip(self._texts, gains):
            text.set_x(3 * MOST_GAIN)
            text.set_text(f"× {gain:.2f}")
        for mark, value in ((self._law, amdahl), (self._ceiling, ceiling)):
            mark.set_xdata([min(value, 1.1 * MOST_GAIN)] * 2)


def _key(ax, entries) -> None:
    """What the colours say, above a panel: titles end with an empty line for it.

    Texts of the figure belong to the backdrop, so they are not drawn again in every frame.
    """
    above = ax.transAxes + ScaledTranslation(0, 4 / 72, ax.figure.dpi_scale_trans)
    for x, said, shade in entries:
        look = {"fontsize": 9.5, "color": readable(shade), "va": "bottom"}
        ax.figure.text(x, 1, said, transform=above, **look).set_in_layout(False)


def _texts(ax, count: int, *, gap_pt: float, **changes) -> list:
    """A text in each row, that far right of its place. Texts draw faster than annotations do."""
    look = {"fontsize": 9, "color": INK, "va": "center", "clip_on": False} | changes
    beside = ax.transData + ScaledTranslation(gap_pt / 72, 0, ax.figure.dpi_scale_trans)
    return [ax.text(0, row + 0.5, "", transform=beside, **look) for row in range(count)]


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
