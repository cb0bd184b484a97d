"""Figures of lab 8: when the tokens of several streams come, and what a load did to them."""

from collections.abc import Mapping, Sequence

from labutils.viz.labels import readable
from labutils.viz.style import color, dress, line, new_figure, points

_LOOKS = ("theory", "service", "backlog", "reference")


def token_times_figure(ways: Mapping[str, Mapping[str, Sequence[float]]]):
    """Draw a mark for each token, a line for each stream, a panel for each way to serve them.

    ``ways``: the way in words -> stream -> moments in seconds, in the order of the first token.
    """
    waits = {way: max(times[0] for times in streams.values()) for way, streams in ways.items()}
    first, *_, last = waits
    title = f"The last first token: {waits[first]:.2f} s {first}, {waits[last]:.2f} s {last}"
    fig, axes = new_figure(
        title=title, x="time (s)", width=8, height=1.9 * len(ways) + 0.6, rows=len(ways),
        sharex=True, squeeze=False,
    )  # fmt: skip
    for ax, (way, streams) in zip(axes.flat, ways.items()):
        for row, times in enumerate(streams.values()):
            ax.vlines(times, -row - 0.3, -row + 0.3, color=color(_LOOKS[min(row, 1)]), lw=1.2)
        ax.set_yticks([-row for row in range(len(streams))], list(streams))
        dress(ax, title=way, y="")
        ax.set_ylim(-len(streams) + 0.4, 0.6)
    return fig


def loads_figure(
    measured: Mapping[str, Mapping[float, float]], predicted: Mapping[str, Mapping[float, float]]
):
    """Draw quantiles over the load: points measured, lines predicted. Values in milliseconds."""
    offs = [
        abs(predicted[name][load] / value - 1)
        for name, found in measured.items()
        for load, value in found.items()
    ]
    title = f"Predictions are off by {100 * min(offs):.0f} to {100 * max(offs):.0f} %"
    fig, ax = new_figure(
        title=title, x="load, as a share of the capacity", y="time (ms)", width=8, height=4
    )
    for (name, found), look in zip(measured.items(), _LOOKS):
        loads = sorted(found)
        ax.plot(loads, [predicted[name][load] for load in loads], **line(look))
        ax.plot(loads, [found[load] for load in loads], **points(look))
        ax.annotate(
            name, (loads[-1], found[loads[-1]]), xytext=(8, 0), textcoords="offset points",
            color=readable(color(look)), va="bottom" if name.endswith("p90") else "top",
        )  # fmt: skip
    ax.set_yscale("log")
    loads = sorted({load for found in measured.values() for load in found})
    ax.set(xlim=(loads[0] - 0.03, loads[-1] + 0.09))
    ax.set_xticks(loads)
    return fig
