"""Random routers against a bag from which experts are drawn one by one."""

import math
import random

import numpy as np
import pytest

from labutils.llm.layouts import device_shares, even, expected_busiest, one_hot_expert
from labutils.simulation.expert_picks import busiest_over_mean, sampled_loads


def drawn(popularity, picks: int, rng: random.Random) -> list[int]:
    bag, chosen = dict(enumerate(popularity)), []
    for _ in range(picks):
        (expert,) = rng.choices(list(bag), weights=list(bag.values()))
        chosen.append(expert)
        del bag[expert]
    return chosen


@pytest.mark.parametrize("popularity", ((0.4, 0.3, 0.1, 0.1, 0.06, 0.04), one_hot_expert(6, 0.5)))
def test_devices_get_as_many_picks_as_from_a_bag(popularity):
    rng, tokens = random.Random(7), 6000
    bag = np.zeros((tokens, 3))
    for token in range(tokens):
        for expert in drawn(popularity, 2, rng):
            bag[token, expert // 2] += 1
    got = sampled_loads(popularity, 3, tokens=tokens, picks=2, seed=3)[0]
    sigma = np.sqrt(2 * tokens * bag.var(axis=0))
    assert (np.abs(got - bag.sum(axis=0)) < 5 * sigma).all()
    assert got.sum() == 2 * tokens


def test_the_busiest_is_what_is_expected():
    loads = sampled_loads(even(64), 8, tokens=48, picks=6, layers=800, seed=2)
    ratio = busiest_over_mean(loads)
    assert loads.shape == (800, 8) and (loads.sum(axis=1) == 288).all()
    band = 5 * ratio.std() / math.sqrt(ratio.size)
    expected = expected_busiest(device_shares(even(64), 8), 48, 6, 64)
    assert abs(ratio.mean() - expected) < band + 0.02


def test_experts_without_a_share_are_never_picked():
    loads = sampled_loads((0.5, 0.5, 0.0, 0.0), 2, tokens=30, picks=2, seed=1)
    assert loads.tolist() == [[60, 0]]


@pytest.mark.parametrize(
    "popularity, options, message",
    (
        ((0.5, 0.4), {"devices": 2}, "popularity sums to 0.9"),
        (even(6), {"devices": 4}, "devices = 4"),
        (even(4), {"devices": 2, "picks": 5}, "picks = 5"),
        (even(4), {"devices": 2, "tokens": 0}, "tokens = 0"),
    ),
)
def test_what_cannot_be_drawn_is_refused(popularity, options, message):
    devices = options.pop("devices")
    with pytest.raises(ValueError, match=message):
        sampled_loads(popularity, devices, **{"tokens": 9, "picks": 1, **options})
