"""Decoding rows in few padded batches: contexts of similar length copied next to each other."""

from typing import NamedTuple

import torch

from labutils.engine.model import Attend
from labutils.serving.attention.chunks import chunks_of
from labutils.serving.attention.packed_step import PackedStep, context_slots, packed_like
from labutils.serving.kv_pool import KVPool

BUCKET_SLOTS = 4096  # copied at once: what a core's cache still holds when it is read again


def gather_attention(
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    slots: torch.Tensor,
    hidden: torch.Tensor,
    room: torch.Tensor,
) -> torch.Tensor:
    """One new token of each row over its context, which is collected from the pool.

    ``query`` is [KV heads, rows, group, head_dim]: the heads that share a KV head stand in one
    matrix, so that no key is read twice; the result has its shape. ``keys`` and ``values`` [KV
    heads, slots, head_dim] are one layer of the pool. ``slots`` [rows, longest] says where each
    context lies, ``hidden`` [KV heads · rows, 1, longest] is 0 on it and −∞ on the padding behind
    it. ``room`` is scratch memory: fresh memory for every copy would cost more than the copy.
    """
    scale = query.shape[-1] ** -0.5
    together = _copy(keys, slots, room)
    scores = torch.baddbmm(hidden, query.flatten(0, 1), together.transpose(1, 2), alpha=scale)
    together = _copy(values, slots, room)
    return torch.bmm(scores.softmax(-1), together).view_as(query)


def _copy(half: torch.Tensor, slots: torch.Tensor, room: torch.Tensor) -> torch.Tensor:
    """Keys or values of several contexts, one behind the other: [KV heads · rows, longest, …]."""
    heads, _, width = half.shape
    copied = room[: heads * slots.numel() * width].view(heads, -1, width)
    torch.index_select(half, 1, slots.flatten(), out=copied)
    return copied.view(-1, slots.shape[1], width)


class Bucket(NamedTuple):
    """Decoding rows of similar context: ``rows`` of the sorted ones, and what they read."""

    rows: slice
    slots: torch.Tensor
    hidden: torch.Tensor


class GatherPath:
    """Decoding rows by ``gather_attention`` in buckets, chunks of prompts one by one."""

    captures = False  # in a CUDA graph: what varies is not all in tensors

    def __init__(self, pool: KVPool):
        self.pool = pool
        self._room = torch.empty(0, dtype=pool.dtype, device=pool.device)

    def bind(self, step: PackedStep) -> Attend:
        """The ``attend`` of one step: writes the new keys and values, then takes all rows."""
        rows = [row for row, new in enumerate(step.query_lengths) if new == 1]
        rows.sort(key=step.context_lengths.__getitem__)
        starts = step.starts
        at = torch.tensor([starts[row] for row in rows], device=step.tokens.device)
        buckets, chunks = self._buckets(step, rows), chunks_of(step, self.pool.spec)

        def attend(layer, query, key, value):
            self.pool.write(layer, step.slots, key[0], value[0])
            mixed = packed_like(query)
            if rows:
                mixed[0, :, at] = self._decode(layer, query[0].index_select(1, at), buckets)
            for chunk in chunks:
                chunk.attend(self.pool, layer, query[0], key[0], value[0], mixed[0])
            return mixed

        return attend

    def _decode(self, layer: int, query: torch.Tensor, buckets: list[Bucket]) -> torch.Tensor:
        """[heads, rows, head_dim] to the same; rows sorted by context."""
        keys, values = self.pool.keys[layer], self.pool.values[layer]
        grouped = query.unflatten(0, (len(keys), -1)).transpose(1, 2)
        mixed = [
            gather_attention(grouped[:, rows], keys, values, slots, hidden, self._room)
            for rows, slots, hidden in buckets
        ]
        return torch.cat(mixed, dim=1).transpose(1, 2).flatten(0, 1)

    def _buckets(self, step: PackedStep, rows: list[int]) -> list[Bucket]:
        lengths = [step.context_lengths[row] for row in rows]
        cuts = _cuts(lengths)
        buckets = [_bucket(step, rows[cut], lengths[cut], cut, self.pool.keys[0]) for cut in cuts]
        self._reserve(max((bucket.slots.numel() for bucket in buckets), default=0))
        return buckets

    def _reserve(self, slots: int) -> None:
        """Scratch memory for the contexts of one bucket; kept, and grown when it is too small."""
        heads, _, width = self.pool.keys[0].shape
        if self._room.numel() < heads * slots * width:
            self._room = self._room.new_empty(heads * slots * width)


def _cuts(lengths: list[int]) -> list[slice]:
    """Cut rows of rising ``lengths`` so that each part, padded to its longest, stays small."""
    cuts, first = [], 0
    for row, length in enumerate(lengths):
        if row > first and (row + 1 - first) * length > BUCKET_SLOTS:
            cuts.append(slice(first, row))
            first = row
    return [*cuts, slice(first, len(lengths))] if lengths else []


def _bucket(
    step: PackedStep, rows: list[int], lengths: list[int], cut: slice, like: torch.Tensor
) -> Bucket:
    slots = context_slots(step.tables[rows], lengths[-1], step.page_tokens)
    padding = torch.arange(lengths[-1]) >= torch.tensor(lengths)[:, None]
    hidden = torch.zeros(padding.shape).masked_fill_(padding, -torch.inf).to(like)
    return Bucket(cut, slots, hidden[:, None].repeat(len(like), 1, 1))
