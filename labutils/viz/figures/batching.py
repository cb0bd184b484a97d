"""The figures of chapter 04: what a batch costs, and what becomes of latency under load."""

import math
from collections.abc import Mapping

import numpy as np

from labutils.ground.arguments import positive, whole
from labutils.laws import batching
from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import key, label_line, readable
from labutils.viz.style import CARD, band, color, dress, line, new_figure, points


def sweep(fit: batching.BatchFit, timings: Mapping):
    """Draw measured times of batches with the affine ``fit``, and the throughput that follows.

    ``timings`` maps batch sizes to a ``Timing``. Points are what was fitted; bars reach from there
    to the 90th percentile of the runs, and out of the picture where a run was much disturbed.
    """
    model, sizes = fit.model, np.array(sorted(timings))
    has_limit = model.per_item_s > 0  # else times do not grow with the batch
    fine = np.geomspace(1, sizes[-1], 200)
    fig, (left, right) = new_figure(
        title=f"A batch costs {1000 * model.fixed_s:.2g} ms and {1000 * model.per_item_s:.2g} ms "
        "for each request in it, so throughput "
        + (f"ends at {_short(model.limit_per_s)}/s" if has_limit else "does not end here"),
        width=9,
        height=4.2,
        cols=2,
    )
    fitted = fit.times_s
    high = np.array([timings[size].high_s for size in sizes])
    dress(left, x="batch size", y="time of a batch (ms)")
    dress(right, x="batch size", y="throughput (1/s)")
    (cost,) = left.plot(fine, 1000 * model(fine), **line("theory"))
    _measured(left, sizes, 1000 * fitted, 1000 * high)
    if has_limit:
        right.axhline(model.limit_per_s, **line("limit", linewidth=1.6))
        right.annotate(
            f"limit 1/c₁: {_short(model.limit_per_s)}/s", (0.03, model.limit_per_s), xytext=(0, 5),
            xycoords=right.get_yaxis_transform(), textcoords="offset points", color=color("limit"),
        )  # fmt: skip
    right.plot(fine, model.throughput_per_s(fine), **line("theory"))
    _measured(right, sizes, sizes / fitted, sizes / high)
    top = 1000 * max(model(sizes[-1]), min(high.max(), 1.4 * fitted.max()))
    left.set(xlim=(0, 1.04 * sizes[-1]), ylim=(0, 1.08 * top))
    end = model.limit_per_s if has_limit else float((sizes / fitted).max())
    right.set(xlim=(0, 1.04 * sizes[-1]), ylim=(0, 1.15 * end))
    label_line(left, cost, "fit: c₀ + c₁ b", x=0.45 * sizes[-1])
    return fig


def _measured(ax, sizes, fitted, slow) -> None:
    ax.vlines(sizes, fitted, slow, color=color("measurement"), alpha=0.6, linewidth=3)
    ax.plot(sizes, fitted, **points("measurement"))


def three_models(fits: Mapping[str, batching.BatchFit], *, up_to: int = 4096):
    """Continue three fits to the same measurements beyond them, as throughput.

    ``fits`` holds "affine", "roofline" and "log", in any order.
    """
    sizes = np.geomspace(1, whole("up_to", up_to, at_least=2), 300)
    affine, log = fits["affine"], fits["log"]
    promised = log.model.throughput_per_s(up_to) / affine.model.limit_per_s
    fig, ax = new_figure(
        title=f"Fitted to the same points, the logarithm promises {promised:.2g} times the "
        f"machine's limit at a batch of {up_to:,}",
        x="batch size",
        y="throughput (1/s)",
        height=4.6,
    )
    ax.set(xscale="log", yscale="log", xlim=(1, up_to))
    measured = affine.batches[-1]
    ax.axvspan(1, measured, **band("measurement", alpha=0.08))
    ax.axhline(affine.model.limit_per_s, **line("limit", linewidth=1.6))
    roles = {"affine": "theory", "roofline": "service", "log": "queue"}
    drawn = {
        name: ax.plot(sizes, fits[name].model.throughput_per_s(sizes), **line(role))[0]
        for name, role in roles.items()
    }
    ax.plot(affine.batches, affine.batches / affine.times_s, **points("measurement"))
    ax.set_xticks([1, 4, 16, 64, 256, 1024, 4096], labels=None)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.minorticks_off()
    ax.annotate(
        "measured", (math.sqrt(measured), 0.03), xycoords=ax.get_xaxis_transform(), ha="center",
        color=readable(color("measurement")), fontsize=10.5,
    )  # fmt: skip
    label_line(ax, drawn["log"], "logarithm", x=up_to / 8)
    label_line(ax, drawn["affine"], "affine", x=up_to / 3)
    label_line(ax, drawn["roofline"], "flat, then linear", x=up_to / 16)
    return fig


