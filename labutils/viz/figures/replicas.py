"""The figures of chapter 14: routers over many replicas, and who orders how many of them.

Routers get their colours by their order, four at most: name them in one order throughout.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.ticker import MaxNLocator

from labutils.serving.replicas import ReplicasRun
from labutils.viz.figures.lanes import mixed
from labutils.viz.figures.replica_lanes import Lanes, waiting
from labutils.viz.labels import key_above, label_line, note, readable
from labutils.viz.style import INK, color, dress, line, new_figure, points

_LOOKS = (("reference", "P"), ("measurement", "o"), ("theory", "D"), ("service", "s"))
_MOMENTS = 400  # of a window
_UNBOUNDED = 1000  # from such a bound on no replica is left out
_PERCENT = (0.001, 0.01, 0.1, 1, 10, 100)


def queues(runs: Mapping[str, ReplicasRun], *, between_s: tuple[float, float], title: str):
    """Draw what waits for its first token at each replica, a column for each router (1 to 3)."""
    at_s = np.linspace(*between_s, _MOMENTS)
    counts = {name: waiting(run, at_s) for name, run in runs.items()}
    most = max(1, *(int(each.max()) for each in counts.values()))
    replicas = max(map(len, counts.values()))
    fig, axes = new_figure(
        title=title, cols=len(runs), sharey=True, squeeze=False,
        width=max(4.6, 2.4 * len(runs)), height=1.5 + 0.32 * replicas,
    )  # fmt: skip
    for ax, (name, each) in zip(axes.flat, counts.items()):
        Lanes(ax, replicas).draw(at_s, each, most=most)
        dress(ax, x="time (s)", title=name)
        ax.grid(False)
        ax.set_xlim(between_s)
        ax.spines["left"].set_visible(False)
    axes.flat[0].set_ylabel("replica")
    fig.supxlabel(
        f"■ waiting for the first token; a full lane: {most} requests",
        x=0.99, ha="right", fontsize=10, color=readable(color("queue")),
    )  # fmt: skip
    return fig


def by_age(
    ages_s: Sequence[float], ttft_s: Mapping[str, Sequence[float]], *, title: str,
    y: str = "median TTFT (s)",
):  # fmt: skip
    """Draw TTFT by the age of the reports, a line for each router."""
    fig, ax = new_figure(title=title, x="age of the reports (s)", y=y, width=6.2, height=3.6)
    ax.set_xscale("symlog", linthresh=min(age for age in ages_s if age > 0))
    ax.set_xticks(ages_s, [f"{age:g}" for age in ages_s])
    ax.set_xticks([], minor=True)
    ax.set_yscale("log")
    for drawn, name in _lines(ax, ages_s, ttft_s):
        drawn.set_label(name)
    ax.set_ylim(bottom=0.7 * min(map(min, ttft_s.values())))
    key_above(ax, ncols=2)  # the lines lie too close for names beside them
    return fig


def by_replicas(
    replicas: Sequence[float], hit_shares: Mapping[str, Sequence[float]],
    ttft_s: Mapping[str, Sequence[float]], *, title: str, x: str = "replicas",
):  # fmt: skip
    """Draw what share of prompt tokens a cache had, and median TTFT, by number of replicas.

    Or by another ``x``. Where medians differ by more than ten times their axis is logarithmic.
    """
    fig, (left, right) = new_figure(title=title, x=x, cols=2, sharex=True, width=7.2, height=3.5)
    left.set_xscale("log", base=2)
    left.set_xticks(replicas, [f"{value:g}" for value in replicas])
    left.set_xticks([], minor=True)
    left.set_xlim(replicas[0] / 1.15, replicas[-1] * 1.15)
    dress(left, title="prompt tokens found in a cache (%)")
    medians = np.array([*ttft_s.values()])
    is_wide = medians.max() > 10 * medians.min()
    dress(right, title=f"median TTFT ({'s' if is_wide else 'ms'})")
    _lines(left, replicas, {name: np.multiply(100, row) for name, row in hit_shares.items()})
    left.set_ylim(0, min(100, 150 * max(map(max, hit_shares.values()))))
    scale = 1 if is_wide else 1e3
    drawn = _lines(right, replicas, {name: np.multiply(scale, row) for name, row in ttft_s.items()})
    if is_wide:
        right.set_yscale("log")
        right.yaxis.set_major_formatter("{x:g}")
    else:
        right.set_ylim(bottom=0)
    _label(right, drawn)
    return fig


def by_bound(
    bounds: Sequence[float], hit_shares: Sequence[float], ttft_p99_s: Sequence[float], *, title: str
):
    """Draw what the bound of a router by prefix buys, hits, and what it costs, the p99 of TTFT."""
    names = ["none" if bound >= _UNBOUNDED else f"{bound:g}" for bound in bounds]
    fig, panels = new_figure(
        title=title, x="bound (× mean in flight)", cols=2, width=7.0, height=3.2
    )
    told = (
        ("prompt tokens found in a cache (%)", np.multiply(100, hit_shares), "theory"),
        ("p99 of TTFT (s)", ttft_p99_s, "measurement"),
    )
    for ax, (what, values, look) in zip(panels, told):
        ax.plot(range(len(names)), values, **line(look, linestyle="-", marker="o"))
        ax.set_xticks(range(len(names)), names)
        dress(ax, title=what)
    panels[0].set_ylim(0, 112 * max(hit_shares))
    panels[1].set_yscale("log")
    panels[1].yaxis.set_major_formatter("{x:g}")
    return fig


def claims(rows: Sequence[tuple], *, title: str):
    """Draw how many times as long a tail is one way as another, and what was claimed of it.

    A row is (what is compared, claimed or None, low, middle, high): an interval on a log axis.
    """
    names, claimed, low, middle, high = zip(*rows, strict=True)
    at = -np.arange(len(rows), dtype=float)
    fig, ax = new_figure(
        title=title, x="p99 of TTFT, times as long", width=6.8, height=1.5 + 0.36 * len(rows)
    )  # fmt: skip
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.axvline(1, color=INK, linewidth=1.2)
    ax.hlines(at, low, high, color=color("measurement"), linewidth=2.4)
    ax.plot(middle, at, **points("measurement"), label="measured, with its interval")
    known = [(value, y) for value, y in zip(claimed, at) if value is not None]
    hollow = {"markerfacecolor": "none", "markeredgecolor": color("theory"), "markeredgewidth": 1.8}
    if known:
        look = points("theory", marker="D", markersize=9) | hollow
        ax.plot(*zip(*known), **look, label="claimed")
    ax.set_yticks(at, names)
    ax.set_ylim(at[-1] - 0.6, 0.6)
    ax.grid(False, axis="y")
    key_above(ax)
    return fig


def minutes_of(run: ReplicasRun, in_time: np.ndarray, minutes: int) -> tuple:
    """The fewest replicas ordered and up in each minute (by its two halves), and the minutes in
    which over 1 % came late."""
    last = np.searchsorted(run.scaling.at_s, 30 * np.arange(2 * minutes), side="right") - 1
    up = run.scaling.up[np.maximum(last, 0)]
    ordered = up + np.where(last < 0, 0, run.scaling.booting[last])
    up, ordered = (row.reshape(minutes, 2).min(axis=1) for row in (up, ordered))
    sent = (run.log.sent_s // 60).astype(int)
    late, all_sent = (np.bincount(which, minlength=minutes) for which in (sent[~in_time], sent))
    return ordered, up, np.flatnonzero(late > 0.01 * all_sent)


def morning(rate_per_s: Sequence[float], told: Mapping[str, tuple], *, title: str):
    """Draw arrivals by the minute, and what autoscalers (2 to 4) made of them.

    ``told`` maps each name to what ``minutes_of`` says of its run.
    """
    minutes = np.arange(len(rate_per_s))
    fig, (top, *panels) = new_figure(
        title=title, rows=1 + len(told), sharex=True, width=6.8, height=1.7 + 1.15 * len(told)
    )
    hours = np.asarray(minutes) / 60
    top.plot(hours, rate_per_s, **line("theory"))
    top.set_ylim(bottom=0)
    dress(top, title="requests per second")
    most = max(max(map(max, (ordered, up))) for ordered, up, _ in told.values())
    for ax, (name, (ordered, up, broken)) in zip(panels, told.items(), strict=True):
        ax.fill_between(hours, up, step="post", color=mixed("service", 0.4), linewidth=0)
        ax.step(hours, ordered, where="post", **line("service", linestyle="-", linewidth=1.4))
        look = {"marker": "|", "linestyle": "none", "color": color("measurement"), "markersize": 7}
        ax.plot(np.asarray(broken) / 60, np.full(len(broken), 1.16 * most), **look)
        ax.set_ylim(0, 1.3 * most)
        dress(ax, title=f"{name}: {len(broken)} min broken")
    panels[-1].set(xlabel="hours", xlim=(hours[0], hours[-1]))
    panels[-1].xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    for ax in (top, *panels):
        ax.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    fig.legend(*_morning_key(panels[0]), loc="outside lower left", ncols=3, frameon=False)
    return fig


def bills(points_of: Mapping[str, tuple[float, float]], *, title: str, log: bool = False):
    """Draw broken promises (%) against GPU hours, a named point for each autoscaler."""
    fig, ax = new_figure(title=title, x="GPU hours", y="promises broken (%)", width=6.4, height=3.9)
    hours, broken = map(np.array, zip(*points_of.values(), strict=True))
    look = points("measurement", markersize=9, clip_on=False)
    spots = [ax.plot(*spot, **look)[0] for spot in points_of.values()]
    room = 0.18 * np.ptp(hours)
    ax.set_xlim(hours.min() - room, hours.max() + 1.6 * room)
    ax.set_ylim(-0.12 * broken.max(), 1.15 * broken.max())
    if log:
        least = broken[broken > 0].min()
        ax.set_yscale("symlog", linthresh=least)
        ax.set_yticks([0, *(tick for tick in _PERCENT if tick > 1.5 * least)])
        ax.set_ylim(-0.5 * least, 1.6 * broken.max())
        ax.yaxis.set_major_formatter("{x:g}")
    note(ax, "↙ cheap, and promises kept", (0, 0), "ink", xycoords="axes fraction", va="bottom")
    for spot, name in zip(spots, points_of):
        label_line(ax, spot, name)
    return fig


def thrown(
    names: Sequence[str], seconds_thrown: Sequence[float], ttft_s: Sequence[float], *, title: str
):
    """Draw for each router the prefill that it threw away per request, beside the p90 of TTFT."""
    fig, panels = new_figure(
        title=title, cols=2, sharey=True, width=7.0, height=1.3 + 0.36 * len(names)
    )
    at = -np.arange(len(names))
    told = (
        ("prefill thrown away (ms a request)", np.multiply(1e3, seconds_thrown), "%.0f", "backlog"),
        ("p90 of TTFT (s)", ttft_s, "%.3g", "measurement"),
    )
    for ax, (what, values, words, look) in zip(panels, told):
        bars = ax.barh(at, values, height=0.6, color=color(look))
        ax.bar_label(bars, fmt=words, padding=4, fontsize=10, color=INK)
        ax.set_xlim(0, 1.18 * max(values))
        dress(ax, title=what)
        ax.grid(False, axis="y")
    panels[1].set(xscale="log", xlim=(0.5 * min(ttft_s), 4 * max(ttft_s)))
    panels[1].xaxis.set_major_formatter("{x:g}")
    panels[0].set_yticks(at, names)
    return fig


def _lines(ax, x: Sequence[float], rows: Mapping[str, Sequence[float]]) -> list[tuple]:
    """Draw a line for each router, in the order of their colours."""
    if len(rows) > len(_LOOKS):
        raise ValueError(f"{len(rows)} routers: expected at most {len(_LOOKS)}")
    drawn = []
    for (name, row), (look, marker) in zip(rows.items(), _LOOKS):
        changes = {"linestyle": "-", "marker": marker, "markersize": 5}
        drawn += [(one, name) for one in ax.plot(x, row, **line(look, **changes))]
    return drawn


def _label(ax, lines) -> None:
    ax.set(xlim=ax.get_xlim(), ylim=ax.get_ylim())  # a label asks what is in sight
    for drawn, name in lines:
        label_line(ax, drawn, name)


def _morning_key(ax) -> tuple:
    filled, (ordered, broken) = ax.collections[0], ax.lines
    return (ordered, filled, broken), ("replicas ordered", "up", "promise broken in this minute")
