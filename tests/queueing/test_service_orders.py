"""Orders of service: from densities in many digits, from laws that bind them, and at the edges."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.laws.queueing import (
    MD1,
    MG1,
    MM1,
    ExponentialServices,
    FirstCome,
    HyperexponentialServices,
    KnownLengths,
    LognormalServices,
    ProcessorSharing,
    ShortestJobFirst,
    ShortestRemainingTime,
    UnstableQueueError,
)

from .oracles import balanced_phases

ALL = (FirstCome, ProcessorSharing, ShortestJobFirst, ShortestRemainingTime)
LAWS = (ExponentialServices(0.2), HyperexponentialServices(0.2, 6), LognormalServices(0.2, 2.5))


def density(services):
    """The density of a law of ``LAWS``, written out."""
    if isinstance(services, ExponentialServices):
        return lambda x: mp.exp(-x / mp.mpf(0.2)) / mp.mpf(0.2)
    if isinstance(services, HyperexponentialServices):
        share, fast, slow = (mp.mpf(x) for x in balanced_phases(6))
        fast, slow = 5 * fast, 5 * slow
        return lambda x: share * fast * mp.exp(-fast * x) + (1 - share) * slow * mp.exp(-slow * x)
    variance = mp.log(mp.mpf(3.5))
    mean = mp.log(mp.mpf(0.2)) - variance / 2
    return lambda x: (
        mp.exp(-((mp.log(x) - mean) ** 2) / (2 * variance)) / (x * mp.sqrt(2 * mp.pi * variance))
    )


def cut(f, top=None):
    """∫ f from 0 to ``top``, in pieces that follow the scale of the services."""
    edges = [mp.mpf(10) ** k for k in range(-7, 4)]
    if top is not None:
        edges = [e for e in edges if e < top] + [mp.mpf(top)]
    return mp.quad(f, [0, *edges])


@pytest.mark.parametrize("services", LAWS, ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("size", [0.03, 0.5, 2.0])
def test_times_of_a_size_from_the_density_itself(services, size):
    rate, f = 3.7, density(services)
    with mp.workdps(20):
        work = rate * cut(lambda x: x * f(x), size)
        rest = rate * cut(lambda x: x * x * f(x)) / 2
        short = rate * (cut(lambda x: x * x * f(x), size) + size**2 * (1 - cut(f, size))) / 2
        first_come = rest / (1 - rate * mp.mpf(0.2)) + size
        job = rest / (1 - work) ** 2 + size
        wait = short / (1 - work) ** 2
    assert FirstCome(rate, services).mean_sojourn_time_of(size) == pytest.approx(float(first_come))
    assert ShortestJobFirst(rate, services).mean_sojourn_time_of(size) == pytest.approx(float(job))
    found = ShortestRemainingTime(rate, services).mean_sojourn_time_of(size)
    assert found == pytest.approx(float(wait) + pauses_in_strips(f, rate, size), rel=1e-5)


def pauses_in_strips(f, rate, size, strips=3_000):
    """∫ dt/(1 - ρ(t)) from 0 to ``size``, both integrals as sums over the middles of strips."""
    strip = size / strips
    middles = strip * (np.arange(strips) + 0.5)
    work = rate * strip * middles * [float(f(x)) for x in middles]
    return float((strip / (1 - np.cumsum(work) + work / 2)).sum())


@settings(deadline=None, max_examples=40)
@given(st.floats(0.05, 0.95), st.sampled_from(LAWS))
def test_sharing_cares_for_the_mean_alone(load, services):
    queue = ProcessorSharing(load / 0.2, services)
    assert queue.mean_sojourn_time == pytest.approx(MM1(load / 0.2, 5).mean_sojourn_time)
    assert queue.mean_sojourn_time_of(0.7) == pytest.approx(0.7 / (1 - load))
    assert services.average(queue.mean_sojourn_time_of) == pytest.approx(queue.mean_sojourn_time)


@settings(deadline=None, max_examples=40)
@given(st.floats(0.05, 0.95), st.sampled_from(LAWS))
def test_first_come_is_the_model_of_two_moments(load, services):
    model = MG1(load / 0.2, 5, services.scv_service)
    assert FirstCome(load / 0.2, services).mean_sojourn_time == pytest.approx(
        model.mean_sojourn_time
    )
    assert FirstCome(load / 0.2, services).mean_waiting_time == pytest.approx(
        model.mean_waiting_time
    )


@settings(deadline=None, max_examples=40)
@given(st.floats(0.05, 0.95), st.sampled_from(LAWS))
def test_orders_that_do_not_interrupt_keep_the_mean_work_in_the_queue(load, services):
    """Kleinrock's conservation law (1965): waits weighted by their services add up the same."""
    queues = [order(load / 0.2, services) for order in (FirstCome, ShortestJobFirst)]
    weighted = [services.average(lambda x, q=q: x * q.mean_sojourn_time_of(x)) for q in queues]
    assert weighted[1] == pytest.approx(weighted[0])


