"""What the simulator says of a load test: the same load, on an engine that is known by a cost."""

import math
from dataclasses import dataclass

import numpy as np

from labutils import llm
from labutils.engine import PagePool, Scheduler
from labutils.ground import arguments
from labutils.metrics import RequestLog
from labutils.serving.runs.step_cost import StepCost
from labutils.serving.simulator import simulate
from labutils.workload import RequestTrace

from .measured_run import MeasuredRun, MeasuredStage, Quantiles, quantiles

PAGE_TOKENS = 16
MOST_REQUESTS = 200_000


@dataclass(frozen=True, kw_only=True)
class Engine:
    """The engine that was measured, as far as the simulator knows engines.

    ``pages`` of 16 tokens; ``places`` sequences run at once, a step holds ``budget`` tokens.
    ``edge_s`` is what lies between client and engine, ``late_steps`` how many steps a newcomer
    misses. Of each prompt ``cached_tokens`` are in the prefix cache (None: all of it).
    """

    cost: StepCost
    pages: int
    places: int = 128
    budget: int = 2048
    cached_tokens: int | None = 0
    edge_s: float = 0.0
    late_steps: int = 0


def engine_of(
    model: str, gpu: str, *, tp: int = 1, bits: int = 16, memory_share: float = 0.9,
    bandwidth_share: float = 0.85, layer_s: float = 40e-6, **engine,
) -> Engine:  # fmt: skip
    """The engine of a catalogue model on catalogue cards, its cost from the roofline."""
    spec, device = llm.model(model), llm.accelerator(gpu)
    more = {} if tp == 1 else {"tp": arguments.whole("tp", tp)}
    cost = StepCost.from_roofline(
        spec, device, bytes_per_weight=bits / 8, bandwidth_share=bandwidth_share,
        overhead_s=layer_s * spec.layers, **more,
    )  # fmt: skip
    room = tp * device.memory_bytes * memory_share - spec.weight_bytes(bits / 8)
    pages = math.floor(room / (spec.kv_bytes_per_token() * PAGE_TOKENS))
    if pages < 1:
        raise ValueError(f"{spec.name} does not fit: {tp} x {device.name}, {bits} bits a weight")
    return Engine(cost=cost, pages=pages, **engine)


def predicted(
    run: MeasuredRun, stage: MeasuredStage, engine: Engine, *, seed: int = 0
) -> dict[str, Quantiles | float]:
    """Quantiles of "e2e_s", "ttft_s" and "tpot_s", and "requests_per_s", of a stage.

    Requests are equally long. They arrive when they did where that is known, at exponential gaps
    otherwise. In a closed loop as many run as there are clients, and as one leaves the next begins.
    """
    prompt, output = _lengths(run, stage)
    requests = arguments.whole("requests", stage.requests, at_most=MOST_REQUESTS)
    clients = stage.concurrency if stage.rate_per_s is None else None
    arrival_s = np.zeros(requests) if clients else _arrivals(stage, requests, seed)
    n = len(arrival_s)
    places = min(engine.places, clients or engine.places)
    trace = RequestTrace(
        arrival_s, np.full(n, prompt), np.full(n, output), **_names(n, prompt, engine)
    )
    pool, budget = PagePool(engine.pages, PAGE_TOKENS), max(engine.budget, places)
    scheduler = Scheduler(places, pool, token_budget=budget, chunked=True)
    log = simulate(trace, scheduler, engine.cost).log
    return _seen(log, engine, stage.duration_s, clients)


def _lengths(run: MeasuredRun, stage: MeasuredStage) -> tuple[int, int]:
    prompt = stage.prompt_tokens.get("mean")
    output = run.output_tokens or stage.reported_output_tokens.get("mean")
    for name, value in (("prompt", prompt), ("output", output)):
        if not value:
            raise ValueError(f"the number of {name} tokens is not known: --{name}-tokens N")
    return max(1, round(prompt)), max(1, round(output))


def _arrivals(stage: MeasuredStage, n: int, seed: int) -> np.ndarray:
    if stage.log is not None:
        return stage.log.intended_arrival_s
    if not stage.rate_per_s:
        raise ValueError("neither a rate, nor a closed loop, nor single requests: no load to serve")
    ends_s = np.cumsum(np.random.default_rng(seed).exponential(size=n))
    return ends_s / ends_s[-1] * n / stage.rate_per_s  # as many in as much time as were asked for


def _names(requests: int, prompt: int, engine: Engine) -> dict:
    """Equal names for the pages that all prompts share: the first request fills the cache."""
    cached = prompt if engine.cached_tokens is None else min(prompt, engine.cached_tokens)
    if not cached:
        return {}
    shared = tuple(range(cached // PAGE_TOKENS))
    return {"prefix_keys": (shared,) * requests, "prefix_page_tokens": PAGE_TOKENS}


def _seen(log: RequestLog, engine: Engine, duration_s: float, clients: int | None) -> dict:
    """As a client sees it, with the edge, and the steps that a newcomer misses, each a TPOT long.

    In a closed loop a request begins when it is admitted; where that many clients would then ask
    too often, the rest of the round (Little's law) is a wait for a place.
    """
    ok = log.ok
    later_s = engine.edge_s + engine.late_steps * np.nan_to_num(log.tpot_s[ok])
    from_s = log.admitted_s[ok] if clients else log.intended_arrival_s[ok]
    e2e_s, ttft_s = log.finish_s[ok] - from_s + later_s, log.first_token_s[ok] - from_s + later_s
    if clients:
        served_per_s = ok.sum() / log.finish_s[ok].max()
        wait_s = max(0.0, clients / served_per_s - e2e_s.mean())
        e2e_s, ttft_s = e2e_s + wait_s, ttft_s + wait_s
        per_s = clients / e2e_s.mean()
    else:
        per_s = log.throughput_per_s(0.0, duration_s)
    columns = {"e2e_s": e2e_s, "ttft_s": ttft_s, "tpot_s": log.tpot_s[ok]}
    told = {name: quantiles(column) for name, column in columns.items()}
    return told | {"requests_per_s": float(per_s)}
