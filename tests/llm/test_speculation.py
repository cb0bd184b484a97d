"""Speculation against every pattern of kept and rejected drafts, and the published example."""

from itertools import product

import pytest

from labutils import llm


def enumerated(alpha, drafts):
    """Mean tokens of a round: the drafts before the first rejection, and the target's own."""
    mean = 0.0
    for kept in product((True, False), repeat=drafts):
        chance = 1.0
        for one in kept:
            chance *= alpha if one else 1 - alpha
        run = next((k for k, one in enumerate(kept) if not one), drafts)
        mean += chance * (run + 1)
    return mean


@pytest.mark.parametrize("alpha", (0.0, 0.37, 0.8, 1.0))
@pytest.mark.parametrize("drafts", (0, 1, 3, 7))
def test_tokens_of_a_round_are_those_of_all_patterns(alpha, drafts):
    assert llm.tokens_per_verification(alpha, drafts) == pytest.approx(enumerated(alpha, drafts))


def test_the_closed_form_and_the_published_example():
    assert llm.tokens_per_verification(0.7, 6) == pytest.approx((1 - 0.7**7) / 0.3)
    assert llm.tokens_per_verification(0.8, 5) == pytest.approx(3.69, abs=0.005)
    assert llm.speculation_speedup(0.8, 5, 0.1) == pytest.approx(2.46, abs=0.005)
    assert llm.speculation_speedup(0.5, 5, 0.3) == pytest.approx(0.79, abs=0.005)


def test_the_speed_up_is_the_ratio_of_two_clocks():
    alpha, drafts, ratio, verifying = 0.63, 4, 0.17, 2.5
    rounds = 1000
    with_drafts = rounds * (drafts * ratio + verifying)
    without = rounds * enumerated(alpha, drafts)  # a step a token
    got = llm.speculation_speedup(alpha, drafts, ratio, verification_cost=verifying)
    assert got == pytest.approx(without / with_drafts)


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda: llm.tokens_per_verification(1.2, 3), "acceptance = 1.2"),
        (lambda: llm.tokens_per_verification(0.5, -1), "drafts = -1"),
        (lambda: llm.speculation_speedup(0.5, 3, -0.1), "cost_ratio = -0.1"),
        (lambda: llm.speculation_speedup(0.5, 3, 0.1, verification_cost=0), "verification_cost"),
    ),
)
def test_speculation_that_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_more_drafts_than_a_sum_has_terms_are_refused():
    with pytest.raises(ValueError, match="drafts = 1000000000: expected at most 100,000"):
        llm.tokens_per_verification(0.5, 10**9)
