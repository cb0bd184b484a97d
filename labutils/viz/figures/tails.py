"""The figures of chapter 08: fan-out, hedging, and the loop that it closes."""

import numpy as np

from labutils.ground.arguments import fraction, positive
from labutils.laws import tails
from labutils.simulation.incident import IncidentRuns
from labutils.viz.labels import label_line, readable
from labutils.viz.style import CARD, band, color, dress, line, new_figure, points, role

FAN_OUT = np.unique(np.geomspace(1, 2000, 45).round().astype(int))
CORRELATIONS = ((0.0, "theory"), (0.1, "service"), (0.4, "queue"), (0.8, "measurement"))
"""How alike the leaves are, and the role that colours the line."""


def slow_pages(leaf_slow_share: float, *, read_at: int = 100):
    """Draw the share of slow pages against the number of leaves, for several correlations.

    The correlation is that of the latent normal numbers of two leaves (Vasicek 1987), not that
    of being slow.
    """
    share = fraction("leaf_slow_share", leaf_slow_share)
    read = [100 * tails.slow_share(share, read_at, correlation=c) for c, _ in CORRELATIONS]
    fig, ax = new_figure(
        title=f"{100 * share:g} % slow leaves make {read[0]:.0f} % of the pages with {read_at} "
        "leaves slow, if the leaves are independent",
        x="leaves that a page asks",
        y="slow pages (%)",
    )
    ax.axvline(read_at, **line("reference", linewidth=1.2))
    drawn = []
    for (correlation, name), at in zip(CORRELATIONS, read):
        slow = [100 * tails.slow_share(share, int(n), correlation=correlation) for n in FAN_OUT]
        drawn += ax.semilogx(FAN_OUT, slow, **line(name, linestyle="-"))
        ax.plot(read_at, at, **points(name))
    drawn += ax.semilogx(FAN_OUT[[0, -1]], [100 * share] * 2, **line("limit", linewidth=1.6))
    ax.set(xlim=(1, FAN_OUT[-1]), ylim=(0, 103), xticks=[1, 10, 100, 1000])
    ax.xaxis.set_major_formatter("{x:,.0f}")
    names = [f"latent correlation {c:g}" for c, _ in CORRELATIONS] + ["all stall together"]
    names[0] = "independent"
    for (line_, text), x in zip(zip(drawn, names), (60, 250, 400, 500, 400)):
        label_line(ax, line_, text, x=x)
    return fig


def hedged_tails(leaves: dict, *, trigger_quantile: float = 0.95, q: float = 0.999):
    """Draw the tail of each leaf with and without a copy sent after its own trigger quantile.

    ``leaves`` maps a name to the tail function P(T > t) of the leaf, with t in milliseconds.
    """
    at = fraction("trigger_quantile", trigger_quantile)
    hedges = {
        name: tails.Hedge(tail, tails.tail_quantile(tail, at)) for name, tail in leaves.items()
    }
    gains = (
        f"by {tails.tail_quantile(leaves[name], q) / hedge.quantile(q):.2g} for {name}"
        for name, hedge in hedges.items()
    )
    fig, axes = new_figure(
        title=f"{100 * (1 - at):.0f} % more requests divide the p{100 * q:g} {', '.join(gains)}",
        x="latency (ms)",
        y="share that takes longer",
        width=9,
        height=4.0,
        cols=len(leaves),
        sharex=True,
        sharey=True,
    )
    for ax, (name, hedge) in zip(np.atleast_1d(axes), hedges.items()):
        _hedged_tail(ax, name, leaves[name], hedge, q)
    for ax in np.atleast_1d(axes)[1:]:
        ax.set_ylabel("")
    return fig


