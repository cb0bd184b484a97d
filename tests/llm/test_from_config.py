"""Specifications from ``config.json``: published files against the table, and what is refused."""

import json
from dataclasses import fields

import pytest

from labutils import llm


def config(model_type, layers, hidden, heads, ffn, vocab, context, **more):
    """The keys that every architecture writes, and ``more``."""
    return {
        "model_type": model_type,
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "intermediate_size": ffn,
        "vocab_size": vocab,
        "max_position_embeddings": context,
        **more,
    }


LLAMA = config("llama", 32, 4096, 32, 14336, 128256, 131072, num_key_value_heads=8)
QWEN3 = config(
    "qwen3", 28, 1024, 16, 3072, 151936, 40960, num_key_value_heads=8, head_dim=128,
    tie_word_embeddings=True, use_sliding_window=False, sliding_window=None, max_window_layers=28,
)  # fmt: skip
MISTRAL = config(
    "mistral", 32, 4096, 32, 14336, 32000, 32768, num_key_value_heads=8, sliding_window=4096
)
DEEPSEEK = config(
    "deepseek_v3", 61, 7168, 128, 18432, 129280, 163840, num_key_value_heads=128,
    kv_lora_rank=512, q_lora_rank=1536, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128,
    n_routed_experts=256, n_shared_experts=1, num_experts_per_tok=8, moe_intermediate_size=2048,
    first_k_dense_replace=3, moe_layer_freq=1,
)  # fmt: skip
LLAMA4 = config(
    "llama4_text", 48, 5120, 40, 8192, 202048, 10485760, num_key_value_heads=8, head_dim=128,
    intermediate_size_mlp=16384, attention_chunk_size=8192, interleave_moe_layer_step=1,
    num_local_experts=16, num_experts_per_tok=1, attention_bias=False,
)  # fmt: skip
NEXT = config(
    "qwen3_next", 48, 2048, 16, 5120, 151936, 262144, num_key_value_heads=2, head_dim=256,
    decoder_sparse_step=1, full_attention_interval=4, linear_conv_kernel_dim=4,
    linear_key_head_dim=128, linear_num_key_heads=16, linear_num_value_heads=32,
    linear_value_head_dim=128, mlp_only_layers=[], moe_intermediate_size=512, num_experts=512,
    num_experts_per_tok=10, shared_expert_intermediate_size=512, use_sliding_window=False,
)  # fmt: skip
V32 = {
    **DEEPSEEK, "model_type": "deepseek_v32",
    "index_n_heads": 64, "index_head_dim": 128, "index_topk": 2048,
}  # fmt: skip
PUBLISHED = {
    "DeepSeek-V3.2": V32,
    "Kimi-K2": {
        **DEEPSEEK, "model_type": "kimi_k2", "num_attention_heads": 64, "num_key_value_heads": 64,
        "vocab_size": 163840, "max_position_embeddings": 131072, "n_routed_experts": 384,
        "first_k_dense_replace": 1,
    },
    "GLM-4.6": config(
        "glm4_moe", 92, 5120, 96, 12288, 151552, 202752, num_key_value_heads=8, head_dim=128,
        attention_bias=True, use_qk_norm=True, n_routed_experts=160, n_shared_experts=1,
        num_experts_per_tok=8, moe_intermediate_size=1536, first_k_dense_replace=3,
    ),
    "Llama-4-Scout": LLAMA4,
    "Llama-4-Maverick": {
        **LLAMA4, "max_position_embeddings": 1048576, "interleave_moe_layer_step": 2,
        "num_local_experts": 128,
    },
    "Qwen3-Next-80B-A3B": NEXT,
    "Llama-3.1-8B": LLAMA,
    "Llama-2-7B": config("llama", 32, 4096, 32, 11008, 32000, 4096),  # no key/value heads named
    "Qwen3-0.6B": QWEN3,
    "Mistral-7B-v0.1": MISTRAL,
    "Mixtral-8x7B": config(
        "mixtral", 32, 4096, 32, 14336, 32000, 32768, num_key_value_heads=8, num_local_experts=8,
        num_experts_per_tok=2, sliding_window=None,
    ),
    "Qwen2.5-7B": config(
        "qwen2", 28, 3584, 28, 18944, 152064, 131072, num_key_value_heads=4,
        use_sliding_window=False, sliding_window=131072, max_window_layers=28,
    ),
    "Qwen3-30B-A3B": config(
        "qwen3_moe", 48, 2048, 32, 6144, 151936, 40960, num_key_value_heads=4, head_dim=128,
        num_experts=128, num_experts_per_tok=8, moe_intermediate_size=768, decoder_sparse_step=1,
        mlp_only_layers=[],
    ),
    "Gemma-2-9B": config(
        "gemma2", 42, 3584, 16, 14336, 256000, 8192, num_key_value_heads=8, head_dim=256,
        sliding_window=4096,
    ),
    "Gemma-3-27B": config(
        "gemma3_text", 62, 5376, 32, 21504, 262144, 131072, num_key_value_heads=16, head_dim=128,
        sliding_window=1024, sliding_window_pattern=6,
    ),
    "Phi-3-mini-4k": config("phi3", 32, 3072, 32, 8192, 32064, 4096, sliding_window=2048),
    "Phi-4": config(
        "phi3", 40, 5120, 40, 17920, 100352, 16384, num_key_value_heads=10, sliding_window=None
    ),
    "gpt-oss-20b": config(
        "gpt_oss", 24, 2880, 64, 2880, 201088, 131072, num_key_value_heads=8, head_dim=64,
        num_local_experts=32, experts_per_token=4, sliding_window=128, attention_bias=True,
        layer_types=["sliding_attention", "full_attention"] * 12,
    ),
    "DeepSeek-V3": DEEPSEEK,
    "DeepSeek-V2": config(
        "deepseek_v2", 60, 5120, 128, 12288, 102400, 163840, num_key_value_heads=128,
        kv_lora_rank=512, q_lora_rank=1536, qk_nope_head_dim=128, qk_rope_head_dim=64,
        v_head_dim=128, n_routed_experts=160, n_shared_experts=2, num_experts_per_tok=6,
        moe_intermediate_size=1536, first_k_dense_replace=1,
    ),
}  # fmt: skip
SHAPES = [
    f.name for f in fields(llm.ModelSpec) if f.name not in ("source", "status", "as_of", "note")
]


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_a_published_configuration_gives_the_row_of_the_table(name):
    spec, row = llm.spec_from_config(PUBLISHED[name], name=name), llm.model(name)
    assert {key: getattr(spec, key) for key in SHAPES} == {key: getattr(row, key) for key in SHAPES}


