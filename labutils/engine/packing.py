"""From a plan to tensors: the new tokens of all its requests, packed into one line."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from .request import Generation


@dataclass(frozen=True)
class PackedStep:
    """One step in one line: the new tokens of its rows one behind the other, without padding.

    A row is one request's part of the step: its next token, or a chunk of its prompt.

    - ``tokens``, ``positions`` [n]: token numbers, and the place of each in its own sequence;
    - ``slots`` [n]: where in memory each token's key and value go (vLLM: ``slot_mapping``);
    - ``last``: indices into n of the tokens whose logits are wanted;
    - ``lengths``: new tokens of each row; they sum to n;
    - ``contexts``: tokens that each row attends to, its new ones included (these are last);
    - ``tables``: the pages of each row's context (``block_tables``), ``page_tokens`` tokens each.

    Lengths are plain numbers, so that nothing waits for a device to learn them.
    """

    tokens: torch.Tensor
    positions: torch.Tensor
    slots: torch.Tensor
    last: torch.Tensor
    lengths: list[int]
    contexts: list[int]
    tables: list[list[int]]
    page_tokens: int


def pack(
    chunks: Sequence[tuple[Generation, int]], page_tokens: int, device: torch.device
) -> PackedStep:
    """The step that computes ``chunks``: logits follow the last known token of each request."""
    tokens, positions, slots, last, contexts, tables = [], [], [], [], [], []
    for request, new in chunks:
        start, end = request.computed, request.computed + new
        tokens += request.tokens[start:end]
        positions += range(start, end)
        slots += slots_of(request.pages, start, end, page_tokens)
        contexts.append(end)
        tables.append(request.pages[: -(-end // page_tokens)])
        if end == request.known:
            last.append(len(tokens) - 1)
    lines = tokens, positions, slots, last
    whole = torch.tensor([number for line in lines for number in line], dtype=torch.int64)
    if device.type != "cpu":  # a single copy, for which the host need not wait
        whole = whole.pin_memory().to(device, non_blocking=True)
    tensors = whole.split([len(line) for line in lines])
    return PackedStep(*tensors, [new for _, new in chunks], contexts, tables, page_tokens)


def slots_of(pages: Sequence[int], start: int, end: int, page_tokens: int) -> list[int]:
    """Slots of the tokens ``start`` to before ``end``: token i lies in page ``i // page_tokens``.

    >>> slots_of([7, 2], 2, 6, page_tokens=4)
    [30, 31, 8, 9]
    """
    where = (divmod(token, page_tokens) for token in range(start, end))
    return [pages[page] * page_tokens + place for page, place in where]
