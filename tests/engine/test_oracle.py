"""The plain engine against transformers in float64: see ``matrix``."""

from functools import partial

import pytest
import torch

from labutils.engine import Engine, attention

from .jobs import answers_of
from .matrix import (
    BUDGETS,
    FAMILIES,
    LENGTHS,
    PROMPTS,
    WAYS,
    WIDE,
    chunked_at,
    logits_after,
    model,
    oracle,
    right_answers,
)

CASES = [("llama", 4096), ("qwen3", 70)]  # in buckets that hold all, or two or three contexts
if WIDE:
    CASES = [(family, slots) for family in FAMILIES for slots in (4096, 70)]


@pytest.fixture
def make(monkeypatch, family, slots):
    monkeypatch.setattr(attention, "BUCKET_SLOTS", slots)
    return partial(Engine, model(family))


def test_answers_are_those_of_generate():
    """A few through transformers' own loop and cache, as a check of the check."""
    for at in (0, 9, 23):
        expected = oracle("llama").greedy(PROMPTS[at], LENGTHS[at])
        assert right_answers("llama")[at] == expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("family, slots", CASES)
def test_answers_are_those_of_transformers(way, make, family, slots):
    way(make, right_answers(family))


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("family, slots", CASES)
def test_chunked_at_every_size(budget, make, family, slots):
    chunked_at(budget, make, right_answers(family))


class Seeing(Engine):
    """Keeps the logits behind every token of every answer."""

    def _logits(self, step):
        self.newest = super()._logits(step)
        return self.newest

    def _hand_out(self, tokens):
        for (request, _), row in zip(tokens, self.newest, strict=True):
            self.seen.setdefault(request.id, []).append(row.clone())
        return super()._hand_out(tokens)


def test_in_single_precision_where_the_margin_is_clear():
    engine = Seeing(oracle("llama").ours(dtype=torch.float32), max_sequences=7)
    engine.seen = {}
    answers, equal = answers_of(engine, PROMPTS, LENGTHS), 0
    for at, exact in enumerate(logits_after("llama", PROMPTS, answers)):
        difference = (torch.stack(engine.seen[at]) - exact).abs().max()
        assert 0 < difference < 1e-3
        best, second = exact.topk(2).values.T
        clear = best - second > 10 * difference
        assert torch.equal(exact.argmax(-1)[clear], torch.tensor(answers[at])[clear])
        equal += int(clear.sum())
    assert equal > 0.9 * sum(LENGTHS)
