"""Run a published checkpoint: its shapes from ``config.json``, its weights from its state."""

from collections.abc import Mapping
from pathlib import Path

import torch

from labutils.engine.model import LlamaModel
from labutils.engine.model_rope import rope_from_config
from labutils.llm import ModelSpec, spec_from_config
from labutils.llm.specification import config_file


def model_from_config(config: Mapping | str | Path, **options) -> LlamaModel:
    """A model in the shapes of a ``config.json``, its positions and norms included.

    ``options`` are those of ``LlamaModel``: ``seed``, ``dtype``, ``device``, ``init_std``. Raises
    ``ValueError`` for what ``spec_from_config`` or ``LlamaModel`` does not know.
    """
    keys = config_file.read(config)
    activation = keys.get("hidden_act", "silu")
    if activation != "silu":
        keys.refuse("hidden_act", activation, "'silu'")
    return LlamaModel(
        spec_from_config(config),
        rope=rope_from_config(keys),
        norm_eps=keys.get("rms_norm_eps", 1e-6),
        **options,
    )


def refuse_other_shapes(spec: ModelSpec, state: Mapping[str, torch.Tensor]) -> None:
    """``ValueError`` unless ``state`` has the layers and the sizes that ``spec`` asks for.

    A few numbers of a ``config.json`` may ask for more memory than there is.
    """
    shapes = {name.removeprefix("model."): tuple(tensor.shape) for name, tensor in state.items()}
    layers = len({name.split(".")[1] for name in shapes if name.startswith("layers.")})
    if layers != spec.layers:
        raise ValueError(
            f"state holds {layers} layers: expected {spec.layers}, for which the config asks"
        )
    attention, mlp = "layers.0.self_attn", "layers.0.mlp"
    for name, expected in {
        "embed_tokens.weight": (spec.vocab_size, spec.hidden_size),
        f"{attention}.q_proj.weight": (spec.num_heads * spec.head_dim, spec.hidden_size),
        f"{attention}.k_proj.weight": (spec.num_kv_heads * spec.head_dim, spec.hidden_size),
        f"{mlp}.gate_proj.weight": (spec.ffn_size, spec.hidden_size),
    }.items():
        if shapes.get(name, expected) != expected:
            raise ValueError(
                f"state: {name} has the shape {shapes[name]}: expected {expected}, for which the "
                "config asks"
            )


def load_hf_state(model: LlamaModel, state: Mapping[str, torch.Tensor]) -> LlamaModel:
    """Copy the weights of a Hugging Face checkpoint into ``model``, and return it.

    ``state`` maps names such as ``model.layers.0.self_attn.q_proj.weight`` to tensors; with tied
    embeddings ``lm_head.weight`` may be absent. Raises ``ValueError`` that names missing or unknown
    weights and those of another shape, and changes nothing then.
    """
    own = model.state_dict()
    given = {
        name.removeprefix("model."): tensor
        for name, tensor in state.items()
        if not name.endswith("rotary_emb.inv_freq")  # old files keep what is computed here
    }
    if model.spec.tied_embeddings:
        given.setdefault("lm_head.weight", given.get("embed_tokens.weight"))
    _compare("missing", own.keys() - given.keys())
    _compare("unknown", given.keys() - own.keys())
    _compare("of another shape", {n for n in own if own[n].shape != given[n].shape})
    model.load_state_dict(given)
    return model


def _compare(what: str, names: set[str]) -> None:
    if names:
        shown = ", ".join(sorted(names)[:4]) + (" …" if len(names) > 4 else "")
        raise ValueError(f"state: expected exactly the model's weights; {what}: {shown}")
