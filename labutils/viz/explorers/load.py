"""The explorer of chapter 03: latency against load, and the highest load that keeps a promise."""

from functools import cache
from typing import NamedTuple

import numpy as np

from labutils import simulation as sim
from labutils.ground.arguments import whole
from labutils.laws import queueing
from labutils.simulation.queues.batch_means import half_width_of_mean
from labutils.viz.controls import choice, slider
from labutils.viz.explorer import Explorer
from labutils.viz.labels import label_line, move_label
from labutils.viz.style import CARD, color, line, new_figure, points

STATISTICS = {"mean": None, "p99": 0.99}
SIMULATED_LOADS = np.array([0.2, 0.4, 0.6, 0.75, 0.85, 0.9, 0.95])
CURVE_LOADS = 1 - np.geomspace(0.99, 0.01, 90)
PERCENT_LOADS = np.linspace(0.01, 0.99, 99)  # where a curve without a formula is simulated
STRETCHES = 8  # independent runs behind such a curve: they tell its error
HIGHEST = 150.0  # upper end of the logarithmic axis, in service times
TOPS = (8, 20, 50, 125)  # upper ends of the linear one: few, since a new axis is slow to draw
LOAD_TICKS = (0.5, 0.8, 0.9, 0.95, 0.98)


def load_explorer(*, seed: int, num_requests: int = 200_000, servers: int = 1) -> Explorer:
    """Explore latency against load for Poisson arrivals at one queue.

    The line is theory, exact or approximate (``is_exact``), the points are simulated on each move
    with the same draws of ``num_requests`` requests, half as many from 16 servers on. For the p99
    of services with an scv other than 1 there is no formula: line and ceiling are simulated too.
    Services are gamma up to scv 1 and hyperexponential above. All latencies are in mean service
    times. ``servers`` is the setting to begin with.
    """
    view = _View(Draws(seed, whole("num_requests", num_requests, at_least=1000)))
    controls = {
        "servers": choice("servers", [1, 2, 4, 8, 16, 32], servers),
        "scv": choice("scv of services", [0, 0.5, 1, 2, 4, 8], 1),
        "statistic": choice("latency", list(STATISTICS), "mean"),
        "target": slider("promise (service times)", 1.5, 30.0, 2.0, 0.5),
        "axis": choice("axis", ["load", "headroom"], "load"),
    }
    return Explorer(view.fig, view.update, controls=controls)


class _Ceiling(NamedTuple):
    """The highest load that keeps a promise, and ± how much where it is simulated."""

    load: float
    margin: float = 0.0


