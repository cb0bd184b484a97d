"""The rule keeps the target's distribution, and a test of 20,000 answers sees rules that do not."""

import math
import random
from bisect import bisect
from collections import Counter
from itertools import accumulate, product

import numpy as np
import pytest
import torch
from scipy.stats import chi2

from labutils.serving.speculation import accepted, accepted_greedily, token_shares
from labutils.serving.speculation.acceptance import missing
from labutils.serving.speculation.shares import certain, drawn

WORDS, LENGTH, ANSWERS = 4, 3, 20_000
TABLES = np.random.default_rng(3).dirichlet([0.8] * WORDS, (2, WORDS))
TARGET, DRAFT = torch.from_numpy(TABLES)
"""Shares of the next token by the newest one: [vocabulary, vocabulary]."""
UPTO = [list(accumulate(shares))[:-1] for shares in TABLES[1].tolist()]


def answer(rule, chance, tokens=2) -> tuple[int, ...]:
    """Three tokens behind a 0, by drafts of ``tokens`` each."""
    text = [0]
    while len(text) <= LENGTH:
        drafted = []
        for _ in range(tokens):
            drafted.append(bisect(UPTO[[*text, *drafted][-1]], chance()))
        before = [text[-1], *drafted]
        text += rule(drafted, DRAFT[before[:-1]], TARGET[before], chance)
    return tuple(text[1 : LENGTH + 1])


def p_value(rule, answers=ANSWERS, seed=1) -> float:
    """How often the target alone would be as far from its own probabilities."""
    chance = random.Random(seed).random
    counts = Counter(answer(rule, chance) for _ in range(answers))
    table = TABLES[0]
    chances = {
        (a, b, c): table[0, a] * table[a, b] * table[b, c]
        for a, b, c in product(range(WORDS), repeat=3)
    }
    return chi_square(counts, chances, answers)


def chi_square(counts, chances, answers) -> float:
    """Pearson's test; cells of fewer than five expected answers are taken together."""
    seldom = [cell for cell, share in chances.items() if share * answers < 5]
    cells = [[cell] for cell in chances if cell not in set(seldom)] + ([seldom] if seldom else [])
    statistic = 0.0
    for cell in cells:
        expected = answers * sum(chances[one] for one in cell)
        statistic += (sum(counts[one] for one in cell) - expected) ** 2 / expected
    return float(chi2.sf(statistic, len(cells) - 1))


def accept_always(drafted, draft_shares, target_shares, chance):
    return [*drafted, drawn(target_shares[-1], chance())]


def resample_from_the_target(drafted, draft_shares, target_shares, chance):
    for place, token in enumerate(drafted):
        p, q = target_shares[place], draft_shares[place]
        if chance() * q[token] >= p[token]:
            return [*drafted[:place], drawn(p, chance())]
    return [*drafted, drawn(target_shares[-1], chance())]


def compare_with_the_likeliest(drafted, draft_shares, target_shares, chance):
    for place, token in enumerate(drafted):
        if token != int(target_shares[place].argmax()):
            return [*drafted[:place], drawn(target_shares[place], chance())]
    return [*drafted, drawn(target_shares[-1], chance())]


WRONG = (accept_always, resample_from_the_target, compare_with_the_likeliest)


def test_twenty_thousand_answers_are_the_targets():
    assert p_value(accepted) > 1e-3


@pytest.mark.parametrize("rule", WRONG)
def test_wrong_rules_are_seen(rule):
    assert p_value(rule, 4_000) < 1e-6


def test_acceptance_at_a_place_is_what_the_two_have_in_common():
    """P(a draft stays) = Σ min(p, q) (Leviathan et al., 2023, theorem 3.5)."""
    chance, stayed, rounds = random.Random(5).random, 0, 4_000
    for _ in range(rounds):
        token = drawn(DRAFT[1], chance())
        stayed += len(accepted([token], DRAFT[[1]], TARGET[[1, token]], chance)) == 2
    share = float(torch.minimum(TARGET[1], DRAFT[1]).sum())
    assert abs(stayed / rounds - share) < 4 * math.sqrt(share * (1 - share) / rounds)


def test_greedy_is_the_rule_where_the_likeliest_has_the_whole():
    draw, chance = random.Random(2), random.Random(3).random
    for _ in range(200):
        drafted = [draw.randrange(3) for _ in range(draw.randint(0, 4))]
        likeliest = [draw.randrange(3) for _ in range(len(drafted) + 1)]
        shares = [certain(torch.tensor(one, dtype=torch.int64), 3) for one in (drafted, likeliest)]
        assert accepted(drafted, *shares, chance) == accepted_greedily(drafted, likeliest)


def test_a_refused_draft_never_comes_back():
    target, draft = torch.tensor([[0.0, 0.5, 0.5]] * 2), torch.tensor([[1.0, 0.0, 0.0]])
    chance = random.Random(4).random
    seen = {tuple(accepted([0], draft, target, chance)) for _ in range(100)}
    assert seen == {(1,), (2,)}


def test_shares_that_differ_by_rounding_alone_still_give_a_token():
    target = torch.tensor([0.25, 0.75], dtype=torch.float64)
    assert torch.equal(missing(target, target + 1e-17), target)
    assert torch.equal(missing(target, target.flip(0)), torch.tensor([0.0, 0.5]).double())


@pytest.mark.parametrize("ways", ((0.7, None, None), (1.0, 3, None), (1.5, None, 0.6), (1, 4, 0.8)))
def test_shares_are_those_that_the_engine_draws_from(ways):
    from labutils.engine import Sampling
    from labutils.engine.sampling import sample

    temperature, top_k, top_p = ways
    sampling = Sampling(temperature=temperature, top_k=top_k, top_p=top_p)
    logits = torch.randn(1, 7, generator=torch.Generator().manual_seed(8))
    shares = token_shares(logits, sampling)[0]
    assert abs(float(shares.sum()) - 1) < 1e-12
    rounds = 4_000
    uniforms = [(at + 0.5) / rounds for at in range(rounds)]
    tokens = sample(logits.expand(rounds, -1), [sampling] * rounds, uniforms)
    found = torch.bincount(tokens, minlength=7) / rounds
    assert (found - shares).abs().max() < 2 / rounds


def test_tokens_per_verification_at_a_constant_acceptance():
    from labutils.llm.levers.speculation import tokens_per_verification
    from labutils.serving.speculation import Tally

    target, draft = torch.tensor([0.5, 0.3, 0.2]).double(), torch.tensor([0.2, 0.3, 0.5]).double()
    alpha = 0.7  # 0.2 + 0.3 + 0.2
    for drafts in (1, 3, 5):
        chance, tally = random.Random(drafts).random, Tally()
        for _ in range(1_500):
            drafted = [drawn(draft, chance()) for _ in range(drafts)]
            run = accepted(drafted, draft.expand(drafts, 3), target.expand(drafts + 1, 3), chance)
            tally.note(drafts, len(run))
        expected = tokens_per_verification(alpha, drafts)
        assert math.isclose(expected, (1 - alpha ** (drafts + 1)) / (1 - alpha))
        assert abs(tally.tokens_per_verification / expected - 1) < 0.04
        assert abs(tally.acceptance - alpha) < 0.03
        assert all(abs(share - alpha) < 0.08 for share in tally.by_place)
