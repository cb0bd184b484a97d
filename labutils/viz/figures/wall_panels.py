"""Small panels over the seconds of a run: a dashboard in the house style."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from labutils.viz.labels import readable
from labutils.viz.style import color, dress, line, new_figure

LOOKS = (
    ("theory", "-"), ("measurement", (0, (4, 1.2))), ("service", (0, (8, 1.5, 1, 1.5))),
    ("backlog", (0, (1, 0.9))),
)  # fmt: skip
"""The role and the dash of a panel's first, second, third and fourth line."""
STEPS = (1, 1.25, 1.6, 2, 2.5, 4, 6, 8, 10.001)  # in which an axis grows: rarely, so that it stands
_LETTER_IN = 0.13  # the height of a name


class WallPanels:
    """Draws a panel on each place; the name of a line stands at its end.

    The axis of time runs from ``seconds[0]`` to ``seconds[1]`` and is called ``x``; ``longest`` is
    a name that needs as much room as any.
    """

    def __init__(
        self, seconds: tuple[float, float], *, title: str, x: str = "second of the run",
        rows: int = 3, cols: int = 3, height: float = 4.5, longest: str = "bound",
    ):  # fmt: skip
        self.fig, axes = new_figure(
            title=title, rows=rows, cols=cols, width=8.0, height=height, sharex=True
        )
        self.fig.get_layout_engine().set(w_pad=0.06, h_pad=0.055)
        self._axes = list(axes.flat)
        self._lines = [
            [
                ax.plot([], [], **line(look, linestyle=dash, linewidth=1.5))[0]
                for look, dash in LOOKS
            ]
            for ax in self._axes
        ]
        self._limits = [ax.axhline(np.nan, **line("limit", linewidth=1.3)) for ax in self._axes]
        self._marks = [ax.axvline(np.nan, **line("reference")) for ax in self._axes]
        self._names = [[_name(ax, readable(color(look))) for look, _ in LOOKS] for ax in self._axes]
        for at, ax in enumerate(self._axes):
            dress(ax, x=x if at >= (rows - 1) * cols else "", title="\u00a0")
            ax.tick_params(labelsize=9)
            ax.locator_params(axis="y", nbins=12 // rows)
            ax.xaxis.label.set_fontsize(10)
            ax.set_xlim(*seconds)
            ax.text(1.02, 0, longest, transform=ax.transAxes, fontsize=9, alpha=0)  # keeps the room

    def draw(
        self, panels: Sequence, moments_s, found: Sequence[Mapping[str, np.ndarray]],
        mark_s: float = np.nan,
    ) -> None:  # fmt: skip
        """Move all lines to what each of ``panels`` found; a moment may be marked."""
        for at, (panel, lines) in enumerate(zip(panels, found)):
            ax = self._axes[at]
            ax.set_title(panel.title, loc="left", fontsize=10)
            names = [*lines, *[""] * len(LOOKS)][: len(LOOKS)]
            for name, drawn in zip(names, self._lines[at]):
                values = np.where(np.isfinite(lines[name]), lines[name], np.nan) if name else []
                drawn.set_data(moments_s if name else [], values)
            limit = np.nan if panel.limit is None else panel.limit
            self._limits[at].set_ydata([limit, limit])
            self._marks[at].set_xdata([mark_s, mark_s])
            ax.set_ylim(0, _top(panel, lines))
            is_plain = len(lines) == 1 and "mean" not in lines
            self._place_names(at, [] if is_plain else names)

    def _place_names(self, at: int, names: Sequence[str]) -> None:
        """Write each name at the end of its line, and apart from the others."""
        ax, ends = self._axes[at], {}
        for said in self._names[at]:
            said.set_text("")
        for name, drawn, said in zip(names, self._lines[at], self._names[at]):
            values = np.asarray(drawn.get_ydata(), dtype=float)
            if name and np.isfinite(values).any():
                said.set_text(name)
                ends[said] = values[np.isfinite(values)][-1] / ax.get_ylim()[1]
        tall = ax.get_position().height * ax.figure.get_figheight()
        for said, up in zip(ends, spread(list(ends.values()), _LETTER_IN / tall)):
            said.set_y(up)


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Move heights between 0 and 1 until neighbours are about ``gap`` apart, their order kept."""
    moved = np.clip(heights, 0.0, 1.0)
    order = moved.argsort(kind="stable")
    for _ in range(60):
        for low, high in pairwise(order):
            lack = max(0.0, gap - (moved[high] - moved[low])) / 2
            moved[low], moved[high] = max(0.0, moved[low] - lack), min(1.0, moved[high] + lack)
    return moved.tolist()


def _name(ax, ink: str):
    look = {"transform": ax.transAxes, "va": "center", "fontsize": 9, "color": ink}
    return ax.text(1.02, 0, "", in_layout=False, **look)


def _top(panel, lines) -> float:
    if panel.top is not None:
        return panel.top
    highest = max([0.0, *(v[np.isfinite(v)].max(initial=0.0) for v in lines.values())])
    top = 1.25 * (max(highest, panel.limit or 0.0) or 1.0)
    power = 10 ** np.floor(np.log10(top))
    return power * next(step for step in STEPS if power * step >= top)
