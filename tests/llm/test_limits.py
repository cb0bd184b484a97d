"""Ridges, capacity and cost, against searches and against the printed anchors."""

import math

import pytest

from labutils import llm

from .published import PUBLISHED, weights

LLAMA, H100 = llm.model("Llama-3.1-8B"), llm.accelerator("H100")
GIB = 2**30


@pytest.mark.parametrize("device, batch", (("H100", 295), ("TPU v5e", 240.5), ("A100", 153)))
def test_the_compute_ridge_in_bf16_is_the_ridge_of_the_device(device, batch):
    assert llm.compute_ridge_batch(llm.accelerator(device)) == pytest.approx(batch, abs=0.5)


def test_narrow_weights_lower_the_ridge_and_fast_arithmetic_raises_it():
    ridge = llm.compute_ridge_batch(H100)
    assert llm.compute_ridge_batch(H100, 0.5) == ridge / 4
    assert llm.compute_ridge_batch(H100, precision="fp8") == ridge * 2


@pytest.mark.parametrize("name", ("Llama-3.1-8B", "Llama-2-70B", "DeepSeek-V3"))
def test_at_the_second_ridge_a_step_reads_as_much_cache_as_weights(name):
    spec = llm.model(name)
    tokens = llm.kv_equals_weights_tokens(spec, bytes_per_weight=1, bytes_per_value=1.5, batch=16)
    step = llm.decode_step(spec, H100, 16, tokens / 16, bytes_per_weight=1, bytes_per_value=1.5)
    assert step.kv_bytes == pytest.approx(step.weight_bytes, rel=1e-12)


def test_the_second_ridge_of_an_8b_lies_at_122_thousand_tokens():
    assert llm.kv_equals_weights_tokens(LLAMA) == pytest.approx(122_532, abs=1)
    assert llm.kv_equals_weights_tokens(LLAMA, bytes_per_weight=1) == pytest.approx(61_266, abs=1)


def fitting(name, memory, context, usable, weight_width, value_width, overhead):
    """Admit sequence after sequence until the next one no longer fits."""
    p, total = PUBLISHED[name], sum(math.prod(shape) for _, shape in weights(name))
    window, windowed = p.window or (context, 0)
    entry = p.rank + p.rope if p.family == "deepseek" else 2 * p.kv_heads * p.head_dim
    entry += p.index[1] if p.index else 0
    linear, key_heads, heads, key, value, kernel = p.linear or (0,) * 6
    held = (p.layers - windowed - linear) * context + windowed * min(window, context)
    state = linear * (heads * key * value + kernel * (2 * key_heads * key + heads * value))
    cache = (held * entry + state) * value_width
    used, admitted = total * weight_width + overhead, 0
    while used + cache <= usable * memory:
        used, admitted = used + cache, admitted + 1
    return admitted


@pytest.mark.parametrize("name", sorted(PUBLISHED))
@pytest.mark.parametrize(
    "memory, context, usable, weight_width, value_width, overhead",
    (
        (80e9, 4096, 0.9, 2, 2, 0),
        (24e9, 777, 0.85, 0.5, 1, 1.5e9),
        (8 * 192e9, 30011, 1.0, 1, 2, 3e9),
    ),
)
def test_capacity_is_what_admitting_one_by_one_reaches(
    name, memory, context, usable, weight_width, value_width, overhead
):
    got = llm.max_sequences(
        llm.model(name),
        memory,
        context,
        usable_share=usable,
        bytes_per_weight=weight_width,
        bytes_per_value=value_width,
        overhead_bytes=overhead,
    )
    expected = fitting(name, memory, context, usable, weight_width, value_width, overhead)
    assert abs(got - expected) <= (expected > 10_000)  # the long sum rounds


def test_the_printed_capacities_of_an_a100():
    memory = llm.accelerator("A100").memory_bytes
    assert llm.max_sequences(llm.model("Llama-2-7B"), memory, 4096) == 27
    assert llm.max_sequences(LLAMA, memory, 4096) == 104
    assert llm.max_sequences(LLAMA, 80 * GIB, 4096) == 114  # the same device counted in GiB


def test_forty_users_of_a_7b_overfill_80_gb_before_any_weight():
    spec = llm.model("Llama-2-7B")
    assert spec.kv_bytes(4096) == 2 * GIB
    assert 40 * spec.kv_bytes(4096) == pytest.approx(85.9e9, rel=1e-3)
    assert spec.weight_bytes() == pytest.approx(13.5e9, rel=2e-3)


def test_a_page_of_16_tokens_of_an_8b_holds_2_mib():
    page = LLAMA.kv_bytes(16)
    assert page == 2 * 2**20
    assert page / LLAMA.layers == 64 * 2**10


@pytest.mark.parametrize("memory, before, after", ((24e9, 10, 25), (80e9, 104, 119)))
def test_int8_weights_leave_the_same_bytes_and_another_share_of_what_was_left(
    memory, before, after
):
    assert llm.max_sequences(LLAMA, memory, 4096) == before
    assert llm.max_sequences(LLAMA, memory, 4096, bytes_per_weight=1) == after


def test_weights_that_do_not_fit_leave_no_sequence():
    assert llm.max_sequences(llm.model("Llama-3.1-70B"), 80e9, 1) == 0


@pytest.mark.parametrize("batch, dollars", ((1, 3.36), (32, 0.132), (256, 0.041)))
def test_the_printed_cost_of_a_million_tokens(batch, dollars):
    rate = llm.decode_step(LLAMA, H100, batch, 1024).tokens_per_s
    assert llm.cost_per_million_tokens(2.5, rate) == pytest.approx(dollars, rel=0.005)


def test_idle_time_and_every_device_are_paid_for():
    one = llm.cost_per_million_tokens(2.5, 900)
    eight = llm.cost_per_million_tokens(2.5, 900, num_devices=8, utilization=0.4)
    assert eight == pytest.approx(20 * one)
    assert one == pytest.approx(2.5 / (900 * 3600 / 1e6))


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda: llm.max_sequences(LLAMA, -1, 10), "memory_bytes = -1"),
        (lambda: llm.max_sequences(LLAMA, 80e9, 0), "context_tokens = 0"),
        (lambda: llm.max_sequences(LLAMA, 80e9, 9, usable_share=1.1), "usable_share = 1.1"),
        (lambda: llm.max_sequences(LLAMA, 80e9, 9, overhead_bytes=-1), "overhead_bytes = -1"),
        (lambda: llm.compute_ridge_batch(H100, 0), "bytes_per_weight = 0"),
        (lambda: llm.kv_equals_weights_tokens(LLAMA, bytes_per_value=0), "bytes_per_value = 0"),
        (lambda: llm.kv_equals_weights_tokens(LLAMA, batch=0), "batch = 0"),
        (lambda: llm.cost_per_million_tokens(-1, 10), "price_per_hour = -1"),
        (lambda: llm.cost_per_million_tokens(1, 0), "tokens_per_s = 0"),
        (lambda: llm.cost_per_million_tokens(1, 10, num_devices=0), "num_devices = 0"),
        (lambda: llm.cost_per_million_tokens(1, 10, utilization=2), "utilization = 2"),
    ),
)
def test_figures_that_cannot_be_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
