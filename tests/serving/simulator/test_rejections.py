"""A run says how many requests were rejected, and which of them only for what they ask for."""

import pytest

from labutils.engine import PagePool, Request, Scheduler
from labutils.serving.memory import ContiguousReservation, Unlimited
from labutils.serving.simulator import StepCost, simulate
from labutils.workload import RequestTrace

TRACE = RequestTrace([0.0, 1.0, 2.0], [150, 1, 157], [2, 100, 7])


def run(source, pool, **options):
    scheduler = Scheduler(2, pool, token_budget=512)
    return simulate(source, scheduler, StepCost(0.01), **options)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_trace_asks_for_its_longest_answer_and_the_run_says_so(compiled):
    done = run(TRACE, PagePool(10), compiled=compiled)  # room for 160 tokens
    assert done.log.status.tolist() == ["rejected", "ok", "rejected"]
    assert done.rejections == (
        "2 of 3 requests were rejected: with the longest answer that each asks for, up to 257 "
        "tokens in all, it could outgrow the whole memory. 1 of them would fit with the answers "
        "that they get. A trace lets each ask for its longest answer; requests bring a "
        "max_output_tokens of their own."
    )


def test_requests_that_ask_for_what_they_get_are_rejected_for_it():
    requests = [Request("a", 150, 2), Request("b", 1, 100), Request("c", 157, 7)]
    assert run(requests, PagePool(10)).rejections == (
        "1 of 3 requests were rejected: with the longest answer that each asks for, up to 164 "
        "tokens in all, it could outgrow the whole memory."
    )
    asking = [Request("a", 150, 90), Request("b", 1, 90)]
    told = run(asking, ContiguousReservation(160), output_tokens=[3, 4]).rejections
    assert told.startswith("1 of 2 ") and "1 of them would fit" in told


@pytest.mark.parametrize("pool", [PagePool(99), Unlimited()])
def test_without_rejections_it_is_silent(pool):
    assert run(TRACE, pool).rejections == ""
