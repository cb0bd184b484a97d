"""Nine small panels over the seconds of a run: a dashboard in the house style."""

from collections.abc import Mapping, Sequence

import numpy as np

from labutils.viz.style import color, dress, line, new_figure

LOOKS = ("theory", "measurement", "service", "backlog")
MOST_LINES = 4


class WallPanels:
    """Draws up to nine panels; the names of a panel's lines stand above it, in their colours."""

    def __init__(self, seconds: float, *, title: str):
        self.fig, axes = new_figure(title=title, rows=3, cols=3, width=9.6, height=7.4, sharex=True)
        self._axes = list(axes.flat)
        self._lines = [
            [ax.plot([], [], **line(look, linestyle="-", linewidth=1.5))[0] for look in LOOKS]
            for ax in self._axes
        ]
        self._limits = [ax.axhline(np.nan, **line("limit", linewidth=1.3)) for ax in self._axes]
        self._names = [
            [ax.text(0.02 + 0.15 * at, 0.98, "", transform=ax.transAxes, va="top", fontsize=9,
                     color=color(look)) for at, look in enumerate(LOOKS)]
            for ax in self._axes
        ]  # fmt: skip
        for at, ax in enumerate(self._axes):
            dress(ax, x="second of the run" if at >= 6 else "", title="\u00a0")
            ax.title.set_fontsize(10)
            ax.set_xlim(0, seconds)

    def draw(self, panels: Sequence, moments_s, found: Sequence[Mapping[str, np.ndarray]]) -> None:
        """Move all lines to what each of ``panels`` found."""
        for at, (panel, lines) in enumerate(zip(panels, found)):
            self._axes[at].set_title(panel.title, loc="left", fontsize=10)
            names = [*lines, *[""] * MOST_LINES][:MOST_LINES]
            for name, drawn, said in zip(names, self._lines[at], self._names[at]):
                values = np.where(np.isfinite(lines[name]), lines[name], np.nan) if name else []
                drawn.set_data(moments_s if name else [], values)
                said.set_text(name if len(lines) > 1 or name == "mean" else "")
            limit = np.nan if panel.limit is None else panel.limit
            self._limits[at].set_ydata([limit, limit])
            self._axes[at].set_ylim(0, _top(panel, lines))


def _top(panel, lines) -> float:
    if panel.top is not None:
        return panel.top
    highest = np.nanmax([np.where(np.isfinite(v), v, 0).max() for v in lines.values()])
    return 1.3 * max(highest, panel.limit or 0.0, 1e-3)
