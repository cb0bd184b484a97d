"""The explorer of chapter 09: the waterfall that moves, and what a faster stage is worth."""

from functools import lru_cache

import numpy as np

from labutils.ground.arguments import positive, whole
from labutils.laws.queueing import Stage, largest_rate
from labutils.metrics.latency import percentile
from labutils.simulation.draws.variates import draw_unit
from labutils.simulation.pipeline import (
    Parallel,
    PipelineRun,
    SpeedUp,
    run_pipeline,
    stages_of,
    what_if,
)
from labutils.viz.controls import choice, slider
from labutils.viz.explorer import Explorer
from labutils.viz.figures.pipeline_panels import (
    FIGURES,
    TOPS_MS,
    GainPanel,
    SharePanel,
    WaterfallPanel,
)
from labutils.viz.style import new_figure

WARM_UP = 0.1
ANSWERS = (
    Stage("embed", 0.012, scv=0.2),
    Parallel(Stage("words", 0.006, scv=0.5), Stage("vectors", 0.025, servers=2, scv=0.5)),
    Stage("rerank", 0.085, scv=1.0),
    Stage("prompt", 0.004, scv=0.2),
    Stage("generate", 0.6, servers=12, scv=0.6),
)
"""A retrieval pipeline with one reranker: generation takes the time, the reranker the load."""


def pipeline_explorer(
    plan=ANSWERS,
    *,
    seed: int,
    num_requests: int = 20_000,
    stage: str | None = None,
    factor: float = 1.0,
    load: float = 0.3,
) -> Explorer:
    """Explore where the time of a pipeline goes, and what a faster stage is worth at a load.

    ``plan`` is a sequence of ``Stage`` and ``Parallel``, made from measured traces say; its draws
    are lognormal. The controls choose the stage that changes (the longest one, left out), its
    speed-up and its added servers, the load of the bottleneck of the plan as given, and the spread:
    a number that multiplies the scv of every stage. Every frame runs the same ``num_requests``
    requests again before and after the change; the first tenth is left out.
    """
    view = _View(_Traffic(plan, seed, whole("num_requests", num_requests, at_least=1000)))
    stages = stages_of(plan)
    longest = max(stages, key=lambda each: each.demand_s).name
    controls = {
        "stage": choice("stage that changes", [each.name for each in stages], stage or longest),
        "factor": slider("its speed-up", 1.0, 10.0, positive("factor", factor), 0.25),
        "servers": slider("servers added there", 0, 6, 0),
        "load": slider("load of the bottleneck", 0.05, 0.95, positive("load", load), 0.05),
        "spread": slider("spread (× the plan's)", 0.0, 4.0, 1.0, 0.25),
    }
    return Explorer(view.fig, view.update, controls=controls)


class _Traffic:
    """One stream of requests, drawn once and rescaled, so that a control moves only its own."""

    def __init__(self, plan, seed: int, num_requests: int):
        self.plan, self.stages = plan, stages_of(plan)
        rng = np.random.default_rng(seed)
        self._unit_arrivals = np.cumsum(draw_unit("exponential", num_requests, rng))
        self._normal = rng.standard_normal((len(self.stages), num_requests))
        self._rate = largest_rate(self.stages)
        self.run = lru_cache(4)(self._run)

    def _run(self, load: float, spread: float) -> PipelineRun:
        """The pipeline before any change."""
        arrivals = self._unit_arrivals / (load * self._rate)
        return run_pipeline(self.plan, arrivals, self._services(spread))

    def _services(self, spread: float) -> np.ndarray:
        """Lognormal times of mean 1 from the same normal numbers, times each stage's demand."""
        variance = np.log1p([spread * stage.scv for stage in self.stages])[:, None]
        unit = np.exp(np.sqrt(variance) * self._normal - variance / 2)
        return (unit * [[stage.demand_s] for stage in self.stages]).T


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, traffic: _Traffic):
        self._traffic = traffic
        rows = _indented(traffic.plan)
        self.fig, ((left, right), (below, beside)) = new_figure(
            title="Where does the time of a request go, and what would a faster stage be worth?",
            width=9.0,
            height=2.7 + 0.32 * len(rows),
            rows=2,
            cols=2,
        )
        self._requests = {
            0.5: WaterfallPanel(left, rows, "a median request, after the change"),
            0.99: WaterfallPanel(right, rows, "a request at the p99, after the change"),
        }
        self._shares, self._gains = SharePanel(below, rows), GainPanel(beside)

    def update(self, *, stage, factor, servers, load, spread) -> str:
        """Run the requests before and after the change; return what it was worth."""
        run = self._traffic.run(load, spread)
        gain = what_if(run, stage, factor, more_servers=servers, warm_up=WARM_UP)
        after = gain.after
        sojourns_ms = 1e3 * after.sojourn_time_s
        ends_ms = percentile(sojourns_ms, list(self._requests))
        for panel, end_ms in zip(self._requests.values(), ends_ms):
            self._draw(panel, after, int(np.flatnonzero(sojourns_ms == end_ms)[0]), ends_ms[-1])
        shares = {"mean": after.shares(), "p99": after.shares(0.99)}
        self._shares.draw({name: np.array([*each.values()]) for name, each in shares.items()})
        self._gains.draw([getattr(gain, name) for name in FIGURES], gain.amdahl, gain.ceiling)
        return _finding(gain, servers, load, shares, ends_ms)

    def _draw(self, panel: WaterfallPanel, run: PipelineRun, row: int, longest_ms: float) -> None:
        columns = (run.ready_s, run.start_s, run.done_s)
        times_ms = [1e3 * (each[row] - run.arrival_s[row]) for each in columns]
        top_ms = next((top for top in TOPS_MS if top >= longest_ms), TOPS_MS[-1])
        panel.draw(*times_ms, run.critical[row], top_ms)


def _indented(plan, depth: int = 0) -> list[str]:
    """The names of the stages in reading order; branches stand to the right of their row.

    The first stage of a branch is marked ∥, those that follow it in the branch →.
    """
    names = []
    for place, part in enumerate((plan,) if isinstance(plan, Stage | Parallel) else plan):
        if isinstance(part, Stage):
            mark = "∥ " if place == 0 else "→ "
            names.append("∥ " * (depth - 1) + mark * (depth > 0) + part.name)
        else:
            for branch in part.branches:
                names += _indented(branch, depth + 1)
    return names


def _finding(gain: SpeedUp, servers: int, load: float, shares, ends_ms) -> str:
    most = {name: max(each, key=each.get) for name, each in shares.items()}
    return (
        f"At load {load:.2f}, {_change(gain, servers)}. p50 is {ends_ms[0]:,.0f} ms and p99 "
        f"{ends_ms[1]:,.0f} ms; most time goes to {most['mean']}, near p99 to {most['p99']} "
        f"({gain.after.arrival_s.size:,} simulated requests)."
    )


def _change(gain: SpeedUp, servers: int) -> str:
    if gain.factor == 1 and not servers:
        return f"nothing changed yet; no speed-up of {gain.stage} gains more than " + (
            f"×{gain.ceiling:.2f} on the mean, says Amdahl"
        )
    change = gain.stage if gain.factor == 1 else f"{gain.stage} {gain.factor:g} times as fast"
    if servers:
        change += f" with {servers} more server{'s' * (servers > 1)}"
    told = ", ".join(f"{name} ×{getattr(gain, name):.2f}" for name in FIGURES)
    return f"{change}: {told}; Amdahl says ×{gain.amdahl:.2f}, at most ×{gain.ceiling:.2f}"
