"""Decoding rows by the course's own Triton kernel, on CUDA alone."""

import os

import torch

from labutils.engine.attention import KVMemory
from labutils.engine.model import Attend
from labutils.engine.packing import PackedStep

from .parts import chunks_of, decoding_rows, packed_like, places, tables_of

KNOWN = (torch.float32, torch.float16, torch.bfloat16)


class TritonPath:
    """Decoding rows by ``paged_attention``, chunks of prompts one by one.

    Whatever varies between steps that only decode lies in tensors: ``positions`` tells the lengths,
    and ``tables`` how long they can be at most. Raises ``ValueError`` without CUDA or Triton.
    """

    captures = True

    def __init__(self, memory: KVMemory):
        lacking = what_it_lacks(memory.keys.device, memory.keys.dtype)
        if lacking:
            raise ValueError(f"attention = 'triton' {lacking}")
        from .triton_kernel import paged_attention

        self.memory, self._attention = memory, paged_attention
        self._multiprocessors = _multiprocessors(memory.keys.device)

    def bind(self, step: PackedStep) -> Attend:
        """The ``attend`` of one step: writes the new keys and values, then takes all rows."""
        memory, rows, chunks = self.memory, decoding_rows(step), chunks_of(step)
        at = places(step, rows) if chunks else slice(None)
        tables, lengths = tables_of(step, rows), step.positions[at] + 1

        def attend(layer, query, key, value):
            memory.write(layer, step.slots, key[0], value[0])
            queries = query[0].transpose(0, 1)  # [n, heads, head_dim]
            if not chunks:
                return self._decode(layer, queries, tables, lengths)
            mixed = packed_like(query)
            if rows:
                mixed[0, :, at] = self._decode(layer, queries[at], tables, lengths)[0]
            for chunk in chunks:
                mixed[0, :, chunk.new] = chunk.attend(memory, layer, query[0], key[0], value[0])
            return mixed

        return attend

    def _decode(self, layer: int, query: torch.Tensor, tables, lengths) -> torch.Tensor:
        """[rows, heads, head_dim] to [1, heads, rows, head_dim]."""
        mixed = self._attention(
            query,
            self.memory.keys[layer],
            self.memory.values[layer],
            tables,
            lengths,
            page_tokens=self.memory.page_tokens,
            multiprocessors=self._multiprocessors,
        )
        return mixed.transpose(0, 1)[None]


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
