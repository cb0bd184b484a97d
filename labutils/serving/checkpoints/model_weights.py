"""Run a published checkpoint: its shapes from ``config.json``, its weights from its state."""

from collections.abc import Mapping
from pathlib import Path

import torch

from labutils.engine.model import LlamaModel
from labutils.engine.model_rope import rope_from_config
from labutils.llm import spec_from_config
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
