"""Figures of lab 8: when the tokens of several streams come, and what a load did to them."""

from collections.abc import Mapping, Sequence

from labutils.viz.labels import readable
from labutils.viz.style import INK, color, dress, new_figure, points

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
        ax.label_outer()
        ax.set_ylim(-len(streams) + 0.4, 0.6)
    return fig


def token_times_in_words(ways: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """The same as a text alternative: from when to when each stream's tokens come."""
    said = [
        f"{name} {way} {at_s[0]:.2f} to {at_s[-1]:.2f} s"
        for way, streams in ways.items()
        for name, at_s in streams.items()
    ]
    return f"A row for each stream, a mark for each token. {'; '.join(said)}."


def loads_figure(
    measured: Mapping[str, Mapping[float, float]], predicted: Mapping[str, Mapping[float, float]],
    *, load_in_words: str = "load {:g}",
):  # fmt: skip
    """Draw a row for each quantile and load, from what was said to what was measured.

    Both map quantile -> load, as a share of the capacity -> milliseconds. ``load_in_words`` says
    it where it is something else.
    """
    rows = [(name, load) for name, found in measured.items() for load in sorted(found)]
    offs = {(n, load): 100 * (predicted[n][load] / measured[n][load] - 1) for n, load in rows}
    furthest = max(rows, key=lambda row: abs(offs[row]))
    fig, ax = new_figure(
        title=f"Predictions are off by {min(offs.values()):+.0f} to {max(offs.values()):+.0f} %, "
        f"furthest for {furthest[0]} at {load_in_words.format(furthest[1])}",
        x="time (ms)", width=7.5, height=1.3 + 0.27 * len(rows),
    )  # fmt: skip
    for at, (name, load) in enumerate(rows):
        ends = predicted[name][load], measured[name][load]
        ax.plot(ends, [at, at], color=color("reference"), lw=1.2)
        ax.plot(ends[:1], [at], **points("prediction"))
        ax.plot(ends[1:], [at], **points("measurement"))
        ax.annotate(f"{offs[name, load]:+.0f} %", (max(ends), at), xytext=(9, 0), va="center",
                    textcoords="offset points", fontsize=9.5, color=INK)  # fmt: skip
    for text, look, x in (("✖ said", "prediction", 0.7), ("● measured", "measurement", 0.82)):
        ax.annotate(text, (x, 1.02), xycoords="axes fraction", fontsize=10,
                    color=readable(color(look)))  # fmt: skip
    ax.set(xlim=(0, 1.12 * ax.get_xlim()[1]), ylim=(len(rows) - 0.4, -0.6))
    ax.set_yticks(range(len(rows)), [f"{n}, {load_in_words.format(load)}" for n, load in rows])
    ax.grid(axis="y", visible=False)
    return fig
