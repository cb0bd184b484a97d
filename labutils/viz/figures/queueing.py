"""The figures of the queueing chapters: each takes numbers, answers one question in its title."""

import numpy as np

from labutils.ground.arguments import positive, whole
from labutils.laws import queueing
from labutils.viz.style import CARD, band, color, line, new_figure, points


def timeline(run, *, first: int):
    """Draw the first requests of a run as bars: pale while they wait, solid in service."""
    first = whole("first", first)
    arrival, start, end = (
        1000 * (column[:first] - run.arrival_s[0])
        for column in (run.arrival_s, run.start_s, run.departure_s)
    )
    idle = np.maximum(0, start[1:] - end[:-1]).sum() / end[-1]
    fig, ax = new_figure(
        title=f"{(start > arrival + 1e-9).sum()} of {first} requests wait, although the server is "
        f"idle {100 * idle:.0f} % of this time",
        x="time (ms)",
        y="request",
        height=3.6,
    )
    rows = np.arange(1, first + 1)
    ax.barh(rows, start - arrival, left=arrival, color=color("waiting"), alpha=0.45, height=0.7)
    shortest = 0.004 * end[-1]  # else a quick service would not show
    shown = np.maximum(end - start, shortest)
    ax.barh(rows, shown, left=start, color=color("service"), height=0.7)
    for begin, finish in zip(end[:-1], start[1:]):
        if finish > begin:
            ax.axvspan(begin, finish, **band("reference", alpha=0.12))
    ax.invert_yaxis()
    ax.set_yticks(rows, rows, fontsize=8)
    key = {"waiting": ("waiting", 0.45), "in service": ("service", 1), "idle": ("reference", 0.2)}
    _key(ax, key)
    return fig


def _key(ax, entries: dict) -> None:
    """Name the colours of bars and bands, which have no line end to write on."""
    from matplotlib.patches import Patch

    patches = [Patch(color=color(name), alpha=alpha) for name, alpha in entries.values()]
    ax.legend(patches, entries, loc="lower left", frameon=False, fontsize=10)


