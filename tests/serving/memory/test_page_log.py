"""A log of block tables agrees with what the pool and the scheduler say, step by step."""

import numpy as np
import pytest

from labutils.engine import PagePool, Request, Scheduler, page_keys
from labutils.serving.memory import ContiguousReservation, PageLog
from labutils.serving.simulator import StepCost, simulate

PAGE = 4


def some_requests(count, seed, common):
    rng = np.random.default_rng(seed)
    prefix = rng.integers(0, 99, common).tolist()
    for number in range(count):
        prompt = tuple(prefix + rng.integers(0, 99, rng.integers(1, 30)).tolist())
        keys = page_keys(prompt, PAGE)
        yield Request(number, len(prompt), int(rng.integers(1, 40)), keys=keys)


def logged(pool, requests):
    scheduler = Scheduler(20, pool, token_budget=64, chunked=True)
    log = PageLog(scheduler)
    run = simulate(requests, scheduler, StepCost(1.0), watch=log.of_simulator)
    return log, run


@pytest.mark.parametrize(("seed", "common"), [(1, 0), (5, 11)])
def test_every_step_adds_up(seed, common):
    requests = list(some_requests(17, seed, common))
    log, run = logged(PagePool(23, PAGE), requests)
    assert len(log.moments) == run.steps
    preempted = 0
    for step, moment in enumerate(log.moments):
        preempted += len(moment.preempted)
        held = moment.owners
        assert moment.step == step and len(held) + len(moment.idle) <= 23
        assert not held.keys() & set(moment.idle)
        assert moment.tokens.keys() == moment.tables.keys()
        for request, tokens in moment.tokens.items():
            assert 0 <= 4 * len(moment.tables[request]) - tokens < 4 * 40
            assert tokens < requests[request].most
    assert preempted == run.telemetry.preemptions.sum()
    most = max(count for moment in log.moments for count in moment.owners.values())
    assert (most > 1) == (common > 4)
    assert log.moments[0].waiting > 0 == log.moments[-1].waiting
    assert log.crowded() == [moment for moment in log.moments if moment.waiting]


def test_tokens_are_what_was_computed_since_the_last_preemption():
    requests = [Request("a", 5, 9), Request("b", 6, 9)]
    log, _ = logged(PagePool(4, PAGE), requests)
    lost = [moment for moment in log.moments if "b" in moment.preempted]
    assert lost and all("b" not in moment.tokens for moment in lost)
    again = next(m for m in log.moments[lost[-1].step :] if "b" in m.tokens)
    assert again.tokens["b"] >= 6


def test_a_reservation_has_tokens_and_no_tables():
    requests = list(some_requests(6, 3, 0))
    log, _ = logged(ContiguousReservation(150), requests)
    assert all(not moment.tables and not moment.idle for moment in log.moments)
    assert max(len(moment.tokens) for moment in log.moments) > 1
