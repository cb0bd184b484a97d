"""The figures of chapter 12b: what load tests of real engines report, and what simulations say."""

from collections.abc import Mapping, Sequence

import numpy as np

from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import key_above, label_line, note
from labutils.viz.style import INK, color, line, new_figure, points

_LOOKS = (("measurement", "o"), ("theory", "D"), ("waiting", "^"))


def by_stage(
    names: Sequence[str],
    columns: Mapping[str, Sequence[float]],
    *,
    title: str,
    x: str,
    log: bool = False,
    truth: float | None = None,
    parted: int | None = None,
):
    """Draw a row for each stage of the load tests, and in it a mark for each column.

    ``truth`` is a line at a value, ``parted`` a line after so many rows.
    """
    fig, ax = new_figure(title=title, x=x, width=7.2, height=1.4 + 0.17 * len(names))
    at = -np.arange(len(names))
    for (name, values), (look, marker) in zip(columns.items(), _LOOKS, strict=False):
        ax.plot(values, at, **points(look, markersize=6, marker=marker), label=name)
    if truth is not None:
        ax.axvline(truth, **line("reference", linewidth=1.4))
    if parted is not None:
        ax.axhline(0.5 - parted, color=INK, linewidth=1)
    ax.set_yticks(at, names, fontsize=9)
    ax.set_ylim(at[-1] - 0.7, 0.7)
    if log:
        ax.set_xscale("log")
    key_above(ax, bbox_to_anchor=(-0.25, 1))
    return fig


def users_and_steps(
    lines: Mapping[str, tuple[float, float]], *, users_per_ms: float, measured_ms: float
):
    """Draw how long a step takes by the users in it, and how many users a step time brings.

    ``lines`` maps two names to ms of a step (empty, for each user). By Little's law
    ``users_per_ms`` are there for each ms that a token takes. Where both agree, the load stays.
    """
    crossings = {name: empty / (1 - each * users_per_ms) for name, (empty, each) in lines.items()}
    few, many = crossings.values()
    fig, ax = new_figure(
        title=f"Where a step meets Little's law: a token takes {many:.1f} ms instead of {few:.1f}, "
        f"measured {measured_ms:.1f}",
        x="users in the engine", y="ms a token", width=6.5, height=3.4,
    )  # fmt: skip
    users = np.array([0.0, 1.3 * users_per_ms * max(*crossings.values(), measured_ms)])
    ax.set(xlim=users, ylim=(0, users[1] / users_per_ms))
    places = (("theory", 0.7, -18), ("service", 0.1, 12))
    for (name, (empty, each)), (look, x, up) in zip(lines.items(), places, strict=True):
        ax.plot(users, empty + each * users, **line(look))
        at = x * users[1]
        note(ax, f"a step, {name}", (at, empty + each * at), look, shift=(0, up))
        ax.plot(users_per_ms * crossings[name], crossings[name], **points(look, markersize=9))
    (little,) = ax.plot(users, users / users_per_ms, **line("waiting"))
    label_line(ax, little, "Little's law", x=0.9 * users[1])
    spot = users_per_ms * measured_ms, measured_ms
    ax.plot(*spot, **points("measurement", markersize=9))
    note(ax, "measured", spot, "measurement", shift=(-66, 12))
    return fig


