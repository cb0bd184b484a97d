"""A decode step against bytes and operations counted by name, and against the printed anchors."""

import math

import numpy as np
import pytest

from labutils import llm

from .published import PUBLISHED, weights

LLAMA, H100 = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")


def counted(name, batch, context):
    """(weight bytes, cache bytes, operations) of a step in bf16, weight by weight."""
    p = PUBLISHED[name]
    woken = 1 - (1 - p.chosen / p.experts) ** batch if p.experts else 1
    read = flops = 0
    for weight, shape in weights(name):
        routed = ".experts." in weight
        read += 2 * math.prod(shape) * (woken if routed else 1)
        flops += 2 * math.prod(shape) * (p.chosen / p.experts if routed else 1)
    window, windowed = p.window or (context, 0)
    entries = (p.layers - windowed) * context + windowed * min(context, window)
    if p.family == "deepseek":  # scores on rank + rope numbers, sums of rank numbers
        cache, attention = 2 * (p.rank + p.rope), 2 * p.heads * (p.rank + p.rope + p.rank)
    else:
        cache, attention = 2 * 2 * p.kv_heads * p.head_dim, 2 * p.heads * 2 * p.head_dim
    return read, batch * entries * cache, batch * (flops + entries * attention)


@pytest.mark.parametrize("context", (900, 5000))
def test_an_indexer_scores_all_tokens_and_attention_reads_few(context):
    """DeepSeek-V3.2: 64 heads of 128 score; 128 heads attend to 2,048 at most, in 576 numbers."""
    step = llm.decode_step(llm.model("DeepSeek-V3.2"), H100, 7, context)
    near = min(context, 2048)
    assert step.kv_bytes == 7 * 61 * 2 * (context * 128 + near * 576)
    attention = 61 * (context * 2 * 64 * 128 + near * 2 * 128 * (576 + 512))
    linear = 2 * llm.model("DeepSeek-V3.2").active_parameters
    assert step.flops == pytest.approx(7 * (linear + attention), rel=1e-12)


@pytest.mark.parametrize("context", (900, 5000))
def test_linear_layers_read_a_state_and_no_tokens(context):
    """Qwen3-Next: 12 layers of attention, 36 with 32 states of 128 by 128 and 4 inputs of 8,192."""
    step = llm.decode_step(llm.model("Qwen3-Next-80B-A3B"), H100, 5, context)
    state = 36 * (32 * 128 * 128 + 4 * 8192)
    assert step.kv_bytes == 5 * 2 * (12 * context * 2 * 2 * 256 + state)
    attention = 12 * context * 4 * 16 * 256 + 36 * 32 * 128 * 128 * 6
    linear = 2 * llm.model("Qwen3-Next-80B-A3B").active_parameters
    assert step.flops == pytest.approx(5 * (linear + attention), rel=1e-12)


@pytest.mark.parametrize("batch, context", ((1, 77), (3, 5000), (45, 1300)))
@pytest.mark.parametrize(
    "name",
    ("Llama-3.1-8B", "Mixtral-8x7B", "Qwen3-30B-A3B", "gpt-oss-20b", "Gemma-2-9B", "DeepSeek-V2"),
)
def test_bytes_and_operations_are_those_counted_by_name(name, batch, context):
    step = llm.decode_step(
        llm.model(name), H100, batch, context, bandwidth_share=0.8, flops_share=0.6
    )
    read, cache, flops = counted(name, batch, context)
    assert step.weight_bytes == pytest.approx(read, rel=1e-10)
    assert step.kv_bytes == pytest.approx(cache, rel=1e-12)
    assert step.flops == pytest.approx(flops, rel=1e-10)
    assert step.bytes_time_s == pytest.approx((read + cache) / (0.8 * 3.35e12), rel=1e-10)
    assert step.flops_time_s == pytest.approx(flops / (0.6 * 989e12), rel=1e-10)


@pytest.mark.parametrize(
    "batch, ms, each, together",
    ((1, 4.83, 207, 207), (32, 6.08, 165, 5266), (256, 15.05, 66, 17009)),
)
def test_the_printed_anchors(batch, ms, each, together):
    step = llm.decode_step(LLAMA, H100, batch, 1024)
    assert step.time_s == pytest.approx(ms / 1e3, abs=0.006e-3)
    assert step.tokens_per_s_per_request == pytest.approx(each, abs=0.5)
    assert step.tokens_per_s == pytest.approx(together, abs=0.6)
    assert step.tokens_per_s == pytest.approx(batch * step.tokens_per_s_per_request)
    assert step.binding == "bytes"


