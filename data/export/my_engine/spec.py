"""The shapes of a model of the Llama family, as its ``config.json`` gives them."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """What model and memory are made from; what the model cannot do stays at its default."""

    name: str
    layers: int
    hidden_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    ffn_size: int
    vocab_size: int
    tied_embeddings: bool = False
    max_context: int | None = None
    qkv_bias: bool = False
    output_bias: bool = False
    qk_norm: bool = False
    experts: None = None
    latent: None = None
    windowed_layers: int = 0
    sinks: bool = False
    norms_per_layer: int = 2

    @classmethod
    def from_config(cls, path: Path) -> "ModelSpec":
        """The shapes in a ``config.json``. ``KeyError`` names a key that is missing."""
        keys = json.loads(path.read_text(encoding="utf-8"))
        heads = keys["num_attention_heads"]
        return cls(
            name=path.parent.name,
            layers=keys["num_hidden_layers"],
            hidden_size=keys["hidden_size"],
            num_heads=heads,
            num_kv_heads=keys.get("num_key_value_heads", heads),
            head_dim=keys.get("head_dim") or keys["hidden_size"] // heads,
            ffn_size=keys["intermediate_size"],
            vocab_size=keys["vocab_size"],
            tied_embeddings=keys.get("tie_word_embeddings", False),
            max_context=keys.get("max_position_embeddings"),
            qkv_bias=keys.get("attention_bias", False),
            output_bias=keys.get("attention_bias", False),
        )
