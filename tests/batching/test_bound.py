"""The bound on take-everything: a bound indeed, near the exact mean, and derivable."""

import pytest

from labutils.laws.batching import (
    AffineBatchTime,
    LogBatchTime,
    take_everything_bound,
    take_everything_mean_sojourn,
)
from labutils.laws.queueing import UnstableQueueError

MODELS = (AffineBatchTime(1.8874, 0.1438), AffineBatchTime(1.4284, 0.5833))
LOADS = (0.3, 0.5, 0.7, 0.9)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("load", LOADS)
def test_it_lies_on_or_above_the_exact_mean(model, load):
    rate = load * model.limit_per_s
    excess = take_everything_bound(rate, model) / take_everything_mean_sojourn(rate, model) - 1
    assert -1e-12 <= excess <= (0.0011 if load >= 0.7 else 0.076)


def from_balances(rate, model, p):
    """The mean if a batch leaves nobody behind with chance p: two balances and one division."""
    fixed, item = model.fixed_s, model.per_item_s
    batch = (rate * fixed + p) / (1 - rate * item)
    time = fixed + item * batch
    spread = fixed**2 + 2 * fixed * item * batch + item**2 * (rate * time + p)
    squared_time = spread / (1 - (rate * item) ** 2)
    squared_batch = rate * time + rate**2 * squared_time + p
    return (fixed * batch + item * squared_batch + rate * squared_time / 2) / batch


@pytest.mark.parametrize("model", (*MODELS, AffineBatchTime(0.0, 2.0)))
@pytest.mark.parametrize("load", (0.02, 0.1, *LOADS))
def test_it_is_the_mean_at_the_least_chance_of_an_empty_queue(model, load):
    rate = load * model.limit_per_s
    least = max(0.0, 1 - rate * model(1))
    expected = from_balances(rate, model, least)
    assert take_everything_bound(rate, model) == pytest.approx(expected, rel=1e-12)


def test_what_it_refuses():
    with pytest.raises(UnstableQueueError, match="arrival_rate = 7"):
        take_everything_bound(7.0, MODELS[0])
    with pytest.raises(ValueError, match="expected an AffineBatchTime"):
        take_everything_bound(1.0, LogBatchTime(1, 0.2))
