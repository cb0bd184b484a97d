"""Keys and values in memory, and attention over them: chunks alone, decodes together."""

from collections.abc import Iterator, Sequence

import torch
from torch.nn import functional

from labutils.llm import ModelSpec

from .model import Attend
from .packing import PackedStep

BUCKET_SLOTS = 4096
"""Slots of padded contexts that are read together: what a core's cache still holds on a CPU."""


class KVMemory:
    """Room for the keys and values of ``num_pages`` pages of ``page_tokens`` tokens each.

    A token lives in one *slot*: slot = page · page_tokens + its place in the page. ``keys[layer]``
    and ``values[layer]`` are [KV heads, slots, head_dim], allocated at once, and never move.
    """

    def __init__(
        self, spec: ModelSpec, num_pages: int, page_tokens: int, *, dtype: torch.dtype, device
    ):
        shape = (2, spec.layers, spec.num_kv_heads, num_pages * page_tokens, spec.head_dim)
        self.num_kv_heads, self.page_tokens = spec.num_kv_heads, page_tokens
        self.keys, self.values = torch.zeros(shape, dtype=dtype, device=device)

    def write(self, layer: int, slots: torch.Tensor, key: torch.Tensor, value: torch.Tensor):
        """Put the keys and values of n tokens, each [KV heads, n, head_dim], at ``slots`` [n]."""
        self.keys[layer].index_copy_(1, slots, key)
        self.values[layer].index_copy_(1, slots, value)

    def read(self, layer: int, pages: torch.Tensor) -> Iterator[torch.Tensor]:
        """Copies of the keys, then of the values, on ``pages``: [KV heads, slots, head_dim]."""
        for half in (self.keys[layer], self.values[layer]):
            by_page = half.view(len(half), -1, self.page_tokens * half.shape[2])
            yield by_page.index_select(1, pages).view(len(half), -1, half.shape[2])

    def hidden(self, seen: Sequence[int], slots: int) -> torch.Tensor:
        """[tokens, slots]: 0 on the first ``seen[i]`` slots of token i, minus infinity behind."""
        ends = torch.tensor(seen, device=self.keys.device)[:, None]
        behind = torch.arange(slots, device=self.keys.device) >= ends
        return torch.where(behind, -torch.inf, 0.0).to(self.keys.dtype)


def paged_attention(memory: KVMemory, step: PackedStep) -> Attend:
    """The ``attend`` of one step: writes its keys and values, then mixes every row's context.

    Neighbours that decode go together, in buckets; a chunk of a prompt goes alone.
    """
    parts: list[Bucket | Chunk] = [Bucket(memory, step, rows) for rows in buckets(step)]
    parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) if new > 1]

    def attend(layer, query, key, value):
        memory.write(layer, step.slots, key[0], value[0])
        grouped = query[0].unflatten(0, (memory.num_kv_heads, -1))
        mixed = torch.empty_like(grouped)
        for part in parts:
            mixed[:, :, part.new] = part.attend(layer, grouped[:, :, part.new])
        return mixed.flatten(0, 1)[None]

    return attend


class Chunk:
    """A row with several new tokens; ``new`` says where in the line they stand."""

    def __init__(self, memory: KVMemory, step: PackedStep, row: int):
        start, new, context = sum(step.lengths[:row]), step.lengths[row], step.contexts[row]
        self.memory, self.new = memory, slice(start, start + new)
        self.pages = torch.tensor(step.tables[row], device=step.tokens.device)
        seen = range(context - new + 1, context + 1)  # the last token sees the whole context
        self.hidden = memory.hidden(seen, len(self.pages) * step.page_tokens)

    def attend(self, layer: int, query: torch.Tensor) -> torch.Tensor:
        """[KV heads, group, new, head_dim] to the same: a token mixes all up to itself."""
        keys, values = (half[:, None] for half in self.memory.read(layer, self.pages))
        return functional.scaled_dot_product_attention(
            query, keys, values, attn_mask=self.hidden, enable_gqa=True
        )


class Bucket:
    """Neighbours with one new token each; their contexts are padded to the longest of them.

    ``pages`` holds their tables, padded with page 0; ``hidden`` is [KV heads · rows, 1, slots].
    """

    def __init__(self, memory: KVMemory, step: PackedStep, rows: slice):
        start, contexts = sum(step.lengths[: rows.start]), step.contexts[rows]
        self.memory, self.new = memory, slice(start, start + len(contexts))
        most = -(-max(contexts) // step.page_tokens)
        tables = [table[:most] + [0] * (most - len(table)) for table in step.tables[rows]]
        self.pages = torch.tensor(tables, device=step.tokens.device).flatten()
        seen = contexts * memory.num_kv_heads
        self.hidden = memory.hidden(seen, most * step.page_tokens)[:, None]

    def attend(self, layer: int, query: torch.Tensor) -> torch.Tensor:
        """[KV heads, group, rows, head_dim] to the same: a group is one matrix for each row."""
        batch, _, slots = self.hidden.shape  # KV heads · rows
        keys, values = (half.view(batch, slots, -1) for half in self.memory.read(layer, self.pages))
        rows, scale = query.transpose(1, 2), query.shape[-1] ** -0.5
        scores = torch.baddbmm(self.hidden, rows.flatten(0, 1), keys.transpose(1, 2), alpha=scale)
        return torch.bmm(scores.softmax(-1), values).view_as(rows).transpose(1, 2)


def buckets(step: PackedStep) -> Iterator[slice]:
    """Neighbours with one new token, cut so that a bucket padded to its longest stays small.

    Without the cut one context of 2,000 tokens would make forty short ones as long.
    """
    first = longest = 0
    for row, (new, context) in enumerate(zip([*step.lengths, 0], [*step.contexts, 0])):
        longest = max(longest, context)
        if row > first and (new != 1 or (row + 1 - first) * longest > BUCKET_SLOTS):
            yield slice(first, row)
            first, longest = row, context
        if new != 1:
            first, longest = row + 1, 0
