"""The explorer of chapter 04: where the latency goes, against the largest batch allowed."""

import math
from collections.abc import Mapping
from functools import cache

import ipywidgets
import numpy as np

from labutils import simulation as sim
from labutils.ground.arguments import whole
from labutils.laws.batching import AffineBatchTime, full_batch_mean_wait
from labutils.viz.controls import choice, slider
from labutils.viz.explorer import Explorer
from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import key
from labutils.viz.style import CARD, band, color, dress, line, new_figure

SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48, 56, 64)
LARGEST = SIZES[-1]
TIMEOUTS_MS = (0, 1, 2, 5, 10, 20, 50, math.inf)
TOPS = (15, 30, 60, 120, 250, 500, 1000, 2500, 10_000)  # few: a new axis is slow to draw
SHARES = (12, 32, 64, 105)
ENDS = (16, LARGEST)
NEAR_EDGE, TOO_NEAR = 0.9, 0.96
"""Shares of its time that a machine with full batches works: a simulated mean is corrected, and a
simulated p99 is not quoted."""
PARTS = (("service", "in the batch"), ("queue", "for the machine"), ("backlog", "to fill"))
"""Roles of the three areas, from below, and what a request then does or waits for."""
MACHINES = {
    "5 + 0.5 b ms": AffineBatchTime(0.005, 0.0005),
    "4 + 0.9 b ms": AffineBatchTime(0.004, 0.0009),
}


def batching_explorer(
    *, seed: int, num_requests: int = 40_000, machines: Mapping = MACHINES, **values
) -> Explorer:
    """Explore how latency splits into filling, queueing and service, and which batches form.

    Poisson arrivals at one server; each move runs the same ``num_requests`` draws again, for each
    of two dozen largest batches. The load is the share of the server's limit, 1 / c1. A machine
    is an affine batch time under its name. ``values`` are the settings to begin with.

    Full batches are drawn exactly (``labutils.laws.batching.full_batch_mean_wait``). With a
    timeout, where full batches hardly keep up, the draws are too few for the queue; there the
    difference between exact and simulated full batches corrects it (a control variate: the same
    draws).
    """
    view = _View(_Draws(seed, whole("num_requests", num_requests, at_least=1000)), machines)
    explorer = Explorer(
        view.fig,
        view.update,
        controls={
            "machine": choice("machine", list(machines), next(iter(machines))),
            "load": slider("load (share of limit)", 0.02, 0.96, 0.2, 0.02),
            "timeout": _timeouts(),
            "max_batch": slider("max batch", 1, LARGEST, 32),
        },
    )
    if values:
        explorer(**values)
    return explorer


def _timeouts() -> ipywidgets.SelectionSlider:
    names = [("full batches only" if math.isinf(t) else f"{t} ms", t) for t in TIMEOUTS_MS]
    steps = ipywidgets.SelectionSlider(description="timeout", options=names, value=0)
    steps.add_class("jupyter-widgets")  # ipywidgets 8.1 forgets it, and styles by it
    return steps


class _Draws:
    """Unit-mean gaps, drawn once, so that a control moves nothing but its own quantity."""

    def __init__(self, seed: int, num_requests: int):
        self.num_requests = num_requests
        self._clock = np.cumsum(np.random.default_rng(seed).standard_exponential(num_requests))

    def run(self, model, rate: float, timeout_ms: float, max_batch: int) -> sim.BatchRun:
        return sim.batch_queue(
            self._clock / rate, model, max_batch=max_batch, batch_timeout_s=timeout_ms / 1000
        )


def parts_ms(run: sim.BatchRun) -> np.ndarray:
    """Mean milliseconds of a request in service, in the queue, and waiting for its batch."""
    return np.array([1000 * part.mean() for part in (run.service_s, run.queue_s, run.fill_s)])


def full_parts_ms(rate: float, model, size: int) -> np.ndarray:
    """The same three, exactly, for a server that waits for full batches of ``size``."""
    seconds = float(model(size))
    queue = full_batch_mean_wait(rate, seconds, size)
    return 1000 * np.array([seconds, queue, (size - 1) / (2 * rate)])