def _hedged_tail(ax, name, tail, hedge, q: float) -> None:
    slow, t = tails.tail_quantile(tail, q), np.geomspace(0.05, 500, 400)
    (alone,) = ax.loglog(t, [tail(x) for x in t], **line("reference", linestyle="-"))
    (copied,) = ax.loglog(t, [hedge.tail(x) for x in t], **line("theory"))
    ax.loglog([hedge.trigger_s] * 2, [3e-3, 1], **line("limit", linewidth=1.6))
    sides = (("theory", hedge.quantile(q), "right", -8), ("reference", slow, "left", 8))
    for drawn, answer, side, shift in sides:
        ax.plot(answer, 1 - q, **points(drawn, marker="o"))
        ax.annotate(
            f"{answer:.3g} ms", (answer, 1 - q), xytext=(shift, 3), textcoords="offset points",
            ha=side, color=color(drawn), bbox={"facecolor": CARD, "edgecolor": "none", "pad": 1},
        )  # fmt: skip
    ax.set(xlim=(t[0], t[-1]), ylim=(3e-4, 1.1))
    ax.set_yticks([1, 0.1, 0.01, 0.001], ["100 %", "10 %", "1 %", "0.1 %"])
    ax.xaxis.set_major_formatter("{x:g}")
    dress(ax, title=name)
    label_line(ax, alone, "alone", x=tails.tail_quantile(tail, 0.985))
    label_line(ax, copied, "with a copy", x=hedge.quantile(0.99))
    ax.annotate(
        "copy sent", (hedge.trigger_s, 0.5), xytext=(5, 0), textcoords="offset points",
         color=readable(color("limit")), fontsize=10.5,
    )  # fmt: skip


def incident(seen: IncidentRuns, *, peak, switch_s: float):
    """Draw the load and the median latency of a fleet through a peak and what it leaves behind.

    ``peak`` is (from_s, to_s); at ``switch_s`` cancellation is switched on.
    """
    was, is_, again_s = incident_in_numbers(seen, peak=peak, switch_s=switch_s)
    fig, (top, bottom) = new_figure(
        title=f"The peak ended, the outage did not: {switch_s - peak[1]:g} s later the same load "
        f"has a median of {is_:.0f} s, no longer {1000 * was:.0f} ms",
        height=6.2,
        rows=2,
        sharex=True,
        height_ratios=(1, 1.15),
    )
    dress(top, y="load (capacity: 1)")
    dress(bottom, x="time (s)", y="median latency")
    for ax in (top, bottom):
        ax.axvspan(peak[1], switch_s, **band("limit", alpha=0.1))
        for moment in (peak[1], switch_s):
            ax.axvline(moment, **line("ink", linewidth=1.2))
    _loads(top, seen, peak, switch_s)
    _medians(bottom, seen, switch_s, again_s)
    return fig


def incident_in_numbers(seen: IncidentRuns, *, peak, switch_s: float) -> tuple:
    """Median latency (s) before the peak and at the switch, and when it is healthy again (s).

    Each is the median over the runs; healthy is within twice the median before the peak.
    """
    middle = np.nanmedian(seen.median_s, axis=0)
    was = float(np.nanmedian(seen.median_s[:, seen.times_s <= peak[0]]))
    is_ = float(middle[seen.times_s <= switch_s][-1])
    well = (seen.times_s > switch_s) & (middle <= 2 * was)
    return was, is_, float(seen.times_s[well.argmax()]) if well.any() else np.inf


def _loads(ax, seen: IncidentRuns, peak, switch_s: float) -> None:
    sent, asked = (np.median(rows, axis=0) for rows in (seen.sent, seen.asked))
    ax.axhline(1, **line("limit", linewidth=1.6))
    ax.fill_between(seen.times_s, asked, sent, **band("measurement", alpha=0.25))
    ax.plot(seen.times_s, sent, **line("measurement", linestyle="-"))
    ax.plot(seen.times_s, asked, **line("theory"))
    ax.set(ylim=(0, 1.95), yticks=[0, 0.5, 1, 1.5])
    middle, after = (peak[1] + switch_s) / 2, switch_s + 2
    told = (
        (middle, 0.18, f"requests alone: {asked[_near(seen, middle)]:.1f}", "theory", "center"),
        (
            middle,
            1.3,
            f"all is sent twice: {sent[_near(seen, middle)]:.1f}",
            "measurement",
            "center",
        ),
        (sum(peak) / 2, 0.18, "peak", "ink", "center"),
        (after, 1.06, "capacity", "limit", "left"),
        (peak[1] - 1, 1.76, "peak over", "ink", "right"),
        (after, 1.76, "cancellation on", "ink", "left"),
    )
    for x, y, text, name, side in told:
        ax.annotate(text, (x, y), ha=side, color=readable(color(name)), fontsize=10.5)


