"""The explorer of chapter 14: what old reports do to eight queues."""

from functools import lru_cache

import numpy as np

from labutils import llm
from labutils.engine import PagePool, Scheduler
from labutils.ground.arguments import whole
from labutils.serving.replicas import (
    FourWaitingPlusRunning,
    LeastReported,
    ReplicasRun,
    RoundRobin,
    TwoChoices,
    serve_replicas,
)
from labutils.serving.simulator import StepCost
from labutils.viz.controls import choice, steps
from labutils.viz.explorer import Explorer
from labutils.viz.figures.replica_lanes import Lanes, waiting
from labutils.viz.labels import readable
from labutils.viz.style import color, line, new_figure
from labutils.workload import mix

REPLICAS, MOST_RUNNING, PAGE_TOKENS = 8, 256, 16
AGES_MS = (0, 10, 20, 50, 100, 200, 500, 1000)
RATES = (72, 96, 112)
WINDOW_S = (4.0, 8.0)
FULL = (10, 30, 60, 100)  # requests in a full lane: few, so that lanes can be compared
OLDEST_HIDDEN_S = 0.1  # lines closer than that would be a grey field
ROUND_ROBIN = "round robin"
ROUTERS = {
    "least by reports": LeastReported,
    "least, own choices counted": FourWaitingPlusRunning,
    "two choices by reports": TwoChoices,
    ROUND_ROBIN: lambda age_s: RoundRobin(),
}


def herd_explorer(*, seed: int, num_requests: int = 4000) -> Explorer:
    """Explore what waits at eight replicas when the reports that a router goes by grow old.

    Each replica is Llama-3.1-8B on an H100, its steps by the roofline. Every frame serves the same
    ``num_requests`` requests of the Azure conversation mix again.
    """
    view = _View(seed, whole("num_requests", num_requests, at_least=100))
    controls = {
        "age_s": steps("age of the reports", [(f"{ms} ms", ms / 1000) for ms in AGES_MS], 0.5),
        "rate": choice("requests per second", RATES, 96),
        "router": choice("router", list(ROUTERS), "least by reports"),
    }
    return Explorer(view.fig, view.update, controls=controls)


class _Fleet:
    """Eight replicas, and requests that come in the same proportions at every rate."""

    def __init__(self, seed: int, num_requests: int):
        self._seed, self._num_requests = seed, num_requests
        model, gpu = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
        self._cost = StepCost.from_roofline(model, gpu, bandwidth_share=0.8, per_layer_s=25e-6)
        room_bytes = 0.9 * gpu.memory_bytes - model.weight_bytes(2)
        self._pages = int(room_bytes / model.kv_bytes_per_token(2)) // PAGE_TOKENS
        self._trace = lru_cache(self._drawn)
        self.serve = lru_cache(100)(self._served)

    def _drawn(self, rate: float):
        return mix("azure-conversation").trace(self._num_requests, rate, seed=self._seed)

    def _served(self, router: str, age_s: float, rate: float) -> ReplicasRun:
        schedulers = [
            Scheduler(
                MOST_RUNNING, PagePool(self._pages, PAGE_TOKENS), token_budget=2048, chunked=True
            )
            for _ in range(REPLICAS)
        ]
        chosen = ROUTERS[router](age_s)
        return serve_replicas(self._trace(rate), schedulers, self._cost, chosen, seed=self._seed)


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, seed: int, num_requests: int):
        self._fleet = _Fleet(seed, num_requests)
        self._at_s = np.linspace(*WINDOW_S, 161)
        self.fig, ax = new_figure(
            title="Eight queues and one router: what do old reports do to them?",
            x="time (s)", y="replica", width=7.2, height=4.4,
        )  # fmt: skip
        self._lanes = Lanes(ax, REPLICAS)
        ax.set_xlim(WINDOW_S)
        self._reports = ax.vlines([], 0, 0, **line("reference", linewidth=0.8, linestyle="-"))
        above = {"transform": ax.transAxes, "va": "bottom", "fontsize": 10}
        self._scale = ax.text(0, 1.01, "", color=readable(color("queue")), **above)
        self._told = ax.text(
            1, 1.01, "| reports", ha="right", color=readable(color("reference")), **above
        )

    def update(self, *, age_s, rate, router) -> str:
        """Serve the requests at one setting; return TTFT against that of round robin."""
        age_s = 0.0 if router == ROUND_ROBIN else age_s
        run = self._fleet.serve(router, age_s, rate)
        counts = waiting(run, self._at_s)
        full = next((most for most in FULL if counts.max() <= most), FULL[-1])
        self._lanes.draw(self._at_s, counts, most=full)
        self._scale.set_text(f"■ waiting for the first token; a full lane: {full} requests")
        self._draw_reports(age_s)
        return _finding(run, self._fleet.serve(ROUND_ROBIN, 0.0, rate), router, age_s, rate)

    def _draw_reports(self, age_s: float) -> None:
        is_shown = age_s > OLDEST_HIDDEN_S
        begin, end = WINDOW_S
        at_s = np.arange(begin, end, age_s) if is_shown else []
        self._reports.set_segments([[(t, 0), (t, REPLICAS)] for t in at_s])
        self._told.set_visible(is_shown)


def _finding(run: ReplicasRun, fair: ReplicasRun, router: str, age_s: float, rate: float) -> str:
    says = f"{router[0].upper()}{router[1:]}, {rate} requests per second"
    if router == ROUND_ROBIN:
        return f"{says}: TTFT {_ttft(run)}. It asks for no reports ({len(run.ids):,} requests)."
    return (
        f"{says}, reports up to {1000 * age_s:g} ms old: TTFT {_ttft(run)}; "
        f"{ROUND_ROBIN} {_ttft(fair)} ({len(run.ids):,} requests)."
    )


def _ttft(run: ReplicasRun) -> str:
    log = run.log
    middle, tail = np.quantile((log.first_token_s - log.sent_s)[log.ok], (0.5, 0.99))
    return f"{1000 * middle:.0f} ms at the median, {1000 * tail:,.0f} ms at p99"
