"""Random steps over random pages, packed by hand: no scheduler, no block manager, no runner."""

import random
from dataclasses import dataclass, field

import torch

from labutils.serving.attention.packed_step import PackedStep
from labutils.serving.kv_pool import KVPool


@dataclass
class Sequence:
    """Tokens of one request, of which ``computed`` lie in ``table``'s pages."""

    tokens: list[int]
    computed: int = 0
    table: list[int] = field(default_factory=list)


class Pages:
    """Hands out the pages of a pool in an order that means nothing."""

    def __init__(self, pool: KVPool, seed: int):
        self.tokens = pool.page_tokens
        self.free = random.Random(seed).sample(range(pool.num_pages), pool.num_pages)

    def grow(self, sequence: Sequence, length: int) -> None:
        while len(sequence.table) * self.tokens < length:
            sequence.table.append(self.free.pop())


def pack(sequences: list[Sequence], news: list[int], page_tokens: int, device="cpu") -> PackedStep:
    """The step that computes the next ``news[i]`` tokens of ``sequences[i]``, token by token."""
    tokens, positions, slots, outputs = [], [], [], []
    for sequence, new in zip(sequences, news, strict=True):
        for position in range(sequence.computed, sequence.computed + new):
            tokens.append(sequence.tokens[position])
            positions.append(position)
            page = sequence.table[position // page_tokens]
            slots.append(page * page_tokens + position % page_tokens)
        outputs.append(len(tokens) - 1)
    most = max(len(sequence.table) for sequence in sequences)
    tables = [sequence.table + [0] * (most - len(sequence.table)) for sequence in sequences]

    def whole(values):
        return torch.tensor(values, dtype=torch.long, device=device)

    return PackedStep(
        tokens=whole(tokens),
        positions=whole(positions),
        slots=whole(slots),
        query_lengths=tuple(news),
        context_lengths=tuple(s.computed + new for s, new in zip(sequences, news, strict=True)),
        tables=torch.tensor(tables, dtype=torch.int32, device=device),
        page_tokens=page_tokens,
        outputs=whole(outputs),
    )


def random_steps(sequences: list[Sequence], pages: Pages, seed: int, most_new: int = 9):
    """Ragged steps until all is computed: some rows sit out, chunks of 1 to ``most_new``."""
    draw = random.Random(seed)
    while open_rows := [s for s in sequences if s.computed < len(s.tokens)]:
        chosen = draw.sample(open_rows, draw.randint(1, len(open_rows)))
        news = [
            min(draw.choice((1, 1, draw.randint(1, most_new))), len(s.tokens) - s.computed)
            for s in chosen
        ]
        for sequence, new in zip(chosen, news, strict=True):
            pages.grow(sequence, sequence.computed + new)
        yield chosen, pack(chosen, news, pages.tokens)
        for sequence, new in zip(chosen, news, strict=True):
            sequence.computed += new
