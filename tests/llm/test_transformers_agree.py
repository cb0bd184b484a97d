"""Configurations and weights as transformers writes and builds them, on shapes nobody publishes."""

import json

import pytest
import torch
import transformers

from labutils import llm

COMMON = {
    "hidden_size": 60,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "num_hidden_layers": 5,
    "vocab_size": 131,
    "intermediate_size": 77,
    "pad_token_id": None,
    "bos_token_id": None,
    "eos_token_id": None,
}
MLA = {
    "kv_lora_rank": 11, "qk_rope_head_dim": 8, "qk_nope_head_dim": 9, "v_head_dim": 7,
    "moe_intermediate_size": 31, "num_experts_per_tok": 3, "first_k_dense_replace": 2,
    "n_shared_experts": 2, "n_group": 1, "topk_group": 1,
}  # fmt: skip
FEW = {"num_local_experts": 7, "num_experts_per_tok": 3}
DELTA = {
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 6,
    "linear_value_head_dim": 5, "linear_conv_kernel_dim": 3, "shared_expert_intermediate_size": 64,
    "head_dim": 16, "moe_intermediate_size": 32, "num_experts": 7, "num_experts_per_tok": 3,
}  # fmt: skip
# family, what its configuration says, the window and the layers that have it
CASES = (
    ("Llama", {"attention_bias": True, "tie_word_embeddings": True}, None, 0),
    ("Llama", {"head_dim": 14}, None, 0),
    ("Mistral", {"sliding_window": 33}, 33, 5),
    ("Mixtral", FEW, None, 0),
    ("Qwen2", {"use_sliding_window": True, "sliding_window": 17, "max_window_layers": 2}, 17, 3),
    ("Qwen3", {"head_dim": 14, "attention_bias": True}, None, 0),
    (
        "Qwen3Moe",
        {"head_dim": 14, "moe_intermediate_size": 31, "mlp_only_layers": [1], **FEW},
        None,
        0,
    ),
    ("Gemma2", {"head_dim": 14, "sliding_window": 33}, 33, 3),
    ("Gemma3Text", {"head_dim": 14, "num_hidden_layers": 13, "sliding_window": 9}, 9, 11),
    ("Phi3", {}, None, 0),
    ("GptOss", {"head_dim": 14, "intermediate_size": 78, **FEW}, 128, 3),
    ("DeepseekV2", {**MLA, "n_routed_experts": 6, "q_lora_rank": 13}, None, 0),
    ("DeepseekV3", {**MLA, "n_routed_experts": 8, "q_lora_rank": None}, None, 0),
    (
        "DeepseekV32",
        {**MLA, "n_routed_experts": 8, "q_lora_rank": 13, "index_n_heads": 3, "index_head_dim": 12},
        None,
        0,
    ),
    (
        "Glm4Moe",
        {**MLA, "n_routed_experts": 8, "attention_bias": True, "use_qk_norm": True, "head_dim": 14},
        None,
        0,
    ),
    ("Glm4Moe", {**MLA, "n_routed_experts": 8, "head_dim": 14}, None, 0),
    ("Llama4Text", {"intermediate_size_mlp": 99, **FEW, "head_dim": 14}, 8192, 4),
    (
        "Llama4Text",
        {"interleave_moe_layer_step": 2, "attention_chunk_size": 9, "attention_bias": True, **FEW},
        9,
        4,
    ),
    ("Qwen3Next", DELTA, None, 0),
    ("Qwen3Next", {**DELTA, "mlp_only_layers": [0], "attention_bias": True}, None, 0),
)


@pytest.mark.parametrize("family, keys, window, windowed", CASES)
def test_parameters_and_windows_are_those_that_transformers_builds(family, keys, window, windowed):
    config = getattr(transformers, f"{family}Config")(**{**COMMON, **keys})
    named = family.removesuffix("Text")
    with torch.device("meta"):
        built = getattr(transformers, f"{named}ForCausalLM")(config)
    counted = sum(weights.numel() for weights in built.parameters())  # shared ones once
    counted += sum(b.numel() for n, b in built.named_buffers() if n.endswith("correction_bias"))
    spec = llm.spec_from_config(json.loads(config.to_json_string()))
    assert spec.parameters == counted
    assert (spec.window, spec.windowed_layers) == (window, windowed)


def tensors_of(layer):
    """What a layer of the cache holds, be it by number or by name."""
    for held in vars(layer).values():
        parts = held.values() if isinstance(held, dict) else (held,)
        yield from (one for one in parts if isinstance(one, torch.Tensor))


def test_linear_attention_keeps_the_numbers_that_transformers_keeps():
    config = transformers.Qwen3NextConfig(**{**COMMON, **DELTA})
    spec = llm.spec_from_config(json.loads(config.to_json_string()))
    built = transformers.Qwen3NextForCausalLM(config).eval()
    for tokens in (4, 21):
        with torch.no_grad():
            cache = built(torch.ones(1, tokens, dtype=torch.long), use_cache=True).past_key_values
        held = sum(one.numel() for layer in cache.layers for one in tensors_of(layer))
        assert spec.kv_bytes(tokens, 1) == held


def test_an_indexer_keeps_a_key_a_token_and_reads_what_it_picks():
    keys = {**MLA, "n_routed_experts": 8, "q_lora_rank": 13}
    chosen = {"index_n_heads": 3, "index_head_dim": 12, "index_topk": 10}
    config = transformers.DeepseekV32Config(**{**COMMON, **keys, **chosen})
    spec = llm.spec_from_config(json.loads(config.to_json_string()))
    assert spec.kv_bytes(25) == 2 * 5 * 25 * (11 + 8 + 12)
    assert spec.kv_bytes_read(25) == 2 * 5 * (25 * 12 + 10 * (11 + 8))
    assert spec.kv_bytes_read(7) == spec.kv_bytes(7)
