"""A trained model from a folder: shapes, weights, tokenizer."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file

from .model import LlamaModel
from .model_rope import Rope
from .spec import ModelSpec
from .tokens import Tokenizer

FOLDER = Path(__file__).parent / "model"


def load(
    folder: Path = FOLDER, *, dtype: torch.dtype = torch.float32
) -> tuple[LlamaModel, Tokenizer]:
    """The model in ``folder`` (``config.json``, ``model.safetensors``) and its tokenizer."""
    keys = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    model = LlamaModel(
        ModelSpec.from_config(folder / "config.json"),
        rope=Rope(theta=keys.get("rope_theta", 10_000.0)),
        norm_eps=keys.get("rms_norm_eps", 1e-6),
        dtype=dtype,
    )
    weights = load_file(folder / "model.safetensors")
    weights = {name.removeprefix("model."): tensor for name, tensor in weights.items()}
    if model.spec.tied_embeddings:
        weights.setdefault("lm_head.weight", weights["embed_tokens.weight"])
    model.load_state_dict(weights)
    return model, Tokenizer(folder / "tokenizer.json")
