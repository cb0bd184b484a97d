"""Random steps over random pages, packed by hand: no scheduler, no page pool, no engine."""

import random
from dataclasses import dataclass, field

import torch

from labutils.engine.packing import PackedStep


@dataclass
class Sequence:
    """Tokens of one request, of which ``computed`` lie in ``table``'s pages."""

    tokens: list[int]
    computed: int = 0
    table: list[int] = field(default_factory=list)


class Pages:
    """Hands out pages in an order that means nothing."""

    def __init__(self, num_pages: int, page_tokens: int, seed: int):
        self.tokens = page_tokens
        self.free = random.Random(seed).sample(range(num_pages), num_pages)

    def grow(self, sequence: Sequence, length: int) -> None:
        while len(sequence.table) * self.tokens < length:
            sequence.table.append(self.free.pop())


def pack(sequences: list[Sequence], news: list[int], page_tokens: int, device="cpu") -> PackedStep:
    """The step that computes the next ``news[i]`` tokens of ``sequences[i]``, token by token."""
    tokens, positions, slots, last = [], [], [], []
    for sequence, new in zip(sequences, news, strict=True):
        for position in range(sequence.computed, sequence.computed + new):
            tokens.append(sequence.tokens[position])
            positions.append(position)
            page = sequence.table[position // page_tokens]
            slots.append(page * page_tokens + position % page_tokens)
        last.append(len(tokens) - 1)

    def whole(values):
        return torch.tensor(values, dtype=torch.long, device=device)

    return PackedStep(
        tokens=whole(tokens),
        positions=whole(positions),
        slots=whole(slots),
        last=whole(last),
        lengths=list(news),
        contexts=[s.computed + new for s, new in zip(sequences, news, strict=True)],
        tables=[list(sequence.table) for sequence in sequences],
        page_tokens=page_tokens,
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
