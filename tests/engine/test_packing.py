"""From a plan to tensors: each token against a count by hand."""

import random

import torch

from labutils.engine import Generation
from labutils.engine.packing import pack, slots_of

CPU = torch.device("cpu")


def test_a_step_by_hand():
    decoding, cut, whole = (
        Generation("d", [11, 12, 13], 9), Generation("c", [*range(20, 28)], 9),
        Generation("w", [31, 32], 9),
    )  # fmt: skip
    decoding.take(14, 0.0)
    decoding.known, decoding.computed, decoding.pages = 4, 3, [5, 9]
    cut.computed, cut.pages = 2, [7, 1, 8]
    whole.pages = [0]
    step = pack([(decoding, 1), (cut, 4), (whole, 2)], 3, CPU)
    assert step.tokens.tolist() == [14, 22, 23, 24, 25, 31, 32]
    assert step.positions.tolist() == [3, 2, 3, 4, 5, 0, 1]
    assert step.slots.tolist() == [27, 23, 3, 4, 5, 0, 1]
    assert step.last.tolist() == [0, 6]  # the cut prompt gives no token
    assert (step.lengths, step.contexts) == ([1, 4, 2], [4, 6, 2])
    assert step.tables == [[5, 9], [7, 1], [0]] and step.page_tokens == 3
    assert {one.dtype for one in (step.tokens, step.positions, step.slots, step.last)} == {
        torch.int64
    }


def test_slots_follow_the_pages_token_by_token():
    draw = random.Random(1)
    for _ in range(200):
        size, count = draw.randrange(1, 7), draw.randrange(1, 6)
        pages = draw.sample(range(50), count)
        all_slots = [page * size + place for page in pages for place in range(size)]
        end = draw.randrange(len(all_slots) + 1)
        start = draw.randrange(end + 1)
        assert slots_of(pages, start, end, size) == all_slots[start:end]
