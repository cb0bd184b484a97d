"""Every model: weights summed from their shapes, cache bytes by hand, the printed totals."""

import math
from decimal import ROUND_HALF_EVEN, Decimal

import pytest

from labutils import llm

from .published import PUBLISHED, WITHOUT_EMBEDDING, weights

NAMES = sorted(PUBLISHED)


def in_billions(count, printed):
    """``count`` rounded to the digits of ``printed``, as text."""
    return str((Decimal(count) / 10**9).quantize(Decimal(printed), rounding=ROUND_HALF_EVEN))


def visited(name):
    """Weights that one token visits: those of experts beyond the chosen ones left out."""
    chosen = PUBLISHED[name].chosen or 0
    for weight, shape in weights(name):
        parts = weight.split(".")
        if "experts" not in parts or int(parts[parts.index("experts") + 1]) < chosen:
            yield weight, math.prod(shape)


def test_the_table_holds_exactly_the_published_models():
    assert sorted(llm.model_names()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_the_sum_over_all_weights_and_the_printed_total(name):
    total = sum(math.prod(shape) for _, shape in weights(name))
    assert llm.model(name).parameters == total
    assert in_billions(total, PUBLISHED[name].total) == PUBLISHED[name].total


@pytest.mark.parametrize("name", NAMES)
def test_active_parameters_are_those_that_one_token_visits(name):
    counted = dict(visited(name))
    assert llm.model(name).active_parameters == sum(counted.values())
    if PUBLISHED[name].active:
        shown = sum(counted.values()) - (name in WITHOUT_EMBEDDING) * counted["embed_tokens"]
        assert in_billions(shown, PUBLISHED[name].active) == PUBLISHED[name].active
    else:
        assert llm.model(name).active_parameters == llm.model(name).parameters


@pytest.mark.parametrize("name", NAMES)
def test_weight_bytes_follow_the_width_of_experts_and_of_the_rest(name):
    inside = sum(math.prod(s) for w, s in weights(name) if ".experts." in w)
    total = sum(math.prod(shape) for _, shape in weights(name))
    spec = llm.model(name)
    assert spec.expert_parameters == inside
    assert spec.weight_bytes() == 2 * total
    assert spec.weight_bytes(1) == total
    mixed = spec.weight_bytes(2, expert_bytes_per_weight=0.53125)
    assert mixed == pytest.approx(2 * (total - inside) + 0.53125 * inside, rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_cache_bytes_of_a_token_are_the_printed_ones(name):
    spec = llm.model(name)
    assert spec.kv_bytes_per_token() == PUBLISHED[name].kv_bytes
    assert spec.kv_bytes_per_token(1) == PUBLISHED[name].kv_bytes / 2


@pytest.mark.parametrize("context", (1, 127, 128, 129, 1025, 3001, 8192))
@pytest.mark.parametrize("name", NAMES)
def test_cache_bytes_of_a_sequence_count_each_layer_by_itself(name, context):
    p = PUBLISHED[name]
    window, windowed = p.window or (context, 0)
    entry = p.rank + p.rope if p.family == "deepseek" else p.kv_heads * p.head_dim * 2
    entry += p.index[1] if p.index else 0
    linear, key_heads, heads, key, value, kernel = p.linear or (0,) * 6
    held = [min(context, window) if layer < windowed else context for layer in range(p.layers)]
    values = sum(tokens * entry for tokens in held[linear:])
    values += linear * (heads * key * value + kernel * (2 * key_heads * key + heads * value))
    assert llm.model(name).kv_bytes(context) == values * 2
    assert llm.model(name).kv_bytes(context, 1.5) == values * 1.5
    if p.index:
        values -= p.layers * max(0, context - p.index[2]) * (p.rank + p.rope)
    assert llm.model(name).kv_bytes_read(context) == values * 2


def test_a_windowed_model_stores_half_its_layers_and_two_windows():
    stored = llm.model("gpt-oss-20b").kv_bytes(8192)
    assert stored == 12 * (8192 + 128) * 2 * 8 * 64 * 2  # half the layers whole, half a window


def test_four_bit_experts_make_gpt_oss_fit_one_80_gb_device():
    spec = llm.model("gpt-oss-120b")
    assert spec.weight_bytes(2, expert_bytes_per_weight=17 / 32) / 2**30 == pytest.approx(
        60.8, abs=0.1
    )
    assert llm.max_sequences(spec, 80e9, 8192) == 0
    assert llm.max_sequences(spec, 80e9, 8192, expert_bytes_per_weight=17 / 32) == 22


def test_latent_attention_caches_no_heads():
    spec = llm.model("DeepSeek-V3")
    heads = 61 * 2 * 128 * 128 * 2
    assert heads / spec.kv_bytes_per_token() == pytest.approx(56.9, abs=0.05)


def test_head_dim_is_not_hidden_over_heads_everywhere():
    odd = {
        n
        for n in NAMES
        if llm.model(n).hidden_size != llm.model(n).num_heads * llm.model(n).head_dim
    }
    assert {"Qwen3-0.6B", "Qwen3-32B", "Qwen3-30B-A3B", "Gemma-3-27B", "gpt-oss-20b"} <= odd
    assert not {"Llama-3.1-8B", "Qwen2.5-7B", "Phi-4", "SmolLM2-135M"} & odd


@pytest.mark.parametrize("name", NAMES)
def test_every_row_names_its_source_status_and_date(name):
    spec = llm.model(name)
    assert "@" in spec.source or "YAML" in spec.source
    assert spec.status == ("S" if name == "GLM-4.6" else "V")
    assert spec.as_of in ("2026-08", "2026-11")
    assert spec.max_context >= 2048
