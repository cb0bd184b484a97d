"""The figure of chapter 10: a service whose cache is flushed, second by second."""

import numpy as np

from labutils.simulation.flush import FlushRun
from labutils.viz.labels import readable
from labutils.viz.style import color, dress, line, new_figure

LOOKS = ("reference", "measurement", "theory", "backlog", "service")
SMOOTHED_S = 10
WIDE = 4.2  # of the first run, which is seen on both sides of one that does the same


def flush_panels(runs, *, title, remedy_s, in_time) -> tuple:
    """The figure without the runs' names, its three axes, and three curves for each run by name."""
    first = next(iter(runs.values()))
    fig, axes = new_figure(title=title, width=8.6, height=5.2, rows=3, sharex=True)
    tops = 108, 108, 1.15 * max(run.queue_length.max() for run in runs.values()) + 1
    for ax, label, top in zip(axes, ("answered (%)", "hit rate (%)", "backend queue"), tops):
        dress(ax, y=label)
        ax.set(xlim=(0, len(first.table) / 60), ylim=(0, top))
        ax.locator_params(axis="y", nbins=4)
    dress(axes[-1], x="time (minutes)")
    if in_time is not None:
        axes[-1].axhline(in_time, **line("limit", linewidth=1.4))
        # Curves go everywhere, so the name stands above the panel.
        said = "- - up to here answers come in time"
        _write(axes[-1], said, (1, 1), "axes fraction", role="limit", ha="right")
    for said, at_s in (("flush", first.flush_s), ("remedy", remedy_s)):
        if at_s is not None and at_s < np.inf:
            for ax in axes:
                ax.axvline(at_s / 60, color=color("limit"), linewidth=1)
            _write(axes[0], said, (at_s / 60, 1), ("data", "axes fraction"))
    drawn = {
        name: [_curve(ax, run, values, look) for ax, values in zip(axes, curves_of(run))]
        for look, (name, run) in zip(LOOKS, runs.items(), strict=False)
    }
    return fig, axes, drawn


def curves_of(run: FlushRun) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the panels show of a run: shares in per cent, and a length."""
    return 100 * run.good_share, 100 * smoothed(run.hit_rate), smoothed(run.queue_length)


def smoothed(values: np.ndarray) -> np.ndarray:
    """The mean of each value and the nine before it; of fewer at the beginning."""
    known = np.nan_to_num(values)  # a second without an attempt has no hit rate
    sums = np.cumsum(np.concatenate(([0.0], known)))
    last = np.arange(1, known.size + 1)
    first = np.maximum(last - SMOOTHED_S, 0)
    return (sums[last] - sums[first]) / (last - first)


def _curve(ax, run: FlushRun, values, look: str):
    width = WIDE if look == LOOKS[0] else 1.8
    return ax.plot(run.seconds / 60, values, **line(look, linewidth=width, linestyle="-"))[0]


def _write(ax, said: str, at, coordinates, *, role: str = "ink", ha: str = "center") -> None:
    ax.annotate(
        said, at, xycoords=coordinates, xytext=(0, 2), textcoords="offset points", va="bottom",
        ha=ha, fontsize=9.5, color=readable(color(role)),
    )  # fmt: skip
