"""Layouts under load against a few lines of their own, and what moving a cache does."""

from dataclasses import replace

import numpy as np
import pytest

from labutils import llm
from labutils.engine import PagePool, Scheduler
from labutils.llm.layouts import Deployment, Hosts, Layout, Link, Pools, Rates, link
from labutils.serving.multi_gpu import LayoutCost, serve_layout, serve_pools
from labutils.serving.multi_gpu.serve import dealt, pages_of
from labutils.serving.simulator import StepCost, simulate
from labutils.workload import RequestTrace, mix

H100 = Hosts(device=llm.accelerator("H100 SXM"))
RATES = Rates(bandwidth_share=0.8)
SLOW = Link(name="slow", bytes_per_s=2e9, start_s=0.0, hop_s=1e-3, reached=0.5)


def placed(name: str = "Llama-3.1-8B", **shape) -> Deployment:
    return Deployment(model=llm.model(name), layout=Layout(**shape), hosts=H100, rates=RATES)


def trace(count: int = 80, rate: float = 12.0, seed: int = 3) -> RequestTrace:
    return mix("azure-conversation").trace(count, rate_per_s=rate, seed=seed)


def lonely(prompt: int, answer: int, gap_s: float = 1000.0, count: int = 3) -> RequestTrace:
    return RequestTrace(np.arange(count) * gap_s, [prompt] * count, [answer] * count)


def test_one_card_is_the_simulator_itself():
    work, one = trace(), placed()
    pool = PagePool(pages_of(one), 16)
    scheduler = Scheduler(256, pool, token_budget=2048, chunked=True)
    cost = StepCost.from_roofline(one.model, H100.device, bandwidth_share=0.8)
    plain = simulate(work, scheduler, cost, compiled=False).log
    log = serve_layout(work, one).log
    for name in ("first_token_s", "last_token_s", "finish_s"):
        np.testing.assert_allclose(getattr(log, name), getattr(plain, name), rtol=1e-9)
    assert (log.output_tokens == work.output_tokens).all()


def test_copies_are_dealt_in_turn_and_serve_alone():
    work, three = trace(), placed(dp=3)
    log = serve_layout(work, three).log
    for first in range(3):
        part = RequestTrace(
            work.arrival_s[first::3], work.prompt_tokens[first::3], work.output_tokens[first::3]
        )
        alone = serve_layout(part, placed()).log
        np.testing.assert_allclose(log.finish_s[first::3], alone.finish_s, rtol=1e-12)
    assert [list(rows) for rows in dealt(5, 3)] == [[0, 3], [1, 4], [2]]
    assert len(dealt(2, 8)) == 2