def test_the_cache_alone_says_nothing_about_a_single_user():
    step = llm.decode_step(LLAMA, H100, 1, 1000)
    cache_alone = step.kv_bytes / 3.35e12
    assert cache_alone == pytest.approx(39e-6, rel=0.005)
    assert step.time_s / cache_alone == pytest.approx(124, abs=0.6)
    assert step.kv_bytes / (step.kv_bytes + step.weight_bytes) == pytest.approx(0.008, abs=0.0005)


def test_grouped_heads_matter_for_large_batches_and_long_contexts():
    def gain(batch, context):
        grouped = llm.decode_step(LLAMA, H100, batch, context)
        ungrouped = llm.decode_step(LLAMA, H100, batch, context, bytes_per_value=8.0)
        return ungrouped.time_s / grouped.time_s

    assert gain(1, 1000) == pytest.approx(1.024, abs=0.001)
    assert gain(64, 4096) == pytest.approx(3.0, abs=0.05)


def test_a_published_claim_of_3500_tokens_per_second_breaks_the_bound():
    bound = llm.decode_step(LLAMA, llm.accelerator("A100"), 1, 1).tokens_per_s
    assert bound == pytest.approx(127, abs=0.5)


def test_arithmetic_binds_beyond_the_ridge_of_short_contexts():
    ridge = llm.compute_ridge_batch(H100)
    assert llm.decode_step(LLAMA, H100, math.floor(ridge) - 1, 0).binding == "bytes"
    assert llm.decode_step(LLAMA, H100, math.ceil(ridge) + 1, 0).binding == "flops"
    late = llm.decode_step(LLAMA, H100, 600, 0)
    assert late.time_s == late.flops_time_s > late.bytes_time_s


def test_width_of_storage_and_precision_of_arithmetic_are_two_things():
    plain = llm.decode_step(LLAMA, H100, 7, 900)
    stored = llm.decode_step(LLAMA, H100, 7, 900, bytes_per_weight=0.5)
    assert stored.weight_bytes == plain.weight_bytes / 4
    assert stored.flops_time_s == plain.flops_time_s
    fast = llm.decode_step(LLAMA, H100, 7, 900, precision="fp8")
    assert fast.flops_time_s == plain.flops_time_s / 2
    assert fast.bytes_time_s == plain.bytes_time_s


def test_experts_may_be_narrower_than_the_rest():
    spec = llm.model("gpt-oss-20b")
    wide = llm.decode_step(spec, H100, 3, 10)
    narrow = llm.decode_step(spec, H100, 3, 10, expert_bytes_per_weight=0.5)
    rest = 2 * (spec.parameters - spec.expert_parameters)
    assert (wide.weight_bytes - rest) / (narrow.weight_bytes - rest) == pytest.approx(4, rel=1e-9)


def test_a_batch_of_one_reads_the_active_weights_and_a_large_one_all():
    spec = llm.model("Qwen3-235B-A22B")
    assert llm.decode_step(spec, H100, 1, 10).weight_bytes == pytest.approx(
        2 * spec.active_parameters
    )
    large = llm.decode_step(spec, H100, 4000, 10).weight_bytes
    assert large == pytest.approx(spec.weight_bytes(), rel=1e-6)
    reads = [llm.decode_step(spec, H100, batch, 10).weight_bytes for batch in (1, 2, 5, 40, 300)]
    assert (np.diff(reads) > 0).all()


@pytest.mark.parametrize(
    "change, message",
    (
        ({"batch": 0}, "batch = 0: expected a whole number of at least 1"),
        ({"batch": 2.5}, "batch = 2.5"),
        ({"context_tokens": -1}, "context_tokens = -1"),
        ({"bytes_per_weight": 0}, "bytes_per_weight = 0"),
        ({"bytes_per_value": -2.0}, "bytes_per_value = -2.0"),
        ({"bandwidth_share": 1.01}, "bandwidth_share = 1.01: expected a share"),
        ({"flops_share": 0}, "flops_share = 0"),
        ({"precision": "int4"}, "precision = 'int4': expected one that H100 SXM"),
    ),
)
def test_steps_that_cannot_be_are_refused(change, message):
    given = {"batch": 4, "context_tokens": 100, **change}
    with pytest.raises(ValueError, match=message):
        llm.decode_step(LLAMA, H100, **given)
