"""The figure of lab 2: how often each pair of tokens was compared, with a cache and without."""

from collections.abc import Mapping

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from labutils.ground.arguments import whole
from labutils.viz.style import CARD, INK, color, dress, new_figure


def pair_counts(counts: Mapping[str, np.ndarray], *, prompt: int):
    """Draw, for each run, how often the token of a row looked at that of a column.

    ``counts`` maps the name of a run to a square array, the first to the run without a cache;
    ``prompt`` tokens were there before the first answer token.
    """
    prompt = whole("prompt", prompt)
    (first, most), *_, (last, least) = counts.items()
    fig, axes = new_figure(
        title=f"{np.sum(most):,.0f} comparisons {first}, {np.sum(least):,.0f} {last}: "
        "the same pairs, each of them once",
        width=9,
        height=4.9,
        cols=len(counts),
        sharey=True,
    )
    shades = LinearSegmentedColormap.from_list("pairs", [CARD, color("flops")])
    top = max(np.max(table) for table in counts.values())
    for ax, (name, table) in zip(np.atleast_1d(axes), counts.items()):
        _draw(ax, np.asarray(table), shades, top)
        ax.axhline(prompt - 0.5, color=color("ink"), linewidth=1)
        dress(ax, x="token that is looked at", title=f"{name}: {np.sum(table):,.0f} comparisons")
        ax.grid(False)
    first_ax = np.atleast_1d(axes)[0]
    first_ax.set_ylabel("token that looks")
    first_ax.annotate(
        "prompt above the line", (len(table) - 0.6, prompt - 0.5), xytext=(0, 5), ha="right",
        textcoords="offset points", color=INK, fontsize=10,
    )  # fmt: skip
    return fig


def _draw(ax, table: np.ndarray, shades, top: float) -> None:
    size = len(table)
    ax.imshow(table, cmap=shades, vmin=0, vmax=1.15 * top)
    ax.set(xticks=range(0, size, 4), yticks=range(0, size, 4))
    if size > 24:
        return
    for (row, column), count in np.ndenumerate(table):
        if count:
            ax.text(column, row, f"{count:.0f}", ha="center", va="center", color=INK, fontsize=7.5)
