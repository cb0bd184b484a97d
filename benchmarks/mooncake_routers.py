"""What a router is worth on a real trace: Mooncake's conversations at their pages of 512 tokens.

``python -m benchmarks.mooncake_routers`` keeps the table in ``data``; it needs the trace
(``python -m labutils.workload fetch mooncake-conversation``).
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from labutils import llm
from labutils.engine import PagePool, Scheduler
from labutils.serving.replicas import (
    PrefixBounded,
    RoundRobin,
    TwoChoices,
    WeightedScores,
    serve_replicas,
)
from labutils.serving.simulator import StepCost
from labutils.workload import read_mooncake, trace_file

from . import machine
from .registry import Row, Settings, Unavailable, benchmark

MODEL, REPLICAS, PAGE_TOKENS, MEMORY_SHARE = "Llama-3.1-8B", 8, 512, 0.9
ROUTERS = (RoundRobin(), TwoChoices(), PrefixBounded(1.25), WeightedScores())
LOADS, DRAWS = (1.0, 1.5, 2.0, 2.5, 3.0), 10
T_95 = 2.262  # Student's t, 9 degrees of freedom
FIGURES = ("hit_share", "ttft_p50_s", "ttft_p90_s")
PLACE = Path("data/mooncake_routers.json")


@benchmark
def routers_on_a_real_trace(settings: Settings) -> Iterator[Row]:
    """Mooncake's conversations on eight replicas: what each router finds and how long it takes"""
    for row in measured(settings.choose(DRAWS, 2), (1.0,)):
        for name, unit in zip(FIGURES, ("", "s", "s"), strict=True):
            low, middle, high = row[name]
            yield Row(f"{row['router']}, {name}", middle, unit, note=f"{low:.3f} to {high:.3f}")


def measured(draws: int = DRAWS, loads=LOADS) -> Iterator[dict]:
    """For each router and load [low, mean, high] of each figure: 95 % over ``draws``.

    A draw moves arrivals within their ticks of 3 s, and draws for the router.
    """
    try:
        path = trace_file("mooncake-conversation")
    except FileNotFoundError as error:
        raise Unavailable(str(error)) from None
    model, h100 = llm.model(MODEL), llm.accelerator("H100 SXM")
    cost = StepCost.from_roofline(model, h100, bandwidth_share=0.8, per_layer_s=25e-6)
    room = MEMORY_SHARE * h100.memory_bytes - model.weight_bytes(2)
    pages = int(room / model.kv_bytes_per_token(2)) // PAGE_TOKENS
    traces = [read_mooncake(path, seed=seed) for seed in range(draws)]
    for load in loads:
        for router in ROUTERS:
            found = [one_run(trace.scaled(load), pages, cost, router, seed)
                     for seed, trace in enumerate(traces)]  # fmt: skip
            rows = np.array(found)
            mean, half = rows.mean(0), T_95 * rows.std(0, ddof=1) / draws**0.5
            yield {"router": type(router).__name__, "load": load, **{
                name: [round(float(mean[i] + k * half[i]), 4) for k in (-1, 0, 1)]
                for i, name in enumerate(FIGURES)
            }}  # fmt: skip


def one_run(trace, pages: int, cost, router, seed: int) -> list[float]:
    """The share of prompt tokens found, median and p90 of the time to the first token."""
    schedulers = [
        Scheduler(256, PagePool(pages, PAGE_TOKENS), token_budget=2_048, chunked=True)
        for _ in range(REPLICAS)
    ]
    run = serve_replicas(trace, schedulers, cost, router, seed=seed)
    ttft_s = (run.log.first_token_s - run.log.sent_s)[run.log.ok]
    return [run.hit_share, *np.quantile(ttft_s, (0.5, 0.9))]


def main() -> int:
    """Run it in full and keep the table."""
    rows = list(measured())
    here = machine.describe()
    here = {name: here[name] for name in ("cpu", "cores", "python")}
    stamp = {
        "command": "python -m benchmarks.mooncake_routers", "machine": here,
        "date": datetime.now(UTC).isoformat(timespec="seconds"), "model": MODEL,
        "replicas": REPLICAS, "page_tokens": PAGE_TOKENS, "draws": DRAWS,
    }  # fmt: skip
    lines = ",\n".join(json.dumps(row) for row in rows)
    text = json.dumps(stamp, indent=1)
    PLACE.write_text(f'{text[:-2]},\n "rows": [\n{lines}\n]}}\n', encoding="utf-8")
    print(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
