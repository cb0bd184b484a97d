"""The length that a run needs: the closed form against the spread of many simulated runs."""

import numpy as np
import pytest

from labutils.simulation import waiting_times
from labutils.simulation.run_length import relative_deviation, required_requests


@pytest.mark.parametrize("utilization", (0.3, 0.5, 0.7))
def test_deviation_is_that_of_simulated_runs(utilization):
    runs, n = 1_200, 20_000
    means = np.empty(runs)
    for k in range(runs):
        rng = np.random.default_rng([int(100 * utilization), k])
        arrivals = np.cumsum(rng.exponential(1 / utilization, n))
        services = rng.exponential(1.0, n)
        means[k] = (waiting_times(arrivals, services) + services).mean()
    seen = means.std(ddof=1) * (1 - utilization)  # in shares of the true mean, 1/(1 - rho)
    five_sigma = 5 / np.sqrt(2 * runs)
    assert seen == pytest.approx(relative_deviation(utilization, n), rel=five_sigma)


@pytest.mark.parametrize("rho", (0.2, 0.5, 0.9, 0.97))
def test_deviation_adds_services_to_the_published_variance_of_waits(rho):
    """Daley (1968): the waits' asymptotic variance; each service lengthens later waits as well."""
    waits = rho * (2 + 5 * rho - 4 * rho**2 + rho**3) / (1 - rho) ** 4
    later = rho * (2 - rho) / (1 - rho) ** 2  # d/dm of the mean wait at mean service m = 1
    total = waits + 1 + 2 * later
    assert relative_deviation(rho, 1) == pytest.approx(np.sqrt(total) * (1 - rho), rel=1e-12)


def test_as_many_requests_as_needed_and_no_more():
    n = required_requests(0.8, 0.03, confidence=0.9)
    z = 1.6448536269514722
    assert z * relative_deviation(0.8, n) <= 0.03 < z * relative_deviation(0.8, n - 1)
    assert required_requests(0.9, 0.02) == pytest.approx(3.467e6, rel=1e-3)


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda: relative_deviation(1.0, 10), r"utilization = 1\.0"),
        (lambda: relative_deviation(0.5, 0), "num_requests = 0"),
        (lambda: required_requests(0.5, 0), "within = 0"),
        (lambda: required_requests(0.5, 0.1, confidence=95), "confidence = 95"),
    ),
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
