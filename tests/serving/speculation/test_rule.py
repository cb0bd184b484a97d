"""The rule keeps the target's distribution, and a test of many answers sees rules that do not."""

import math
import random

import pytest
import torch

from labutils.exercises.catalog.speculative_decoding.continuations import (
    DRAFT,
    TARGET,
    WRONG_RULES,
    p_value,
)
from labutils.serving.speculation import accepted, accepted_greedily, token_shares
from labutils.serving.speculation.acceptance import missing
from labutils.serving.speculation.shares import certain, drawn
from tests.rotation import in_turn

ANSWERS = 20_000 if in_turn(__file__) else 4_000


def test_many_answers_are_the_targets():
    assert p_value(accepted, ANSWERS) > 1e-3


def test_the_target_alone_passes_its_own_test():
    assert p_value(None, ANSWERS) > 1e-3


@pytest.mark.parametrize("rule", WRONG_RULES.values())
def test_wrong_rules_are_seen(rule):
    assert p_value(rule, 2_000) < 1e-6


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
