"""The explorer of chapter 08: the latency tail of a fleet that hedges, and what hedging costs."""

from functools import cache

import numpy as np

from labutils import simulation as sim
from labutils.ground.arguments import whole
from labutils.viz.controls import choice, slider
from labutils.viz.explorer import Explorer
from labutils.viz.labels import label_line, move_label
from labutils.viz.style import line, new_figure, points

SERVERS, SCV = 20, 4.0
CANCELLATIONS = {"never": "none", "answer": "finish", "start": "start"}
RANGE = (0.1, 1000.0)  # of the latency axis, in service times
FEWEST = 1e-4  # lower end of the logarithmic axis of shares
DEAD = 0.9  # who hedges that many of its last requests hedges for ever


def hedging_explorer(*, seed: int, num_requests: int = 160_000) -> Explorer:
    """Explore the share of requests that take longer than t, with and without hedging.

    20 servers with a queue each, requests routed at random, services hyperexponential with scv
    4. Each move runs the same ``num_requests`` draws again; the first tenth is left out. The
    trigger is a quantile of the latency without hedging at the same load. All latencies are in
    mean service times.
    """
    view = _View(_Fleet(seed, whole("num_requests", num_requests, at_least=1000)))
    controls = {
        "trigger": slider("trigger quantile", 0.5, 0.99, 0.95, 0.01),
        "load": slider("load", 0.1, 0.9, 0.4, 0.05),
        "correlation": choice("correlation", [0, 0.25, 0.5, 0.75, 1], 0),
        "cancel": choice("cancel at", list(CANCELLATIONS.items()), "finish"),
    }
    return Explorer(view.fig, view.update, controls=controls)


class _Fleet:
    """One stream of requests, drawn once and rescaled, so that a control moves only its own."""

    def __init__(self, seed: int, num_requests: int):
        self._seed, self.num_requests = seed, num_requests
        gaps = np.random.default_rng(seed).standard_exponential(num_requests)
        self._unit_arrivals = np.cumsum(gaps) / SERVERS
        self._draws = cache(self._draw)
        self.unhedged = cache(self._run_unhedged)

    def _draw(self, correlation: float) -> sim.FleetDraws:
        return sim.fleet_draws(
            self.num_requests,
            SERVERS,
            np.random.default_rng(self._seed + 1),
            mean_service_time=1.0,
            correlation=correlation,
            kind="hyperexponential",
            scv=SCV,
        )

    def run(self, load, trigger_s, cancel, correlation) -> sim.HedgedRun:
        return sim.hedged_fleet(
            self._unit_arrivals / load,
            self._draws(correlation),
            num_servers=SERVERS,
            trigger_s=trigger_s,
            cancel=cancel,
        )

    def _run_unhedged(self, load: float) -> tuple[np.ndarray, float]:
        run = self.run(load, np.inf, "none", 0)
        return ascending(run), carried(run)


def ascending(run: sim.HedgedRun) -> np.ndarray:
    """The latencies of a run in order of size, its first tenth left out.

    In single precision, which sorts in half the time and shows the same curve.
    """
    return np.sort(run.sojourn_time_s[run.arrival_s.size // 10 :].astype(np.float32))


def carried(run: sim.HedgedRun) -> float:
    """The load that the servers carry, from a tenth of the run to its last arrival."""
    return run.busy(run.arrival_s[run.arrival_s.size // 10], run.arrival_s[-1]) / SERVERS


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, fleet: _Fleet):
        self._fleet = fleet
        self.fig, self._ax = new_figure(
            title="What does a second copy do to the tail, and to the fleet?",
            x="latency (service times)",
            y="share that takes longer",
            height=4.6,
        )
        ax = self._ax
        ax.set(xscale="log", yscale="log", xlim=RANGE, ylim=(FEWEST, 1.3))
        ax.set_xticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1,000"])
        ax.set_yticks([1, 0.1, 0.01, 0.001, 1e-4], ["100 %", "10 %", "1 %", "0.1 %", "0.01 %"])
        self._grid = np.geomspace(*RANGE, 240)
        nothing = np.full(self._grid.size, np.nan)
        (self._alone,) = ax.plot(self._grid, nothing, **line("reference", linestyle="-"))
        (self._hedged,) = ax.plot(self._grid, nothing, **line("measurement", linestyle="-"))
        (self._trigger,) = ax.plot([1, 1], [FEWEST, 1], **line("limit", linewidth=1.6))
        self._p99 = [
            ax.plot(1, 0.01, **points(name, marker="o"))[0] for name in ("reference", "measurement")
        ]
        self._tell(fleet.unhedged(0.4)[0], fleet.unhedged(0.4)[0], 1.0)
        self._names = [
            (label_line(ax, named, text, x=x), named)
            for named, text, x in (
                (self._alone, "without hedging", 30),
                (self._hedged, "with hedging", 3),
                (self._trigger, "copy sent", 1),
            )
        ]

    def update(self, *, trigger, load, correlation, cancel) -> str:
        """Run the fleet at one setting; return what hedging bought and what it cost."""
        alone, load_before = self._fleet.unhedged(load)
        trigger_s = _at(alone, trigger)
        run = self._fleet.run(load, trigger_s, cancel, correlation)
        hedged = ascending(run)
        self._tell(alone, hedged, trigger_s)
        for (name, named), x in zip(self._names, (_at(alone, 0.9), _at(hedged, 0.6), trigger_s)):
            move_label(name, named, x=min(x, RANGE[1]))
        cost = (
            f"p{100 * trigger:.0f} trigger, {trigger_s:.3g} service times: "
            f"{100 * run.extra_requests:.1f} % copies. "
        )
        return cost + _finding(alone, hedged, load_before, run)

    def _tell(self, alone, hedged, trigger_s: float) -> None:
        for latencies, curve, dot in zip((alone, hedged), (self._alone, self._hedged), self._p99):
            curve.set_ydata(self._longer(latencies))
            dot.set_xdata([_at(latencies, 0.99)])
            dot.set_visible(_at(latencies, 0.99) < RANGE[1])
        self._trigger.set_xdata([trigger_s] * 2)

    def _longer(self, latencies: np.ndarray) -> np.ndarray:
        """Share of the latencies above each point of the grid; NaN where none is left."""
        above = latencies.size - np.searchsorted(latencies, self._grid, side="right")
        return np.where(above > 0, above / latencies.size, np.nan)


def _finding(alone, hedged, load_before: float, run: sim.HedgedRun) -> str:
    if run.hedged[-run.hedged.size // 20 :].mean() > DEAD:
        return (
            "At the end every request is sent twice, and the fleet is dead: latency grows for as "
            f"long as the run lasts. A median over its {hedged.size:,} requests means nothing."
        )
    told = ", ".join(
        f"p{100 * q:g} {_short(_at(alone, q))} → {_short(_at(hedged, q))}"
        for q in (0.5, 0.99, 0.999)
    )
    return (
        f"Load measured in this run {load_before:.2f} → {carried(run):.2f}; latency {told} "
        f"({hedged.size:,} simulated requests)."
    )


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _at(ascending_latencies: np.ndarray, q: float) -> float:
    """Quantile by nearest rank of latencies that are in order."""
    return float(ascending_latencies[int(np.ceil(q * ascending_latencies.size)) - 1])
