"""Prefill against pairs counted one by one, and against the printed anchors."""

import math
from dataclasses import replace

import pytest

from labutils import llm

from .published import PUBLISHED, weights

LLAMA, H100, A100 = llm.model("Llama-3.1-8B"), llm.accelerator("H100"), llm.accelerator("A100")


def counted_pairs(tokens, window):
    """(query, key) pairs that a causal mask with a window lets through."""
    return sum(min(position, window) for position in range(1, tokens + 1))


@pytest.mark.parametrize("tokens", (1, 37, 127, 128, 129, 1001))
@pytest.mark.parametrize("name", ("gpt-oss-20b", "Qwen3-8B", "Gemma-3-27B", "Phi-3-mini-4k"))
def test_attention_counts_the_causal_pairs_of_each_layer(name, tokens):
    p = PUBLISHED[name]
    window, windowed = p.window or (tokens, 0)
    pairs = windowed * (counted_pairs(tokens, window) - min(tokens, window) / 2)
    pairs += (p.layers - windowed) * (counted_pairs(tokens, tokens) - tokens / 2)
    multiply_and_add = 2 * p.heads * p.head_dim  # for the scores, and again for the values
    expected = pairs * 2 * multiply_and_add
    assert llm.prefill_flops(llm.model(name), tokens).attention == pytest.approx(
        expected, rel=1e-12
    )


def test_latent_attention_multiplies_wide_keys_and_narrow_values():
    flops = llm.prefill_flops(llm.model("DeepSeek-V3"), 1001)
    assert flops.attention == pytest.approx(61 * 1001**2 / 2 * 128 * (2 * 192 + 2 * 128), rel=1e-12)


@pytest.mark.parametrize("tokens", (700, 5001))
def test_sparse_and_linear_attention_by_pairs(tokens):
    sparse, mixed = (
        llm.prefill_flops(llm.model(name), tokens).attention
        for name in ("DeepSeek-V3.2", "Qwen3-Next-80B-A3B")
    )
    read = counted_pairs(tokens, 2048) - min(tokens, 2048) / 2
    scored = tokens**2 / 2 * 2 * 64 * 128
    assert sparse == pytest.approx(61 * (read * 2 * 128 * (192 + 128) + scored), rel=1e-12)
    states = tokens * 36 * 6 * 32 * 128 * 128
    assert mixed == pytest.approx(12 * tokens**2 / 2 * 4 * 16 * 256 + states, rel=1e-12)


@pytest.mark.parametrize("name", ("Llama-2-13B", "SmolLM2-135M"))
def test_the_linear_part_is_a_multiplication_and_an_addition_per_weight(name):
    total = sum(math.prod(shape) for _, shape in weights(name))
    assert llm.prefill_flops(llm.model(name), 771).linear == 2 * 771 * total


def test_with_experts_a_token_pays_for_those_that_it_visits():
    flops = llm.prefill_flops(llm.model("Mixtral-8x7B"), 10)
    assert flops.linear == pytest.approx(20 * 12.88e9, rel=1e-3)


@pytest.mark.parametrize("cached", (0, 1, 500, 2047, 2048))
def test_what_is_cached_is_not_computed_again(cached):
    whole, prefix = llm.prefill_flops(LLAMA, 2048), llm.prefill_flops(LLAMA, cached)
    rest = llm.prefill_flops(LLAMA, 2048, cached_tokens=cached)
    assert rest.linear + prefix.linear == pytest.approx(whole.linear, rel=1e-12)
    assert rest.attention + prefix.attention == pytest.approx(whole.attention, rel=1e-12)


def test_a_step_behind_a_cached_prefix_computes_the_rest_and_moves_the_whole_cache():
    card = llm.accelerator("H100 SXM")
    whole = llm.prefill_step(LLAMA, card, 2048)
    rest = llm.prefill_step(LLAMA, card, 2048, cached_tokens=1500)
    assert rest.kv_bytes == whole.kv_bytes == 2048 * 2 * 32 * 8 * 128 * 2
    assert rest.weight_bytes == whole.weight_bytes
    assert rest.flops == llm.prefill_flops(LLAMA, 2048, cached_tokens=1500).total


