"""Slots of a batch: the share that writes tokens."""

import numpy as np
import pytest

from labutils.laws.batching.slots import (
    exponential_mean_of_ratios,
    exponential_slot_efficiency,
    slot_efficiency,
)


def test_slot_efficiency_of_two_batches_and_a_rest():
    # (3 + 9 + 1) + (4 + 4 + 2) + 5 tokens in 3 × (9 + 4 + 5) slot-steps
    assert slot_efficiency([3, 9, 1, 4, 4, 2, 5], 3) == pytest.approx(28 / 54)


def test_slot_efficiency_knows_no_scale_and_is_one_for_equal_lengths():
    lengths = [7, 1, 30, 2, 11]
    assert slot_efficiency(np.multiply(lengths, 10), 2) == slot_efficiency(lengths, 2)
    assert slot_efficiency([13] * 12, 4) == 1 and slot_efficiency([5, 80, 3], 1) == 1


@pytest.mark.parametrize("batch", [2, 5, 16])
def test_the_longest_of_exponential_lengths_is_a_harmonic_number(batch):
    """E[max] by the integral of its tail, 1 - (1 - e^-x)^B."""
    x = np.linspace(0, 40, 400_001)
    longest = np.trapezoid(1 - (1 - np.exp(-x)) ** batch, x)
    assert exponential_slot_efficiency(batch) == pytest.approx(1 / longest, rel=1e-6)


def test_the_mean_of_ratios_is_another_number():
    lengths = np.random.default_rng(3).exponential(1.0, (40_000, 16))
    ratios = lengths.mean(axis=1) / lengths.max(axis=1)
    assert ratios.mean() == pytest.approx(0.315, abs=0.003)
    assert exponential_mean_of_ratios(16) == pytest.approx(ratios.mean(), abs=0.002)
    assert exponential_mean_of_ratios(2) == pytest.approx(np.log(2), abs=1e-9)
    assert exponential_slot_efficiency(16) == pytest.approx(0.296, abs=0.0005)


@pytest.mark.parametrize(("lengths", "batch"), [([], 2), ([3, 0], 2), ([[1], [2]], 2), ([3], 0)])
def test_bad_input_is_named(lengths, batch):
    with pytest.raises(ValueError, match=r"(lengths|batch) = "):
        slot_efficiency(lengths, batch)