def occupancy(shares, queue: queueing.MM1, *, up_to: int):
    """Set the measured shares of time with k in the system against the geometric line."""
    k = np.arange(whole("up_to", up_to) + 1)
    rho = queue.utilization
    fig, ax = new_figure(
        title=f"At load {rho:g}, each further request inside is {rho:g} times as likely",
        x="requests in the system, k",
        y="share of time",
    )
    ax.semilogy(k, (1 - rho) * rho**k, **line("theory"))
    seen = np.asarray(shares)[: k.size]
    ax.semilogy(k[: seen.size], seen, **points("measurement"))
    ax.annotate(
        "theory: (1 - ρ) ρᵏ",
        (k[2 * k.size // 3], (1 - rho) * rho ** k[2 * k.size // 3]),
        xytext=(8, 8),
        textcoords="offset points",
        color=color("theory"),
    )
    ax.annotate(
        "measured",
        (k[seen.size // 7], seen[seen.size // 7]),
        xytext=(-12, -24),
        textcoords="offset points",
        color=color("measurement"),
        ha="right",
    )
    ax.set_xticks(k[:: max(1, k.size // 10)])
    return fig


def no_knee(*, tops=(5, 25, 400)):
    """Draw 1/(1 - load) under three vertical limits, each with the bend that it suggests.

    The bend is marked where the drawn curve rises at 45 degrees: where its slope 1/(1 - load)**2
    equals the height of the axis (its width is 1), so at load 1 - 1/sqrt(top).
    """
    fig, axes = new_figure(
        title="One curve, three axes: the knee sits wherever you stop drawing",
        x="load",
        y="latency (service times)",
        width=9,
        height=3.5,
        cols=len(tops),
    )
    rho = 1 - np.geomspace(1, 1e-4, 600)
    for ax, top in zip(axes, tops):
        knee = 1 - 1 / np.sqrt(positive("top", top))
        ax.plot(rho, 1 / (1 - rho), **line("theory"))
        ax.plot(knee, 1 / (1 - knee), **points("limit", marker="o", markersize=9))
        ax.annotate(
            f"knee at {100 * knee:.0f} %?",
            (knee, 1 / (1 - knee)),
            xytext=(-10, 12),
            textcoords="offset points",
            ha="right",
            color=color("limit"),
            fontweight="bold",
        )
        ax.set(xlim=(0, 1), ylim=(0, top), title=f"axis up to {top}")
        ax.set_box_aspect(1)
    for ax in axes[1:]:
        ax.set_ylabel("")
    return fig


CEILING_LINES = ((0, "backlog"), (1, "theory"), (4, "queue"))
"""Service variability, and the role that colours its line."""


def ceilings(*, target: float, folklore=()):
    """Draw the highest admissible load against fleet size, for three service variabilities.

    ``target`` is the promised mean latency in service times; ``folklore`` are loads to dash in.
    """
    target = positive("target", target)
    fleet = np.unique(np.geomspace(1, 64, 25).round().astype(int))
    curves = {
        scv: [100 * _highest_load(target, int(servers), scv) for servers in fleet]
        for scv, _ in CEILING_LINES
    }
    ends = [sorted(curve[at] for curve in curves.values()) for at in (0, -1)]
    fig, ax = new_figure(
        title="For one promise, a single server may be {:.0f} to {:.0f} % busy, "
        "and 64 servers {:.0f} to {:.0f} %".format(*ends[0][::2], *ends[1][::2]),
        x="servers behind one queue",
        y="highest admissible load (%)",
        height=4.8,
    )
    for scv, name in CEILING_LINES:
        ax.semilogx(fleet, curves[scv], base=2, **line(name))
        ax.annotate(
            f"scv {scv}",
            (1, curves[scv][0]),
            xytext=(-8, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            color=color(name),
            bbox={"facecolor": CARD, "edgecolor": "none", "pad": 1},
        )
    for load in folklore:
        ax.plot((1, 64), [100 * load] * 2, **line("limit", linewidth=1))
        ax.annotate(
            f"“{100 * load:.0f} %”", (64, 100 * load), xytext=(10, -4),
            textcoords="offset points", color=color("limit"), annotation_clip=False,
        )  # fmt: skip
    ax.set(xlim=(0.6, 64), ylim=(20, 100), xticks=[1, 2, 4, 8, 16, 32, 64])
    ax.xaxis.set_major_formatter("{x:.0f}")
    return fig


def _highest_load(target: float, servers: int, scv: float) -> float:
    shape = {"num_servers": servers, "scv_arrival": 1.0, "scv_service": scv}
    return queueing.largest_utilization(target, model=queueing.GGc, **shape)


def recovery(fluid: queueing.Overload, clock, backlogs):
    """Lay the fluid line of an overload over simulated ``backlogs``.

    ``clock`` holds seconds since the overload began, ``backlogs`` a row for each run.
    """
    low, middle, high = np.percentile(backlogs, (10, 50, 90), axis=0)
    fig, ax = new_figure(
        title=f"{fluid.duration_s:.0f} s of overload take {fluid.drain_s:.0f} s to drain, "
        "and the unlucky runs take longer",
        x="time since the overload began (s)",
        y="requests in the system",
    )
    ax.axvspan(0, fluid.duration_s, **band("limit"))
    ax.fill_between(clock, low, high, **band("measurement"))
    ax.plot(clock, middle, **line("measurement"))
    corner = [0, fluid.duration_s, fluid.duration_s + fluid.drain_s]
    ax.plot(corner, [0, fluid.peak_backlog, 0], **line("theory"))
    _name_recovery(ax, fluid, clock, high, len(backlogs))
    return fig


def _name_recovery(ax, fluid, clock, high, runs):
    peak = fluid.peak_backlog
    ax.annotate("overload", (fluid.duration_s / 2, 1.32 * peak), ha="center", color=color("limit"))
    ax.annotate(
        "fluid line: up at λ - μ, down at μ - λ′",
        (fluid.duration_s + 0.02 * fluid.drain_s, 0.98 * peak),
        xytext=(46, 30),
        textcoords="offset points",
        color=color("theory"),
        arrowprops={"arrowstyle": "-", "color": color("theory")},
    )
    at = np.searchsorted(clock, fluid.duration_s + 0.9 * fluid.drain_s)
    ax.annotate(
        f"median of {runs} runs;\nshaded: 10th to 90th percentile",
        (clock[at], high[at]),
        xytext=(18, 24),
        textcoords="offset points",
        color=color("measurement"),
    )
    ax.set(xlim=(clock[0], clock[-1]), ylim=(0, 1.45 * peak))