def test_head_dim_is_read_where_it_differs_from_the_quotient():
    assert llm.spec_from_config(QWEN3).kv_bytes_per_token() == 114_688  # 57,344 by hidden / heads


def test_the_text_part_of_gemma3_is_found():
    inner = PUBLISHED["Gemma-3-27B"]
    spec = llm.spec_from_config({"model_type": "gemma3", "text_config": inner, "vision_config": {}})
    assert spec.parameters == llm.model("Gemma-3-27B").parameters


def test_the_text_part_of_llama4_is_found_and_its_layers_without_rotation_may_be_listed():
    whole = {"model_type": "llama4", "text_config": LLAMA4, "vision_config": {}}
    assert llm.spec_from_config(whole).windowed_layers == 36
    listed = [0, 1, 1, 0] * 12
    assert llm.spec_from_config({**LLAMA4, "no_rope_layers": listed}).windowed_layers == 24
    assert llm.spec_from_config({**LLAMA4, "attention_chunk_size": None}).windowed_layers == 0


def test_a_file_and_its_folder_are_read_alike(tmp_path):
    folder = tmp_path / "Unseen-9B"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(LLAMA))
    for where in (folder, str(folder), folder / "config.json"):
        spec = llm.spec_from_config(where)
        assert spec.name == "Unseen-9B"
        assert spec.parameters == llm.model("Llama-3.1-8B").parameters
    assert "config.json" in llm.spec_from_config(folder).source


def test_layers_without_experts_are_counted_in_every_spelling():
    some = {**PUBLISHED["Qwen3-30B-A3B"], "num_hidden_layers": 7}
    every_third = llm.spec_from_config({**some, "decoder_sparse_step": 3, "mlp_only_layers": [5]})
    assert every_third.experts.dense_layers == 6  # all but the third: the sixth is listed as plain
    assert every_third.ffn_size == 6144


@pytest.mark.parametrize("layers, windowed", ((7, 4), (8, 4), (1, 1)))
def test_every_other_layer_has_a_window_from_the_first_where_none_are_listed(layers, windowed):
    for name in ("Gemma-2-9B", "gpt-oss-20b"):
        keys = {**PUBLISHED[name], "num_hidden_layers": layers, "layer_types": None}
        assert llm.spec_from_config(keys).windowed_layers == windowed


