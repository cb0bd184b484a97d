"""Step costs: by hand, overlapped, roofline, fit."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labutils import llm
from labutils.serving.runs import StepCost
from labutils.serving.scheduling.step_shape import StepShape, attention_pairs

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
    with pytest.raises(ValueError, match="times_s has 1 values: expected 2"):
        StepCost.fit([StepShape(1), StepShape(2)], [0.1])
