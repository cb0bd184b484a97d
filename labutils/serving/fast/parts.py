"""The two parts of a step: rows with one new token, and chunks of prompts.

Paths differ in how they take the first. The second are few and large: every path takes them one by
one, and the first chunk of a prompt, whose context stands in the line itself, reads no page.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional

from labutils.engine.attention import KVMemory
from labutils.engine.packing import PackedStep


class Chunk(NamedTuple):
    """One row with several new tokens: ``new`` of the packed line.

    ``pages`` of all that it attends to, ``seen`` [new, slots] where a token sees a slot of them.
    Both are None for the first chunk of a prompt.
    """

    new: slice
    pages: torch.Tensor | None
    seen: torch.Tensor | None

    def attend(self, memory: KVMemory, layer: int, query, key, value) -> torch.Tensor:
        """The mixed values [heads, new, head_dim]; given are those of the whole packed line.

        Heads that share a KV head stand in one matrix: the kernels for masks know no groups.
        """
        part = query[:, self.new]
        if self.pages is None:
            own = (half[None, :, self.new] for half in (key, value))
            return functional.scaled_dot_product_attention(
                part[None], *own, is_causal=True, enable_gqa=True
            )[0]
        grouped = part.unflatten(0, (len(key), -1)).flatten(1, 2)[None]  # [1, KV heads, …]
        whole = (half[None] for half in memory.read(layer, self.pages))
        seen = self.seen.repeat(len(query) // len(key), 1)
        mixed = functional.scaled_dot_product_attention(grouped, *whole, attn_mask=seen)
        return mixed.reshape(part.shape)


def chunks_of(step: PackedStep) -> list[Chunk]:
    """The rows of ``step`` that compute more than one token."""
    chunks, starts = [], [0, *accumulate(step.lengths)]
    for row, (start, new, context) in enumerate(zip(starts, step.lengths, step.contexts)):
        pages = seen = None
        if context > new > 1:
            pages = sent(step.tables[row], step.tokens.device)
            shape = new, len(pages) * step.page_tokens
            triangle = torch.ones(shape, dtype=torch.bool, device=pages.device)
            seen = triangle.tril_(context - new)  # the last token sees the whole context
        if new > 1:
            chunks.append(Chunk(slice(start, start + new), pages, seen))
    return chunks


def decoding_rows(step: PackedStep) -> list[int]:
    """The rows of ``step`` with one new token."""
    return [row for row, new in enumerate(step.lengths) if new == 1]


def places(step: PackedStep, rows: Sequence[int]) -> torch.Tensor:
    """Where the only tokens of ``rows`` stand in the line."""
    starts = [0, *accumulate(step.lengths)]
    return sent([starts[row] for row in rows], step.tokens.device)


def tables_of(step: PackedStep, rows: Sequence[int]) -> torch.Tensor:
    """The pages of ``rows``, [rows, most pages], padded with page 0. A tensor stays as it is."""
    if isinstance(step.tables, torch.Tensor):
        return step.tables
    tables = [step.tables[row] for row in rows]
    most = max(map(len, tables), default=0)
    padded = [table + [0] * (most - len(table)) for table in tables]
    return sent(padded, step.tokens.device).view(len(rows), most)


def sent(numbers: list, device: torch.device) -> torch.Tensor:
    """Whole numbers as a tensor on ``device``; the host does not wait for the copy."""
    there = torch.from_numpy(np.array(numbers, dtype=np.int64))  # 3 × as fast as torch.tensor
    if device.type == "cuda":
        there = there.pin_memory()
    return there.to(device, non_blocking=True)


def packed_like(query: torch.Tensor) -> torch.Tensor:
    """Memory for a result in the shape of ``query`` [1, heads, n, head_dim].

    A token's heads lie next to each other, as the projection behind the attention reads them.
    """
    return query.new_empty(query.transpose(1, 2).shape).transpose(1, 2)