def _near(seen: IncidentRuns, moment: float) -> int:
    return int(np.abs(seen.times_s - moment).argmin())


def _medians(ax, seen: IncidentRuns, switch_s: float, again_s: float) -> None:
    _banded(ax, seen.times_s, seen.median_s)
    ax.set(yscale="log", ylim=(0.006, 200), xlim=(0, seen.times_s[-1]))
    ax.set_yticks([0.01, 0.1, 1, 10, 100], ["10 ms", "100 ms", "1 s", "10 s", "100 s"])
    if np.isfinite(again_s):
        middle = np.nanmedian(seen.median_s[:, seen.times_s == again_s])
        ax.plot(again_s, middle, **points("measurement", markersize=9))
        ax.annotate(
            f"healthy\n{again_s - switch_s:.0f} s later", (again_s, middle), xytext=(9, 12),
            textcoords="offset points", color=role("ink").color, fontsize=10.5,
        )  # fmt: skip
    ax.annotate(
        f"median run of {len(seen.median_s)};\nshaded: 8 of 10 runs",
        (0.015, 0.86), xycoords="axes fraction", color=readable(color("measurement")),
        fontsize=10.5,
    )  # fmt: skip


def _banded(ax, times_s, rows) -> None:
    seen = np.isfinite(rows).any(axis=0)
    times_s, rows = times_s[seen], rows[:, seen]
    low, middle, high = np.nanpercentile(rows, (10, 50, 90), axis=0)
    ax.fill_between(times_s, low, high, **band("measurement", alpha=0.3))
    ax.plot(times_s, middle, **line("measurement", linestyle="-"))


LOOPS = (("measurement", 0.8), ("theory", 0.6), ("service", 0.45))
"""Loads whose loops are drawn, from the highest to the lowest, and their roles."""


def loop(trigger: float, *, loads=LOOPS):
    """Draw the load that the clients send against the load at the servers.

    ``trigger`` is in mean service times. Below capacity a fleet settles where its curve
    crosses the diagonal; the square beyond is what a dead fleet is sent.
    """
    trigger = positive("trigger", trigger)
    given = np.linspace(0.3, 1.7, 1401)
    (_, high), (_, middle), (_, low) = loads
    fig, ax = new_figure(
        title=f"At load {middle:g} the fleet is healthy or dead, at {high:g} it dies, at {low:g} "
        "it heals",
        x="load at the servers, copies included",
        y="load that the clients then send",
        height=5.2,
    )
    ax.axvspan(1, given[-1], **band("limit", alpha=0.08))
    (same,) = ax.plot(given, given, **line("reference", linestyle="-"))
    drawn = [
        ax.plot(given, _sent(load, given, trigger), **line(name, linestyle="-"))[0]
        for name, load in loads
    ]
    for name, load in loads:
        for x, stays in _rests(load, trigger):
            face = {} if stays else {"markerfacecolor": "none", "markeredgecolor": color(name)}
            marker = "s" if x > 1 else "o"
            ax.plot(x, x, **points(name, marker=marker, markersize=10, **face))
    ax.set(xlim=(given[0], given[-1]), ylim=(0.4, 1.75))
    for (_, load), curve in zip(loads, drawn):
        label_line(ax, curve, f"load {load:g}", x=1.35)
    label_line(ax, same, "sent = load at the servers", x=0.42)
    ax.annotate("more than the\nservers can do", (1.02, 0.43), color=color("limit"))
    return fig


def _sent(load: float, given, trigger: float):
    """Load of the requests and of the copies of those that are late (see ``tails.feedback``)."""
    return load * (1 + np.exp(-np.maximum(0.0, 1 - given) * trigger))


def _rests(load: float, trigger: float) -> list[tuple[float, bool]]:
    """Where a load's curve meets the diagonal, and whether the fleet stays there."""
    found = tails.effective_loads(load, trigger, mean_service_time=1.0) or ()
    below = [(x, stays) for x, stays in zip(found, (True, False)) if x < 1]
    return below + [(2 * load, True)] * (2 * load > 1)
