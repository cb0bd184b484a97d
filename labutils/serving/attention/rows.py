"""The specification: every row on its own, its keys and values collected from their pages."""

import torch
from torch.nn import functional

from labutils.engine.model import Attend
from labutils.serving.attention.packed_step import PackedStep, context_slots
from labutils.serving.kv_pool import KVPool


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


class RowsPath:
    """One call of ``row_attention`` per row and layer: right before fast."""

    captures = False  # in a CUDA graph: what varies is not all in tensors

    def __init__(self, pool: KVPool):
        self.pool = pool

    def bind(self, step: PackedStep) -> Attend:
        """The ``attend`` of one step: writes the new keys and values, then takes row by row."""
        pool, slots = self.pool, _slots_by_row(step)

        def attend(layer, query, key, value):
            pool.write(layer, step.slots, key[0], value[0])
            queries = query[0].split(step.query_lengths, dim=1)
            rows = (
                row_attention(new, pool.keys[layer][:, own], pool.values[layer][:, own])
                for new, own in zip(queries, slots, strict=True)
            )
            return torch.cat(list(rows), dim=1)[None]

        return attend


def _slots_by_row(step: PackedStep) -> list[torch.Tensor]:
    rows = zip(step.tables, step.context_lengths, strict=True)
    return [context_slots(table, length, step.page_tokens) for table, length in rows]
