"""Layouts of one model on several cards: against published figures, and under load."""

import statistics
from collections.abc import Iterator
from time import perf_counter

from labutils import llm
from labutils.llm.layouts import Deployment, Hosts, Layout, Pools, Rates, layouts_of, link
from labutils.llm.layouts.published import FITTED, published
from labutils.serving.multi_gpu import serve_layout, serve_pools
from labutils.workload import mix

from .registry import Goal, Row, Settings, benchmark

HOSTS = Hosts(device=llm.accelerator("H100 SXM"))
RATES = Rates(bandwidth_share=0.8, launch_s=1e-3)
PROMISES = {"ttft_s": 2.0, "tpot_s": 0.04}
PRICE_PER_HOUR = 2.5


@benchmark
def figures(settings: Settings) -> Iterator[Row]:
    """Layouts: figures published by others, what the model says, and why they differ"""
    for name, how in FITTED.items():
        yield Row(f"fitted: {name}", 0.0, "", note=how)
    errors = []
    for one in published():
        if not one.is_fitted:
            errors.append(abs(one.error))
        how = "fitted, " if one.is_fitted else ""
        note = f"{how}published {one.measured:g}, {one.error:+.0%}; {one.source}; {one.reason}"
        yield Row(one.name, one.computed(), one.unit, note=note)
    goal = Goal(20.0)
    yield Row(
        "median error of those that were not fitted",
        100 * statistics.median(errors),
        "%",
        goal=goal,
        note=_within(errors),
    )


def _within(errors: list[float]) -> str:
    near = sum(error <= 0.3 for error in errors)
    return f"{near} of {len(errors)} within 30 %, largest {max(errors):.0%}"


@benchmark
def under_load(settings: Settings) -> Iterator[Row]:
    """Layouts: a 70B on eight H100, 6 chats a second, TTFT 2 s and TPOT 40 ms, simulated"""
    requests = settings.choose(2_000, 120)
    trace = mix("azure-conversation").trace(requests, rate_per_s=6.0, seed=7)
    spec = llm.model("Llama-3.1-70B")
    for layout in layouts_of(spec, 8):
        placed = Deployment(model=spec, layout=layout, hosts=HOSTS, rates=RATES)
        if placed.fits(32, 2000):
            yield _row(str(layout), lambda placed=placed: serve_layout(trace, placed), requests)
    four = Deployment(model=spec, layout=Layout(tp=4), hosts=HOSTS, rates=RATES)
    for name in ("400 Gbit/s", "50 Gbit/s"):
        pools = Pools(prefill=four, decode=four, link=link(name))
        row = f"TP4 prefills, TP4 decodes, {name}"
        yield _row(row, lambda pools=pools: serve_pools(trace, pools), requests)


def _row(name: str, serve, requests: int) -> Row:
    begin = perf_counter()
    run = serve()
    took = perf_counter() - begin
    cost = run.cost_per_million_kept_tokens(price_per_hour=PRICE_PER_HOUR, **PROMISES)
    note = (
        f"p50/p99 TTFT {_percentiles(run.log.ttft_s, 1):s} s, TPOT "
        f"{_percentiles(run.log.tpot_s, 1e3):s} ms, {run.kept(**PROMISES):.0%} kept both, "
        f"${cost:.2f} per 10⁶ kept tokens, {run.preemptions} preemptions; {requests:,} requests "
        f"in {took:.1f} s"
    )
    return Row(name, run.goodput_per_s_per_card(**PROMISES), "req/s a card", note=note)


def _percentiles(values, scale: float) -> str:
    from labutils.metrics.latency import percentile

    clean = values[values == values]
    return "/".join(f"{scale * percentile(clean, q):.3g}" for q in (0.5, 0.99))