class Draws:
    """Unit-mean gaps and services, drawn once, so that a slider moves nothing but its quantity."""

    def __init__(self, seed: int, num_requests: int):
        self._seed, self._num_requests = seed, num_requests
        self._gaps = np.random.default_rng(seed).standard_exponential(num_requests)
        self._services = cache(self._draw_services)
        self.curve = cache(self._simulate)
        self.stretches = cache(self._simulate_stretches)

    def _draw_services(self, scv: float) -> np.ndarray:
        kind = "hyperexponential" if scv > 1 else "gamma"
        return sim.draw_unit(kind, self._num_requests, np.random.default_rng(self._seed + 1), scv)

    def _simulate(self, servers: int, scv: float) -> sim.LoadCurve:
        n = self._num_requests // (1 if servers < 16 else 2)
        return sim.load_curve(
            SIMULATED_LOADS, self._gaps[:n], self._services(scv)[:n], num_servers=servers
        )

    def _simulate_stretches(self, servers: int, scv: float, q: float) -> np.ndarray:
        """The q-quantile at PERCENT_LOADS in each of STRETCHES runs (runs × loads)."""
        n = self._num_requests // (STRETCHES if servers < 16 else 2 * STRETCHES)
        draws = np.stack((self._gaps, self._services(scv)))[:, : n * STRETCHES]
        return np.array(
            [
                sim.load_curve(PERCENT_LOADS, *part, num_servers=servers).sojourn_time_quantile(q)
                for part in draws.reshape(2, STRETCHES, n).swapaxes(0, 1)
            ]
        )


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, draws: Draws):
        self._draws = draws
        self.fig, self._ax = new_figure(
            title="How busy may it be? Latency against load, and the promise",
            x="load ρ\n ",
            y="latency (service times)",
            height=4.6,
        )
        ax = self._ax
        ax.set(ylim=(0, 20), xlim=(0, 1))
        ax.yaxis.set_label_coords(-0.065, 0.5)  # as far out as the widest ticks need
        (self._theory,) = ax.plot(CURVE_LOADS, CURVE_LOADS, **line("theory"))
        self._intervals = ax.vlines(SIMULATED_LOADS, 0, 0, color=color("measurement"))
        (self._measured,) = ax.plot(SIMULATED_LOADS, SIMULATED_LOADS, **points("measurement"))
        (self._promise,) = ax.plot([0, 1], [2, 2], **line("limit", linewidth=1.6))
        (self._ceiling,) = ax.plot([0.5, 0.5], [0, 2], **line("limit", linewidth=1.6))
        self._ceiling_name = ax.annotate(
            "",
            (0.5, 0),
            xytext=(7, -15),
            textcoords="offset points",
            color=color("limit"),
            fontweight="bold",
            bbox={"facecolor": CARD, "edgecolor": "none", "pad": 1},
        )
        self._names = [  # each at the load where its name looks best
            (label_line(ax, named, text, x=load), named, load)
            for named, text, load in (
                (self._promise, "promise", 0.95),
                (self._theory, "theory", 0.7),
                (self._measured, "simulated", 0.4),
            )
        ]
        (self._simulated,) = ax.plot([], [], **line("measurement"))

    def update(self, *, servers, scv, statistic, target, axis) -> str:
        """Redraw for one setting; return what the promise allows."""
        q = STATISTICS[statistic]
        has_formula = q is None or scv == 1
        drawn, other = self._theory, self._simulated
        if has_formula:
            loads, latency = CURVE_LOADS, _theory(servers, scv, q)
            ceiling = _ceiling(target, servers, scv, q)
        else:
            drawn, other = other, drawn
            runs = self._draws.stretches(servers, scv, q)
            loads, latency = PERCENT_LOADS, runs.mean(axis=0)
            ceiling = simulated_ceiling(target, runs)
        place = self._set_axis(axis, top=_top(max(2.5 * target, 2.2 * latency[0])))
        drawn.set_data(place(loads), latency)
        other.set_data([], [])
        num_requests = self._set_points(place, servers, scv, statistic)
        self._promise.set_data(place(np.array([0.01, 0.99])), [target, target])
        self._set_ceiling(place, ceiling, target)
        for name, named, load in self._names:
            move_label(name, named, x=place(load))
        return _finding(servers, scv, statistic, target, ceiling, num_requests)

    def _set_ceiling(self, place, ceiling: _Ceiling | None, target: float) -> None:
        low = self._ax.get_ylim()[0]
        x = [] if ceiling is None else [place(ceiling.load)] * 2
        self._ceiling.set_data(x, [low, target][: len(x)])
        self._ceiling_name.set_text("" if ceiling is None else _percent(ceiling))
        self._ceiling_name.xy = (x[0] if x else 1, target)

    def _set_points(self, place, servers, scv, statistic) -> int:
        curve = self._draws.curve(servers, scv)
        q = STATISTICS[statistic]
        latency = curve.mean_sojourn_time if q is None else curve.sojourn_time_quantile(q)
        margin = curve.half_width() if q is None else np.zeros_like(latency)
        x = place(SIMULATED_LOADS)
        self._measured.set_data(x, latency)
        low, high = np.maximum(latency - margin, 0.1), latency + margin
        self._intervals.set_segments(np.stack((np.c_[x, low], np.c_[x, high]), axis=1))
        return int(curve.sojourn_counts[0].sum())

    def _set_axis(self, axis: str, *, top: float):
        """Switch between a linear load axis and a logarithmic headroom axis."""
        ax = self._ax
        if axis == "load":
            ax.set(xscale="linear", yscale="linear", xlim=(0, 1), ylim=(0, top))
            ax.set_xlabel("load ρ\n ")  # as high as the label of the other axis
            ax.set_xticks(np.linspace(0, 1, 6))
            return lambda load: load
        ax.set(xscale="log", yscale="log", xlim=(1, 0.01), ylim=(0.6, HIGHEST))
        ax.set_xlabel("headroom 1 - ρ, logarithmic (the load in brackets)")
        ax.set_xticks(
            [1 - load for load in (0, *LOAD_TICKS, 0.99)],
            [f"{1 - load:.2g}\n({load:g})" for load in (0, *LOAD_TICKS, 0.99)],
        )
        ax.minorticks_off()
        ax.set_yticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
        return lambda load: 1 - load