@pytest.mark.parametrize("shape", ({"tp": 8}, {"pp": 4}, {"tp": 2, "pp": 4}, {"pp": 8}))
def test_a_lonely_prompt_takes_the_deployments_prefill_and_rounds(shape):
    """A pipeline's first token comes out behind the whole train, not when the next may begin."""
    one = placed("Llama-3.1-70B", **shape)
    log = serve_layout(lonely(1600, 50), one).log
    least = one.prefill(1600, chunk_tokens=1600 // one.layout.pp).time_s
    assert log.ttft_s == pytest.approx(least, rel=2e-3)  # n(n + 1)/2 pairs there, n²/2 here
    assert log.tpot_s == pytest.approx(one.decode(1, 1625).time_s, rel=1e-3)


def test_a_lonely_request_in_two_pools_waits_for_its_cache():
    pools = Pools(prefill=placed(tp=2), decode=placed(tp=4), link=SLOW)
    run = serve_pools(lonely(1000, 21), pools)
    moved = 1e-3 + 1000 * 131_072 / (2 * 1e9)
    assert run.transfer_s == pytest.approx(moved)
    assert run.log.ttft_s == pytest.approx(pools.prefill.prefill(1000).time_s, rel=1e-3)
    rest = run.log.last_token_s - run.log.first_token_s - moved
    assert rest == pytest.approx(20 * pools.decode.decode(1, 1011).time_s, rel=1e-3)
    assert run.cards == 6 and (run.log.output_tokens == 21).all() and run.log.ok.all()


def test_caches_leave_one_after_the_other():
    work = RequestTrace(np.zeros(3), [400, 800, 200], [5, 5, 5])
    run = serve_pools(work, Pools(prefill=placed(), decode=placed(), link=SLOW))
    each = [1e-3 + tokens * 131_072 / 1e9 for tokens in (400, 800, 200)]
    assert run.transfer_s == pytest.approx(np.cumsum(each))  # all prompts end in one step


@pytest.mark.parametrize(
    "senders, receivers", (({"dp": 3}, {}), ({"dp": 2}, {"tp": 2}), ({}, {"dp": 3}))
)
def test_a_pool_with_fewer_ports_is_a_queue(senders, receivers):
    """Six caches at once: as many move at a time as the pool with fewer cards has ports."""
    work = RequestTrace(np.zeros(6), [400] * 6, [5] * 6)
    free = replace(SLOW, hop_s=0.0)
    pools = Pools(prefill=placed(**senders), decode=placed(**receivers), link=free)
    run = serve_pools(work, pools)
    ports = min(pools.prefill.layout.cards, pools.decode.layout.cards)
    each = 400 * 131_072 / 1e9  # over a single port
    queue_s = run.transfer_s.max() - 6 * each / ports  # all prompts end in one step
    assert -1e-9 < queue_s < each  # ports stand empty at the start and the end alone
    most = pools.most_requests_per_s(400, 5, 6)["transfer"]
    assert most == pytest.approx(ports / each)


def test_seven_senders_fill_a_single_port():
    """268 MB by a port that reaches 5 GB/s: 18.6 a second, however many send."""
    pools = Pools(prefill=placed(dp=7), decode=placed(), link=link("50 Gbit/s"))
    assert pools.most_requests_per_s(2048, 28, 64)["transfer"] == pytest.approx(18.6, abs=0.05)


def test_two_pools_keep_tokens_and_order():
    work = trace(120, rate=25.0)
    work = replace(work, output_tokens=np.where(np.arange(120) % 7, work.output_tokens, 1))
    run = serve_pools(work, Pools(prefill=placed(dp=2), decode=placed(dp=2), link=SLOW))
    log = run.log
    assert (log.output_tokens == work.output_tokens).all() and log.ok.all()
    assert (log.intended_arrival_s == work.arrival_s).all()
    assert (log.first_token_s <= log.last_token_s).all()
    single = work.output_tokens == 1
    assert (run.transfer_s[single] == 0).all() and (run.transfer_s[~single] > 0).all()
    assert sum(len(part.ids) for part in run.runs["decode"]) == (~single).sum()


def test_decode_alone_never_waits_for_a_prompt():
    """Promises on TPOT: mixed steps stretch with their prompts, a decode pool's do not."""
    work = mix("azure-conversation").trace(300, rate_per_s=14.0, seed=5)
    fast = replace(SLOW, bytes_per_s=100e9)
    apart = serve_pools(work, Pools(prefill=placed(), decode=placed(), link=fast)).log
    mixed = serve_layout(work, placed(dp=2), token_budget=8192).log
    p99 = [np.nanpercentile(log.tpot_s, 99) for log in (apart, mixed)]
    assert p99[0] < 0.7 * p99[1]


def test_a_preempted_request_computes_its_lost_cache_again():
    small = replace(placed(), rates=replace(RATES, usable_share=0.208))
    assert 40 < pages_of(small) < 400
    work = RequestTrace(np.zeros(12), [300] * 12, [200] * 12)
    free = replace(SLOW, bytes_per_s=1e12, hop_s=0.0)
    run = serve_pools(work, Pools(prefill=placed(), decode=small, link=free))
    roomy = serve_pools(work, Pools(prefill=placed(), decode=placed(), link=free))
    assert run.preemptions > 0 == roomy.preemptions
    assert run.log.ok.all() and run.log.last_token_s.max() > roomy.log.last_token_s.max()
    shapes = run.runs["decode"][0].rows
    assert shapes["prefill_tokens"].sum() > 0
    assert roomy.runs["decode"][0].rows["prefill_tokens"].sum() == 0


def test_goodput_and_money_count_what_was_kept():
    run = serve_layout(lonely(1000, 11, gap_s=5.0, count=4), placed(dp=2))
    ttft, tpot = float(run.log.ttft_s[0]), float(run.log.tpot_s[0])
    span = 15.0 + ttft + 10 * tpot
    kept = {"ttft_s": 1.01 * ttft, "tpot_s": 1.01 * tpot}
    assert run.span_s == pytest.approx(span)
    assert run.kept(**kept) == 1 and run.kept(ttft_s=0.5 * ttft, tpot_s=1.0) == 0
    assert run.goodput_per_s_per_card(**kept) == pytest.approx(4 / span / 2)
    assert run.tokens_per_s_per_card() == pytest.approx(44 / span / 2)
    cost = run.cost_per_million_kept_tokens(price_per_hour=3.0, **kept)
    assert cost == pytest.approx(2 * 3.0 * span / 3600 / 44 * 1e6)
    none = run.cost_per_million_kept_tokens(price_per_hour=3.0, ttft_s=1e-9, tpot_s=1.0)
    assert none == float("inf")


def test_what_each_part_of_two_pools_can_carry():
    pools = Pools(prefill=placed(dp=2), decode=placed(tp=2), link=SLOW)
    most = pools.most_requests_per_s(1000, 101, 32)
    assert most["prefill"] == pytest.approx(2 / pools.prefill.prefill(1000).time_s)
    assert most["transfer"] == pytest.approx(1 / (1e-3 + 1000 * 131_072 / 2e9))
    assert most["decode"] == pytest.approx(32 / (100 * pools.decode.decode(32, 1050.5).time_s))
    ratio = llm.prefill_workers_per_decode_worker(
        prefill_s=pools.prefill.prefill(1000).time_s, batch=32, output_tokens=100,
        tpot_s=pools.decode.decode(32, 1050.5).time_s,
    )  # fmt: skip
    assert 2 * most["decode"] / most["prefill"] == pytest.approx(ratio)


@pytest.mark.parametrize(
    "made, message",
    (
        (lambda: serve_layout(trace(), placed("Llama-3.1-70B")), "expected one that fits"),
        (lambda: Pools(prefill=placed(), decode=placed("Qwen3-8B"), link=SLOW), "decode = Qwen3"),
    ),
)
def test_what_cannot_be_served_is_refused(made, message):
    with pytest.raises(ValueError, match=message):
        made()


def test_the_last_piece_of_a_prompt_is_late_by_all_stages_but_one():
    cost = LayoutCost(placed(tp=2))
    assert cost.late_s(1.0) == 0 and LayoutCost(placed(pp=4)).late_s(1.0) == 0.75
