"""The engine says what transformers would say, token by token, however the work is cut up.

``LABUTILS_FULL=1`` runs the whole matrix, with deeper models and twice the prompts; without it a
core of a few seconds.
"""

import itertools
import os
import random
from functools import cache

import pytest
import torch

from labutils.serving import BlockManager, ContiguousReservation, Continuous, Engine, StaticBatches
from tests.engine.exact_transformers import Oracle

from .jobs import Shaky, answers_of, ragged_prompts

FULL = os.environ.get("LABUTILS_FULL") == "1"
STRETCHED = {
    "rope_type": "llama3", "rope_theta": 50000.0, "factor": 8.0, "low_freq_factor": 1.0,
    "high_freq_factor": 4.0, "original_max_position_embeddings": 64,
}  # fmt: skip
LAYERS = 4 if FULL else 2
FAMILIES = {
    "llama": ("Llama", {"rope_parameters": STRETCHED, "num_key_value_heads": 3}),
    "qwen3": ("Qwen3", {"head_dim": 18, "num_key_value_heads": 1}),
    "qwen2": ("Qwen2", {}),
}
CASES = [("llama", "gather", True), ("qwen3", "rows", False)]
if FULL:
    CASES = [*itertools.product(FAMILIES, ("rows", "gather"), (False, True))]
    CASES += [("llama", "flex", True)]
EVERY_CASE = pytest.mark.parametrize("family, path, overlap", CASES)
COUNT = 64 if FULL else 32
PROMPTS = ragged_prompts(COUNT, seed=5, longest=47, vocabulary=131)
LENGTHS = [length % 14 + 1 for length in random.Random(6).sample(range(1000), COUNT)]
BUDGETS = range(1, 62) if FULL else (1, 2, 3, 7, 16, 33, 61)
SIZES = [
    (*case, budget) for case in CASES for budget in ((3, 16, 61) if "flex" in case else BUDGETS)
]


@cache
def oracle(family):
    name, keys = FAMILIES[family]
    return Oracle(name, num_hidden_layers=LAYERS, **keys)


@cache
def model(family):
    return oracle(family).ours()


def logits_after(family, prompts, answers) -> list[torch.Tensor]:
    """What transformers thinks of each token of each answer: one pass over padded texts."""
    texts = [prompt + answer for prompt, answer in zip(prompts, answers)]
    padded = torch.zeros(len(texts), max(map(len, texts)), dtype=torch.long)
    for row, text in zip(padded, texts):
        row[: len(text)] = torch.tensor(text)
    logits = oracle(family).logits(padded)  # causal: what stands behind changes nothing
    return [
        row[len(prompt) - 1 : len(prompt) - 1 + len(answer)]
        for row, prompt, answer in zip(logits, prompts, answers)
    ]


@cache
def right_answers(family) -> list[list[int]]:
    """Those of the plainest engine, each token proved to be the one that transformers says next."""
    engine = Engine(model(family), max_sequences=1, attention="rows", prefix_sharing=False)
    answers = answers_of(engine, PROMPTS, LENGTHS)
    assert [len(answer) for answer in answers] == LENGTHS
    for logits, answer in zip(logits_after(family, PROMPTS, answers), answers):
        assert logits.argmax(-1).tolist() == answer
        best, second = logits.topk(2).values.T
        assert (best - second).min() > 1e-9
    assert len({token for answer in answers for token in answer}) > 40
    return answers


def test_answers_are_those_of_generate():
    """A few through transformers' own loop and cache, as a check of the check."""
    for at in (0, 9, 23):
        expected = oracle("llama").greedy(PROMPTS[at], LENGTHS[at])
        assert right_answers("llama")[at] == expected


@EVERY_CASE
def test_batched_and_permuted(family, path, overlap):
    order = random.Random(7).sample(range(COUNT), COUNT)
    engine = Engine(model(family), max_sequences=11, attention=path, overlap=overlap)
    assert answers_of(engine, PROMPTS, LENGTHS, order) == right_answers(family)


@EVERY_CASE
def test_whole_prompts_first(family, path, overlap):
    engine = Engine(model(family), chunked=False, token_budget=60, attention=path, overlap=overlap)
    assert answers_of(engine, PROMPTS, LENGTHS) == right_answers(family)


@pytest.mark.parametrize("family, path, overlap, budget", SIZES)
def test_chunked_at_every_size(family, path, overlap, budget):
    every = 5 if FULL else 9
    some = slice(budget % every, None, every)
    engine = Engine(
        model(family),
        max_sequences=min(budget, 6),
        token_budget=budget,
        page_tokens=1 + budget % 7,
        prefix_sharing=False,
        attention=path,
        overlap=overlap,
    )
    assert answers_of(engine, PROMPTS[some], LENGTHS[some]) == right_answers(family)[some]
    shapes = [step.shape for step in engine.steps]
    assert max(one.prefill_tokens + one.decode_sequences for one in shapes) <= budget


@EVERY_CASE
def test_with_cache_hits(family, path, overlap):
    engine = Engine(model(family), page_tokens=3, num_pages=900, attention=path, overlap=overlap)
    for _ in range(2):
        assert answers_of(engine, PROMPTS, LENGTHS) == right_answers(family)
    cached = [engine.answers[COUNT + at].record.cached_tokens for at in range(COUNT)]
    assert cached == [(len(prompt) - 1) // 3 * 3 for prompt in PROMPTS]


@EVERY_CASE
def test_after_forced_preemption(family, path, overlap):
    blocks = BlockManager(40, 4)
    scheduler = Shaky(9, blocks, token_budget=20, chunked=True, seed=3)
    engine = Engine(model(family), scheduler, attention=path, overlap=overlap)
    assert answers_of(engine, PROMPTS, LENGTHS) == right_answers(family)
    preempted = sum(record.preemptions for record in engine.records())
    assert preempted == sum(step.preempted for step in engine.steps) > scheduler.taken > COUNT // 4


@EVERY_CASE
def test_reserved_and_without_memory(family, path, overlap):
    reserved = Continuous(7, ContiguousReservation(311), token_budget=64, chunked=True)
    for scheduler in (reserved, StaticBatches(5)):
        engine = Engine(model(family), scheduler, num_pages=50, attention=path, overlap=overlap)
        assert answers_of(engine, PROMPTS, LENGTHS) == right_answers(family)


def test_in_single_precision_where_the_margin_is_clear():
    engine, seen = Engine(oracle("llama").ours(dtype=torch.float32), max_sequences=7), {}
    choose = engine.runner._choose

    def spy(logits, parts, rows):
        for part, row in zip(parts, logits.clone()):
            seen.setdefault(part.request.id, []).append(row)
        return choose(logits, parts, rows)

    engine.runner._choose = spy
    answers, equal = answers_of(engine, PROMPTS, LENGTHS), 0
    for at, exact in enumerate(logits_after("llama", PROMPTS, answers)):
        difference = (torch.stack(seen[at]) - exact).abs().max()
        assert 0 < difference < 1e-3
        best, second = exact.topk(2).values.T
        clear = best - second > 10 * difference
        assert torch.equal(exact.argmax(-1)[clear], torch.tensor(answers[at])[clear])
        equal += int(clear.sum())
    assert equal > 0.9 * sum(LENGTHS)
