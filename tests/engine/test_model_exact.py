"""The model, alone and over pages, gives the logits of transformers to 1e-9 in float64."""

import random

import pytest
import torch

from labutils.engine.attention import KVMemory, paged_attention

from .exact_transformers import Oracle
from .matrix import STRETCHED
from .packing import Pages, Sequence, random_steps

EXACT = {"rtol": 0, "atol": 1e-9}
CASES = (
    ("Llama", {"tie_word_embeddings": True}),
    ("Llama", {"rope_parameters": STRETCHED, "num_key_value_heads": 3, "attention_bias": True}),
    ("Qwen2", {"num_hidden_layers": 2}),
    ("Qwen3", {"head_dim": 18, "num_key_value_heads": 1}),
    ("Qwen3", {"head_dim": 8, "tie_word_embeddings": True, "num_hidden_layers": 3}),
)


@pytest.mark.parametrize("family, keys", CASES)
def test_whole_sequences_give_the_logits_of_transformers(family, keys):
    oracle = Oracle(family, **keys)
    model = oracle.ours()
    for batch, length in ((1, 1), (3, 97)):
        given = torch.randint(0, 131, (batch, length))
        expected = oracle.logits(given)
        assert expected.std() > 0.3
        torch.testing.assert_close(model(given), expected, **EXACT)


@pytest.mark.parametrize("family, keys", CASES)
def test_ragged_steps_over_pages_give_the_logits_of_transformers(family, keys):
    oracle, draw = Oracle(family, **keys), random.Random(family)
    model = oracle.ours()
    rows = [
        Sequence([draw.randrange(131) for _ in range(length)])
        for length in (1, 3, 55, 18, 90, 7, 31, 64, 12)
    ]
    expected = {id(row): oracle.logits(torch.tensor([row.tokens]))[0] for row in rows}
    memory = KVMemory(model.spec, 60, 7, dtype=torch.float64, device="cpu")
    pages = Pages(60, 7, seed=4)
    for chosen, step in random_steps(rows, pages, seed=draw.randrange(99), most_new=40):
        attend = paged_attention(memory, step)
        found = model(step.tokens[None], step.positions[None], attend=attend, rows=step.last)
        last = [
            expected[id(row)][length - 1] for row, length in zip(chosen, step.contexts, strict=True)
        ]
        torch.testing.assert_close(found[0], torch.stack(last), **EXACT)


def test_an_oracle_that_is_not_widened_would_miss_by_far_more():
    oracle, given = Oracle("Qwen3", head_dim=14), torch.randint(0, 131, (2, 33))
    narrow = oracle.model(given).logits
    assert (narrow - oracle.logits(given)).abs().max() > 1e-7
