"""Four orders of service: against a server told tick by tick, and against the closed forms."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from labutils.laws import queueing
from labutils.simulation import draw_unit, poisson_arrivals, sojourn_times

ORDERS = {
    "first_come": queueing.FirstCome,
    "sharing": queueing.ProcessorSharing,
    "shortest_job": queueing.ShortestJobFirst,
    "shortest_remaining": queueing.ShortestRemainingTime,
}
SERVICES = {
    "exponential": (None, queueing.ExponentialServices(0.1)),
    "deterministic": (None, queueing.KnownLengths((0.1,))),
    "hyperexponential": (4.0, queueing.HyperexponentialServices(0.1, 4)),
    "lognormal": (3.0, queueing.LognormalServices(0.1, 3)),
}


def served_now(order, work, sizes, held):
    """Who is served in this tick, of those with work left."""
    if order == "first_come":
        return [min(work)]
    if order == "sharing":
        return list(work)
    if order == "shortest_job":
        return [held if held in work else min(work, key=lambda i: (sizes[i], i))]
    return [min(work, key=lambda i: (work[i], i))]


def tick_by_tick(arrivals, sizes, order):
    """Departures where arrivals and sizes are whole: exact, and slow."""
    now, work, gone, held = Fraction(arrivals[0]), {}, {}, None
    while len(gone) < len(sizes):
        for i, (arrival, size) in enumerate(zip(arrivals, sizes)):
            if arrival == now:
                work[i] = Fraction(size)
        later = min((a for a in arrivals if a > now), default=math.inf)
        if not work:
            now = Fraction(later)
            continue
        served = served_now(order, work, sizes, held)
        held = served[0]
        step = min(later - now, min(work[i] for i in served) * len(served))
        now += step
        for i in served:
            work[i] -= step / len(served)
        gone |= {i: now for i in served if work[i] == 0}
        work = {i: left for i, left in work.items() if left}
    return [gone[i] for i in range(len(sizes))]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_server_told_tick_by_tick(order, seed):
    source = random.Random(seed)
    sizes = [source.randint(1, 9) for _ in range(27)]
    arrivals = sorted(source.randint(-9, 120) for _ in sizes)
    expected = [end - start for end, start in zip(tick_by_tick(arrivals, sizes, order), arrivals)]
    found = sojourn_times(arrivals, sizes, order=order)
    assert found == pytest.approx([float(stay) for stay in expected], abs=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_no_order_loses_work(order):
    rng = np.random.default_rng(3)
    arrivals, services = poisson_arrivals(9, 3_001, rng), rng.lognormal(-2.5, 1, 3_001)
    departures = arrivals + sojourn_times(arrivals, services, order=order)
    first_come = arrivals + sojourn_times(arrivals, services, order="first_come")
    assert departures.max() == pytest.approx(first_come.max())
    assert (departures - arrivals >= services - 1e-9).all()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", SERVICES)
@pytest.mark.parametrize("load", [0.7, pytest.param(0.4, marks=pytest.mark.full)])
def test_means_lie_on_the_closed_forms(order, kind, load):
    scv, services = SERVICES[kind]
    theory = ORDERS[order](10 * load, services)
    runs, n = 24, 12_000
    means = []
    for seed in range(runs):
        rng = np.random.default_rng([seed, 77])
        arrivals = poisson_arrivals(10 * load, n, rng)
        stays = sojourn_times(arrivals, 0.1 * draw_unit(kind, n, rng, scv), order=order)
        means.append(stays[n // 10 :].mean())
    sigma = np.std(means, ddof=1) / math.sqrt(runs)
    assert abs(np.mean(means) - theory.mean_sojourn_time) < 5 * sigma
    assert sigma < 0.05 * theory.mean_sojourn_time


@pytest.mark.parametrize("order", ORDERS)
def test_the_time_of_one_size_lies_on_its_closed_form(order):
    theory = ORDERS[order](6, queueing.KnownLengths((0.04, 0.31), (0.8, 0.2)))
    n, found = 20_000, []
    for seed in range(24):
        rng = np.random.default_rng([seed, 5])
        services = np.where(rng.random(n) < 0.8, 0.04, 0.31)
        stays = sojourn_times(poisson_arrivals(6, n, rng), services, order=order)
        found.append([stays[services == size].mean() for size in (0.04, 0.31)])
    sigma = np.std(found, axis=0, ddof=1) / math.sqrt(len(found))
    expected = [theory.mean_sojourn_time_of(size) for size in (0.04, 0.31)]
    assert (np.abs(np.mean(found, axis=0) - expected) < 5 * sigma).all()


def test_an_unknown_order_and_bad_visits_are_named():
    with pytest.raises(ValueError, match=r"order = 'srpt': expected one of first_come, sharing"):
        sojourn_times([0], [1], order="srpt")
    with pytest.raises(ValueError, match=r"service_s\[1\] = -1"):
        sojourn_times([0, 1], [1, -1], order="sharing")
