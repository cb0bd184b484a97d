"""What one step computes: the new tokens of all its rows, packed into one line."""

from dataclasses import dataclass
from itertools import accumulate

import torch


@dataclass(frozen=True)
class PackedStep:
    """The new tokens of several rows one behind the other, without padding between them.

    A row is one request's part of the step: its next token, or a chunk of its prompt.

    - ``tokens``, ``positions`` [n]: token numbers, and the place of each in its own sequence;
    - ``slots`` [n]: where in the pool each token's key and value go;
    - ``query_lengths``: new tokens of each row; they sum to n;
    - ``context_lengths``: tokens that each row attends to, its new ones included (these are last);
    - ``tables`` [rows, most pages]: the pages of each row in order, padded with 0;
    - ``page_tokens``: tokens per page;
    - ``outputs``: indices into n of the tokens whose logits are wanted.

    Lengths are plain numbers, so that nobody waits for a device to learn them.
    """

    tokens: torch.Tensor
    positions: torch.Tensor
    slots: torch.Tensor
    query_lengths: tuple[int, ...]
    context_lengths: tuple[int, ...]
    tables: torch.Tensor
    page_tokens: int
    outputs: torch.Tensor

    def __post_init__(self):
        if sum(self.query_lengths) != len(self.tokens):
            expected = f"lengths of {len(self.tokens)} tokens in all"
            raise ValueError(f"query_lengths = {self.query_lengths}: expected {expected}")

    @property
    def starts(self) -> tuple[int, ...]:
        """Index into n of each row's first new token."""
        return (0, *accumulate(self.query_lengths))[:-1]


def context_slots(table: torch.Tensor, length: int, page_tokens: int) -> torch.Tensor:
    """Slots of a row's first ``length`` tokens, in order, from its page table [..., pages].

    Token i lies in page ``table[i // page_tokens]``, at offset i mod page_tokens. Tables of several
    rows give one line of slots each: [..., length].

    >>> context_slots(torch.tensor([7, 2]), 6, page_tokens=4)
    tensor([28, 29, 30, 31,  8,  9])
    """
    pages = table[..., : -(-length // page_tokens), None]
    offsets = torch.arange(page_tokens, device=table.device)
    return (pages * page_tokens + offsets).flatten(-2)[..., :length]


def packed_like(query: torch.Tensor) -> torch.Tensor:
    """Memory for a result in the shape of ``query`` [1, heads, n, head_dim].

    A token's heads lie next to each other, as the projection behind the attention reads them.
    """
    return query.new_empty(query.transpose(1, 2).shape).transpose(1, 2)
