"""Queues in a row against sums of exponentials with many digits, and against simulated rows."""

import math

import mpmath as mp
import numpy as np
import pytest

from labutils.laws.queueing import (
    MM1,
    MM1Tandem,
    Stage,
    UnstableQueueError,
    bottleneck,
    clocked_latency,
    fixed_tandem_mean,
    largest_rate,
)


def tail_of_a_sum(rates, t):
    """P(sum of exponentials of different rates > t), by partial fractions with 60 digits."""
    with mp.workdps(60):
        rates, total = [mp.mpf(rate) for rate in rates], mp.mpf(0)
        for i, rate in enumerate(rates):
            others = [other / (other - rate) for j, other in enumerate(rates) if j != i]
            total += mp.fprod(others) * mp.exp(-rate * t)
        return float(total)


@pytest.mark.parametrize("services", [(3.0, 7.0, 2.2), (9.0, 4.0, 41.0, 5.5, 2.01)])
@pytest.mark.parametrize("t", (0.3, 2.7, 9.0))
def test_unequal_loads(services, t):
    row = MM1Tandem(1.7, services)
    want = tail_of_a_sum([rate - 1.7 for rate in services], t)
    assert row.sojourn_time_tail(t) == pytest.approx(want, rel=1e-9)
    assert row.sojourn_time_quantile(1 - want) == pytest.approx(t, rel=1e-7)


def test_nearly_equal_loads_lose_no_digits():
    services = (2.0, 2.0 + 1e-7, 2.0 - 1e-7, 2.0 + 3e-7)
    want = tail_of_a_sum([rate - 0.6 for rate in services], 4.0)
    assert MM1Tandem(0.6, services).sojourn_time_tail(4.0) == pytest.approx(want, rel=1e-10)


@pytest.mark.parametrize("k", (1, 2, 7, 12))
def test_equal_loads_make_an_erlang(k):
    row = MM1Tandem(0.8, (1.3,) * k)
    p99 = row.sojourn_time_quantile(0.99)
    with mp.workdps(40):
        left = float(mp.gammainc(k, 0.5 * p99, regularized=True))
    assert left == pytest.approx(0.01, rel=1e-9)
    assert row.mean_sojourn_time == pytest.approx(2 * k)
    assert p99 < k * MM1(0.8, 1.3).sojourn_time_quantile(0.99) or k == 1


def test_a_far_tail_keeps_its_relative_precision():
    row = MM1Tandem(1.0, (2.0, 3.5, 6.0))
    t = row.sojourn_time_quantile(1 - 1e-9)
    assert tail_of_a_sum([1.0, 2.5, 5.0], t) == pytest.approx(1e-9, rel=1e-6)


@pytest.mark.parametrize("seed", (5, 17))
def test_a_simulated_row_agrees(seed):
    """Lindley's recursion, stage by stage, at a load of at most 0.65."""
    rng, n, services = np.random.default_rng(seed), 200_000, (2.0, 3.1, 1.7)
    row = MM1Tandem(1.1, services)
    came = np.cumsum(rng.exponential(1 / 1.1, n))
    leaves = came
    for rate in services:
        leaves = _through_one_server(leaves, rng.exponential(1 / rate, n))
    stays = (leaves - came)[n // 10 :].reshape(60, -1)
    for estimate, want in (
        (stays.mean(axis=1), row.mean_sojourn_time),
        ((stays > 6.0).mean(axis=1), row.sojourn_time_tail(6.0)),
    ):
        assert abs(estimate.mean() - want) < 5 * estimate.std(ddof=1) / math.sqrt(60)


def _through_one_server(ready, service):
    """Departures: the latest, over all who came before, of its coming plus all work since."""
    work = np.cumsum(service)
    return work + np.maximum.accumulate(ready - work + service)


def test_fixed_times_against_a_simulated_row():
    rng, n, times = np.random.default_rng(3), 200_000, (0.25, 0.6, 0.1, 0.45)
    came = np.cumsum(rng.exponential(1.0, n))
    leaves = came
    for time in times:
        leaves = _through_one_server(leaves, np.full(n, time))
    means = (leaves - came).reshape(50, -1).mean(axis=1)
    want = fixed_tandem_mean(1.0, times)
    assert abs(means.mean() - want) < 5 * means.std(ddof=1) / math.sqrt(50)
    assert want == pytest.approx(1.4 + 0.6 * 0.6 / (2 * 0.4))


def test_a_clock_makes_every_stage_as_slow_as_the_slowest():
    assert clocked_latency([30, 20, 50, 10]) == 200
    ticks = [max(5.0, 3.0, 4.5)] * 3
    assert clocked_latency([5.0, 3.0, 4.5]) == sum(ticks) > 12.5


def test_the_bottleneck_is_not_the_longest_visit():
    stages = [
        Stage("embed", 0.02),
        Stage("search", 0.05, visits=3, servers=2),
        Stage("generate", 0.9, servers=16),
    ]
    assert bottleneck(stages).name == "search"
    assert largest_rate(stages) == pytest.approx(2 / 0.15)
    assert stages[1].utilization(8.0) == pytest.approx(0.6)
    assert stages[1].demand_s == pytest.approx(0.15)


def test_a_row_that_cannot_keep_up_says_so():
    with pytest.raises(UnstableQueueError):
        MM1Tandem(2.0, (3.0, 1.9, 5.0))
    with pytest.raises(UnstableQueueError):
        fixed_tandem_mean(2.0, [0.1, 0.6])


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="service_rates = "):
        MM1Tandem(1.0, ())
    with pytest.raises(ValueError, match="arrival_rate = -1"):
        MM1Tandem(-1.0, (2.0,))
    with pytest.raises(ValueError, match="stages = "):
        largest_rate([])
    with pytest.raises(ValueError, match=r"times_s\[1\] = 0"):
        clocked_latency([1.0, 0.0])
    for wrong in ({"mean_s": 0}, {"servers": 1.5}, {"scv": -1}, {"visits": 0}, {"name": ""}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Stage(**{"name": "a", "mean_s": 1.0} | wrong)
