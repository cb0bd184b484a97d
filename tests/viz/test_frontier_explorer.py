"""The live frontier: its points are what single runs say, and its words name what they keep."""

import numpy as np
import pytest

from labutils.engine import PagePool, Scheduler
from labutils.metrics.latency import percentile
from labutils.serving.simulator import StepCost, simulate
from labutils.viz.explorers.frontier import frontier_explorer
from labutils.workload import mix

COST = StepCost(base_s=0.01, per_prefill_token_s=60e-6, per_sequence_s=20e-6)
RATES = (1, 3, 6.5)
EACH = 31  # requests at each rate by each policy


@pytest.fixture(scope="module")
def explorer():
    workloads = {"talk": (mix("azure-conversation"), RATES), "code": (mix("azure-code"), (2, 5))}
    pages = (300, 700)
    return frontier_explorer(workloads, step_cost=COST, seed=5, num_requests=187, pages=pages)


def served(rate, *, kind="azure-conversation", pages=700, places=128, each=EACH, seed=5, **how):
    trace = mix(kind).trace(each, rate, seed=seed, burstiness=1.0)
    scheduler = Scheduler(places, PagePool(pages), **how)
    return simulate(trace, scheduler, COST, token_times=True, compiled=False)


def sweep(rates, **setting):
    """Answers a second at each rate, and the highest that keeps both promises, in plain runs."""
    kept, per_s = [], []
    for rate in rates:
        log = served(rate, **setting).log
        per_s.append(log.ok.sum() / np.nanmax(log.finish_s))
        tails = percentile(log.ttft_s[log.ok], 0.99), percentile(log.itl_s, 0.99)
        kept += [rate] if tails[0] <= 2 and tails[1] <= 0.05 else []
    return per_s, f"up to {max(kept):g} requests/s" if kept else "at no rate"


def curve(explorer, name):
    first, chunks = (line for line in explorer._frames.fig.axes[0].lines[:2])
    return np.array((first if name == "prompts first" else chunks).get_data())


@pytest.mark.parametrize("measure", ["per token", "p99 of TTFT", "p99 of ITL"])
def test_each_point_is_a_run_of_its_own(explorer, measure):
    explorer(requests="talk", budget=256, places=128, pages=700, measure=measure)
    options = {"prompts first": {}, "chunks": {"token_budget": 256, "chunked": True}}
    for name, how in options.items():
        for rate, (per_s, latency_ms) in zip(RATES, curve(explorer, name).T):
            records = [one for one in served(rate, **how).records() if one.ok]
            assert per_s == pytest.approx(len(records) / max(one.finish_s for one in records))
            gaps = np.concatenate([np.diff(one.token_times_s) for one in records])
            ends = [(r.finish_s - r.intended_arrival_s) / len(r.token_times_s) for r in records]
            wanted_s = {
                "per token": np.median(ends),
                "p99 of TTFT": percentile([one.ttft_s for one in records], 0.99),
                "p99 of ITL": percentile(gaps, 0.99),
            }[measure]
            assert latency_ms == pytest.approx(1000 * wanted_s, rel=0.01)


def test_it_names_the_highest_rate_that_keeps_both_promises(explorer):
    finding = explorer(requests="talk", budget=512, places=128, pages=700)
    _, limit = sweep(RATES, token_budget=512, chunked=True)
    assert f"chunks of 512 {limit}" in finding
    assert "prompts first" in finding and "within 2,000 ms" in finding


@pytest.mark.parametrize(
    "seed", [8, *(pytest.param(seed, marks=pytest.mark.full) for seed in (1, 30))]
)
def test_every_move_ends_at_the_limit_of_a_full_sweep(seed):
    """Also where a curve was seen before, and is kept."""
    rates, pages = (1, 3, 9, 27), (333, 1_700)
    moved = frontier_explorer(
        {"talk": (mix("azure-conversation"), rates)},
        step_cost=COST, seed=seed, num_requests=8 * 40 + 3, pages=pages,
    )  # fmt: skip
    limits = set()
    moves = [(512, 128, 0), (256, 128, 0), (256, 8, 0), (1024, 8, 1), (256, 128, 1), (256, 128, 0)]
    for budget, places, memory in moves:
        finding = moved(budget=budget, places=places, pages=pages[memory])
        policies = {"prompts first": {}, "chunks": {"chunked": True, "token_budget": budget}}
        for name, how in policies.items():
            how |= {"places": places, "pages": pages[memory], "each": 40, "seed": seed}
            per_s, limit = sweep(rates, **how)
            assert curve(moved, name)[0] == pytest.approx(per_s)
            whose = name if name == "prompts first" else f"chunks of {budget:,}"
            assert f"{whose} {limit}" in finding
            limits.add(limit)
    assert len(limits) > 1


def test_little_memory_costs_preemptions_and_refusals(explorer):
    finding = explorer(requests="talk", budget=512, places=128, pages=300)
    runs = [served(rate, pages=300, token_budget=512, chunked=True) for rate in RATES]
    preempted = sum(run.telemetry.preemptions.sum() for run in runs)
    refused = sum((~run.log.ok).sum() for run in runs)
    assert preempted > 0 and refused > 0
    assert f"({preempted:.0f} preemptions, {refused:,} too long for the memory)" in finding


def test_the_budget_moves_the_chunks_alone(explorer):
    explorer(requests="talk", budget=256, places=128, pages=700, measure="p99 of ITL")
    before = {name: curve(explorer, name) for name in ("prompts first", "chunks")}
    explorer(budget=2048)
    assert (curve(explorer, "prompts first") == before["prompts first"]).all()
    assert (curve(explorer, "chunks")[1, 1:] > before["chunks"][1, 1:]).all()


def test_another_mix_brings_its_own_rates(explorer):
    explorer(requests="code", budget=1024, places=16, pages=700)
    assert curve(explorer, "chunks").shape == (2, 2)
    run = served(5, kind="azure-code", places=16, each=46, token_budget=1024, chunked=True)
    last = np.nanmax(run.log.finish_s)
    assert curve(explorer, "chunks")[0, 1] == pytest.approx(run.log.ok.sum() / last)


def test_the_promise_is_drawn_where_there_is_one(explorer):
    limit = explorer._frames.fig.axes[0].lines[2]
    explorer(measure="p99 of TTFT")
    assert set(limit.get_ydata()) == {2000}
    explorer(measure="per token")
    assert len(limit.get_ydata()) == 0


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="num_requests = 0"):
        frontier_explorer({}, step_cost=COST, seed=1, num_requests=0)
