"""Attention over pages: every step of any shape gives the logits of the whole sequence."""

import random

import pytest
import torch

from labutils.engine import LlamaModel, attention, small_spec
from labutils.engine.attention import KVMemory, buckets, paged_attention
from labutils.engine.packing import PackedStep

from .packing import Pages, Sequence, pack, random_steps

SPEC = small_spec(
    layers=2, hidden_size=60, num_heads=6, num_kv_heads=2, head_dim=14, ffn_size=77, vocab_size=131
)
EXACT = {"rtol": 0, "atol": 1e-10}
SHAPES = ({}, {"qk_norm": True, "num_kv_heads": 1}, {"num_kv_heads": 6})


def sequences(lengths, seed):
    given = torch.Generator().manual_seed(seed)
    return [Sequence(torch.randint(0, 131, (n,), generator=given).tolist()) for n in lengths]


def memory_of(spec, num_pages, page_tokens, dtype=torch.float64):
    return KVMemory(spec, num_pages, page_tokens, dtype=dtype, device="cpu")


def run(model, memory, step):
    attend = paged_attention(memory, step)
    return model(step.tokens[None], step.positions[None], attend=attend, rows=step.last)[0]


@pytest.mark.parametrize("slots", (4096, 40))
@pytest.mark.parametrize("page_tokens", (1, 4, 7))
@pytest.mark.parametrize("more", SHAPES)
def test_steps_of_any_shape_give_the_logits_of_the_whole_sequence(
    monkeypatch, slots, page_tokens, more
):
    monkeypatch.setattr(attention, "BUCKET_SLOTS", slots)
    model = LlamaModel(small_spec(**{**vars(SPEC), **more}), dtype=torch.float64, seed=5)
    memory = memory_of(model.spec, 300 // page_tokens, page_tokens)
    rows = sequences((1, 2, 17, 41, 8, 29, 5), seed=page_tokens)
    whole = {id(row): model(torch.tensor([row.tokens]))[0] for row in rows}
    pages = Pages(300 // page_tokens, page_tokens, seed=3)
    for chosen, step in random_steps(rows, pages, seed=11 + page_tokens):
        logits = run(model, memory, step)
        for sequence, length, found in zip(chosen, step.contexts, logits, strict=True):
            torch.testing.assert_close(found, whole[id(sequence)][length - 1], **EXACT)
    assert all(sequence.computed == len(sequence.tokens) for sequence in rows)


def test_rows_may_share_pages():
    model, memory = LlamaModel(SPEC, dtype=torch.float64), memory_of(SPEC, 20, 4)
    first, second = sequences((13, 15), seed=2)
    second.tokens[:8] = first.tokens[:8]
    first.table, second.table, second.computed = [9, 3, 12, 5], [9, 3, 7, 1], 8
    run(model, memory, pack([first], [12], 4))
    first.computed = 12
    found = run(model, memory, pack([second, first], [7, 1], 4))
    for logits, row in zip(found, (second, first), strict=True):
        torch.testing.assert_close(logits, model(torch.tensor([row.tokens]))[0, -1], **EXACT)


def test_what_lies_behind_a_context_or_in_other_pages_is_not_read():
    model, memory = LlamaModel(SPEC, dtype=torch.float64), memory_of(SPEC, 13, 4)
    memory.keys.normal_(std=30)
    memory.values.normal_(std=30)
    rows = sequences((6, 9, 11, 14), seed=8)
    tables = [2, 7, 12], [11, 4, 5], [1, 8, 10], [3, 9, 6, 0]  # the first has a page to spare
    for row, table in zip(rows, tables, strict=True):
        row.table = table
    news = [5, 8, 8, 9]
    run(model, memory, pack(rows, news, 4))
    for row, new in zip(rows, news, strict=True):
        row.computed = new
    found = run(model, memory, pack(rows, [1, 1, 3, 5], 4))
    for logits, row in zip(found, rows, strict=True):
        torch.testing.assert_close(logits, model(torch.tensor([row.tokens]))[0, -1], **EXACT)


def shaped(news, contexts):
    """A step of which only the lengths matter."""
    nothing = torch.zeros(0)
    return PackedStep(nothing, nothing, nothing, nothing, news, contexts, [], 4)


def test_contexts_are_cut_where_a_padded_copy_would_grow_too_large(monkeypatch):
    monkeypatch.setattr(attention, "BUCKET_SLOTS", 40)
    contexts = [3, 3, 12, 13, 14, 41, 50]
    cut = [slice(0, 3), slice(3, 5), slice(5, 6), slice(6, 7)]
    assert list(buckets(shaped([1] * 7, contexts))) == cut
    assert list(buckets(shaped([], []))) == []
    assert list(buckets(shaped([5, 2], [5, 9]))) == []
    mixed = shaped([1, 1, 4, 1, 1, 3], [8, 9, 4, 10, 11, 3])
    assert list(buckets(mixed)) == [slice(0, 2), slice(3, 5)]


def test_buckets_hold_each_decoding_row_once_and_are_as_large_as_they_may(monkeypatch):
    draw = random.Random(3)
    for _ in range(300):
        limit = draw.choice((1, 20, 60, 10**6))
        monkeypatch.setattr(attention, "BUCKET_SLOTS", limit)
        contexts = [draw.randrange(1, 30) for _ in range(draw.randrange(12))]
        news = [draw.choice((1, 1, 2, 5)) for _ in contexts]
        found = list(buckets(shaped(news, contexts)))
        rows = [row for one in found for row in range(one.start, one.stop)]
        assert rows == [row for row, new in enumerate(news) if new == 1]
        for one in found:
            size = len(contexts[one]) * max(contexts[one])
            assert size <= limit or len(contexts[one]) == 1
            grown = slice(one.start, one.stop + 1)
            if one.stop < len(news) and news[one.stop] == 1:
                assert len(contexts[grown]) * max(contexts[grown]) > limit


def test_a_bucket_is_padded_no_further_than_to_its_longest():
    """One context of 2,000 tokens beside forty short ones copies little more than it needs."""
    contexts = [20] * 40 + [2000]
    cut = list(buckets(shaped([1] * 41, contexts)))
    copied = sum(len(contexts[one]) * max(contexts[one]) for one in cut)
    assert copied <= sum(contexts) + 20


def test_a_write_changes_its_slots_in_its_layer_alone():
    memory = memory_of(small_spec(layers=3, num_kv_heads=2, head_dim=10), 7, 3, torch.float32)
    slots = torch.tensor([20, 4, 11])
    key, value = torch.randn(2, 3, 10), torch.randn(2, 3, 10)
    memory.write(1, slots, key, value)
    for half, new in ((memory.keys, key), (memory.values, value)):
        expected = torch.zeros(3, 2, 21, 10)
        for i, slot in enumerate((20, 4, 11)):
            expected[1, :, slot] = new[:, i]
        assert torch.equal(half, expected)
    pages = torch.tensor([6, 1])
    for half, found in zip((memory.keys, memory.values), memory.read(1, pages), strict=True):
        assert torch.equal(found, half[1][:, [18, 19, 20, 3, 4, 5]])


@pytest.mark.parametrize("dtype, width", ((torch.float32, 4), (torch.bfloat16, 2)))
def test_a_page_takes_two_vectors_per_token_layer_and_kv_head(dtype, width):
    memory = memory_of(SPEC, 11, 5, dtype)
    assert memory.keys.nbytes + memory.values.nbytes == 11 * 5 * SPEC.kv_bytes_per_token(width)
    assert memory.keys.shape == memory.values.shape == (2, 2, 55, 14)
    assert memory.keys.dtype == memory.values.dtype == dtype
