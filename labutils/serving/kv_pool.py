"""The memory of an engine: keys and values of every token that it still needs, in pages."""

import math

import numpy as np
import torch

from labutils import arguments
from labutils.llm import ModelSpec


class KVPool:
    """Room for the keys and values of ``num_pages`` pages of ``page_tokens`` tokens each.

    A token lives in one *slot*: slot = page · page_tokens + offset in the page. ``keys[layer]`` and
    ``values[layer]`` are [KV heads, slots, head_dim]. All of it is allocated at once, zeroed, and
    never moves; who owns which page is the block manager's business.
    """

    def __init__(
        self,
        spec: ModelSpec,
        num_pages: int,
        page_tokens: int = 16,
        *,
        dtype: torch.dtype = torch.float32,
        device: str | torch.device = "cpu",
    ):
        self.spec = spec
        self.num_pages = arguments.whole("num_pages", num_pages)
        self.page_tokens = arguments.whole("page_tokens", page_tokens)
        shape = (2, spec.layers, spec.num_kv_heads, self.num_slots, spec.head_dim)
        self._memory = _zeros(shape, dtype, torch.device(device))
        self.keys, self.values = (tuple(half.unbind()) for half in self._memory)

    def write(
        self, layer: int, slots: torch.Tensor, key: torch.Tensor, value: torch.Tensor
    ) -> None:
        """Put the keys and values of n tokens, each [KV heads, n, head_dim], at ``slots`` [n]."""
        self.keys[layer].index_copy_(1, slots, key)
        self.values[layer].index_copy_(1, slots, value)

    @property
    def num_slots(self) -> int:
        """Tokens that fit."""
        return self.num_pages * self.page_tokens

    @property
    def num_bytes(self) -> int:
        """Bytes of all pages over all layers."""
        return self._memory.nbytes

    @property
    def bytes_per_page(self) -> int:
        """Bytes of one page over all layers: keys and values of ``page_tokens`` tokens."""
        return self.num_bytes // self.num_pages

    @property
    def device(self) -> torch.device:
        """Where the pages lie."""
        return self._memory.device

    @property
    def dtype(self) -> torch.dtype:
        """The type of every number in it."""
        return self._memory.dtype


def _zeros(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Zeros; in a processor's memory each page of the system is touched when it is first used."""
    if device.type != "cpu":
        return torch.zeros(shape, dtype=dtype, device=device)
    empty = np.zeros(math.prod(shape) * dtype.itemsize, dtype=np.uint8)
    return torch.from_numpy(empty).view(dtype).view(shape)
