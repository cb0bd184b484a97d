"""Error budgets, money, pooled figures and fixed points against counting them out."""

import random

import numpy as np
import pytest

from labutils.laws.batching import AffineBatchTime
from labutils.laws.capacity import (
    allowed_bad_time_s,
    break_even_per_day,
    budget_lasts_s,
    burn_rate,
    closed_loop_rate,
    monthly_cost,
    pooled_mean,
    steady_batch,
)
from labutils.laws.queueing import UnstableQueueError


@pytest.mark.parametrize("seed", range(6))
def test_the_budget_is_spent_request_by_request(seed):
    source = random.Random(seed)
    objective, bad, left = source.uniform(0.95, 0.9995), source.uniform(0.001, 0.2), 0.6
    window, rate = 30 * 86400.0, 37.0
    budget = left * (1 - objective) * rate * window  # requests that may still fail
    assert budget_lasts_s(bad, objective, window, left=left) == pytest.approx(budget / (rate * bad))
    at_objective = burn_rate(1 - objective, objective)
    assert at_objective == pytest.approx(1)
    assert allowed_bad_time_s(objective, window) == pytest.approx(
        budget_lasts_s(1.0, objective, window)  # an outage: all are bad
    )


def test_published_budget_figures():
    # The Site Reliability Workbook, chapter 5: 99.9 % over 30 days; burn 14.4 spends 2 % in 1 h.
    assert allowed_bad_time_s(0.999, 30 * 86400) == pytest.approx(43.2 * 60)
    assert 3600 / budget_lasts_s(0.0144, 0.999, 30 * 86400) == pytest.approx(0.02)
    assert budget_lasts_s(0, 0.99, 3600) == float("inf")


def test_at_break_even_both_bills_agree():
    tokens = break_even_per_day(310.0, 2.4e-6, 0.7e-6)
    assert 310 + 0.7e-6 * tokens == pytest.approx(2.4e-6 * tokens)
    assert monthly_cost(2.5, 3, days=31) == pytest.approx(sum(2.5 * 3 for _ in range(31 * 24)))


@pytest.mark.parametrize("seed", range(4))
def test_pooled_means_are_those_of_all_values_together(seed):
    draws = np.random.default_rng(seed)
    hosts = [draws.lognormal(size=int(n)) for n in draws.integers(3, 90, 4)]
    means, sizes = [host.mean() for host in hosts], [host.size for host in hosts]
    assert pooled_mean(means, sizes) == pytest.approx(np.concatenate(hosts).mean())


@pytest.mark.parametrize("seed", range(6))
def test_the_steady_batch_keeps_up_exactly(seed):
    source = random.Random(seed)
    fixed, item = source.uniform(0.004, 0.03), source.uniform(2e-5, 9e-4)
    rate = source.uniform(0.1, 0.95) / item
    batch = steady_batch(rate, fixed, item)
    assert batch / (fixed + item * batch) == pytest.approx(rate)
    if batch >= 1:
        assert AffineBatchTime(fixed, item).throughput_per_s(batch) == pytest.approx(rate)


def test_a_capped_loop_admits_one_for_each_that_leaves():
    """Twenty slots, each refilled at once: count the departures of a long run."""
    lengths = random.Random(5)
    free_at, admitted, horizon = [0.0] * 20, 0, 4000.0
    for slot in range(20):
        while free_at[slot] < horizon:
            free_at[slot] += lengths.expovariate(1 / 3.0) + 1.5
            admitted += 1
    assert admitted / horizon == pytest.approx(closed_loop_rate(20, 4.5), rel=0.02)
    assert closed_loop_rate(20, 4.5, 5.5) == pytest.approx(2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: burn_rate(1.2, 0.9), "bad_share = 1.2"),
        (lambda: burn_rate(0.1, 1.0), "objective = 1.0"),
        (lambda: budget_lasts_s(0.1, 0.9, 0), "window_s = 0"),
        (lambda: break_even_per_day(10, 1e-6, 2e-6), "made_per_token = 2e-06"),
        (lambda: pooled_mean([1, 2], [3]), "weights = "),
        (lambda: pooled_mean([1, 2], [0, 0]), "weights = "),
        (lambda: closed_loop_rate(5, 0), "time_inside_s = 0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_demand_that_no_batch_meets_is_refused():
    with pytest.raises(UnstableQueueError, match="tokens_per_s = 2500"):
        steady_batch(2500, 0.01, 0.0004)
