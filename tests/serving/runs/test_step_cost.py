"""Step costs: by hand, overlapped, roofline, fit."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labutils import llm
from labutils.engine import PagePool, Scheduler
from labutils.llm.layouts import Deployment, Hosts, Layout, Rates, link
from labutils.serving.multi_gpu import LayoutCost
from labutils.serving.runs import StepCost
from labutils.serving.scheduling.step_shape import StepShape, attention_pairs
from labutils.serving.simulator import simulate
from labutils.workload.trace import RequestTrace

H100 = llm.accelerator("H100 SXM")
REACHED = Rates(bandwidth_share=0.85, per_layer_s=40e-6)
COST = StepCost(0.006, 60e-6, 3.4e-9, 30e-6, 65e-9)


@given(new=st.integers(1, 40), computed=st.integers(0, 50))
def test_attention_pairs_are_counted(new, computed):
    assert attention_pairs(new, computed) == sum(computed + i for i in range(1, new + 1))


def test_a_step_by_hand():
    shape = StepShape(100, 5_050, 7, 2_000)
    by_hand = 0.006 + 100 * 60e-6 + 5_050 * 3.4e-9 + 7 * 30e-6 + 2_000 * 65e-9
    assert COST.time_s(shape) == pytest.approx(by_hand, abs=1e-15)


def test_reading_the_weights_hides_the_operations_until_these_take_longer():
    cost = StepCost(0.001, per_context_token_s=1e-7, weights_s=0.004, per_linear_token_s=2e-5)
    assert cost.time_s(StepShape(0, 0, 7, 900)) == pytest.approx(0.001 + 0.004 + 9e-5)
    assert cost.time_s(StepShape(193, 0, 7, 900)) == pytest.approx(0.001 + 0.004 + 9e-5)
    assert cost.time_s(StepShape(493, 0, 7, 900)) == pytest.approx(0.001 + 0.01 + 9e-5)


@given(prefill=st.integers(0, 5_000), sequences=st.integers(0, 90), context=st.integers(0, 10**6))
def test_without_the_overlapped_terms_a_cost_is_linear(prefill, sequences, context):
    shape = StepShape(prefill, 7 * prefill, sequences, context)
    by_hand = 0.006 + prefill * (60e-6 + 7 * 3.4e-9) + sequences * 30e-6 + context * 65e-9
    assert COST.time_s(shape) == pytest.approx(by_hand, rel=1e-12)


def test_roofline_of_an_8b_is_its_decode_step():
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    cost = StepCost.from_roofline(model, device)
    for batch, context in ((1, 1024), (32, 1024), (7, 5000)):
        theory = llm.decode_step(model, device, batch, context)
        mine = cost.time_s(StepShape(0, 0, batch, batch * context))
        assert theory.binding == "bytes" and mine == pytest.approx(theory.time_s, rel=1e-9)
    prefill = cost.time_s(StepShape(2048, attention_pairs(2048, 0)))
    theory = llm.prefill_time_s(model, device, 2048)
    assert prefill == pytest.approx(theory, rel=1e-3)  # pairs count the diagonal too


def test_reading_and_computing_overlap_kernel_by_kernel():
    """By hand: 8.03e9 weights of 2 bytes at 3.35 TB/s, half of 989 TFLOP/s, 128 KiB of KV."""
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    cost = StepCost.from_roofline(model, device, flops_share=0.5, overhead_s=0.001)
    weights_s, each_s = 2 * 8.03e9 / 3.35e12, 2 * 8.03e9 / (0.5 * 989.4e12)
    pair_s, context_s = 32 * 4 * 4096 / (0.5 * 989.4e12), 131_072 / 3.35e12
    ridge = weights_s / each_s
    assert 147 < ridge < 148
    for prefill, decodes in ((100, 40), (140, 0), (0, 147)):  # bound by reading
        shape = StepShape(prefill, 9_000, decodes, 50_000)
        pairs_s = 9_000 * pair_s if prefill else 0
        by_hand = 0.001 + weights_s + pairs_s + 50_000 * context_s
        assert cost.time_s(shape) == pytest.approx(by_hand, rel=1e-3)
    for prefill, decodes in ((148, 0), (496, 16), (0, 200)):  # by computing, decodes included
        shape = StepShape(prefill, 9_000, decodes, 50_000)
        pairs_s = 9_000 * pair_s if prefill else 0
        by_hand = 0.001 + (prefill + decodes) * each_s + pairs_s + 50_000 * context_s
        assert cost.time_s(shape) == pytest.approx(by_hand, rel=1e-3)


def test_a_layer_takes_its_time_in_every_step():
    for name, layers in (("Llama-3.1-8B", 32), ("CodeLlama-34B", 48)):
        plain, slow = (
            StepCost.from_roofline(llm.model(name), H100, overhead_s=5e-4, per_layer_s=each_s)
            for each_s in (0.0, 40e-6)
        )
        for shape in shapes_of_a_run(9, 20):
            assert slow.time_s(shape) - plain.time_s(shape) == pytest.approx(layers * 40e-6)


def test_four_cards_by_hand():
    """Llama-2-70B on four H100: a quarter of everything, and 160 all-reduces.

    NVLink: 1 µs to begin, 2.5 µs a hop, 450 GB/s of which long messages reach 0.8, short ones 0.16.
    A row's message is 16 KiB. At 32 rows two shots are the fastest way, at 128 and above a ring.
    """
    cost = StepCost.from_roofline(
        llm.model("Llama-2-70B"), H100, bandwidth_share=0.85, flops_share=0.4, overhead_s=3e-4,
        per_layer_s=40e-6, per_sequence_s=2e-6, tp=4,
    )  # fmt: skip
    read, multiply = 4 * 0.85 * 3.35e12, 4 * 0.4 * 989e12
    at_32_s = 6e-6 + 1.5 * 32 * 16_384 / (0.16 * 450e9)
    ring_token_s = 1.5 * 16_384 / (0.8 * 450e9)
    row_s = (16e-6 + 128 * ring_token_s - at_32_s) / 96
    base_s = 3e-4 + 80 * 40e-6 + 160 * (at_32_s - 32 * row_s)
    for rows in (1, 32, 100, 128):
        reading_s = (2 * 68.977e9 + rows * 700 * 327_680) / read
        by_hand = base_s + reading_s + rows * (160 * row_s + 2e-6)
        shape = StepShape(0, 0, rows, 700 * rows)
        assert cost.time_s(shape) == pytest.approx(by_hand, rel=1e-4)
    linear_s, pairs_s = 960 * 2 * 68.977e9 / multiply, 500_000 * 80 * 4 * 8192 / multiply
    alone_s = linear_s + pairs_s + 60 * 700 * 327_680 / read
    by_hand = base_s + alone_s + 160 * (60 * row_s + 900 * ring_token_s) + 60 * 2e-6
    assert cost.time_s(StepShape(900, 500_000, 60, 42_000)) == pytest.approx(by_hand, rel=1e-3)


def flat_and_bent(name, rows=64, **shape):
    model, hosts = llm.model(name), Hosts(device=H100)
    cut = Deployment(model=model, layout=Layout(**shape), hosts=hosts, rates=REACHED)
    return StepCost.of_deployment(cut, rows=rows), LayoutCost(cut)


@pytest.mark.parametrize(
    "name, tp, error",
    (("Llama-3.1-8B", 1, 1e-9), ("CodeLlama-34B", 2, 1e-3), ("Llama-2-70B", 4, 0.01),
     ("Mixtral-8x7B", 2, 1e-3)),
)  # fmt: skip
def test_near_its_load_a_flat_cost_is_the_layouts(name, tp, error):
    flat, bent = flat_and_bent(name, tp=tp)
    rng = np.random.default_rng(7)
    for _ in range(200):
        rows, prompt = int(rng.integers(32, 129)), int(rng.choice([0, 0, 300, 2048]))
        shape = StepShape(prompt, 400 * prompt, rows, int(rows * rng.integers(1, 3000)))
        assert flat.time_s(shape) == pytest.approx(bent.time_s(shape), rel=error)


def test_latent_attention_is_flat_at_its_load():
    flat, bent = flat_and_bent("DeepSeek-V2")
    for context in (1, 700, 30_011):
        shape = StepShape(0, 0, 64, 64 * context)
        assert flat.time_s(shape) == pytest.approx(bent.time_s(shape), rel=1e-9)


@pytest.mark.parametrize("name, tp, error", (("Llama-2-70B", 4, 0.01), ("Mixtral-8x7B", 2, 0.015)))
def test_a_simulated_load_hardly_sees_that_a_cost_is_flat(name, tp, error):
    rng, n = np.random.default_rng(3), 150
    trace = RequestTrace(
        arrival_s=np.cumsum(rng.exponential(1 / 8, n)),
        prompt_tokens=rng.integers(300, 900, n), output_tokens=rng.integers(100, 300, n),
    )  # fmt: skip
    means = []
    for cost in flat_and_bent(name, tp=tp):
        scheduler = Scheduler(128, PagePool(9000, 16), token_budget=2048, chunked=True)
        log = simulate(trace, scheduler, cost).log
        means.append((log.finish_s - log.intended_arrival_s).mean())
    assert means[0] == pytest.approx(means[1], rel=error)


def test_other_links_of_the_hosts_are_used():
    model, shape = llm.model("CodeLlama-34B"), StepShape(0, 0, 64, 64_000)
    apart = Hosts(device=H100, host_cards=1, between=link("100 Gbit/s"))
    near, far = (
        StepCost.from_roofline(model, H100, tp=2, hosts=hosts).time_s(shape)
        for hosts in (None, apart)
    )
    assert far > 1.8 * near


@pytest.mark.parametrize(
    "name, shape, what",
    (
        ("Llama-2-70B", {"pp": 4}, "pp = 4"),
        ("Llama-2-70B", {"sp": 2}, "sp = 2"),
        ("Mixtral-8x7B", {"dp": 4, "ep": 4}, "ep = 4"),
        ("Gemma-3-27B", {"tp": 2}, "windows"),
        ("DeepSeek-V3.2", {"tp": 8}, "an indexer"),
        ("Qwen3-Next-80B-A3B", {"tp": 2}, "linear attention"),
        ("Mixtral-8x7B", {"tp": 2, "rows": 7}, "experts that 7 rows leave unread"),
    ),
)
def test_what_is_no_sum_over_tokens_is_not_flattened(name, shape, what):
    with pytest.raises(ValueError, match=rf"has {what}: .*LayoutCost\(deployment\)"):
        flat_and_bent(name, **shape)


def shapes_of_a_run(seed, n=400):
    rng = np.random.default_rng(seed)
    prefill = rng.integers(0, 2, n) * rng.integers(1, 900, n)
    decode = rng.integers(1, 60, n)
    context = decode * rng.integers(10, 3_000, n)
    pairs = [attention_pairs(int(p), int(c)) for p, c in zip(prefill, rng.integers(0, 2_000, n))]
    return [StepShape(*map(int, row)) for row in zip(prefill, pairs, decode, context)]


def test_a_fit_finds_the_cost_that_made_the_times():
    shapes = shapes_of_a_run(4)
    fitted = StepCost.fit(shapes, [COST.time_s(shape) for shape in shapes])
    for name in COST.__dataclass_fields__:
        assert getattr(fitted, name) == pytest.approx(getattr(COST, name), rel=1e-6), name


def test_a_fit_of_noisy_times_has_no_negative_coefficient():
    rng, shapes = np.random.default_rng(6), shapes_of_a_run(5)
    true = StepCost(0.006, 60e-6, 0.0, 0.0, 65e-9)
    times = [true.time_s(shape) * rng.lognormal(0, 0.05) for shape in shapes]
    fitted = StepCost.fit(shapes, times)
    assert min(getattr(fitted, name) for name in COST.__dataclass_fields__) >= 0
    assert fitted.base_s == pytest.approx(0.006, rel=0.05)
    assert fitted.per_context_token_s == pytest.approx(65e-9, rel=0.2)


def test_what_never_varies_belongs_to_the_base():
    shapes = [StepShape(0, 0, 4, context) for context in (100, 700, 4_000)]
    fitted = StepCost.fit(shapes, [COST.time_s(shape) for shape in shapes])
    assert fitted.per_sequence_s == 0 and fitted.per_prefill_token_s == 0
    assert fitted.base_s == pytest.approx(0.006 + 4 * 30e-6)


def test_bad_costs():
    with pytest.raises(ValueError, match="per_pair_s = -1"):
        StepCost(0.1, per_pair_s=-1)
    with pytest.raises(ValueError, match="per_layer_s = -1e-05"):
        StepCost.from_roofline(llm.model("Phi-4"), H100, overhead_s=1.0, per_layer_s=-1e-5)
    with pytest.raises(ValueError, match="times_s has 1 values: expected 2"):
        StepCost.fit([StepShape(1), StepShape(2)], [0.1])