def busy_if_full(rate: float, model, size: int) -> float:
    """Share of its time that a server works if every batch has ``size``; above 1 it drowns."""
    return rate * float(model(size)) / size


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, draws: _Draws, machines: Mapping):
        self._draws, self._machines = draws, dict(machines)
        self._sweep = cache(self._run_sweep)
        self.fig, (self._ax, self._bars) = new_figure(
            title="Where does the time go, and which batches form?",
            width=9,
            height=4.7,
            cols=2,
            width_ratios=(1.75, 1),
        )
        dress(self._ax, x="max batch: how many a batch may hold", y="mean latency (ms)")
        dress(self._bars, x="batches formed: their size", y="share of the batches (%)")
        self._ax.set_xscale("log", base=2)
        self._ax.set(xlim=(0.9, 1.12 * LARGEST), xticks=[1, 2, 4, 8, 16, 32, 64])
        self._ax.xaxis.set_major_formatter("{x:g}")
        for ax, out in ((self._ax, -0.13), (self._bars, -0.2)):  # beyond the widest ticks
            ax.yaxis.set_label_coords(out, 0.5)
        self._draw_areas()
        self._draw_bars()

    def _draw_areas(self) -> None:
        ax = self._ax
        self._areas = [ax.fill_between(SIZES, 0, 1, **band(name, alpha=0.75)) for name, _ in PARTS]
        (self._unstable,) = ax.fill(
            [1, 1, 1, 1], [0, 0, 1, 1], facecolor=CARD, edgecolor=color("limit"), hatch="//",
            alpha=0.45, linewidth=0,
        )  # fmt: skip
        (self._cut,) = ax.plot([1, 1], [0, 1], **line("ink", linewidth=1.3))
        (self._dot,) = ax.plot([1], [1], "o", color=color("ink"), markersize=7)
        look = {"color": color("limit"), "fontsize": 10, "rotation": 90, "va": "center"}
        boxed = {"facecolor": CARD, "edgecolor": "none", "pad": 2}
        self._warning = ax.text(1, 0.5, "the queue grows\nwithout end", ha="center", bbox=boxed,
                                **look)  # fmt: skip
        ax.set_title(" ")  # room for the key
        shades = [(mixed(name, 0.75), text) for name, text in reversed(PARTS)]
        key(ax, [(x, *shade) for x, shade in zip((0, 0.36, 0.72), shades)], size=10.5)

    def _draw_bars(self) -> None:
        ax = self._bars
        self._shares = ax.stairs(
            np.zeros(LARGEST), np.arange(LARGEST + 1) + 0.5, fill=True, color=color("measurement")
        )
        (self._mean,) = ax.plot(  # at the upper edge, where no bar hides it
            [1], [1], "v", color=color("ink"), markersize=9, clip_on=False,
            transform=ax.get_xaxis_transform(),
        )  # fmt: skip
        self._mean_name = ax.annotate(
            "", (0, 1.03), xycoords="axes fraction", color=color("ink"), fontsize=10.5
        )

    def update(self, *, machine, load, timeout, max_batch) -> str:
        """Run every largest batch at one setting; return the split at the chosen one."""
        model = self._machines[machine]
        rate = load * model.limit_per_s
        edge, first = _edge(rate, model)
        sizes, parts = self._sweep(machine, load, timeout)
        run = self._draws.run(model, rate, timeout, max_batch)
        here = self._split(model, rate, timeout, max_batch, run) if max_batch >= first else None
        self._set_areas(sizes, parts, edge, None if here is None else here.sum(), max_batch)
        self._set_bars(run)
        if here is None:
            return f"{_setting(rate, max_batch, timeout)}: {_drowning(first)}"
        p99 = _p99(run, busy_if_full(rate, model, max_batch))
        return f"{_setting(rate, max_batch, timeout)}: {_finding(run, here, p99)}"

    def _run_sweep(self, machine, load, timeout):
        model = self._machines[machine]
        rate = load * model.limit_per_s
        first = _edge(rate, model)[1]
        sizes = [first, *(size for size in SIZES if size > first)] if first <= LARGEST else []
        rows = [self._split(model, rate, timeout, size) for size in sizes]
        return np.array(sizes, dtype=float), np.array(rows).reshape(-1, len(PARTS))

    def _split(self, model, rate, timeout, size, run=None) -> np.ndarray:
        """The three parts at one largest batch that keeps up."""
        if math.isinf(timeout):
            return full_parts_ms(rate, model, size)
        parts = parts_ms(run or self._draws.run(model, rate, timeout, size))
        if busy_if_full(rate, model, size) > NEAR_EDGE:
            simulated = 1000 * self._draws.run(model, rate, math.inf, size).queue_s.mean()
            parts[1] += full_parts_ms(rate, model, size)[1] - simulated
        return np.maximum(parts, 0)

    def _set_areas(self, sizes, parts, edge: float, chosen, max_batch: int) -> None:
        tops = np.cumsum(parts, axis=1)
        height = _height(tops, chosen)
        self._ax.set_ylim(0, height)
        low = np.zeros(len(sizes))
        for area, high in zip(self._areas, tops.T):
            ring = np.r_[np.c_[sizes, low], np.c_[sizes, high][::-1]]
            area.set_verts([ring] if len(sizes) else [])
            low = high
        border = min(max(edge, 0.9), 1.2 * LARGEST) if edge >= 1 else 0.9
        self._unstable.set_xy([(0.9, 0), (border, 0), (border, height), (0.9, height)])
        self._warning.set_visible(border > 1.6)
        self._warning.set_position((math.sqrt(0.9 * border), height / 2))
        self._cut.set_data([max_batch] * 2, [0, height])
        self._dot.set_data([max_batch], [np.nan if chosen is None else chosen])

    def _set_bars(self, run: sim.BatchRun) -> None:
        count = np.bincount(run.batch_sizes, minlength=LARGEST + 1)[1 : LARGEST + 1]
        share = 100 * count / count.sum()
        self._shares.set_data(values=share)
        end = next(end for end in ENDS if run.batch_sizes.max() <= end)
        self._bars.set(ylim=(0, next(top for top in SHARES if share.max() < top)))
        self._bars.set(xlim=(0, end + 1), xticks=np.arange(0, end + 1, end // 4))
        self._mean.set_xdata([run.mean_batch])
        self._mean_name.set_text(f"mean batch {_short(run.mean_batch)}")


def _height(tops, chosen) -> float:
    """Upper end of the axis: the lowest point of the curve and the chosen one are well inside."""
    if not len(tops):
        return TOPS[0]
    wanted = max(2.2 * tops[:, -1].min(), 1.15 * (chosen or 0))
    return next((top for top in TOPS if top >= wanted), TOPS[-1])


def _edge(rate: float, model) -> tuple[float, int]:
    """The size at which full batches just do not keep up, and the first that does."""
    edge = rate * model.fixed_s / (1 - rate * model.per_item_s)
    return edge, math.floor(edge + 1e-9) + 1


def _setting(rate, max_batch, timeout) -> str:
    wait = "full batches only" if math.isinf(timeout) else f"timeout {timeout:g} ms"
    return f"{_short(rate)} requests/s, {wait}, max batch {max_batch}"


def _drowning(first: int) -> str:
    return (
        "the machine does not keep up, and latency grows for as long as the run lasts. The "
        f"smallest batch that keeps up is {first}."
    )


def _p99(run, busy: float) -> str:
    num = f"{run.arrival_s.size:,} simulated requests"
    if busy > TOO_NEAR:
        return f"so near the edge {num} are too few for a p99"
    return f"p99 {_short(1000 * np.quantile(run.sojourn_time_s, 0.99))} ms ({num})"


def _finding(run, parts, p99: str) -> str:
    service, queue, fill = map(_short, parts)
    return (
        f"mean latency {_short(parts.sum())} ms = {fill} to fill + {queue} for the machine + "
        f"{service} in the batch; mean batch {_short(run.mean_batch)}; {p99}."
    )


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
