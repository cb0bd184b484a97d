"""Sampled answers of the whole engine, with drafts, have the distribution of the target alone."""

from collections import Counter
from itertools import product

import pytest
import torch

from labutils.engine import Engine, LlamaModel, Sampling, small_spec
from labutils.exercises.catalog.speculative_decoding.continuations import WRONG_RULES, chi_square
from labutils.serving.speculation import LookupDraft, ModelDraft, Speculative, speculative
from tests.conftest import only_full
from tests.rotation import in_turn

WORDS, LENGTH, PROMPT = 3, 4, [1, 0, 2, 1, 0]
SPEC = small_spec(
    layers=1, hidden_size=8, num_heads=2, num_kv_heads=1, head_dim=4, ffn_size=8, vocab_size=WORDS
)
SAMPLING = Sampling(temperature=1.4)
TARGET, DRAFT = (LlamaModel(SPEC, dtype=torch.float64, init_std=0.6, seed=n) for n in (3, 4))
ANSWERS = 20_000 if in_turn(__file__) else 3_000


def chances() -> dict[tuple[int, ...], float]:
    """The probability of each answer, by the chain rule, from the target without any cache."""
    answers = list(product(range(WORDS), repeat=LENGTH))
    texts = torch.tensor([[*PROMPT, *answer] for answer in answers])
    shares = torch.softmax(TARGET(texts)[:, len(PROMPT) - 1 : -1] / SAMPLING.temperature, -1)
    each = shares.gather(-1, texts[:, len(PROMPT) :, None])[..., 0].prod(-1)
    return dict(zip(answers, each.tolist()))


def p_value(draft, answers=ANSWERS) -> float:
    engine = Speculative(Engine(TARGET, max_sequences=50), draft, tokens=2)
    counts = Counter()
    for seed in range(answers):
        sampling = Sampling(temperature=SAMPLING.temperature, seed=seed)
        engine.add_request(PROMPT, id=seed, max_output_tokens=LENGTH, sampling=sampling)
    engine.run()
    counts.update(tuple(one.answer) for one in engine.requests.values())
    assert engine.tally.verifications and not engine.repeated
    return chi_square(counts, chances(), answers)


@pytest.mark.parametrize(
    "draft", [ModelDraft(DRAFT), *only_full(LookupDraft())], ids=lambda one: type(one).__name__
)
def test_answers_are_distributed_as_the_targets(draft):
    assert p_value(draft) > 1e-3


@pytest.mark.full
@pytest.mark.parametrize("rule", WRONG_RULES.values())
def test_a_wrong_rule_in_the_engine_is_seen(rule, monkeypatch):
    monkeypatch.setattr(speculative, "accepted", rule)
    assert p_value(ModelDraft(DRAFT), 3_000) < 1e-6
