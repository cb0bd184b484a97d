"""The figures of chapter 03b: what an audit finds, how a mean settles, who hits the truth."""

import numpy as np

from labutils.ground.arguments import fraction, positive
from labutils.simulation.run_length import relative_deviation, required_requests
from labutils.viz.labels import label_line, readable
from labutils.viz.style import color, dress, line, new_figure, points

LEAST = 0.0005
"""The smallest error on the axis; a run that is closer stands on its edge."""


def missing_over_time(audit_s, missing, *, num_arrived: int):
    """Draw how many requests are unaccounted for at each audit; the last one is the total."""
    audits, lost = np.asarray(audit_s), np.asarray(missing)
    fig, ax = new_figure(
        title=f"{lost[-1]} of {num_arrived:,} requests are neither finished nor inside",
        x="time (s)",
        y="requests unaccounted for",
        height=3.4,
    )
    (steps,) = ax.step(audits, lost, where="post", **line("backlog"))
    ax.set(xlim=(0, audits[-1]), ylim=(0, 1.15 * max(1, lost.max())))
    label_line(ax, steps, "arrived − finished − inside", x=0.6 * audits[-1])
    return fig


def settling(lengths, means, *, utilization: float, within: float):
    """Draw how the mean latency of M/M/1 runs settles: the means so far, and their errors.

    ``means`` holds a row for each run, in service times, with a value for each of ``lengths``.
    The right panel holds a dot for each run at a few lengths and counts those that are off by
    more than the share ``within``, as the title does for ten thousand requests and for the end;
    the line is the error that 95 of 100 runs keep (``run_length``).
    """
    lengths, truth = np.asarray(lengths), 1 / (1 - fraction("utilization", utilization))
    errors = np.abs(np.asarray(means) / truth - 1)
    outside = (errors > positive("within", within)).sum(axis=0)
    early = _nearest(lengths, 10_000)
    fig, (left, right) = new_figure(
        title=f"{outside[early]} of {len(errors)} runs are off by more than {100 * within:g} % "
        f"after {_count(lengths[early])} requests, {outside[-1]} after {_count(lengths[-1])}",
        x="requests in the run so far",
        width=9,
        height=4.2,
        cols=2,
    )
    thin = {"color": color("measurement"), "linewidth": 0.8, "alpha": 0.6}
    left.plot(lengths, np.transpose(means), **thin)
    left.axhline(truth, **line("theory", linewidth=1.6))
    left.set(xscale="log", xlim=(lengths[0], lengths[-1]), ylim=(0, 2.4 * truth))
    dress(left, y="mean latency so far (service times)", title=f"{len(errors)} runs, one simulator")
    _bounds(right, lengths[0], utilization, within)
    powers = 10 ** np.arange(3, 9)
    for k in sorted({_nearest(lengths, n) for n in powers if n < lengths[-1] / 2} | {early, -1}):
        _dots(right, lengths[k], errors[:, k], within)
    dress(
        right, y="error so far (%)", title=f"their errors, and how many exceed {100 * within:g} %"
    )
    for ax in (left, right):
        ax.xaxis.set_major_formatter(lambda x, _: _count(x))
    return fig


def _nearest(lengths, n: float) -> int:
    return int(np.abs(np.log(lengths / n)).argmin()) % len(lengths)


def _dots(ax, length, errors, within: float) -> None:
    """One dot for each run, set apart sideways, and how many of them are off by too much."""
    beside = length * 1.2 ** np.linspace(-1, 1, len(errors))
    off = errors > within
    for shown, role, marker in ((off, "measurement", "X"), (~off, "service", "o")):
        look = points(role, marker=marker, markersize=4.5, markeredgewidth=0.3)
        ax.plot(beside[shown], 100 * np.maximum(errors[shown], LEAST), **look)
    ax.annotate(
        f"{off.sum()}", (length, 0.93), ha="center", color=color("measurement"),
        xycoords=("data", "axes fraction"),
    )  # fmt: skip


def _bounds(ax, shortest: float, utilization: float, within: float) -> None:
    n = np.geomspace(shortest, 2.2 * required_requests(utilization, within), 50)
    kept = 196 * relative_deviation(utilization, 1) / np.sqrt(n)
    (law,) = ax.loglog(n, kept, **line("theory"))
    (limit,) = ax.plot(n[[0, -1]], [100 * within] * 2, **line("limit", linewidth=1.6))
    ax.set(xlim=(n[0], n[-1]), ylim=(100 * LEAST, 600))
    ax.yaxis.set_major_formatter("{x:g}")
    label_line(ax, law, "theory: 95 of 100 runs stay below", x=3 * n[0])
    label_line(ax, limit, f"{100 * within:g} %", x=1.3 * n[0])


def coverage(panels: dict, *, truth: float):
    """Draw the intervals of many runs as bars, one panel for each method, misses set apart.

    ``panels`` maps a method's name to its (low, high) pairs, one for each run.
    """
    pairs = {name: np.asarray(ends, dtype=float) for name, ends in panels.items()}
    hits = {name: _holds(ends, truth) for name, ends in pairs.items()}
    said = ", ".join(f"{hit.sum()} of {hit.size} {name}" for name, hit in hits.items())
    fig, axes = new_figure(
        title=f"“95 %” intervals that hold the true mean: {said}",
        width=9,
        height=4.4,
        cols=len(pairs),
        sharey=True,
    )
    for ax, (name, ends) in zip(np.atleast_1d(axes), pairs.items()):
        _bars(ax, ends, hits[name], truth)
        dress(ax, x="run, sorted by its mean", title=name)
    first = np.atleast_1d(axes)[0]
    dress(first, y="mean latency (service times)")
    spread = max(np.abs(ends - truth).max() for ends in pairs.values())
    first.set_ylim(truth - 1.05 * spread, truth + 1.25 * spread)
    _name_marks(first, truth)
    return fig


def _bars(ax, ends, hit, truth: float) -> None:
    middle = ends.mean(axis=1)
    order = middle.argsort(kind="stable")
    run = np.arange(1, len(ends) + 1)
    for good, role, marker in ((False, "measurement", "X"), (True, "service", "o")):
        shown = hit[order] == good
        low, high = ends[order][shown].T
        look = points(role, marker=marker, markersize=2.5 if good else 3.2, markeredgewidth=0)
        ax.vlines(run[shown], low, high, color=color(role), linewidth=1.3)
        ax.plot(run[shown], (low + high) / 2, **look)
    ax.axhline(truth, **line("theory", linewidth=1.4))


def _name_marks(ax, truth: float) -> None:
    names = (("✕ misses", "measurement", 0.94), ("● holds the true mean", "service", 0.87))
    for text, role, height in names:
        ax.annotate(text, (0.03, height), xycoords="axes fraction", color=readable(color(role)))
    ax.annotate(
        "true mean", (0.97, truth), xycoords=("axes fraction", "data"), xytext=(0, -14),
        textcoords="offset points", ha="right", color=color("theory"),
    )  # fmt: skip


def _holds(ends, truth: float):
    return (ends[:, 0] <= truth) & (truth <= ends[:, 1])


def _count(number: float) -> str:
    """A count in words short enough for an axis: 3,000, 10,000, 3 million."""
    if number >= 1_000_000:
        return f"{number / 1e6:g} million"
    return f"{number:,.0f}"
