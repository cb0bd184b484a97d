"""Rows with several new tokens: chunks of prompts, which every path takes one by one."""

from typing import NamedTuple

import torch
from torch.nn import functional

from labutils.llm import ModelSpec
from labutils.serving.attention.packed_step import PackedStep, context_slots
from labutils.serving.kv_pool import KVPool


class Chunk(NamedTuple):
    """One row with several new tokens: ``new`` of the packed line.

    ``slots`` [context] of all that it attends to, ``seen`` [group · new, context] where a token of
    one of the heads that share a KV head sees a token of the context. Both are None where the
    context stands in the line itself: the first chunk of a prompt needs no page.
    """

    new: slice
    slots: torch.Tensor | None
    seen: torch.Tensor | None

    def attend(
        self,
        pool: KVPool,
        layer: int,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mixed: torch.Tensor,
    ) -> None:
        """Fill this chunk's part of ``mixed`` [heads, n, head_dim], the whole packed line."""
        part = query[:, self.new]
        if self.slots is None:
            own = (half[None, :, self.new] for half in (key, value))
            found = functional.scaled_dot_product_attention(
                part[None], *own, is_causal=True, enable_gqa=True
            )
        else:
            grouped = part.unflatten(0, (len(key), -1)).flatten(1, 2)  # [KV heads, group · new, …]
            halves = pool.keys[layer], pool.values[layer]
            whole = (half.index_select(1, self.slots)[None] for half in halves)
            found = functional.scaled_dot_product_attention(
                grouped[None], *whole, attn_mask=self.seen
            )
        mixed[:, self.new] = found.reshape(part.shape)


def chunks_of(step: PackedStep, spec: ModelSpec) -> list[Chunk]:
    """The rows of ``step`` that compute more than one token."""
    rows = zip(step.starts, step.query_lengths, step.context_lengths, step.tables, strict=True)
    group = spec.num_heads // spec.num_kv_heads
    chunks = []
    for start, new, context, table in rows:
        slots = seen = None
        if context > new > 1:
            slots = context_slots(table, context, step.page_tokens)
            triangle = torch.ones(new, context, dtype=torch.bool, device=table.device)
            seen = triangle.tril_(context - new).repeat(group, 1)  # lower right, for each head
        if new > 1:
            chunks.append(Chunk(slice(start, start + new), slots, seen))
    return chunks
