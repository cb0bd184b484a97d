"""Thousands of sampled answers of a whole engine, held against the target's own probabilities.

Two models of three words: what each of the 81 answers of four words deserves is computed without an
engine, a page or a draft. So whatever is wrong between them, and not in the rule alone, is seen.
"""

from collections import Counter
from functools import cache
from itertools import product

import torch

from labutils.engine import LlamaModel, Sampling, small_spec
from labutils.serving.speculation import ModelDraft
from labutils.serving.speculation.shares import drawn

from .continuations import chi_square

WORDS, LENGTH, PROMPT = 3, 4, [1, 0, 2, 1, 0]
TEMPERATURE = 1.4


@cache
def small_pair() -> tuple[LlamaModel, LlamaModel]:
    """A target and a draft of three words, in float64."""
    spec = small_spec(
        layers=1, hidden_size=8, num_heads=2, num_kv_heads=1, head_dim=4, ffn_size=8,
        vocab_size=WORDS,
    )  # fmt: skip
    target, draft = (
        LlamaModel(spec, dtype=torch.float64, init_std=0.6, seed=seed) for seed in (3, 4)
    )
    return target, draft


@cache
def chances() -> dict[tuple[int, ...], float]:
    """The probability of each answer, by the chain rule, from the target without any cache."""
    answers = list(product(range(WORDS), repeat=LENGTH))
    texts = torch.tensor([[*PROMPT, *answer] for answer in answers])
    logits = small_pair()[0](texts)[:, len(PROMPT) - 1 : -1]
    each = torch.softmax(logits / TEMPERATURE, -1).gather(-1, texts[:, len(PROMPT) :, None])
    return dict(zip(answers, each[..., 0].prod(-1).tolist()))


def p_value(engine, answers: int, *, seed: int = 0) -> float:
    """Let ``engine``, which serves the small target, answer so often; ``chi_square`` of that.

    Drafts stand around the engine or do not. Seeds of the requests count from ``seed``.
    """
    for at in range(answers):
        how = Sampling(temperature=TEMPERATURE, seed=seed + at)
        engine.add_request(PROMPT, id=at, max_output_tokens=LENGTH, sampling=how)
    engine.run()
    counts = Counter(tuple(request.answer) for request in engine.requests.values())
    return chi_square(counts, chances(), answers)


class SurerDraft(ModelDraft):
    """Drafts what it is surest of."""

    def _choose(self, logits, requests):
        tokens, shares = super()._choose(logits, requests)
        for at, request in enumerate(requests):
            if shares[at] is not None:  # a sampled request
                tokens[at] = drawn(shares[at] ** 3, request.random.random())
        return tokens, shares
