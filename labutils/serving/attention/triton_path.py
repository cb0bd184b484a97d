"""Decoding rows by the course's own Triton kernel, on CUDA alone."""

import os

import torch

from labutils.engine.model import Attend
from labutils.serving.attention.chunks import chunks_of
from labutils.serving.attention.packed_step import PackedStep, packed_like
from labutils.serving.kv_pool import KVPool

KNOWN = (torch.float32, torch.float16, torch.bfloat16)


class TritonPath:
    """Decoding rows by ``paged_attention``, chunks of prompts one by one.

    Whatever varies between steps that only decode lies in tensors: ``positions`` tells the lengths,
    and ``tables`` how long they can be at most. Raises ``ValueError`` without CUDA or Triton.
    """

    captures = True

    def __init__(self, pool: KVPool):
        lacking = what_it_lacks(pool.device, pool.dtype)
        if lacking:
            raise ValueError(f"attention = 'triton' {lacking}")
        from labutils.serving.attention.triton_kernel import paged_attention

        self.pool = pool
        self._attention, self._multiprocessors = paged_attention, _multiprocessors(pool.device)

    def bind(self, step: PackedStep) -> Attend:
        """The ``attend`` of one step: writes the new keys and values, then takes all rows."""
        pool, chunks = self.pool, chunks_of(step, self.pool.spec)
        at, tables = _decoding(step)
        lengths = step.positions[at] + 1

        def attend(layer, query, key, value):
            pool.write(layer, step.slots, key[0], value[0])
            queries = query[0].transpose(0, 1)  # [n, heads, head_dim]
            if not chunks:
                return self._decode(layer, queries, tables, lengths)
            mixed = packed_like(query)
            if len(tables):
                mixed[0, :, at] = self._decode(layer, queries[at], tables, lengths)[0]
            for chunk in chunks:
                chunk.attend(pool, layer, query[0], key[0], value[0], mixed[0])
            return mixed

        return attend

    def _decode(self, layer: int, query: torch.Tensor, tables, lengths) -> torch.Tensor:
        """[rows, heads, head_dim] to [1, heads, rows, head_dim]."""
        mixed = self._attention(
            query,
            self.pool.keys[layer],
            self.pool.values[layer],
            tables,
            lengths,
            page_tokens=self.pool.page_tokens,
            multiprocessors=self._multiprocessors,
        )
        return mixed.transpose(0, 1)[None]


def _decoding(step: PackedStep):
    """Where the rows with one new token stand in the line, and their tables; all of them: as is."""
    if len(step.query_lengths) == len(step.tokens):
        return slice(None), step.tables
    rows = [row for row, new in enumerate(step.query_lengths) if new == 1]
    starts, device = step.starts, step.tables.device
    at = torch.tensor([starts[row] for row in rows], dtype=torch.long, device=device)
    return at, step.tables[rows]


def what_it_lacks(device: torch.device, dtype: torch.dtype) -> str | None:
    """Why this path cannot run there, as the end of a message; None if it can."""
    simulated = os.environ.get("TRITON_INTERPRET") == "1"  # Triton's own check on a processor
    if device.type != "cuda" and not simulated:
        return f"on {device}: expected a CUDA device"
    if dtype not in KNOWN:
        return f"in {dtype}: expected float32, float16 or bfloat16"
    try:
        import triton  # noqa: F401
    except ImportError:
        return "without its package: expected triton to be installed"
    return None


def _multiprocessors(device: torch.device) -> int:
    if device.type != "cuda":
        return 16
    return torch.cuda.get_device_properties(device).multi_processor_count
