"""Nine small panels over the seconds of a run: a dashboard in the house style."""

from collections.abc import Mapping, Sequence

import numpy as np

from labutils.viz.style import color, dress, line, new_figure

LOOKS = ("theory", "measurement", "service", "backlog")
MOST_LINES = 4
STEPS = (1, 1.25, 1.6, 2, 2.5, 4, 6, 8, 10.001)  # in which an axis grows: rarely, so that it stands


class WallPanels:
    """Draws a panel on each place; the names of its lines stand above it, in their colours.

    The axis of time runs from ``seconds[0]`` to ``seconds[1]`` and is called ``x``.
    """

    def __init__(
        self, seconds: tuple[float, float], *, title: str, x: str = "second of the run",
        rows: int = 3, cols: int = 3,
    ):  # fmt: skip
        self.fig, axes = new_figure(
            title=title, rows=rows, cols=cols, width=9.6, height=7.4, sharex=True
        )
        self._axes = list(axes.flat)
        self._lines = [
            [ax.plot([], [], **line(look, linestyle="-", linewidth=1.5))[0] for look in LOOKS]
            for ax in self._axes
        ]
        self._limits = [ax.axhline(np.nan, **line("limit", linewidth=1.3)) for ax in self._axes]
        self._marks = [ax.axvline(np.nan, **line("reference")) for ax in self._axes]
        self._names = [
            [ax.text(0.02 + 0.45 / cols * at, 0.98, "", transform=ax.transAxes, va="top",
                     fontsize=9, color=color(look)) for at, look in enumerate(LOOKS)]
            for ax in self._axes
        ]  # fmt: skip
        for at, ax in enumerate(self._axes):
            dress(ax, x=x if at >= (rows - 1) * cols else "", title="\u00a0")
            ax.title.set_fontsize(10)
            ax.set_xlim(*seconds)

    def draw(
        self, panels: Sequence, moments_s, found: Sequence[Mapping[str, np.ndarray]],
        mark_s: float = np.nan,
    ) -> None:  # fmt: skip
        """Move all lines to what each of ``panels`` found; a moment may be marked."""
        for at, (panel, lines) in enumerate(zip(panels, found)):
            self._axes[at].set_title(panel.title, loc="left", fontsize=10)
            names = [*lines, *[""] * MOST_LINES][:MOST_LINES]
            for name, drawn, said in zip(names, self._lines[at], self._names[at]):
                values = np.where(np.isfinite(lines[name]), lines[name], np.nan) if name else []
                drawn.set_data(moments_s if name else [], values)
                said.set_text(name if len(lines) > 1 or name == "mean" else "")
            limit = np.nan if panel.limit is None else panel.limit
            self._limits[at].set_ydata([limit, limit])
            self._marks[at].set_xdata([mark_s, mark_s])
            self._axes[at].set_ylim(0, _top(panel, lines))


def _top(panel, lines) -> float:
    if panel.top is not None:
        return panel.top
    highest = max([0.0, *(v[np.isfinite(v)].max(initial=0.0) for v in lines.values())])
    top = 1.25 * (max(highest, panel.limit or 0.0) or 1.0)
    power = 10 ** np.floor(np.log10(top))
    return power * next(step for step in STEPS if power * step >= top)
