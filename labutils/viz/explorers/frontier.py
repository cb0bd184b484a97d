"""The live frontier of chapter 07: thousands of requests are served anew at every move."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from labutils.engine import PagePool, Scheduler
from labutils.ground.arguments import whole
from labutils.metrics.latency import percentile
from labutils.serving.simulator import ServingRun, StepCost, simulate
from labutils.viz.controls import choice, steps
from labutils.viz.explorer import Explorer
from labutils.viz.figures.serving import answers_per_s, normalized_latency_ms
from labutils.viz.labels import readable
from labutils.viz.style import INK, color, line, new_figure, points

BUDGETS = (256, 512, 1024, 2048, 4096, 8192)  # tokens of a step
PLACES = (8, 16, 32, 64, 128, 256)
PAGES = (2_000, 3_000, 8_000, 26_700)
LOOKS = {"prompts first": "queue", "chunks": "theory"}
PROMISES_MS = {"p99 of TTFT": 2_000.0, "p99 of ITL": 50.0}
RANGES_MS = {  # lower end of the axis, and its upper ends: the first that all points leave room at
    "per token": (4, 200, 2_000),
    "p99 of TTFT": (50, 5_000, 90_000),
    "p99 of ITL": (4, 400, 4_000),
}


def frontier_explorer(
    workloads: Mapping, *, step_cost: StepCost, seed: int, num_requests: int = 20_000,
    pages: Sequence[int] = PAGES,
) -> Explorer:  # fmt: skip
    """Explore latency against throughput: both kinds of continuous batching, simulated anew.

    ``workloads`` maps names to pairs (mix, rates in requests per second). At each move all of
    ``num_requests`` are served, as many at each rate by each policy: *prompts first*, and *chunks*
    of the token budget. ``pages`` are the sizes of memory to choose from; it begins with the last.
    """
    view = _View(FrontierRuns(workloads, step_cost, seed, whole("num_requests", num_requests)))
    controls = {
        "requests": choice("requests", list(workloads)),
        "budget": steps("token budget", [(f"{n:,}", n) for n in BUDGETS], 512),
        "places": steps("most running", PLACES, 128),
        "pages": steps("memory pages", [(f"{n:,}", n) for n in pages], pages[-1]),
        "measure": choice("latency", list(RANGES_MS), "p99 of ITL"),
    }
    return Explorer(view.fig, view.update, controls=controls)


class Point(NamedTuple):
    """One run on the frontier: answers a second, three latencies, and requests that suffered."""

    per_s: float
    latency_ms: dict[str, float]
    preemptions: int
    refused: int

    @property
    def keeps_promises(self) -> bool:
        """Whether both tails are within what ``PROMISES_MS`` says."""
        return all(self.latency_ms[name] <= limit for name, limit in PROMISES_MS.items())


def point_of(run: ServingRun) -> Point:
    """What the picture shows of a run."""
    log, ok = run.log, run.log.ok
    latency_ms = {
        "per token": normalized_latency_ms(log),
        "p99 of TTFT": 1000 * percentile(log.ttft_s[ok], 0.99),
        "p99 of ITL": 1000 * run.gaps.quantile(0.99),
    }
    preemptions = int(run.requests["preemptions"].sum())
    return Point(answers_per_s(log), latency_ms, preemptions, int((~ok).sum()))


class FrontierRuns:
    """The traces, drawn once, and the curves of all settings seen so far."""

    def __init__(self, workloads: Mapping, step_cost: StepCost, seed: int, num_requests: int):
        self.step_cost, self.rates, self._traces = step_cost, {}, {}
        for name, (mix, rates) in workloads.items():
            each = num_requests // (len(LOOKS) * len(rates))
            traces = [mix.trace(each, rate, seed=seed, burstiness=1.0) for rate in rates]
            self.rates[name], self._traces[name] = rates, traces
        self._curve = cache(self._serve)

    def serve(self, requests: str, budget: int, places: int, pages: int) -> dict:
        """For each policy a point at each rate. What a budget leaves as it was is kept."""
        return {
            "prompts first": self._curve(requests, places, pages),
            "chunks": self._curve(requests, places, pages, chunked=True, token_budget=budget),
        }

    def _serve(self, requests: str, places: int, pages: int, **how) -> list[Point]:
        """Compiled however short the traces; so all may have one scheduler, which stays fresh."""
        scheduler = Scheduler(places, PagePool(pages), **how)
        return [
            point_of(simulate(trace, scheduler, self.step_cost, compiled=True))
            for trace in self._traces[requests]
        ]


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, runs: FrontierRuns):
        self._runs = runs
        self.fig, self._ax = new_figure(
            title="How many answers a second, and at which latency?",
            x="answers per second",
            y="latency (ms)",
            height=4.6,
        )
        self._ax.set_yscale("log")
        self._ax.yaxis.set_major_formatter("{x:,.0f}")
        self._ax.yaxis.set_label_coords(-0.09, 0.5)  # left of the widest ticks that may come
        self._curves = {
            name: self._ax.plot([], [], **points(role, linestyle="-", linewidth=1.8))[0]
            for name, role in LOOKS.items()
        }
        (self._limit,) = self._ax.plot([], [], **line("limit", linewidth=1.6))
        for (name, role), x in zip(LOOKS.items(), (0.01, 0.22)):
            look = {"fontsize": 10.5, "color": readable(color(role))}
            self._ax.text(x, 0.94, f"■ {name}", transform=self._ax.transAxes, **look)
        look = {"fontsize": 10.5, "color": INK, "ha": "right", "va": "bottom"}
        above = {"xytext": (0, 4), "textcoords": "offset points"}
        self._promise = self._ax.annotate("", (0, 1), **above, **look)

    def update(self, *, requests, budget, places, pages, measure) -> str:
        """Serve all requests anew; return which rates keep the promises."""
        found = self._runs.serve(requests, budget, places, pages)
        rates = self._runs.rates[requests]
        low, *tops = RANGES_MS[measure]
        most = max(point.latency_ms[measure] for served in found.values() for point in served)
        top = next((top for top in tops if top > 1.8 * most), tops[-1])
        self._ax.set(xlim=(0, 1.12 * max(rates)), ylim=(low, top))
        for name, served in found.items():
            at = [(point.per_s, point.latency_ms[measure]) for point in served]
            self._curves[name].set_data(*np.array(at).T)
        limit = PROMISES_MS.get(measure)
        self._limit.set_data([[], []] if limit is None else [[0, 1.12 * max(rates)], [limit] * 2])
        self._promise.xy = 1.1 * max(rates), limit or 1
        self._promise.set_text("" if limit is None else f"promise: {limit:,.0f} ms")
        return _finding(found, rates, budget)


def _finding(found: dict[str, list[Point]], rates: Sequence[float], budget: int) -> str:
    limits = " and ".join(f"{name} within {ms:,.0f} ms" for name, ms in PROMISES_MS.items())
    parts = []
    for name, served in found.items():
        kept = [rate for rate, point in zip(rates, served) if point.keeps_promises]
        most = f"up to {max(kept):g} requests/s" if kept else "at no rate"
        whose = f"chunks of {budget:,}" if name == "chunks" else name
        parts.append(f"{whose} {most}{_losses(served)}")
    return f"{limits}: {'; '.join(parts)}."


def _losses(served: list[Point]) -> str:
    preempted, refused = (sum(getattr(p, name) for p in served) for name in Point._fields[2:])
    words = [f"{preempted:,} preemption{'s'[: preempted > 1]}"] if preempted else []
    words += [f"{refused:,} too long for the memory"] if refused else []
    return f" ({', '.join(words)})" if words else ""
