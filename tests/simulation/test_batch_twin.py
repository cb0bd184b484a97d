"""Kernel and SimPy story on shared draws; and the trap that the story avoids."""

import math

import numpy as np
import pytest
import simpy

from labutils.simulation import batch_queue
from labutils.simulation.batches import batch_twin

COLUMNS = (
    "batch_ready_s",
    "batch_start_s",
    "batch_finish_s",
    "fill_s",
    "queue_s",
    "sojourn_time_s",
)
TABLE = [0.0, 0.30, 0.45, 0.5, 0.8, 0.83, 1.1, 1.2, 1.9]


def draws(seed, n):
    rng = np.random.default_rng(seed)
    gaps = rng.gamma(0.6, 0.55, n)
    gaps[rng.random(n) < 0.15] = 0.0
    return 3.7 + np.cumsum(gaps)


@pytest.mark.parametrize("most", (1, 3, 8))
@pytest.mark.parametrize("timeout", (0.0, 0.13, 0.9, 20.0, math.inf))
def test_twin_equals_kernel(most, timeout):
    arrivals = draws(10 + most, 1_003)
    story = batch_twin.batch_queue(arrivals, TABLE, max_batch=most, batch_timeout_s=timeout)
    kernel = batch_queue(arrivals, TABLE, max_batch=most, batch_timeout_s=timeout)
    assert story.batch_sizes.tolist() == kernel.batch_sizes.tolist()
    for column in COLUMNS:
        assert np.abs(getattr(story, column) - getattr(kernel, column)).max() <= 1e-9


@pytest.mark.parametrize("timeout", (0.0, 0.25, 1.0, math.inf))
@pytest.mark.parametrize("most", (2, 3, 5))
def test_twin_settles_coincidences_as_the_kernel_does(most, timeout):
    """Quarters of a second only: arrivals meet deadlines and finishes all the time."""
    rng = np.random.default_rng(most)
    arrivals = np.cumsum(rng.integers(0, 4, 403)) / 4
    table = [0.0, 0.5, 0.5, 0.75, 1.0, 1.0]
    story = batch_twin.batch_queue(arrivals, table, max_batch=most, batch_timeout_s=timeout)
    kernel = batch_queue(arrivals, table, max_batch=most, batch_timeout_s=timeout)
    assert story.batch_sizes.tolist() == kernel.batch_sizes.tolist()
    for column in COLUMNS:
        assert getattr(story, column).tolist() == getattr(kernel, column).tolist()


def test_without_taking_the_request_back_arrivals_are_lost(monkeypatch):
    arrivals = draws(5, 400)
    rule = {"max_batch": 6, "batch_timeout_s": 0.2}
    whole = batch_twin.batch_queue(arrivals, TABLE, **rule)
    assert whole.batch_sizes.sum() == 400
    monkeypatch.setattr(simpy.resources.store.StoreGet, "cancel", lambda self: None)
    assert batch_twin.batch_queue(arrivals, TABLE, **rule).batch_sizes.sum() < 350


def test_twin_refuses_what_the_kernel_refuses():
    with pytest.raises(ValueError, match=r"arrival_s\[1\] = 1"):
        batch_twin.batch_queue([2.0, 1.0], TABLE, max_batch=2, batch_timeout_s=0)
    with pytest.raises(ValueError, match=r"max_batch = 1\.5"):
        batch_twin.batch_queue([1.0, 2.0], TABLE, max_batch=1.5, batch_timeout_s=0)
    with pytest.raises(ValueError, match=r"batch_timeout_s = -1"):
        batch_twin.batch_queue([1.0, 2.0], TABLE, max_batch=2, batch_timeout_s=-1)