def _queue(arrival_rate: float, servers: int, scv: float) -> queueing.QueueModel:
    """Poisson arrivals at servers of rate 1: all times come out in service times."""
    return queueing.GGc(arrival_rate, 1.0, servers, scv_arrival=1.0, scv_service=scv)


def _theory(servers: int, scv: float, q: float | None) -> list[float]:
    queues = [_queue(load * servers, servers, scv) for load in CURVE_LOADS]
    return [
        queue.mean_sojourn_time if q is None else queue.sojourn_time_quantile(q) for queue in queues
    ]


def _ceiling(target: float, servers: int, scv: float, q: float | None) -> _Ceiling | None:
    """The highest load that keeps the promise; None when the service alone takes longer."""
    shape = {"num_servers": servers, "scv_arrival": 1.0, "scv_service": scv}
    try:
        return _Ceiling(queueing.largest_utilization(target, q=q, model=queueing.GGc, **shape))
    except ValueError:
        return None


def simulated_ceiling(target: float, runs: np.ndarray) -> _Ceiling | None:
    """The ceiling of the mean curve of the runs, and the 95 % half width that they give it."""
    if runs.mean(axis=0)[0] > target:
        return None
    ceiling = np.interp(target, runs.mean(axis=0), PERCENT_LOADS)
    each = np.array([np.interp(target, run, PERCENT_LOADS) for run in runs])
    return _Ceiling(float(ceiling), float(half_width_of_mean(each, confidence=0.95)))


def _percent(ceiling: _Ceiling) -> str:
    margin = f" ± {100 * ceiling.margin:.1f}" if ceiling.margin else ""
    return f"{100 * ceiling.load:.{1 if margin else 0}f}{margin} %"


def _top(wanted: float) -> float:
    return next((top for top in TOPS if top >= wanted), TOPS[-1])


def is_exact(servers: int, scv: float, statistic: str) -> bool:
    """Whether the line is exact: exponential services, or the mean at a single server."""
    return scv == 1 or (servers == 1 and statistic == "mean")


def _finding(servers, scv, statistic, target, ceiling, num_requests) -> str:
    fleet = "1 server" if servers == 1 else f"{servers} servers"
    promise = f"a {statistic} latency of {target:g} service times"
    if ceiling is None:
        verdict = f"no load keeps {promise}; the service alone takes longer."
    else:
        verdict = f"{promise} allows a load of {_percent(ceiling)}."
    if statistic != "mean" and scv != 1:
        line = "There is no formula: the line and the ceiling are simulated (± 95 %)"
    elif is_exact(servers, scv, statistic):
        line = "The line is exact"
    else:
        line = "The line is an approximation here"
    return (
        f"{fleet}, scv {scv:g}: {verdict} {line}; each point is "
        f"{num_requests:,} simulated requests."
    )
