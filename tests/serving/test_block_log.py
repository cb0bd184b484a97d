"""A log of block tables agrees with what the pool and the scheduler say, step by step."""

from functools import partial

import numpy as np
import pytest

from labutils.serving import (
    BlockManager,
    ContiguousReservation,
    Continuous,
    Request,
    StepCost,
    chained_keys,
    simulate,
)
from labutils.serving.block_log import BlockLog


def some_requests(count, seed, common):
    rng = np.random.default_rng(seed)
    prefix = rng.integers(0, 99, common).tolist()
    for number in range(count):
        prompt = tuple(prefix + rng.integers(0, 99, rng.integers(1, 30)).tolist())
        keys = partial(chained_keys, prompt)
        yield Request(number, len(prompt), int(rng.integers(1, 40)), keys=keys)


def logged(blocks, requests):
    scheduler = Continuous(20, blocks, token_budget=64, chunked=True)
    log = BlockLog(scheduler)
    run = simulate(requests, scheduler, StepCost(1.0), jumps=False, watch=log.of_simulator)
    return log, run


@pytest.mark.parametrize(("seed", "common"), [(1, 0), (5, 11)])
def test_every_step_adds_up(seed, common):
    requests = list(some_requests(17, seed, common))
    log, run = logged(BlockManager(23, 4), requests)
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
            assert tokens < requests[request].max_tokens
    assert preempted == run.telemetry.preemptions.sum()
    most = max(count for moment in log.moments for count in moment.owners.values())
    assert (most > 1) == (common > 4)
    assert log.moments[0].waiting > 0 == log.moments[-1].waiting
    assert log.crowded() == [moment for moment in log.moments if moment.waiting]


def test_tokens_are_what_was_computed_since_the_last_preemption():
    requests = [Request("a", 5, 9), Request("b", 6, 9)]
    log, _ = logged(BlockManager(4, 4, prefix_sharing=False), requests)
    lost = [moment for moment in log.moments if "b" in moment.preempted]
    assert lost and all("b" not in moment.tokens for moment in lost)
    again = next(m for m in log.moments[lost[-1].step :] if "b" in m.tokens)
    assert again.tokens["b"] >= 6


def test_a_reservation_has_tokens_and_no_tables():
    requests = list(some_requests(6, 3, 0))
    log, _ = logged(ContiguousReservation(150), requests)
    assert all(not moment.tables and not moment.idle for moment in log.moments)
    assert max(len(moment.tokens) for moment in log.moments) > 1