@settings(deadline=None, max_examples=12)
@given(st.floats(0.05, 0.95), st.sampled_from((*LAWS, KnownLengths((0.02, 0.9), (0.9, 0.1)))))
def test_no_order_has_a_lower_mean_than_shortest_remaining(load, services):
    rate = load / services.mean_service_time
    best = ShortestRemainingTime(rate, services).mean_sojourn_time
    assert all(order(rate, services).mean_sojourn_time >= best * (1 - 1e-9) for order in ALL)


def test_at_half_load_everybody_prefers_shortest_remaining_to_sharing():
    """Bansal and Harchol-Balter 2001: up to utilization 1/2, whatever the services."""
    for services in LAWS:
        best, fair = (order(2.5, services) for order in (ShortestRemainingTime, ProcessorSharing))
        for size in (0.001, 0.1, 1.0, 30.0):
            assert best.mean_sojourn_time_of(size) < fair.mean_sojourn_time_of(size)


def test_two_lengths_by_hand():
    # 8 short ones of 20 ms and 1 long one of 500 ms a second: loads 0.16 and 0.5.
    services = KnownLengths((0.02, 0.5), (8 / 9, 1 / 9))
    rest = (8 * 0.02**2 + 0.5**2) / 2
    expected = {
        FirstCome: (rest / 0.34 + 0.02, rest / 0.34 + 0.5),
        ProcessorSharing: (0.02 / 0.34, 0.5 / 0.34),
        ShortestJobFirst: (rest / 0.84 + 0.02, rest / 0.84 / 0.34 + 0.5),
        ShortestRemainingTime: (
            9 * 0.02**2 / 2 / 0.84 + 0.02,
            rest / 0.84 / 0.34 + 0.02 + 0.48 / 0.84,
        ),
    }
    for order, times in expected.items():
        queue = order(9, services)
        assert [queue.mean_sojourn_time_of(x) for x in (0.02, 0.5)] == pytest.approx(times)
        assert queue.mean_sojourn_time == pytest.approx((8 * times[0] + times[1]) / 9)
        assert queue.mean_num_in_system == pytest.approx(8 * times[0] + times[1])
        assert queue.utilization == pytest.approx(0.66)


@pytest.mark.parametrize("order", [FirstCome, ShortestJobFirst, ShortestRemainingTime])
def test_equal_services_leave_nothing_to_choose(order):
    assert order(7, KnownLengths((0.1,))).mean_sojourn_time == pytest.approx(
        MD1(7, 10).mean_sojourn_time
    )


@pytest.mark.parametrize("services", LAWS, ids=lambda law: type(law).__name__)
def test_moments_are_those_of_the_density(services):
    f = density(services)
    for k in (0, 1, 2):
        for size in (0.05, 0.6, math.inf):
            found = cut(lambda x, k=k: x**k * f(x), None if math.isinf(size) else size)
            assert services.moment(k, size) == pytest.approx(float(found), rel=1e-7)
    assert services.moment(1, 0.0) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ProcessorSharing(0, LAWS[0]), "arrival_rate = 0"),
        (lambda: ProcessorSharing(1, 0.2), "services = 0.2: expected KnownLengths"),
        (lambda: FirstCome(1, LAWS[0]).mean_sojourn_time_of(-1), "service_time = -1"),
        (lambda: KnownLengths((0.1, 0.2), (0.5, 0.4)), "expected 2 shares that add up to 1"),
        (lambda: KnownLengths((0.1, 0.2)), "expected 2 shares"),
        (lambda: KnownLengths((0.1, 0), (0.5, 0.5)), "times_s = 0"),
        (lambda: ExponentialServices(0), "mean_s = 0"),
        (lambda: HyperexponentialServices(1, 0.5), "scv = 0.5: expected at least 1"),
        (lambda: LognormalServices(1, 0), "scv = 0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("order", ALL)
def test_an_overloaded_server_says_by_how_much(order):
    with pytest.raises(UnstableQueueError, match=r"arrival_rate = 5\.5/s .* overloaded"):
        order(5.5, ExponentialServices(0.2))