def test_windows_that_are_not_asked_for_do_not_count():
    asked = {**QWEN3, "use_sliding_window": True, "sliding_window": 500, "max_window_layers": 9}
    assert llm.spec_from_config(asked).windowed_layers == 19
    assert llm.spec_from_config({**asked, "use_sliding_window": False}).windowed_layers == 0
    assert llm.spec_from_config({**MISTRAL, "sliding_window": None}).windowed_layers == 0


@pytest.mark.parametrize("kind", ("t5", "bert", "gpt2", "mamba", ""))
def test_an_unknown_architecture_is_named_with_the_known_ones(kind):
    with pytest.raises(
        ValueError, match=rf"model_type = '{kind}': expected one of deepseek_v2, .*qwen3"
    ):
        llm.spec_from_config({**LLAMA, "model_type": kind})


NEEDED = [
    *(
        (LLAMA, key)
        for key in LLAMA
        if key not in ("max_position_embeddings", "num_key_value_heads")
    ),
    *((QWEN3, key) for key in ("head_dim", "num_key_value_heads")),
    *((PUBLISHED["Mixtral-8x7B"], key) for key in ("num_local_experts", "num_experts_per_tok")),
    *((PUBLISHED["Gemma-2-9B"], key) for key in ("head_dim", "sliding_window")),
    *((PUBLISHED["gpt-oss-20b"], key) for key in ("head_dim", "sliding_window")),
    *((DEEPSEEK, key) for key in ("kv_lora_rank", "v_head_dim", "n_routed_experts")),
    (MISTRAL, "sliding_window"),
    *((V32, key) for key in ("index_topk", "index_n_heads", "index_head_dim")),
    *((NEXT, key) for key in ("linear_num_key_heads", "shared_expert_intermediate_size")),
    *((LLAMA4, key) for key in ("attention_chunk_size", "num_key_value_heads")),
    ({**LLAMA4, "interleave_moe_layer_step": 2}, "intermediate_size_mlp"),
]


@pytest.mark.parametrize("keys, missing", NEEDED)
def test_a_missing_key_is_named(keys, missing):
    left = {key: value for key, value in keys.items() if key != missing}
    with pytest.raises(ValueError, match=f"key '{missing}' is missing"):
        llm.spec_from_config(left)


@pytest.mark.parametrize(
    "keys, change, message",
    (
        (LLAMA, {"hidden_size": -4096}, "hidden_size = -4096: expected a whole number"),
        (LLAMA, {"vocab_size": "many"}, "vocab_size = 'many'"),
        (LLAMA, {"num_hidden_layers": 2.5}, "num_hidden_layers = 2.5"),
        (LLAMA, {"num_key_value_heads": 5}, "num_kv_heads = 5: expected a divisor"),
        (LLAMA, {"hidden_size": 4100}, "hidden_size = 4100: expected a multiple of"),
        (
            LLAMA,
            {"tie_word_embeddings": "no"},
            "tie_word_embeddings = 'no': expected true or false",
        ),
        (LLAMA, {"mlp_bias": True}, "mlp_bias = True: expected false"),
        (LLAMA, {"model_type": 7}, "model_type = 7: expected a name"),
        (DEEPSEEK, {"moe_layer_freq": 2}, "moe_layer_freq = 2: expected 1"),
        (
            NEXT,
            {"shared_expert_intermediate_size": 700},
            "shared_expert_intermediate_size = 700: expected a multiple of",
        ),
        (DEEPSEEK, {"attention_bias": True}, "attention_bias = True"),
        (DEEPSEEK, {"num_experts_per_tok": 300}, "per_token = 300: expected at most num = 256"),
        (PUBLISHED["gpt-oss-20b"], {"layer_types": ["full_attention"]}, "expected 24 of"),
        (
            PUBLISHED["gpt-oss-20b"],
            {"layer_types": ["linear"] * 24},
            "expected 24 of full_attention",
        ),
    ),
)
def test_an_impossible_value_is_named(keys, change, message):
    with pytest.raises(ValueError, match=message):
        llm.spec_from_config({**keys, **change})


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere.*expected a file, and there is none"):
        llm.spec_from_config(tmp_path / "nowhere.json")
    broken = tmp_path / "broken.json"
    broken.write_text('{"model_type": "llama",')
    with pytest.raises(ValueError, match=r"broken\.json: expected JSON"):
        llm.spec_from_config(broken)
    broken.write_text("[1, 2]")
    with pytest.raises(ValueError, match="expected a JSON object, not list"):
        llm.spec_from_config(broken)
    with pytest.raises(ValueError, match="config = 42: expected a mapping or the path"):
        llm.spec_from_config(42)