@pytest.mark.parametrize("tokens, share", ((2048, 0.03), (8192, 0.12), (32768, 0.35)))
def test_attention_is_a_small_part_of_usual_prompts(tokens, share):
    assert llm.prefill_flops(LLAMA, tokens).attention_share == pytest.approx(share, abs=0.005)


def test_attention_equals_the_rest_near_61_thousand_tokens():
    equal = 8_030_261_248 / (32 * 32 * 128)
    assert equal == pytest.approx(61_000, rel=0.01)
    flops = llm.prefill_flops(LLAMA, equal)
    assert flops.attention == pytest.approx(flops.linear, rel=1e-12)


def test_twice_the_prompt_takes_two_point_oh_six_times_as_long():
    ratio = llm.prefill_time_s(LLAMA, H100, 4096) / llm.prefill_time_s(LLAMA, H100, 2048)
    assert ratio == pytest.approx(2.06, abs=0.005)


@pytest.mark.parametrize(
    "device, tokens, ms", ((H100, 2048, 68.7), (A100, 2048, 217.9), (H100, 8192, 301.6))
)
def test_a_prefill_at_half_the_peak_takes_the_printed_time(device, tokens, ms):
    assert llm.prefill_time_s(LLAMA, device, tokens) == pytest.approx(ms / 1e3, abs=0.06e-3)


def test_time_falls_with_the_share_of_the_peak_and_with_precision():
    slow = llm.prefill_time_s(LLAMA, H100, 3000, flops_share=0.25)
    assert slow == pytest.approx(2 * llm.prefill_time_s(LLAMA, H100, 3000), rel=1e-12)
    fast = llm.prefill_time_s(LLAMA, H100, 3000, flops_share=0.25, precision="fp8")
    assert slow == pytest.approx(2 * fast, rel=1e-12)


def test_narrow_weights_alone_do_not_shorten_a_prefill_but_a_decode_step():
    prefill = llm.prefill_step(LLAMA, H100, 4096)
    assert llm.prefill_step(LLAMA, H100, 4096, bytes_per_weight=1).time_s == prefill.time_s
    assert prefill.time_s == llm.prefill_time_s(LLAMA, H100, 4096)
    step = llm.decode_step(LLAMA, H100, 1, 1000)
    narrow = llm.decode_step(LLAMA, H100, 1, 1000, bytes_per_weight=1)
    assert step.time_s / narrow.time_s == pytest.approx(1.98, abs=0.01)


def test_a_short_prompt_waits_for_the_weights():
    step = llm.prefill_step(LLAMA, H100, 17, flops_share=1.0)
    assert step.binding == "bytes"
    assert step.time_s == pytest.approx((16.0605e9 + 17 * 131072) / 3.35e12, rel=1e-4)
    assert llm.prefill_step(LLAMA, H100, 300, flops_share=1.0).binding == "flops"


def test_a_window_bounds_the_growth_of_attention():
    windowed = replace(LLAMA, window=1000, windowed_layers=32)
    far = [llm.prefill_flops(windowed, tokens).attention for tokens in (9000, 10000, 11000)]
    assert far[2] - far[1] == pytest.approx(far[1] - far[0], rel=1e-12)


@pytest.mark.parametrize(
    "arguments, message",
    (
        ((LLAMA, -1), "prompt_tokens = -1"),
        ((LLAMA, 10, -2), "cached_tokens = -2"),
        ((LLAMA, 10, 11), "cached_tokens = 11: expected at most prompt_tokens = 10"),
        ((LLAMA, float("inf")), "prompt_tokens = inf"),
    ),
)
def test_prompts_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        llm.prefill_flops(*arguments)


@pytest.mark.parametrize("share", (0, -0.5, 1.2))
def test_shares_of_the_peak_lie_between_none_and_all(share):
    with pytest.raises(ValueError, match=f"flops_share = {share}"):
        llm.prefill_time_s(LLAMA, H100, 100, flops_share=share)
