"""Which token is drawn: against shares worked out by hand, and the same for the same seed."""

import math
import random

import numpy as np
import pytest
import torch

from labutils.engine import Engine, PagePool, Sampling, Scheduler
from labutils.engine.sampling import sample

from .jobs import Shaky, answers_of, plain_answer, ragged_prompts, require_empty, tiny_model

LOGITS = torch.tensor([1.0, 3.0, 2.0, -1.0, 2.5])


def kept_by_hand(logits, temperature, top_k, top_p) -> dict[int, float]:
    """Tokens that may be drawn and their shares, one by one."""
    weights = {i: math.exp(x / temperature) for i, x in enumerate(logits)}
    ranked = sorted(weights, key=weights.get, reverse=True)[:top_k]
    whole = sum(weights[i] for i in ranked)
    kept, reached = {}, 0.0
    for token in ranked:
        kept[token] = weights[token]
        reached += weights[token] / whole
        if top_p is not None and reached >= top_p:
            break
    return {token: weight / sum(kept.values()) for token, weight in kept.items()}


@pytest.mark.parametrize(
    "temperature, top_k, top_p",
    ((1.0, None, None), (0.4, None, None), (1.7, 3, None), (1.0, None, 0.6), (2.0, 4, 0.8),
     (0.7, 1, None), (1.0, None, 1e-9), (3.0, 99, 1.0)),
)  # fmt: skip
def test_shares_are_those_by_hand(temperature, top_k, top_p):
    """Evenly spread random numbers hit each token as often as its share says."""
    draws = 4000
    spread = [(i + 0.5) / draws for i in range(draws)]
    how = Sampling(temperature=temperature, top_k=top_k, top_p=top_p)
    tokens = sample(LOGITS.expand(draws, -1), [how] * draws, spread)
    counts = np.bincount(tokens.numpy(), minlength=5) / draws
    expected = kept_by_hand(LOGITS.tolist(), temperature, top_k, top_p)
    np.testing.assert_allclose(counts, [expected.get(i, 0.0) for i in range(5)], atol=1.01 / draws)
    assert {i for i in range(5) if counts[i]} <= set(expected)


def test_rows_do_not_see_each_other():
    ways = [
        Sampling(temperature=0.9),
        Sampling(),
        Sampling(temperature=1.3, top_k=2),
        Sampling(temperature=0.8, top_p=0.7),
    ] * 5
    draw = random.Random(4)
    logits = torch.randn(20, 37, generator=torch.Generator().manual_seed(1))
    uniforms = [draw.random() for _ in ways]
    together = sample(logits, ways, uniforms).tolist()
    alone = [
        sample(logits[i : i + 1], ways[i : i + 1], uniforms[i : i + 1]).item() for i in range(20)
    ]
    assert together == alone
    assert together[1::4] == logits[1::4].argmax(-1).tolist()
    assert len(set(together)) > 8


@pytest.mark.parametrize("kind", (torch.float32, torch.bfloat16, torch.float64))
def test_the_ends_of_the_range_never_leave_what_may_be_drawn(kind):
    logits = torch.full((3, 1000), -math.inf, dtype=kind)
    logits[:, 4:7] = 1.0
    ways = [
        Sampling(temperature=1.0),
        Sampling(temperature=1.0, top_p=0.9),
        Sampling(temperature=2.0),
    ]
    for uniform, allowed in ((0.0, {4, 5, 6}), (1 - 2**-53, {4, 5, 6})):
        assert set(sample(logits, ways, [uniform] * 3).tolist()) <= allowed
    assert sample(logits, ways, [1 - 2**-53] * 3)[0] == 6


def test_what_is_no_number_gives_a_token_of_the_vocabulary_and_harms_nobody():
    logits = LOGITS.repeat(4, 1)
    logits[[0, 2]] = torch.nan
    plain, few = Sampling(temperature=1.0), Sampling(temperature=1.0, top_k=3)
    tokens = sample(logits, [plain, few, few, plain], [0.9, 0.6, 0.2, 0.6]).tolist()
    assert all(0 <= token < 5 for token in tokens)
    for row, way in ((1, few), (3, plain)):
        assert tokens[row] == sample(LOGITS[None], [way], [0.6]).item()


PROMPTS = ragged_prompts(10, seed=8)
WAYS = [
    Sampling(temperature=1.1, seed=number, top_k=20 if number % 2 else None)
    if number % 3
    else Sampling()
    for number in range(10)
]


def sampled_answers(scheduler=None, **options):
    engine = Engine(tiny_model(), scheduler, page_tokens=4, **options)
    ids = [
        engine.add_request(prompt, max_output_tokens=9, sampling=way)
        for prompt, way in zip(PROMPTS, WAYS)
    ]
    engine.run()
    require_empty(engine)
    return [engine.requests[id].answer for id in ids]


def test_a_seed_draws_the_same_tokens_in_any_company():
    alone = sampled_answers(max_sequences=1)
    assert alone[0] == plain_answer(PROMPTS[0], 9) != alone[1]
    shaky = Shaky(4, PagePool(40, 4), token_budget=20, chunked=True, seed=3)
    for options in (
        {"max_sequences": 10},
        {"max_sequences": 4, "token_budget": 5},
        {"max_sequences": 10, "num_pages": 22, "token_budget": 30},  # preempts
        {"scheduler": shaky},
        {"scheduler": Scheduler(5, PagePool(40, 4), token_budget=50)},
    ):
        assert sampled_answers(**options) == alone
    assert shaky.taken > 3


def test_without_a_seed_answers_differ():
    engine = Engine(tiny_model())
    how = Sampling(temperature=1.5)
    answers = engine.generate([[1, 2, 3]] * 6, max_output_tokens=12, sampling=how)
    assert len({tuple(one.answer) for one in answers}) == 6


def test_each_token_of_an_answer_is_drawn_anew():
    """The random numbers of a seed, one after the other, through ``sample`` by hand."""
    how, prompt = Sampling(temperature=1.5, seed=7), [3, 1, 4]
    answer = Engine(tiny_model()).generate([prompt], max_output_tokens=8, sampling=how)[0]
    draw, text = random.Random(7), list(prompt)
    for _ in range(8):
        logits = tiny_model()(torch.tensor([text]), last_only=True)[0]
        text.append(sample(logits, [how], [draw.random()]).item())
    assert answer.answer == text[3:]


def test_the_coldest_draw_takes_the_likeliest_and_a_colder_one_is_refused():
    """Logits over less than 1e-308 are infinite, and their shares no numbers."""
    assert sample(LOGITS[None], [Sampling(temperature=1e-300)], [0.9]).item() == LOGITS.argmax()
    for temperature in (1e-308, 5e-324):
        with pytest.raises(ValueError, match=f"temperature = {temperature}: expected 0, or"):
            Sampling(temperature=temperature)


def test_a_cold_draw_is_greedy():
    engine = Engine(tiny_model())
    how = Sampling(temperature=1e-3, seed=1)
    ids = [engine.add_request(prompt, max_output_tokens=5, sampling=how) for prompt in PROMPTS]
    engine.run()
    greedy = answers_of(Engine(tiny_model()), PROMPTS, [5] * 10)
    assert [engine.requests[id].answer for id in ids] == greedy
