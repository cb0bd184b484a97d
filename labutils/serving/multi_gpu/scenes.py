"""The scenes of the course's map: eight cards, a link, a workload, and every layout that fits."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from labutils.ground import arguments
from labutils.llm.layouts import Deployment, Hosts, Layout, Pools, Rates, link
from labutils.llm.specification.catalog import accelerator, model
from labutils.serving.multi_gpu.layout_map import MapRun
from labutils.serving.multi_gpu.layout_run import LayoutRun
from labutils.serving.multi_gpu.serve import serve_layout, serve_pools
from labutils.workload import mix

PLACES = (("H100 SXM", "NVLink 4"), ("H100 SXM", "PCIe 5"), ("H200", "NVLink 4"))
BUDGETS = (512, 2048)  # tokens of a step in a copy that does both phases
WORKLOADS = {"chats": "azure-conversation", "code": "azure-code"}
RATES_PER_S = {
    ("Llama-3.1-8B", "chats"): (20, 60, 100, 150),
    ("Llama-3.1-8B", "code"): (20, 45, 70, 100),
    ("Llama-3.1-70B", "chats"): (3, 6, 9, 12),
    ("Llama-3.1-70B", "code"): (2, 4, 6, 8),
    ("Qwen3-30B-A3B", "chats"): (20, 60, 120, 200),
    ("Qwen3-30B-A3B", "code"): (30, 70, 120, 180),
}
REQUESTS = {"Llama-3.1-8B": 600, "Llama-3.1-70B": 400, "Qwen3-30B-A3B": 600}
REACHED = Rates(bandwidth_share=0.8, launch_s=1e-3)
LONGEST_TOKENS = 16_000  # of a request, prompt and answer: a copy has to hold it
SEED = 12

ONE_POOL = (
    Layout(tp=8), Layout(tp=4, dp=2), Layout(tp=2, dp=4), Layout(dp=8), Layout(pp=8),
    Layout(pp=4, dp=2), Layout(tp=4, pp=2), Layout(tp=2, pp=4), Layout(dp=8, ep=8),
    Layout(tp=2, dp=4, ep=8), Layout(tp=4, dp=2, ep=8),
)  # fmt: skip
TWO_POOLS = (
    (Layout(tp=4), Layout(tp=4)),
    (Layout(tp=2, dp=2), Layout(tp=2, dp=2)),
    (Layout(tp=2, dp=3), Layout(tp=2)),
)


class Scene(NamedTuple):
    """A listed model on eight cards that ``link`` ties together, and what is asked of it."""

    model: str
    card: str
    link: str
    workload: str

    @property
    def rates_per_s(self) -> tuple[float, ...]:
        """The rates at which the map knows it, from light to more than most layouts can take."""
        return tuple(map(float, RATES_PER_S[self.model, self.workload]))


def scenes() -> tuple[Scene, ...]:
    """All scenes of the map."""
    every = product(REQUESTS, PLACES, WORKLOADS)
    return tuple(Scene(name, *place, workload) for name, place, workload in every)


def placed(scene: Scene) -> dict[str, Deployment | Pools]:
    """Every layout of eight cards that divides the model and holds a long request, by name.

    ``ONE_POOL`` does both phases in each copy; of ``TWO_POOLS`` the first prefills and hands its
    caches to the second, over the same link.
    """
    spec, between = model(scene.model), link(scene.link)
    hosts = Hosts(device=accelerator(scene.card), inside=between)

    def fitting(layout: Layout) -> Deployment | None:
        if not layout.divides(spec):
            return None
        one = Deployment(model=spec, layout=layout, hosts=hosts, rates=REACHED)
        return one if one.kv_tokens_per_copy() >= LONGEST_TOKENS else None

    found = {str(layout): fitting(layout) for layout in ONE_POOL}
    for first, second in TWO_POOLS:
        prefill, decode = fitting(first), fitting(second)
        if prefill and decode:
            pools = Pools(prefill=prefill, decode=decode, link=between)
            found[f"{first} → {second}"] = pools
    return {name: where for name, where in found.items() if where}


def runs_of(scene: Scene, *, requests: int | None = None) -> Iterator[MapRun]:
    """Serve the same requests at each rate by each layout. They come at random (Poisson).

    A layout in one pool is served with each of ``BUDGETS`` and named so, "TP8 · 512". The span of a
    run is that of the arrivals, so that goodput is the rate times the share kept: a short run ends
    with an empty system, and the time until then would flatter fast layouts. ``requests`` in place
    of the map's own number.
    """
    count = arguments.whole("requests", requests or REQUESTS[scene.model])
    asked = mix(WORKLOADS[scene.workload])
    for rate in scene.rates_per_s:
        trace = asked.trace(count, rate, seed=SEED, burstiness=1.0)
        for name, where in placed(scene).items():
            for named, run in _served(name, where, trace):
                yield replace(MapRun.of(named, rate, run), span_s=count / rate)


def runs_in(scene: Scene) -> int:
    """How many runs ``runs_of`` yields."""
    each = [1 if isinstance(where, Pools) else len(BUDGETS) for where in placed(scene).values()]
    return sum(each) * len(scene.rates_per_s)


def _served(name: str, where: Deployment | Pools, trace) -> Iterator[tuple[str, LayoutRun]]:
    if isinstance(where, Pools):
        yield name, serve_pools(trace, where)
        return
    for budget in BUDGETS:
        yield f"{name} · {budget}", serve_layout(trace, where, token_budget=budget)
