"""Where queueing theory knows the answer, the serving simulator must give it."""

import numpy as np
import pytest

from labutils.engine import PagePool, Request, Scheduler
from labutils.serving.memory import Unlimited
from labutils.serving.scheduling import DynamicBatches, StaticBatches
from labutils.serving.simulator import StepCost, simulate
from labutils.simulation import batch_queue, fifo_queue, poisson_arrivals
from labutils.workload import RequestTrace

MICROSECONDS = StepCost(0.0, per_prefill_token_s=1e-6)  # a prompt token is a microsecond of service

ONE_SLOT = {
    "prompts first": lambda: Scheduler(1, PagePool(99, 10**6)),
    "chunked": lambda: Scheduler(1, Unlimited(), token_budget=10**9, chunked=True),
    "static": lambda: StaticBatches(1),
    "dynamic": lambda: DynamicBatches(1, 0.5),
}


def sojourn_s(arrival_s, prompts, answers, scheduler, cost):
    requests = [
        Request(i, int(prompt), int(answer), float(arrival))
        for i, (arrival, prompt, answer) in enumerate(zip(arrival_s, prompts, answers))
    ]
    return simulate(requests, scheduler, cost).log.e2e_s


def test_the_clock_begins_at_0():
    """Requests before it would wait for the clock, which nobody asked for."""
    trace = RequestTrace([-5.0, -1.0], [3, 3], [2, 2])
    with pytest.raises(ValueError, match=r"arrival_s\[0\] = -5\.0: expected moments from 0 on"):
        simulate(trace, Scheduler(1, PagePool(9)), MICROSECONDS)
    with pytest.raises(
        ValueError, match=r"arrival_s = -1\.0 of request 'r': expected a finite mom"
    ):
        simulate([Request("r", 3, 2, -1.0)], Scheduler(1, PagePool(9)), MICROSECONDS)


@pytest.mark.parametrize("policy", ONE_SLOT)
@pytest.mark.parametrize("seed", [3, 8])
def test_one_slot_is_the_mm1_queue(policy, seed):
    rng = np.random.default_rng(seed)
    arrivals = poisson_arrivals(0.7, 3_001, rng)
    prompts = np.ceil(rng.exponential(1.0, arrivals.size) * 1e6).astype(int)
    mine = sojourn_s(arrivals, prompts, np.ones(prompts.size), ONE_SLOT[policy](), MICROSECONDS)
    queue = fifo_queue(arrivals, prompts * 1e-6)
    np.testing.assert_allclose(mine, queue.sojourn_time_s, rtol=0, atol=1e-9)


@pytest.mark.parametrize("policy", ONE_SLOT)
def test_one_slot_with_equal_answers_is_the_md1_queue(policy):
    arrivals = poisson_arrivals(0.6, 2_003, np.random.default_rng(5))
    cost = StepCost(0.01, 0.001, 0.0001, 0.002, 0.0005)
    prefill = 0.01 + 7 * 0.001 + 28 * 0.0001
    decodes = sum(0.01 + 0.002 + 0.0005 * context for context in range(8, 8 + 30))
    mine = sojourn_s(
        arrivals, np.full(arrivals.size, 7), np.full(arrivals.size, 31), ONE_SLOT[policy](), cost
    )
    queue = fifo_queue(arrivals, np.full(arrivals.size, prefill + decodes))
    np.testing.assert_allclose(mine, queue.sojourn_time_s, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("most", "window_s"), [(1, 0.0), (7, 0.0), (7, 0.011), (64, 0.004)])
def test_answers_of_one_token_are_the_batch_queue(most, window_s):
    arrivals = poisson_arrivals(400, 5_003, np.random.default_rng(11))
    arrivals = arrivals if most > 1 else arrivals * 3
    cost = StepCost(0.005, per_prefill_token_s=0.00025)  # for prompts of two tokens
    ones = np.ones(arrivals.size)
    mine = sojourn_s(arrivals, 2 * ones, ones, DynamicBatches(most, window_s), cost)
    queue = batch_queue(
        arrivals, lambda size: 0.005 + 0.0005 * size, max_batch=most, batch_timeout_s=window_s
    )
    np.testing.assert_allclose(mine, queue.sojourn_time_s, rtol=0, atol=1e-9)


@pytest.mark.parametrize("chunked", [False, True])
def test_continuous_batching_of_answers_of_one_token_takes_everything_that_waits(chunked):
    arrivals = poisson_arrivals(800, 5_003, np.random.default_rng(12))
    cost, ones = StepCost(0.005, per_prefill_token_s=0.00025), np.ones(arrivals.size)
    scheduler = Scheduler(10**4, Unlimited(), token_budget=2 * 10**4, chunked=chunked)
    mine = sojourn_s(arrivals, 2 * ones, ones, scheduler, cost)
    queue = batch_queue(
        arrivals, lambda size: 0.005 + 0.0005 * size, max_batch=10**4, batch_timeout_s=0.0
    )
    np.testing.assert_allclose(mine, queue.sojourn_time_s, rtol=0, atol=1e-9)


@pytest.mark.parametrize("budget", [5, 11, 64])
def test_alone_a_request_takes_the_sum_of_its_steps(budget):
    cost = StepCost(0.013, 0.0011, 0.00017, 0.0023, 0.00031)
    requests = [Request(i, 23, 9, 100.0 * i) for i in range(3)]
    scheduler = Scheduler(5, PagePool(12, 4), token_budget=budget, chunked=True)
    run = simulate(requests, scheduler, cost)
    chunks, alone = -(-23 // budget), 23 % budget == 1
    prefill = chunks * 0.013 + 23 * 0.0011 + 0.00017 * 23 * 24 / 2  # cutting adds no pairs
    if alone:  # a last token by itself is a decode, with 23 tokens of context
        prefill += 0.0023 + 23 * 0.00031 - 0.0011 - 23 * 0.00017
    decode = sum(0.013 + 0.0023 + 0.00031 * context for context in range(24, 32))
    np.testing.assert_allclose(run.log.ttft_s, prefill, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.log.e2e_s, prefill + decode, rtol=0, atol=1e-9)
    assert run.busy_s == pytest.approx(3 * (prefill + decode), abs=1e-9)
