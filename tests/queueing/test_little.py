"""Little's law against a count of request-seconds; limits and mixtures against brute force."""

import numpy as np
import pytest

from labutils.laws.queueing import (
    MG1,
    MMcK,
    mean_num_inside,
    mean_time_inside,
    mixture_moments,
    queue_limit,
    rate_through,
    refused_share,
    utilization,
)


@pytest.mark.parametrize("seed", [3, 17])
def test_the_three_directions_agree_with_a_log_swept_event_by_event(seed):
    rng = np.random.default_rng(seed)
    starts = np.sort(rng.uniform(0, 70, 311))
    ends = starts + rng.lognormal(0, 1.3, 311)
    last = ends.max()
    events = sorted([(t, +1) for t in starts] + [(t, -1) for t in ends])
    area, inside, before = 0.0, 0, 0.0
    for t, step in events:
        area, inside, before = area + inside * (t - before), inside + step, t
    rate, stay, mean_num = 311 / last, float((ends - starts).mean()), area / last
    assert mean_num_inside(rate, stay) == pytest.approx(mean_num)
    assert mean_time_inside(mean_num, rate) == pytest.approx(stay)
    assert rate_through(mean_num, stay) == pytest.approx(rate)


def test_utilization_is_busy_time_over_server_time():
    # In an hour 5 a minute, each holding one of 7 servers for 42 s.
    assert utilization(5 / 60, 42, 7) == pytest.approx(300 * 42 / (7 * 3600))
    assert utilization(3, 1, 2) == 1.5
    with pytest.raises(ValueError, match="num_servers = 0"):
        utilization(3, 1, 0)


def test_a_mixture_has_the_moments_of_a_drawn_sample():
    shares, means, scvs = (0.9, 0.07, 0.03), (0.2, 3.0, 11.0), (0.0, 1.0, 0.25)
    mean, scv = mixture_moments(shares, means, scvs)
    rng = np.random.default_rng(5)
    kinds = rng.choice(3, size=400_000, p=shares)
    draws = np.choose(kinds, [np.full(400_000, 0.2), rng.exponential(3.0, 400_000),
                              rng.gamma(4.0, 11.0 / 4, 400_000)])  # fmt: skip
    assert mean == pytest.approx(draws.mean(), rel=0.02)
    assert scv == pytest.approx(draws.var() / draws.mean() ** 2, rel=0.04)
    assert mixture_moments((1.0,), (0.4,)) == (0.4, 0.0)


def test_two_fixed_kinds_give_the_textbook_wait():
    mean, scv = mixture_moments((0.8, 0.2), (1.0, 5.0))
    rate = 0.4
    second_moment = 0.8 * 1 + 0.2 * 25
    expected = rate * second_moment / (2 * (1 - rate * (0.8 + 1.0)))
    assert MG1(rate, 1 / mean, scv).mean_waiting_time == pytest.approx(expected)


@pytest.mark.parametrize(
    "shares, means", [((0.5, 0.4), (1, 2)), ((0.5, 0.5), (1, 0)), ((1,), (1, 2))]
)
def test_a_mixture_names_what_is_wrong(shares, means):
    with pytest.raises(ValueError, match=r"shares|means_s"):
        mixture_moments(shares, means)


@pytest.mark.parametrize(
    "max_wait_s, servers, service_s", [(2.0, 8, 0.7), (0.3, 1, 0.1), (31, 3, 9)]
)
def test_the_last_place_of_a_limited_queue_starts_in_time_and_the_next_does_not(
    max_wait_s, servers, service_s
):
    limit = queue_limit(max_wait_s, servers / service_s)
    departure_gap = service_s / servers
    assert limit * departure_gap <= max_wait_s + 1e-9
    assert (limit + 1) * departure_gap > max_wait_s


def test_far_above_saturation_a_full_queue_refuses_what_cannot_be_finished():
    queue = MMcK(arrival_rate=91, service_rate=7, num_servers=8, capacity=200)
    assert refused_share(91, 56) == pytest.approx(queue.p_block, rel=1e-3)
    assert refused_share(40, 56) == 0
