"""Which layers of an architecture see a sliding window alone, from its ``config.json``."""

from labutils.llm.specification.config_file import ConfigKeys

_ALL = {"mixtral", "phi3"}  # one window for every layer, if there is one
_ON_REQUEST = {"qwen2", "qwen3", "qwen3_moe"}  # only with use_sliding_window
_NEVER = {"qwen3_next", "deepseek_v32"}  # their layer_types tell of other things
_WIDTH = {"llama4_text": "attention_chunk_size"}  # a layer sees at most the chunk it is in
_BOUNDED = {"llama4_text": "chunked_attention"}  # what such a layer is called, if not sliding


def windows(keys: ConfigKeys, layers: int) -> dict:
    """``window`` and ``windowed_layers`` of a specification; empty if every layer sees all."""
    kind = keys.architecture
    asked = kind not in _ON_REQUEST or keys.flag("use_sliding_window", default=False)
    if kind in _NEVER or not asked:
        return {}
    windowed, width = _layers(keys, layers), _WIDTH.get(kind, "sliding_window")
    window = keys.count(width, **_default(keys, width)) if windowed else None
    return {"window": window, "windowed_layers": windowed} if window else {}


def _default(keys: ConfigKeys, width: str) -> dict:
    """Nothing where the key must be given; an explicit null counts as given."""
    return {"default": None} if keys.architecture in _ALL or keys.has(width) else {}


def _layers(keys: ConfigKeys, layers: int) -> int:
    listed = keys.get("layer_types")
    if listed is not None:
        return _listed(keys, listed, layers)
    match keys.architecture:
        case "mistral" | "mixtral" | "phi3" | "qwen3_moe":
            return layers
        case "qwen2" | "qwen3":
            return max(0, layers - keys.count("max_window_layers", at_least=0))
        case "gemma2" | "gpt_oss":  # every other one, from the first
            return (layers + 1) // 2
        case "gemma3_text":
            every = keys.count("sliding_window_pattern", "_sliding_window_pattern", default=6)
            return layers - layers // every
        case "llama4_text":  # those that rotate: all but every fourth
            every = keys.count("no_rope_layer_interval", default=4)
            listed = keys.get("no_rope_layers")
            return sum(map(bool, listed)) if listed else layers - layers // every
        case _:
            return 0


def _listed(keys: ConfigKeys, listed, layers: int) -> int:
    known = "full_attention", _BOUNDED.get(keys.architecture, "sliding_attention")
    if len(listed) != layers or not set(listed) <= set(known):
        keys.refuse("layer_types", listed, f"{layers} of {', '.join(known)}")
    return layers - list(listed).count("full_attention")