def full_batches(arrival_rate: float, model: batching.AffineBatchTime, simulated: Mapping):
    """Set the simulated mean latency of full batches beside the exact one, over the batch size.

    ``simulated`` maps sizes that keep up to mean seconds. The dashed line is the latency without
    any queue: (B - 1) / 2 arrival gaps and the batch.
    """
    rate = positive("arrival_rate", arrival_rate)
    first = batching.least_stable_batch(rate, model)
    sizes = np.arange(first, max(simulated) + 1)
    exact = 1000 * np.array(
        [batching.fill_batch_mean_sojourn(rate, model, int(size)) for size in sizes]
    )
    best = int(sizes[exact.argmin()])
    fig, ax = new_figure(
        title=f"At {rate:g}/s the best full batch is {best}: smaller ones queue for the machine, "
        "larger ones wait to fill",
        x="B: the batch is full",
        y="mean latency (ms)",
        height=4.4,
    )
    top = 1.25 * exact[-1]
    ax.fill_between(
        [0, rate * model.fixed_s / (1 - rate * model.per_item_s)], 0, top, facecolor="none",
        edgecolor=color("limit"), hatch="//", alpha=0.4, linewidth=0,
    )  # fmt: skip
    (theory,) = ax.plot(sizes, exact, **line("theory"))
    all_sizes = np.arange(1, sizes[-1] + 1)
    floor = 1000 * ((all_sizes - 1) / (2 * rate) + model(all_sizes))
    (alone,) = ax.plot(all_sizes, floor, **line("reference"))
    ax.plot(list(simulated), [1000 * s for s in simulated.values()], **points("measurement"))
    ax.set(xlim=(0, sizes[-1] + 1), ylim=(0, top))
    label_line(ax, theory, "exact, and simulated", x=0.45 * sizes[-1])
    label_line(ax, alone, "fill and service alone", x=0.72 * sizes[-1])
    ax.text(
        0.5 * first, 0.8 * top, "cannot\nkeep up", ha="center", color=color("limit"),
        bbox={"facecolor": CARD, "edgecolor": "none", "pad": 2},
    )  # fmt: skip
    return fig


def batch_timeline(run, *, first: int):
    """Draw the first requests of a run without window: waiting, and the batch that took them.

    Bars that begin and end together are one batch. A wait until the batch is full would show in
    the colour of filling.
    """
    first = whole("first", first)
    begin = run.arrival_s[0]
    arrival, start, end = (
        1000 * (column[:first] - begin) for column in (run.arrival_s, run.start_s, run.finish_s)
    )
    ready = arrival + 1000 * run.fill_s[:first]
    fig, ax = new_figure(
        title="With no window, a batch holds the requests that came while the one before ran",
        x="time (ms)",
        y="request",
        height=3.8,
    )
    rows = np.arange(1, first + 1)
    bars = {"height": 0.7}
    ax.barh(rows, ready - arrival, left=arrival, color=color("backlog"), alpha=0.6, **bars)
    ax.barh(rows, start - ready, left=ready, color=mixed("waiting", 0.5), **bars)
    ax.barh(rows, end - start, left=start, color=color("service"), **bars)
    ax.invert_yaxis()
    ax.set_yticks(rows[::2], rows[::2], fontsize=8)
    words = (0.02, mixed("waiting", 0.5), "waits for the machine"), (
        0.36, color("service"), "in the batch",
    )  # fmt: skip
    key(ax, words, y=0.04)
    return fig


def own_size(model: batching.AffineBatchTime, rates, settings: Mapping[str, tuple]):
    """Draw mean batch and mean latency against the arrival rate, one line for each setting.

    ``settings`` maps a name to (role, runs), with a ``BatchRun`` or ``None`` (cannot keep up) for
    each of ``rates``. The dashed line is the fluid batch λ c0 / (1 - λ c1).
    """
    rates = np.asarray(rates, dtype=float)
    fig, (left, right) = new_figure(
        title="Without a window the batch grows with the traffic, and latency stays lowest",
        width=9,
        height=4.4,
        cols=2,
    )
    dress(left, x="arrivals (1/s)", y="mean batch")
    dress(right, x="arrivals (1/s)", y="mean latency (ms)")
    fine = np.linspace(rates[0], rates[-1], 200)
    (fluid,) = left.plot(
        fine, fine * model.fixed_s / (1 - fine * model.per_item_s), **line("limit", linewidth=1.6)
    )
    drawn = {}
    for name, (role, runs) in settings.items():
        batch, late = (
            np.array([np.nan if run is None else of(run) for run in runs])
            for of in (lambda run: run.mean_batch, lambda run: 1000 * run.sojourn_time_s.mean())
        )
        look = line(role, marker="o", markersize=5)
        drawn[name] = (left.plot(rates, batch, **look)[0], right.plot(rates, late, **look)[0])
    for ax in (left, right):
        ax.set(xlim=(0, 1.02 * rates[-1]))
    left.set(yscale="log", ylim=(0.9, 60), yticks=[1, 2, 4, 8, 16, 32])
    left.yaxis.set_major_formatter("{x:g}")
    left.minorticks_off()
    right.set(ylim=(0, 62))
    label_line(left, fluid, "fluid (dashed)", x=0.22 * rates[-1])
    places = zip((0.72, 0.3, 0.16, 0.5), (0.2, 0.42, 0.22, 0.16))
    for (name, lines), at in zip(drawn.items(), places):
        for ax, one, place in zip((left, right), lines, at):
            label_line(ax, one, name, x=place * rates[-1])
    return fig


def _short(value: float) -> str:
    return f"{float(f'{value:.3g}'):,.0f}"
