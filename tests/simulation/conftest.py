"""Inputs that the tests of this room share."""

import numpy as np
import pytest


def lopsided_visits(seed, n, *, utilization, num_servers):
    """Skewed gaps, lognormal services, ties, zero services, and an odd start time."""
    rng = np.random.default_rng(seed)
    services = 0.35 * rng.lognormal(-0.5, 1.0, n)
    services[rng.random(n) < 0.07] = 0.0
    gaps = rng.gamma(0.6, 1.0, n)
    gaps[rng.random(n) < 0.09] = 0.0
    gaps *= services.mean() / (gaps.mean() * utilization * num_servers)
    return 3.7 + np.cumsum(gaps), services


@pytest.fixture
def visits():
    """Make lopsided (arrival_s, service_s) pairs: ``visits(seed, n, utilization=…, …)``."""
    return lopsided_visits
