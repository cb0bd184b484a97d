"""Models from disk: a checkpoint folder as Hugging Face lays it out, and the course's own two."""

import json
from collections.abc import Mapping
from pathlib import Path

import torch

from labutils import datafile
from labutils.engine.model import LlamaModel
from labutils.llm import ModelSpec, model, spec_from_config
from labutils.llm.specification import config_file
from labutils.serving.checkpoints.model_weights import (
    load_hf_state,
    model_from_config,
    refuse_other_shapes,
)
from labutils.serving.checkpoints.tokenizer import Tokenizer

COURSE_MODELS = ("target", "draft")
_INDEX, _SINGLE = "model.safetensors.index.json", "model.safetensors"


def load_checkpoint(
    folder: str | Path,
    *,
    dtype: torch.dtype | str = torch.float32,
    device: str | torch.device = "cpu",
) -> tuple[LlamaModel, Tokenizer | None]:
    """The model in ``folder`` and its tokenizer, None where there is no ``tokenizer.json``.

    The weights are read first: a ``config.json`` that asks for other shapes than they have is
    refused before a model is built. Needs ``config.json`` and ``model.safetensors`` (or its parts
    and their index). Weights come out as ``dtype`` whatever they are stored as. Nothing is fetched,
    and no pickled file is read.

    Raises ``ValueError`` for a missing or damaged file, and for shapes or weights that
    ``LlamaModel`` does not know.
    """
    folder = Path(folder).expanduser()
    config = folder / "config.json"
    if not config.is_file():
        raise ValueError(f"folder = {str(folder)!r}: expected one with a config.json")
    state = _state(folder)
    refuse_other_shapes(spec_from_config(config), state)
    loaded = model_from_config(config, dtype=as_dtype(dtype), device=device)
    load_hf_state(loaded, state)
    file = folder / "tokenizer.json"
    return loaded, Tokenizer.from_file(file, _end_tokens(folder)) if file.is_file() else None


def course_model(
    name: str = "target",
    *,
    dtype: torch.dtype | str = torch.float32,
    device: str | torch.device = "cpu",
) -> tuple[LlamaModel, Tokenizer]:
    """One of the course's small models, trained on its own prose: ``"target"`` or ``"draft"``.

    Both speak the same tokens; the draft is about an eighth of the target's size.
    """
    if name not in COURSE_MODELS:
        raise ValueError(f"name = {name!r}: expected one of {', '.join(COURSE_MODELS)}")
    return load_checkpoint(datafile(f"checkpoints/{name}"), dtype=dtype, device=device)


def random_model(
    spec: ModelSpec | str,
    *,
    dtype: torch.dtype | str = torch.float32,
    device: str | torch.device = "cpu",
    **options,
) -> LlamaModel:
    """Random weights in any shape: a ``ModelSpec``, or the name of a listed model.

    Speed depends on shapes alone, so this stands in for weights that are not on this machine.
    ``options`` are those of ``LlamaModel``.
    """
    shape = model(spec) if isinstance(spec, str) else spec
    return LlamaModel(shape, dtype=as_dtype(dtype), device=device, **options)


def as_dtype(dtype: torch.dtype | str) -> torch.dtype:
    """A floating-point type of torch, or its name. ``ValueError`` for anything else."""
    found = getattr(torch, dtype, None) if isinstance(dtype, str) else dtype
    if not isinstance(found, torch.dtype) or not found.is_floating_point:
        raise ValueError(f"dtype = {dtype!r}: expected a floating-point type such as 'float32'")
    return found


def _state(folder: Path) -> Mapping[str, torch.Tensor]:
    names = _parts(folder / _INDEX) if (folder / _INDEX).is_file() else [_SINGLE]
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise ValueError(f"folder = {str(folder)!r}: expected it to hold {', '.join(missing)}")
    return {key: value for name in names for key, value in _weights(folder / name).items()}


def _parts(index: Path) -> list[str]:
    """The names of the files that an index lists: plain names, so that none leaves its folder."""
    try:
        files = json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()
        names = sorted(set(files))
        if not names or any(Path(name).name != name for name in names):
            raise ValueError(f"{names[:3]}")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{index}: expected a weight_map of weights to files of its folder ({error!r})"
        ) from None
    return names


def _weights(file: Path) -> dict[str, torch.Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(file)
    except SafetensorError as error:
        raise ValueError(f"{file}: expected weights in safetensors' form ({error})") from None


def _end_tokens(folder: Path) -> tuple[int, ...]:
    """The numbers that end an answer; ``generation_config.json`` knows best, where there is one."""
    for name in ("generation_config.json", "config.json"):
        if (folder / name).is_file():
            found = config_file.read(folder / name).get("eos_token_id")
            if found is not None:
                ends = tuple(found) if isinstance(found, list) else (found,)
                if any(type(one) is not int or one < 0 for one in ends):
                    raise ValueError(
                        f"{folder / name}: eos_token_id = {found!r}: expected token numbers"
                    )
                return ends
    return ()
