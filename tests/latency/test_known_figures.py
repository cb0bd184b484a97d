"""Figures that the chapters state, from their settings."""

import numpy as np
import pytest
from scipy.stats import norm

from labutils.metrics.latency import (
    PROMETHEUS_DEFAULT_EDGES_S,
    BucketHistogram,
    corrected_for_omission,
    percentile,
)


@pytest.mark.parametrize("seed", [1, 42, 20261])
def test_exactly_one_percent_of_pauses_leaves_p99_on_the_edge(seed):
    rng = np.random.default_rng(seed)
    latency_ms = np.concatenate([rng.normal(15, 3, 9_900), rng.normal(200, 50, 100)])
    p50, p98_9, p99, p99_1, p99_5, p99_9 = percentile(
        latency_ms, [0.5, 0.989, 0.99, 0.991, 0.995, 0.999]
    )
    assert 14.8 < p50 < 15.2 and 23 < p98_9 < 26 and 24 < p99 < 33
    assert 90 < p99_1 < 165 and 175 < p99_5 < 225 and 235 < p99_9 < 300
    assert p99 / p50 < 3  # "healthy", by a common rule


def test_when_chance_says_who_pauses_p99_jumps():
    rng, p99 = np.random.default_rng(5), []
    for _ in range(60):
        paused = rng.random(10_000) < 0.01
        latency_ms = np.where(paused, rng.normal(200, 50, 10_000), rng.normal(15, 3, 10_000))
        p99.append(percentile(latency_ms, 0.99))
    assert min(p99) < 26 and max(p99) > 120


def expected_quantile(edges_s, median_s, sigma, q):
    """What buckets would show of endlessly many lognormal values, from the normal table."""
    share = norm.cdf(np.log(np.array(edges_s) / median_s) / sigma)
    at = int(np.searchsorted(share, q))
    part = (q - share[at - 1]) / (share[at] - share[at - 1])
    return edges_s[at - 1] + part * (edges_s[at] - edges_s[at - 1])


@pytest.mark.parametrize(("q", "overstated"), [(0.95, 0.302), (0.99, 0.185)])
def test_common_edges_overstate_the_tail_by_a_third(q, overstated):
    true = 0.35 * np.exp(0.9 * norm.ppf(q))
    limit = expected_quantile(PROMETHEUS_DEFAULT_EDGES_S, 0.35, 0.9, q)
    assert limit / true - 1 == pytest.approx(overstated, abs=0.001)

    ttft_s = np.random.default_rng(9).lognormal(np.log(0.35), 0.9, 100_000)
    coarse, fine = BucketHistogram(), BucketHistogram(0.001 * 1.2 ** np.arange(60))
    coarse.record_many(ttft_s)
    fine.record_many(ttft_s)
    assert coarse.quantile(q) == pytest.approx(limit, rel=0.03)
    assert fine.quantile(q) == pytest.approx(percentile(ttft_s, q), rel=0.03)


def test_a_stall_that_the_waiting_client_does_not_see():
    # Tene's example: 100 requests a second at 1 ms for 100 s, then the server freezes for 100 s.
    recorded_s = np.append(np.full(10_000, 0.001), 100.0)
    assert recorded_s.mean() == pytest.approx(0.011, rel=0.001)
    assert percentile(recorded_s, 0.9999) == 0.001

    sent_s = 100 + 0.01 * np.arange(10_000)
    honest_s = np.concatenate([np.full(10_000, 0.001), 200 - sent_s])
    corrected_s = corrected_for_omission(recorded_s, 0.01)
    assert np.sort(corrected_s) == pytest.approx(np.sort(honest_s))
    for latencies in (honest_s, corrected_s):
        assert latencies.mean() == pytest.approx(25.003, rel=1e-4)
        assert percentile(latencies, [0.5, 0.75, 0.99, 0.9999]) == pytest.approx(
            [0.001, 50.0, 98.0, 99.98]
        )
