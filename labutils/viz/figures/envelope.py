"""The figure of a sealed prediction: what the simulator said, over what the engine then did."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from labutils.serving.trials import BACKLOG, Reveal
from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import readable
from labutils.viz.style import INK, color, line, new_figure, points

_NAMES = {
    "ttft_p50_s": "TTFT p50",
    "ttft_p99_s": "TTFT p99",
    "tpot_p50_s": "TPOT p50",
    "tpot_p99_s": "TPOT p99",
    BACKLOG: "backlog",
}
_MOST_RATIO = 3.0
_EDGE = _MOST_RATIO / 1.06  # where marks stand that lie beyond the axes
_ROOM_FOR_KEY = 1.35


def envelope_figure(reveal: Reveal, guesses: Mapping[tuple[float, str], float] | None = None):
    """Draw predicted over measured, a mark per quantity and load, on the band of each load.

    Small marks are the single pieces of a load, the large one is their middle. ``guesses`` maps
    (share of capacity, quantity) to what somebody said; ``...`` is left out.
    """
    rows = reveal.rows
    fig, ax = new_figure(
        title=_envelope_title(reveal), y="predicted / measured", width=8.6, height=4.6
    )
    at = np.arange(len(rows), dtype=float)
    ax.axhline(1, **line("reference"))
    for x, row in zip(at, rows):
        _band_and_pieces(ax, x, row)
        _mark(ax, x, 1 + row.error, **points("theory", markersize=9))
        guess = (guesses or {}).get((row.share, row.quantity), ...)
        if guess is not ... and row.measured:
            _mark(ax, x, guess / row.measured, **points("prediction", markersize=10))
    ax.set_yscale("log")
    ax.set_ylim(1 / _MOST_RATIO / _ROOM_FOR_KEY, _MOST_RATIO)
    ticks = (0.5, 0.8, 1.0, 1.25, 2.0)
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_yticks([], minor=True)
    ax.set_xticks(at, [_NAMES[row.quantity].replace(" ", "\n") for row in rows], fontsize=9)
    _loads(ax, rows)
    _envelope_key(ax, guessed=any(one is not ... for one in (guesses or {}).values()))
    return fig


def _envelope_title(reveal: Reveal) -> str:
    if not reveal.graded:
        return "Not judged: the pieces are too few, or too small"
    held = f"{reveal.inside} of {len(reveal.graded)} predictions lie in their band"
    return f"The machine was busy ({held})" if reveal.steady.is_busy else held


def _band_and_pieces(ax, x: float, row) -> None:
    """How far off the prediction may be, and what each piece of the load says."""
    ax.fill_between(
        [x - 0.5, x + 0.5], 1 - row.band, 1 + row.band, color=mixed("theory", 0.14), linewidth=0
    )
    shares = np.clip(row.ratios, 1 / _EDGE, _EDGE)
    ax.plot([x + 0.22] * len(shares), shares, **points("measurement", markersize=5))


def _mark(ax, x: float, ratio: float, **look) -> None:
    """A mark; one beyond the axes stands at their edge, with its value."""
    if math.isnan(ratio):
        return
    shown = float(np.clip(ratio, 1 / _EDGE, _EDGE))
    ax.plot([x], [shown], **look)
    if shown != ratio:
        ax.annotate(f"{ratio:.2g}", (x, shown), xytext=(7, -3), textcoords="offset points",
                    fontsize=9, color=INK)  # fmt: skip


def _loads(ax, rows: Sequence) -> None:
    """Name each group of quantities by its load, and part the groups."""
    for share in dict.fromkeys(row.share for row in rows):
        own = [k for k, row in enumerate(rows) if row.share == share]
        graded = "" if any(rows[k].graded for k in own) else ", not judged"
        ax.text(
            np.mean(own), 1.01, f"load {share:g}{graded}", ha="center", va="bottom",
            transform=ax.get_xaxis_transform(), fontsize=10, color=INK,
        )  # fmt: skip
        if own[0]:
            ax.axvline(own[0] - 0.5, color="#c9c5b8", linewidth=0.8)


def _envelope_key(ax, *, guessed: bool) -> None:
    keys = [("the simulator", "theory"), ("one piece", "measurement")]
    keys += [("your guess", "prediction")] if guessed else []
    for (name, role), x in zip(keys, (0.02, 0.22, 0.46)):
        ax.plot([x], [0.05], transform=ax.transAxes, **points(role, markersize=8))
        ax.text(x + 0.02, 0.05, name, transform=ax.transAxes, va="center", fontsize=10,
                color=readable(color(role)))  # fmt: skip
