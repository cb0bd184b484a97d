"""An engine says what transformers says, token by token, however the work is cut up.

The ways are functions of ``make(scheduler=None, **options)``, which gives a fresh engine around a
model, so that one matrix judges every engine. In its turn it is run with deeper models and
twice the prompts, else a core of a few seconds.
"""

import random
from functools import cache
from pathlib import Path

import torch

from labutils.engine import Engine, PagePool, Sampling
from tests.rotation import in_turn

from .exact_transformers import Oracle
from .jobs import Shaky, answers_of, ragged_prompts, watched

_HERE = Path(__file__).parent
_JUDGES = (_HERE / "test_oracle.py", _HERE.parent / "serving/fast/test_oracle.py")
WIDE = in_turn(__file__, *map(str, _JUDGES))  # as soon as one of them has to be

STRETCHED = {
    "rope_type": "llama3", "rope_theta": 50000.0, "factor": 8.0, "low_freq_factor": 1.0,
    "high_freq_factor": 4.0, "original_max_position_embeddings": 64,
}  # fmt: skip
LAYERS = 4 if WIDE else 2
FAMILIES = {
    "llama": ("Llama", {"rope_parameters": STRETCHED, "num_key_value_heads": 3}),
    "qwen3": ("Qwen3", {"head_dim": 18, "num_key_value_heads": 1}),
    "qwen2": ("Qwen2", {}),
}
COUNT = 64 if WIDE else 32
PROMPTS = ragged_prompts(COUNT, seed=5, longest=47, vocabulary=131)
LENGTHS = [length % 14 + 1 for length in random.Random(6).sample(range(1000), COUNT)]
BUDGETS = range(1, 62) if WIDE else (1, 2, 3, 7, 16, 33, 61)


@cache
def oracle(family) -> Oracle:
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
    """Those of an engine that serves one at a time, each token proved to be transformers' next."""
    answers = answers_of(
        Engine(model(family), max_sequences=1, prefix_sharing=False), PROMPTS, LENGTHS
    )
    assert [len(answer) for answer in answers] == LENGTHS
    for logits, answer in zip(logits_after(family, PROMPTS, answers), answers):
        assert logits.argmax(-1).tolist() == answer
        best, second = logits.topk(2).values.T
        assert (best - second).min() > 1e-9
    assert len({token for answer in answers for token in answer}) > 40
    return answers


def batched_and_permuted(make, right):
    order = random.Random(7).sample(range(COUNT), COUNT)
    assert answers_of(make(max_sequences=11), PROMPTS, LENGTHS, order) == right


def whole_prompts_first(make, right):
    assert answers_of(make(chunked=False, token_budget=60), PROMPTS, LENGTHS) == right


def with_cache_hits(make, right):
    engine = make(page_tokens=3, num_pages=900)
    for _ in range(2):
        assert answers_of(engine, PROMPTS, LENGTHS) == right
    cached = [engine.requests[COUNT + at].cached for at in range(COUNT)]
    assert cached == [(len(prompt) - 1) // 3 * 3 for prompt in PROMPTS]


def after_forced_preemption(make, right):
    scheduler = Shaky(9, PagePool(40, 4), token_budget=20, chunked=True, seed=3)
    engine = make(scheduler)
    plans = watched(engine)
    assert answers_of(engine, PROMPTS, LENGTHS) == right
    preemptions = sum(request.preemptions for request in engine.requests.values())
    assert preemptions == sum(len(preempted) for _, preempted in plans)
    assert preemptions > scheduler.taken > COUNT // 4


def beside_drawn_ones(make, right):
    """Greedy answers stay what they are where others are drawn in the same call."""
    engine, some = make(max_sequences=13, page_tokens=5), range(0, COUNT, 3)
    ways = Sampling(temperature=1.2, seed=3), Sampling(temperature=0.8, top_k=9, seed=1)
    for at in range(COUNT):
        how = Sampling() if at in some else ways[at % 2]
        engine.add_request(PROMPTS[at], id=at, max_output_tokens=LENGTHS[at], sampling=how)
    engine.run()
    assert [engine.requests[at].answer for at in some] == [right[at] for at in some]


WAYS = (
    batched_and_permuted,
    whole_prompts_first,
    with_cache_hits,
    after_forced_preemption,
    beside_drawn_ones,
)


def chunked_at(budget: int, make, right):
    """Every few of the prompts, in chunks of up to ``budget`` tokens, on pages of another size."""
    every = 5 if WIDE else 9
    some = slice(budget % every, None, every)
    engine = make(
        max_sequences=min(budget, 6),
        token_budget=budget,
        page_tokens=1 + budget % 7,
        num_pages=600,
        prefix_sharing=False,
    )
    plans = watched(engine)
    assert answers_of(engine, PROMPTS[some], LENGTHS[some]) == right[some]
    assert max(sum(new for _, new in chunks) for chunks, _ in plans) <= budget
