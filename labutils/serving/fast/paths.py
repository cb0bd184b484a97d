"""Attention over a paged cache, in several ways that give the same numbers.

A path is made once, for one memory; ``bind`` prepares what depends on the step alone, and the
function that it returns runs once per layer:

    path = attention_path("gather", memory)
    attend = path.bind(step)
    logits = model(step.tokens[None], step.positions[None], attend=attend, rows=step.last)
"""

from importlib import import_module

import torch
from torch.nn import functional

from labutils.engine.attention import KVMemory, paged_attention
from labutils.engine.model import Attend
from labutils.engine.packing import PackedStep, slots_of

from .parts import sent

PATHS = {
    "rows": ("paths", "RowsPath"),
    "gather": ("paths", "GatherPath"),
    "flex": ("flex", "FlexPath"),
    "triton": ("triton_path", "TritonPath"),
}


def attention_path(name: str, memory: KVMemory):
    """The path called ``name`` over ``memory``: an object whose ``bind(step)`` gives an ``attend``.

    "rows" is the specification, one row after the other. "gather" is the engine's own: contexts of
    similar length, copied next to each other. "flex" reads the pages where they lie, through a
    compiled FlexAttention. "triton" does so with its own kernel, on CUDA alone. "auto" is
    ``best_path``. Raises ``ValueError`` for another name, and where a path cannot run.
    """
    if name == "auto":
        name = best_path(memory.keys.device, memory.keys.dtype)
    if name not in PATHS:
        raise ValueError(f"name = {name!r}: expected one of {', '.join([*PATHS, 'auto'])}")
    module, kind = PATHS[name]
    return getattr(import_module(f".{module}", __package__), kind)(memory)


def best_path(device: torch.device, dtype: torch.dtype) -> str:
    """What "auto" stands for: "triton" on a CUDA device where it can run, else "gather"."""
    if device.type != "cuda":
        return "gather"
    from .triton_path import what_it_lacks

    return "gather" if what_it_lacks(device, dtype) else "triton"


class GatherPath:
    """The engine's own attention: rows with one new token in padded buckets, chunks one by one."""

    captures = False  # in a CUDA graph: what varies is not all in tensors

    def __init__(self, memory: KVMemory):
        self.memory = memory

    def bind(self, step: PackedStep) -> Attend:
        """The ``attend`` of one step: writes the new keys and values, then takes all rows."""
        return paged_attention(self.memory, step)


class RowsPath(GatherPath):
    """One call of ``row_attention`` per row and layer: right before fast."""

    def bind(self, step: PackedStep) -> Attend:
        """The same, row by row."""
        memory, slots = self.memory, _slots_by_row(step)

        def attend(layer, query, key, value):
            memory.write(layer, step.slots, key[0], value[0])
            queries = query[0].split(step.lengths, dim=1)
            rows = (
                row_attention(new, memory.keys[layer][:, own], memory.values[layer][:, own])
                for new, own in zip(queries, slots, strict=True)
            )
            return torch.cat(list(rows), dim=1)[None]

        return attend


def row_attention(query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The new tokens of one row, [heads, new, head_dim], over its whole context.

    ``keys`` and ``values`` are [KV heads, context, head_dim] in the order of the sequence; the new
    tokens are the last ones. New token i of n therefore sees the first context − n + i + 1: a
    triangle in the lower right corner (``is_causal`` would put it into the upper left one).
    """
    new, context = query.shape[1], keys.shape[1]
    seen = torch.ones(new, context, dtype=torch.bool, device=query.device).tril(context - new)
    return functional.scaled_dot_product_attention(
        query[None], keys[None], values[None], attn_mask=seen, enable_gqa=True
    )[0]


def _slots_by_row(step: PackedStep) -> list[torch.Tensor]:
    rows = zip(step.tables, step.contexts, strict=True)
    device, size = step.tokens.device, step.page_tokens
    return [sent(slots_of(table, 0, context, size), device) for table, context in rows]
