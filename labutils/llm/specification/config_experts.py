"""The feed-forward of architectures with experts, from the keys of their ``config.json``."""

from labutils.llm.specification.config_file import ConfigKeys
from labutils.llm.specification.spec import Experts


def _mixtral(keys: ConfigKeys, layers: int) -> dict:
    width = keys.count("intermediate_size")
    return {"ffn_size": width, "experts": _experts(keys, "num_local_experts", width)}


def _gpt_oss(keys: ConfigKeys, layers: int) -> dict:
    width, biases = keys.count("intermediate_size"), {"router_bias": True, "expert_bias": True}
    return {"ffn_size": width, "experts": _experts(keys, "num_local_experts", width, **biases)}


def _qwen3_moe(keys: ConfigKeys, layers: int, **shared) -> dict:
    width, dense = keys.count("moe_intermediate_size"), _plain_layers(keys, layers)
    # transformers 5 writes it under the other name
    num = "num_local_experts" if keys.get("num_experts") is None else "num_experts"
    experts = _experts(keys, num, width, dense_layers=dense, **shared)
    return {"ffn_size": keys.count("intermediate_size") if dense else width, "experts": experts}


def _qwen3_next(keys: ConfigKeys, layers: int) -> dict:
    width, shared = (
        keys.count(name) for name in ("moe_intermediate_size", "shared_expert_intermediate_size")
    )
    if shared % width:
        expected = f"a multiple of moe_intermediate_size = {width}"
        keys.refuse("shared_expert_intermediate_size", shared, expected)
    return _qwen3_moe(keys, layers, shared=shared // width, shared_gate=True)


def _llama4(keys: ConfigKeys, layers: int) -> dict:
    width, listed = keys.count("intermediate_size"), keys.get("moe_layers")
    with_experts = layers // keys.count("interleave_moe_layer_step", default=1)
    dense = layers - (with_experts if listed is None else len(listed))
    experts = _experts(keys, "num_local_experts", width, shared=1, dense_layers=dense)
    return {"ffn_size": keys.count("intermediate_size_mlp") if dense else width, "experts": experts}


def _plain_layers(keys: ConfigKeys, layers: int) -> int:
    """Layers of Qwen3-MoE without experts: those listed, and all but every so many-th."""
    step = keys.count("decoder_sparse_step", default=1)
    listed = set(keys.get("mlp_only_layers", ()))
    return sum(layer in listed or (layer + 1) % step != 0 for layer in range(layers))


def _deepseek(keys: ConfigKeys, layers: int) -> dict:
    if keys.count("moe_layer_freq", default=1) != 1:
        keys.refuse("moe_layer_freq", keys.get("moe_layer_freq"), "1")
    experts = _experts(
        keys,
        "n_routed_experts",
        keys.count("moe_intermediate_size"),
        shared=keys.count("n_shared_experts", default=0, at_least=0),
        dense_layers=keys.count("first_k_dense_replace", default=0, at_least=0),
        router_bias=keys.architecture != "deepseek_v2",
    )
    return {"ffn_size": keys.count("intermediate_size"), "experts": experts}


def _experts(keys: ConfigKeys, num: str, width: int, **more) -> Experts:
    chosen = keys.count("num_experts_per_tok", "experts_per_token")
    return Experts(num=keys.count(num), per_token=chosen, ffn_size=width, **more)


EXPERTS = {
    "mixtral": _mixtral,
    "gpt_oss": _gpt_oss,
    "qwen3_moe": _qwen3_moe,
    "deepseek_v2": _deepseek,
    "deepseek_v3": _deepseek,
    "deepseek_v32": _deepseek,
    "glm4_moe": _deepseek,
    "llama4_text": _llama4,
    "qwen3_next": _qwen3_next,
}
