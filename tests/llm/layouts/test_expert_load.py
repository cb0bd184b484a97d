"""The busiest card against routers that pick at random."""

import numpy as np
import pytest

from labutils import llm
from labutils.llm.layouts import (
    busiest_over_even,
    device_shares,
    even,
    expected_busiest,
    one_hot_expert,
)


def sampled(popularity, devices: int, tokens: int, picks: int, runs: int, seed: int):
    """Busiest over mean and experts touched, of ``runs`` layers: Gumbel's way to draw without
    putting back, exact for even shares."""
    rng, experts = np.random.default_rng(seed), len(popularity)
    scores = np.log(popularity) + rng.gumbel(size=(runs, tokens, experts))
    chosen = np.argpartition(-scores, picks - 1, axis=2)[:, :, :picks]
    loads = np.stack([(chosen // (experts // devices) == d).sum((1, 2)) for d in range(devices)])
    touched = [len(np.unique(run)) for run in chosen]
    return loads.max(0) / loads.mean(0), np.array(touched)


@pytest.mark.parametrize(
    "experts, picks, devices, tokens", ((8, 2, 4, 24), (64, 6, 8, 40), (128, 8, 8, 32))
)
def test_even_picks_are_uneven_cards(experts, picks, devices, tokens):
    ratio, touched = sampled(even(experts), devices, tokens, picks, 1500, seed=experts)
    band = 5 * ratio.std() / np.sqrt(ratio.size)
    expected = expected_busiest(even(devices), tokens, picks, experts)
    assert abs(expected - ratio.mean()) < band + 0.02 * ratio.mean()
    band = 5 * touched.std() / np.sqrt(touched.size) + 1e-9
    assert abs(llm.expert_coverage(experts, picks, tokens) - touched.mean()) < band


def test_a_hot_expert_makes_its_card_the_busiest():
    shares = device_shares(one_hot_expert(32, 0.2), 8)
    ratio, _ = sampled(one_hot_expert(32, 0.2), 8, 200, 1, 400, seed=5)
    band = 5 * ratio.std() / np.sqrt(ratio.size)
    assert abs(expected_busiest(shares, 200, 1, 32) - ratio.mean()) < band
    assert busiest_over_even(shares) == pytest.approx(8 * (0.2 + 3 * 0.8 / 31))


def test_many_tokens_leave_the_shares_alone():
    shares = device_shares(one_hot_expert(64, 0.1), 16)
    assert expected_busiest(shares, 1e7, 4, 64) == pytest.approx(
        busiest_over_even(shares), rel=1e-3
    )
    ratios = [expected_busiest(even(8), tokens, 2, 16) for tokens in (8, 32, 128, 2048, 1e7)]
    assert ratios == sorted(ratios, reverse=True) and ratios[-1] == pytest.approx(1, abs=1e-3)


def test_one_card_and_tokens_that_visit_every_expert_are_even():
    assert expected_busiest(even(1), 5, 2, 8) == 1
    assert expected_busiest(even(4), 5, 8, 8) == 1


@pytest.mark.parametrize(
    "made, message",
    (
        (lambda: device_shares((0.5, 0.4), 2), "popularity sums to 0.9"),
        (lambda: device_shares(even(6), 4), "devices = 4: expected a divisor of 6 experts"),
        (lambda: one_hot_expert(8, 1.0), "share = 1.0"),
        (lambda: expected_busiest(even(4), 5, 9, 8), "picks = 9: expected at most experts = 8"),
    ),
)
def test_shares_that_cannot_be_are_refused(made, message):
    with pytest.raises(ValueError, match=message):
        made()
