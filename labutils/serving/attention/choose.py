"""One argument chooses the path."""

from importlib import import_module

import torch

from labutils.serving.kv_pool import KVPool

PATHS = {
    "rows": ("rows", "RowsPath"),
    "gather": ("gather", "GatherPath"),
    "flex": ("flex", "FlexPath"),
    "triton": ("triton_path", "TritonPath"),
}


def attention_path(name: str, pool: KVPool):
    """The path called ``name`` over ``pool``: an object whose ``bind(step)`` gives an ``attend``.

    "rows" is the specification, one row after the other. "gather" copies the contexts of rows of
    similar length next to each other. "flex" reads the pages where they lie, through a compiled
    FlexAttention. "triton" does so with its own kernel, on CUDA alone. "auto" is ``best_path``.
    Raises ``ValueError`` for another name, and where a path cannot run.
    """
    if name == "auto":
        name = best_path(pool.device, pool.dtype)
    if name not in PATHS:
        raise ValueError(f"name = {name!r}: expected one of {', '.join([*PATHS, 'auto'])}")
    module, kind = PATHS[name]
    return getattr(import_module(f"labutils.serving.attention.{module}"), kind)(pool)


def best_path(device: torch.device, dtype: torch.dtype) -> str:
    """What "auto" stands for: "triton" on a CUDA device where it can run, else "gather"."""
    if device.type != "cuda":
        return "gather"
    from labutils.serving.attention.triton_path import what_it_lacks

    return "gather" if what_it_lacks(device, dtype) else "triton"
