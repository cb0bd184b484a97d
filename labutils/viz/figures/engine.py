"""The figures of the engine's labs: what each request computed in which step, what memory held."""

from collections.abc import Mapping

import numpy as np
from matplotlib.colors import to_rgb

from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import key
from labutils.viz.style import CARD, INK, color, dress, line, new_figure

__all__ = ["reserved_slots", "step_charts"]

_PREFILL, _DECODE, _PREEMPTED = "theory", "service", "limit"


def step_charts(runs: Mapping[str, object], *, token_budget: int | None = None):
    """Draw runs step by step: a row per request, and below the tokens that each step computed.

    ``runs`` maps a title to a ``StepBook``; panels share the steps. Blue prefills, green
    decodes, red has just been preempted. ``token_budget`` is drawn where it is given, and named
    in the last panel.
    """
    most = max(len(book) for book in runs.values())
    ratios = [ratio for _ in runs for ratio in (3, 1)]
    fig, axes = new_figure(
        title=_chart_title(runs),
        height=0.9 + 2.9 * len(runs),
        rows=2 * len(runs),
        sharex=True,
        height_ratios=ratios,
    )
    for (title, book), above, below in zip(runs.items(), axes[::2], axes[1::2]):
        _lives(above, book, f"{title}: {len(book)} steps, {_share(book):.0f} % of the places busy")
        _tokens(below, book, token_budget)
    axes[-1].set_xlim(0, most)
    if token_budget is not None:
        _name_limit(axes[-1], most, token_budget, f"budget {token_budget}", va="top")
    dress(axes[-1], x="step of the engine")
    _key(axes[0])
    return fig


def _chart_title(runs) -> str:
    steps = " against ".join(f"{len(book):,}" for book in runs.values())
    if len(runs) > 1:
        return f"The same requests take {steps} steps"
    (book,) = runs.values()
    return f"In {steps} steps {100 - _share(book):.0f} % of the places stay empty"


def _share(book) -> float:
    """How full the fullest step's number of places was, on average, in per cent."""
    rows = [len(plan.chunks) for plan in book.plans]
    return 100 * float(np.mean(rows)) / max(rows)


def _lives(ax, book, title: str) -> None:
    row_of = {id: row for row, id in enumerate(book.ids)}
    picture = np.ones((len(row_of), len(book), 3)) * to_rgb(CARD)
    first, last = {}, {}
    for step, plan in enumerate(book.plans):
        for id, _ in plan.chunks:
            first.setdefault(id, step)
            last[id] = step
    for id, row in row_of.items():
        picture[row, : first[id]] = mixed("waiting", 0.25)
        picture[row, first[id] : last[id] + 1] = mixed("waiting", 0.6)
    for step, plan in enumerate(book.plans):
        for id in plan.preempted:
            picture[row_of[id], step] = to_rgb(color(_PREEMPTED))
        for id, _ in plan.chunks:
            shade = mixed(_DECODE, 0.75) if id in plan.decodes else mixed(_PREFILL, 1.0)
            picture[row_of[id], step] = shade
    ax.imshow(picture, aspect="auto", interpolation="none", extent=(0, len(book), len(row_of), 0))
    ax.grid(False)
    ax.set(yticks=[])
    dress(ax, y="request", title=title)
    ax.grid(False)


def _tokens(ax, book, token_budget: int | None) -> None:
    steps = np.arange(len(book))
    decodes = np.array([plan.shape.decode_sequences for plan in book.plans])
    prefills = np.array([plan.shape.prefill_tokens for plan in book.plans])
    ax.bar(steps + 0.5, decodes, width=1, color=mixed(_DECODE, 0.75))
    ax.bar(steps + 0.5, prefills, bottom=decodes, width=1, color=color(_PREFILL))
    if token_budget is not None:
        ax.axhline(token_budget, **line("limit"))
    dress(ax, y="tokens")
    ax.grid(False, axis="x")


def _key(ax) -> None:
    """The key, in a line of its own above the title of the first panel."""
    ax.set_title("\n" + ax.get_title(loc="left"), loc="left", fontsize=11)
    words = (
        (0.0, mixed("waiting", 0.6), "waiting"), (0.18, mixed(_PREFILL, 1.0), "prefill"),
        (0.34, mixed(_DECODE, 0.75), "decode"), (0.52, color(_PREEMPTED), "preempted"),
    )  # fmt: skip
    key(ax, words, up=22, size=10.5)


def reserved_slots(book, *, title: str = ""):
    """Draw, step by step, the slots of the KV memory that hold a token, are reserved, or are free.

    ``book`` is a ``StepBook``.
    """
    steps = np.arange(len(book))
    filled, reserved = np.array(book.filled), np.array(book.reserved)
    share = 100 * book.filled_share
    fig, ax = new_figure(
        title=title or f"{share:.0f} % of the slots hold a token, on average over the run",
        x="step of the engine", y="token slots", height=3.6,
    )  # fmt: skip
    ax.fill_between(steps, filled, step="mid", color=mixed("kv", 0.85), linewidth=0)
    ax.fill_between(
        steps, filled, reserved, step="mid", facecolor=mixed("kv", 0.2), hatch="///",
        edgecolor=mixed("kv", 0.5), linewidth=0,
    )  # fmt: skip
    ax.axhline(book.total, **line("limit"))
    middle = len(steps) // 3
    ax.text(middle, filled[middle] / 2, "holds a token", ha="center", va="center", color=CARD,
            fontsize=10.5, fontweight="bold")  # fmt: skip
    halfway = (filled[middle] + reserved[middle]) / 2
    ax.text(middle, halfway, "reserved, empty", ha="center", va="center", fontsize=10.5,
            color=INK, bbox={"facecolor": CARD, "edgecolor": "none", "pad": 1.5})  # fmt: skip
    _name_limit(ax, len(steps), book.total, f"all {book.total:,}", va="bottom")
    ax.set(xlim=(0, len(steps)), ylim=(0, 1.12 * book.total))
    return fig


def _name_limit(ax, x: float, y: float, name: str, *, va: str) -> None:
    """Write a limit's name at the right end of its line, above it (``"bottom"``) or below."""
    ax.annotate(name, (x, y), xytext=(-4, 3 if va == "bottom" else -3), ha="right", va=va,
                textcoords="offset points", fontsize=10, color=color("limit"))  # fmt: skip
