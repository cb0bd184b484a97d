"""The whole curve in one call equals one run per load."""

import numpy as np
import pytest

from labutils.simulation import batch_means, draw_unit, fifo_queue, load_curve

LOADS = (0.31, 0.5, 0.72, 0.9, 0.965, 1.1, 1.4)


@pytest.fixture(scope="module")
def draws():
    rng = np.random.default_rng(21)
    gaps = draw_unit("gamma", 20_007, rng, 1.8)
    services = draw_unit("lognormal", 20_007, rng, 0.6)
    services[::13] = 0.0
    return gaps, services


@pytest.mark.parametrize("num_servers", (1, 2, 8, 33))
def test_every_point_is_a_run_of_its_own(draws, num_servers):
    gaps, services = draws
    curve = load_curve(LOADS, gaps, services, num_servers=num_servers)
    used = 20_000  # 20 batches of 1,000; seven customers are left over
    for k, load in enumerate(LOADS):
        arrivals = np.cumsum(gaps[:used]) / (load * num_servers)
        run = fifo_queue(arrivals, services[:used], num_servers=num_servers)
        waits, stays = run.waiting_time_s, run.sojourn_time_s
        assert curve.mean_waiting_time[k] == pytest.approx(waits.mean(), rel=1e-9, abs=1e-12)
        assert curve.mean_sojourn_time[k] == pytest.approx(stays.mean(), rel=1e-9)
        assert curve.half_width()[k] == pytest.approx(batch_means(waits).half_width, rel=1e-9)
        for q in (0.5, 0.95, 0.99):
            exact = np.quantile(stays, q, method="inverted_cdf")
            assert curve.sojourn_time_quantile(q)[k] == pytest.approx(exact, rel=0.0041)


def test_curve_scales_with_services_of_another_mean(draws):
    gaps, services = draws
    one = load_curve([0.8], gaps, services, num_batches=7)
    # Half the service at half the load stretches time by two and leaves the queue the same.
    half = load_curve([1.6], gaps, services / 2, num_batches=7)
    assert half.mean_waiting_time[0] == pytest.approx(one.mean_waiting_time[0] / 2, rel=1e-9)
    assert half.mean_sojourn_time[0] == pytest.approx(one.mean_sojourn_time[0] / 2, rel=1e-9)
    assert one.batch_waits.shape == (7, 1)


def test_quantile_is_the_nearest_rank():
    # Far apart, nobody waits: the sojourn times are the services, 1 to 20 in some order.
    services = np.random.default_rng(2).permutation(np.arange(1.0, 21.0))
    curve = load_curve([1e-3], np.ones(20), services)
    # 20 × 0.33 = 6.6, so the seventh smallest; 20 × 0.95 = 19, so the nineteenth.
    assert curve.sojourn_time_quantile(0.33)[0] == pytest.approx(7, rel=0.0041)
    assert curve.sojourn_time_quantile(0.95)[0] == pytest.approx(19, rel=0.0041)
    assert curve.sojourn_time_quantile(0.01)[0] == pytest.approx(1, rel=0.0041)


def test_times_beyond_the_buckets_stay_in_the_outermost(draws):
    instant = load_curve([0.5], np.ones(40), np.zeros(40))
    assert 0 < instant.sojourn_time_quantile(0.5)[0] < 2**-10 * 1.01
    eternal = load_curve([0.5], np.ones(40), np.full(40, 2.0**22))
    assert eternal.sojourn_time_quantile(0.5)[0] == pytest.approx(2**20, rel=0.01)


@pytest.mark.parametrize(
    "change, message",
    (
        ({"utilizations": [0.5, 0.0]}, r"utilizations\[1\] = 0"),
        ({"utilizations": []}, "utilizations = .*at least one"),
        ({"unit_gaps": [1.0, -2.0] * 20}, r"unit_gaps\[1\] = -2"),
        ({"unit_gaps": np.ones(39)}, "unit_services = 40 values: .* 39"),
        ({"unit_services": [float("nan")] * 40}, r"unit_services\[0\] = nan"),
        ({"num_servers": 1.5}, "num_servers = 1.5"),
        ({"num_batches": 1}, "num_batches = 1: expected a whole number of at least 2"),
        ({"num_batches": 41}, "unit_gaps = 40 values: expected at least 41"),
    ),
)
def test_bad_input_is_named(change, message):
    good = {"utilizations": [0.5], "unit_gaps": np.ones(40), "unit_services": np.ones(40)}
    with pytest.raises(ValueError, match=message):
        load_curve(**(good | change))