def missed_steps(*, step_s: float, edge_s: float, comes: float = 0.5):
    """Draw a newcomer beside an engine's steps, one that plans when a step ends and one ahead.

    ``comes`` is the share of the running step that is over when the request arrives.
    """
    step, edge = 1e3 * step_s, 1e3 * edge_s
    seen = (3 - comes) * step + edge
    fig, ax = new_figure(
        title=f"Half a step, one that was handed over, one of its own, and the way: {seen:.0f} ms, "
        f"{seen / step:.1f} steps",
        x="ms since the request came", width=6.6, height=2.3,
    )  # fmt: skip
    handed, own, way = mixed("theory", 0.45), color("service"), mixed("waiting", 0.5)
    rows = {"plans as a step ends": (), "plans a step ahead": (("handed over", handed),)}
    for at, missed in enumerate(rows.values()):
        left = -comes * step
        pieces = (
            ("running", mixed("theory", 0.25)),
            *missed,
            ("its first token", own),
            ("way", way),
        )
        for words, fill in pieces:
            width = edge if words == "way" else step
            ax.barh(-at, 0.97 * width, left=left, height=0.5, color=fill)
            middle = left + width * (0.78 if words == "running" else 0.5)
            ink = "white" if words == "its first token" else INK
            look = {"ha": "center", "va": "center", "fontsize": 9, "color": ink}
            ax.text(middle, -at, words, **look)
            left += width
    ax.axvline(0, ymax=0.84, **line("measurement", linewidth=1.6))
    note(ax, "the request comes", (0, 0.42), "measurement", shift=(4, 3))
    ax.set_yticks([0, -1], list(rows), fontsize=10)
    ax.set(ylim=(-1.5, 0.95), xlim=(-comes * step, seen + 1))
    ax.grid(False, axis="y")
    return fig


def cliff(factors: Sequence[float], e2e_s: Sequence[float], ttft_s: Sequence[float], measured):
    """Draw mean E2E and p90 of TTFT as multiples of those of the step as fitted (factor 1).

    ``measured`` is the measured (mean E2E, p90 TTFT), in seconds.
    """
    one = list(factors).index(1.0)
    last = list(factors).index(1.1)
    mean, tail = (np.array(row) / row[one] for row in (e2e_s, ttft_s))
    fig, ax = new_figure(
        title=f"A step longer by a tenth: the mean takes {mean[last]:.2f} times as long, the p90 "
        f"of TTFT {tail[last]:.1f} times",
        x="length of a step, as fitted = 1", y="times as long", width=6.5, height=3.2,
    )  # fmt: skip
    drawn_lines = []
    for values, name, look in ((mean, "mean E2E", "theory"), (tail, "p90 of TTFT", "waiting")):
        (drawn,) = ax.plot(factors, values, **line(look, marker="o", markersize=5))
        drawn_lines.append((drawn, name))
    for value, base, look in zip(measured, (e2e_s, ttft_s), ("theory", "waiting"), strict=True):
        ax.axhline(value / base[one], color=color(look), linewidth=1, linestyle=(0, (2, 2)))
        note(ax, "measured", (min(factors), value / base[one]), look, shift=(0, 3), fontsize=9)
    ax.set_yscale("log")
    ax.set_ylim(0.8, 1.4 * tail.max())
    ticks = [tick for tick in (1, 2, 5, 10, 20, 50) if tick < 1.4 * tail.max()]
    ax.set_yticks(ticks, ticks)
    ax.set_yticks([], minor=True)
    for drawn, name in drawn_lines:
        label_line(ax, drawn, name, x=1.1)
    return fig


def gave_up(rows: Mapping[str, Mapping[str, tuple[float, float]]], *, patience_s: float):
    """Draw how many gave up in each overload, and how long the answers took that came.

    ``rows`` maps what was measured or simulated to a table of models: the share that gave up, and
    the p90 of the answers that came, in seconds.
    """
    first = next(iter(rows.values()))
    worst = max(share for share, _ in first.values())
    fig, (left, right) = new_figure(
        title=f"Up to {100 * worst:.0f} % gave up, and the p90 of the others does not show it",
        rows=1, cols=2, sharey=True, width=7.2, height=2.6,
    )  # fmt: skip
    at = -np.arange(len(first))
    for (name, table), (look, marker) in zip(rows.items(), _LOOKS, strict=False):
        shares, p90s = zip(*table.values(), strict=True)
        left.plot(100 * np.array(shares), at, **points(look, marker=marker), label=name)
        right.plot(p90s, at, **points(look, marker=marker))
    left.set_yticks(at, list(first))
    left.set(ylim=(at[-1] - 0.6, 0.6), xlim=(-4, 104), xlabel="gave up (%)")
    right.axvline(patience_s, **line("limit", linewidth=1.4))
    right.set(xlim=(0, 1.15 * patience_s), xlabel="p90 of the answers that came (s)")
    key_above(left, bbox_to_anchor=(-0.35, 1))
    return fig
