"""A model's specification from its Hugging Face ``config.json``.

The architectures are those of transformers 5 (``configuration_*.py``, ``modeling_*.py``): which
keys they read, what an absent key stands for, which weights they build.
"""

from collections.abc import Mapping
from pathlib import Path

from labutils.llm.specification import config_file
from labutils.llm.specification.config_experts import EXPERTS
from labutils.llm.specification.config_file import ConfigKeys
from labutils.llm.specification.config_windows import windows
from labutils.llm.specification.spec import Indexer, Latent, LinearAttention, ModelSpec

# Fixed by the architecture, whatever the file says.
_TRAITS = {
    "llama": {},
    "mistral": {},
    "mixtral": {},
    "qwen2": {"qkv_bias": True},
    "qwen3": {"qk_norm": True},
    "qwen3_moe": {"qk_norm": True},
    "gemma2": {"norms_per_layer": 4},
    "gemma3_text": {"norms_per_layer": 4, "qk_norm": True},
    "phi3": {},
    "gpt_oss": {"sinks": True},
    "deepseek_v2": {},
    "deepseek_v3": {},
    "deepseek_v32": {},
    "glm4_moe": {},
    "llama4_text": {},
    "qwen3_next": {"qk_norm": True, "output_gate": True},
}
# What an absent key stands for; where an architecture is not listed, the key must be there.
_HEAD_DIM_IS_QUOTIENT = {
    *("llama", "mistral", "mixtral", "qwen2", "qwen3_moe", "phi3", "glm4_moe", "llama4_text")
}
_KV_HEADS_ARE_HEADS = {"llama", "phi3"}
_TIED = {"gemma2", "gemma3_text"}
_BIASED = {"gpt_oss"}
_BIAS_IS_A_CHOICE = {
    *("llama", "qwen3", "qwen3_moe", "gemma2", "gemma3_text", "gpt_oss"),
    *("glm4_moe", "llama4_text", "qwen3_next"),
}
_NO_OUTPUT_BIAS = {"glm4_moe"}
_QK_NORM_IS_A_CHOICE = {"glm4_moe"}
_TEXT_PART = {"gemma3", "llama4"}


def spec_from_config(config: Mapping | str | Path, *, name: str | None = None) -> ModelSpec:
    """The specification behind a ``config.json``: a mapping, a file, or the folder that holds it.

    Known: llama, mistral, mixtral, qwen2, qwen3, qwen3_moe, qwen3_next, gemma2, gemma3_text and
    llama4_text (alone or as the text part of gemma3 and llama4), phi3, gpt_oss, glm4_moe,
    deepseek_v2, deepseek_v3 (kimi_k2 too) and deepseek_v32. ``head_dim`` is
    hidden_size / num_attention_heads only where the architecture's own code says so.

    Raises ``ValueError`` that names an unknown architecture, a missing key or an impossible value.
    """
    keys = config_file.read(config)
    name = name or keys.get("_name_or_path") or _folder(config) or keys.architecture
    if keys.architecture in _TEXT_PART:
        keys = keys.part("text_config")
    if keys.architecture not in _TRAITS:
        keys.refuse("model_type", keys.architecture, f"one of {', '.join(sorted(_TRAITS))}")
    if keys.flag("mlp_bias", default=False):
        keys.refuse("mlp_bias", True, "false: biases of the feed-forward are not counted here")
    return _spec(keys, name)


def _spec(keys: ConfigKeys, name: str) -> ModelSpec:
    kind, layers = keys.architecture, keys.count("num_hidden_layers")
    return ModelSpec(
        name=name,
        layers=layers,
        hidden_size=keys.count("hidden_size"),
        num_heads=keys.count("num_attention_heads"),
        vocab_size=keys.count("vocab_size"),
        max_context=keys.count("max_position_embeddings", default=None),
        tied_embeddings=keys.flag("tie_word_embeddings", default=kind in _TIED),
        source=keys.where,
        **_TRAITS[kind],
        **(_latent(keys) if kind.startswith("deepseek") else _heads(keys)),
        **(_linear(keys, layers) if kind == "qwen3_next" else {}),
        **windows(keys, layers),
        **EXPERTS.get(kind, _dense)(keys, layers),
    )


def _heads(keys: ConfigKeys) -> dict:
    kind, heads = keys.architecture, keys.count("num_attention_heads")
    default = {"default": heads} if kind in _KV_HEADS_ARE_HEADS else {}
    biased = kind in _BIAS_IS_A_CHOICE and keys.flag("attention_bias", default=kind in _BIASED)
    traits = {"qkv_bias": True, "output_bias": kind not in _NO_OUTPUT_BIAS} if biased else {}
    if kind in _QK_NORM_IS_A_CHOICE:
        traits["qk_norm"] = keys.flag("use_qk_norm", default=False)
    kv_heads = keys.count("num_key_value_heads", **default)
    return {"num_kv_heads": kv_heads, "head_dim": _head_dim(keys, heads), **traits}


def _head_dim(keys: ConfigKeys, heads: int) -> int:
    if keys.architecture not in _HEAD_DIM_IS_QUOTIENT or keys.get("head_dim") is not None:
        return keys.count("head_dim")
    hidden = keys.count("hidden_size")
    if hidden % heads:
        expected = f"a multiple of num_attention_heads = {heads}, there being no head_dim"
        keys.refuse("hidden_size", hidden, expected)
    return hidden // heads


def _latent(keys: ConfigKeys) -> dict:
    if keys.flag("attention_bias", default=False):
        keys.refuse("attention_bias", True, "false: latent attention with biases is not counted")
    latent = Latent(
        rank=keys.count("kv_lora_rank"),
        rope_dim=keys.count("qk_rope_head_dim"),
        nope_dim=keys.count("qk_nope_head_dim"),
        value_dim=keys.count("v_head_dim"),
        query_rank=keys.count("q_lora_rank", default=None),
    )
    heads = keys.count("num_attention_heads")
    found = {"latent": latent, "num_kv_heads": heads, "head_dim": latent.value_dim}
    if keys.architecture == "deepseek_v32":
        found["indexer"] = Indexer(
            heads=keys.count("index_n_heads"),
            head_dim=keys.count("index_head_dim"),
            top=keys.count("index_topk"),
        )
    return found


def _linear(keys: ConfigKeys, layers: int) -> dict:
    """Those listed as linear, or all but every fourth."""
    listed = keys.get("layer_types")
    every = keys.count("full_attention_interval", default=4)
    linear = LinearAttention(
        layers=list(listed).count("linear_attention") if listed else layers - layers // every,
        key_heads=keys.count("linear_num_key_heads"),
        value_heads=keys.count("linear_num_value_heads"),
        key_dim=keys.count("linear_key_head_dim"),
        value_dim=keys.count("linear_value_head_dim"),
        kernel=keys.count("linear_conv_kernel_dim"),
    )
    return {"linear": linear}


def _dense(keys: ConfigKeys, layers: int) -> dict:
    return {"ffn_size": keys.count("intermediate_size")}


def _folder(config) -> str:
    if isinstance(config, Mapping):
        return ""
    path = Path(config)
    return path.name if path.is_dir() else path.resolve().parent.name
