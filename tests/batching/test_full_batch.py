"""How long full batches wait for the server: against the chain, a classic formula, a simulation."""

import numpy as np
import pytest

from labutils.laws.batching import AffineBatchTime, fill_batch_mean_sojourn, full_batch_mean_wait
from labutils.laws.queueing import UnstableQueueError


@pytest.mark.parametrize(
    ("rate", "fixed_s", "per_item_s", "batch"),
    [
        (800, 0.004, 0.0009, 12),
        (800, 0.004, 0.0009, 17),
        (1000, 0.004, 0.0009, 45),
        (90, 0.030, 0.002, 5),
        (400, 0.005, 0.0005, 23),
    ],
)
def test_with_filling_and_service_it_is_the_latency_of_the_chain(rate, fixed_s, per_item_s, batch):
    model = AffineBatchTime(fixed_s, per_item_s)
    wait_s = full_batch_mean_wait(rate, float(model(batch)), batch)
    latency_s = (batch - 1) / (2 * rate) + wait_s + float(model(batch))
    assert latency_s == pytest.approx(fill_batch_mean_sojourn(rate, model, batch), rel=1e-9)


def test_a_batch_of_one_waits_as_in_a_queue_with_constant_service():
    rate, seconds = 30, 0.031  # Pollaczek and Khinchine
    expected = rate * seconds**2 / (2 * (1 - rate * seconds))
    assert full_batch_mean_wait(rate, seconds, 1) == pytest.approx(expected, rel=1e-9)


def test_near_saturation_where_the_chain_gives_up_it_follows_heavy_traffic():
    batch, load = 41, 0.9999
    wait = full_batch_mean_wait(batch * load, 1.0, batch)
    free = (1 - load) / load  # gaps between full batches: mean 1 / load, variance mean² / batch
    kingman = 1 / (batch * load**2) / (2 * free)
    assert wait == pytest.approx(kingman, rel=0.01)


def test_a_random_walk_of_single_batches_agrees():
    draws = np.random.default_rng(5)
    gaps = draws.gamma(3, 1 / 10, 400_000)  # until three requests have come, at 10/s
    steps = np.cumsum(0.24 - gaps)
    waits = steps - np.minimum.accumulate(np.minimum(steps, 0))
    assert full_batch_mean_wait(10, 0.24, 3) == pytest.approx(waits.mean(), rel=0.03)


def test_what_does_not_keep_up_or_cannot_be_is_refused():
    with pytest.raises(UnstableQueueError, match="arrival_rate = 800"):
        full_batch_mean_wait(800, 0.0139, 11)
    with pytest.raises(ValueError, match="service_s = 0"):
        full_batch_mean_wait(800, 0, 11)
    with pytest.raises(ValueError, match=r"batch = 2\.5"):
        full_batch_mean_wait(800, 0.001, 2.5)
