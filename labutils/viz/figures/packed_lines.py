"""The figure of lab 6: the line of tokens that the model sees in each step."""

from collections.abc import Sequence

from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import key, legible_on, readable
from labutils.viz.style import INK, color, dress, new_figure

_PREFILL, _DECODE = "theory", "service"


def packed_lines(lines: Sequence):
    """Draw each step as a line of tokens: blue prefills (a dot yields a token), green decodes.

    ``lines`` have ``rows`` (pairs of a request's name and its new tokens, in order), ``outputs``
    (places with logits) and ``preempted`` (names). Names are written where they fit.
    """
    longest = max(sum(new for _, new in line.rows) for line in lines)
    tokens = sum(len(line.outputs) for line in lines)
    fig, ax = new_figure(
        title=f"{len(lines)} calls of the model, {tokens} tokens of answers, and no padding",
        width=9,
        height=1.4 + 0.24 * len(lines),
    )
    for step, line in enumerate(lines):
        _draw(ax, step, line, longest)
    ax.set(xlim=(0, longest + 3), ylim=(len(lines), 0))
    dress(ax, x="place in the line", y="step")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(False)
    _key(ax)
    return fig


def _key(ax) -> None:
    shades = mixed(_PREFILL, 0.75), mixed(_DECODE, 0.75)
    key(ax, zip((0, 0.13), shades, ("prefill", "decode")), size=10.5)
    keys = {
        "● its last token yields the next one": INK,
        "at the right: preempted in this step": color("limit"),
    }
    for (name, shade), x in zip(keys.items(), (0.27, 0.62)):
        ax.annotate(
            name, (x, 1), xycoords="axes fraction", xytext=(0, 5),
            textcoords="offset points", fontsize=10.5, color=readable(shade),
        )  # fmt: skip


def _draw(ax, step: int, line, longest: int) -> None:
    """One line: a box for each row, a dot where logits are wanted, who lost its memory."""
    place = 0
    for name, new in line.rows:
        decodes = new == 1 and place in line.outputs  # else a single token of a prompt
        shade = mixed(_DECODE if decodes else _PREFILL, 0.75)
        ax.add_patch(Rectangle((place, step), new, 1, facecolor=shade, edgecolor="white"))
        look = {"fontsize": 8, "color": legible_on(shade)}
        ax.text(place + 0.5, step + 0.53, name, ha="center", va="center", **look)
        place += new
        if place - 1 in line.outputs and not decodes:
            ax.plot(place - 0.5, step + 0.5, ".", color=INK, markersize=5)
    if line.preempted:
        ax.text(
            longest + 0.4, step + 0.55, " ".join(map(str, line.preempted)), va="center",
            fontsize=8.5, color=readable(color("limit")),
        )  # fmt: skip
