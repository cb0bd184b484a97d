"""The figures of the chapter on Little's law: each takes numbers and answers one question."""

import numpy as np

from labutils.laws import queueing
from labutils.viz.labels import label_line
from labutils.viz.style import CARD, color, line, new_figure, points


def edge_gap(lengths_s, gaps):
    """Draw by how much λ·W misses L, against the length of the window.

    ``gaps`` has a row for each of ``lengths_s``: the gap of every window of that length, as a
    share of L. Each window is a small point; the large ones are medians, and the line, one over
    the length, is fitted to them.
    """
    lengths, misses = np.asarray(lengths_s, dtype=float), 100 * np.abs(gaps)
    middle = np.median(misses, axis=1)
    scale = np.exp(np.mean(np.log(middle * lengths)))
    fig, ax = new_figure(
        title="Ten times the window, a tenth of the gap: the edges do not grow",
        x="length of the window (s)",
        y="gap between λ·W and L (% of L)",
        height=3.9,
    )
    each = np.broadcast_to(lengths[:, None], misses.shape)
    ax.loglog(each.ravel(), misses.ravel(), **points("measurement", markersize=4, alpha=0.15))
    (slope,) = ax.loglog(lengths, scale / lengths, **line("theory"))
    ax.loglog(lengths, middle, **points("measurement", markersize=9))
    ax.set_ylim(middle.min() / 20, 2 * misses.max())
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
    label_line(ax, slope, "∝ 1 / length", x=float(np.sqrt(lengths[-2] * lengths[-1])))
    ax.annotate(
        f"each of {misses.shape[1]} windows,\nand their median", (lengths[0], middle[0]),
        xytext=(16, 14), textcoords="offset points", color=color("measurement"),
    )  # fmt: skip
    return fig


def caught(latency_s, caught_s):
    """Set the latencies of a whole log beside those of the requests caught in flight."""
    mean = float(np.mean(latency_s))
    edges = np.linspace(0, 7, 29)
    fig, ax = new_figure(
        title=f"Requests caught in flight take {np.mean(caught_s) / mean:.1f} times as long as "
        "the mean of the log",
        x="latency of the request, in means of the log",
        y="density",
        height=3.9,
    )
    for values, name, text, at in (
        (latency_s, "measurement", "the log", 0.4),
        (caught_s, "limit", "caught in flight", 2.2),
    ):
        shares, _ = np.histogram(np.asarray(values) / mean, edges)
        density = shares / len(values) / np.diff(edges)
        (step,) = ax.step(edges, np.append(density, density[-1]), where="post",
                          color=color(name), lw=2)  # fmt: skip
        label_line(ax, step, text, x=at, fontweight="bold")
        ax.axvline(np.mean(values) / mean, ymax=0.9, **line(name, linewidth=1.4, linestyle=":"))
    ax.set(xlim=(0, 7), ylim=(0, None))
    return fig


def alarm(*, slots: int, seen: tuple[float, float]):
    """Draw in flight by slots against the share of busy slots, for one queue before ``slots``.

    The line is M/M/c: random arrivals, exponential services. ``seen`` is the dashboard's point,
    (share of busy slots, in flight by slots), both as fractions.
    """
    loads = np.linspace(0.02, 0.965, 200)
    ratios = np.array([queueing.MMc(load * slots, 1.0, slots).mean_num_in_system for load in loads])
    ratios /= slots
    crossing = float(np.interp(1.0, ratios, loads))
    fig, ax = new_figure(
        title=f"In flight reaches the number of slots at a load of {100 * crossing:.0f} %, "
        "with nothing wrong",
        x="busy slots, λS / c (%)",
        y="in flight by slots, L / c (%)",
        height=4.0,
    )
    (theory,) = ax.plot(100 * loads, 100 * ratios, **line("theory"))
    (equal,) = ax.plot([0, 100], [0, 100], **line("reference", linewidth=1.4))
    ax.axhline(100, **line("limit", linewidth=1.4))
    ax.plot(*(100 * np.array(seen)), **points("measurement", markersize=10))
    ax.set(xlim=(0, 100), ylim=(0, 200))
    label_line(ax, theory, f"{slots} slots, one queue", x=62)
    label_line(ax, equal, "no request waits", x=88)
    ax.annotate(
        f"the dashboard: {100 * seen[1]:.0f} %\nat {100 * seen[0]:.0f} % busy",
        (100 * seen[0], 100 * seen[1]), xytext=(-14, 14), textcoords="offset points", ha="right",
        color=color("measurement"),
    )  # fmt: skip
    ax.annotate("the alarm", (1, 100), xytext=(2, 5), textcoords="offset points",
                color=color("limit"))  # fmt: skip
    return fig


def resident(clock_s, held, *, mean: float):
    """Stack what each request holds over time; the dashed line is the
    long-run mean of the sum, which a short stretch need not show.

    ``held`` has a row for each request: the tokens that it holds at each time of ``clock_s``.
    """
    total = np.sum(held, axis=0)
    fig, ax = new_figure(
        title="One area again, and its bars thicken: tokens times seconds",
        x="time (s)",
        y="tokens held (thousands)",
        height=3.9,
    )
    shades = [(*_rgb("service"), share) for share in (0.35, 0.55, 0.8)]
    ax.stackplot(clock_s, np.asarray(held) / 1000, colors=shades, linewidth=0)
    ax.plot(clock_s, total / 1000, color=color("ink"), lw=1.2)
    ax.axhline(mean / 1000, **line("theory", linestyle=(0, (5, 2))))
    ax.annotate(
        f"λG = {mean / 1000:.1f}, the mean of the long run", (clock_s[0], mean / 1000),
        xytext=(6, 5), textcoords="offset points", color=color("theory"), fontweight="bold",
        bbox={"facecolor": CARD, "edgecolor": "none", "pad": 2, "alpha": 0.9},
    )  # fmt: skip
    ax.set(xlim=(clock_s[0], clock_s[-1]), ylim=(0, None))
    return fig


def _rgb(name: str) -> tuple:
    from matplotlib.colors import to_rgb

    return to_rgb(color(name))
