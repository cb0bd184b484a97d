"""The fast engine against transformers in float64, by each path, in step and ahead of it."""

from functools import partial

import pytest

from labutils.engine import attention
from labutils.serving.fast import FastEngine
from tests.engine.matrix import BUDGETS, FAMILIES, WAYS, WIDE, chunked_at, model, right_answers

CASES = [
    ("llama", "gather", 4096, True),
    ("qwen3", "gather", 70, False),
    ("qwen3", "rows", 0, True),
]
if WIDE:
    CASES = [
        (family, path, slots, overlap)
        for family in FAMILIES
        for path, slots in (("rows", 0), ("gather", 4096), ("gather", 70))
        for overlap in (False, True)
    ]


@pytest.fixture
def make(monkeypatch, family, path, slots, overlap):
    monkeypatch.setattr(attention, "BUCKET_SLOTS", slots)
    return partial(FastEngine, model(family), attention=path, overlap=overlap)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("family, path, slots, overlap", CASES)
def test_answers_are_those_of_transformers(way, make, family):
    way(make, right_answers(family))


@pytest.mark.parametrize("budget", BUDGETS if WIDE else (1, 3, 16, 61))
@pytest.mark.parametrize("family, path, slots, overlap", CASES)
def test_chunked_at_every_size(budget, make, family):
    chunked_at(budget, make, right_answers(family))
