"""Clients that give up, in the simulator that serves any scheduler."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.engine import PagePool, Request, Scheduler
from labutils.serving.promises import Kept, Promise, Promises
from labutils.serving.scheduling import BadPlan, DynamicBatches
from labutils.serving.simulator import StepCost, simulate
from tests.serving.workloads import COST, POLICIES, jobs

from .naive import serve
from .stories import assert_equal_runs

SECOND = StepCost(1.0)
PATIENCE = st.sampled_from([0.0023456789, 0.0123456789, 0.0323456789, 0.0623456789])


def test_by_hand_who_decodes_who_reads_and_who_waits():
    """Steps of a second, two places, four tokens in a step: d never starts."""
    requests = [
        Request("a", 3, 9), Request("b", 9, 9, 0.25), Request("c", 1, 2, 0.5),
        Request("d", 1, 9, 0.75), Request("e", 1, 2, 4.5),
    ]  # fmt: skip
    scheduler = Scheduler(2, PagePool(20), token_budget=4, chunked=True)
    patience_s = [5.5, 2.5, math.inf, 2.0, 2.5]
    run = simulate(requests, scheduler, SECOND, patience_s=patience_s, token_times=True)
    a, b, c, d, e = run.records()
    assert run.log.status.tolist() == ["timed_out", "timed_out", "ok", "timed_out", "ok"]
    assert a.token_times_s.tolist() == [1, 2, 3, 4, 5, 6] and a.finish_s == 6
    assert b.admitted_s == 1 and b.output_tokens == 0 and b.finish_s == 3  # due at 2.75, in a step
    assert c.admitted_s == 3 and c.finish_s == 5
    assert math.isnan(d.admitted_s) and d.finish_s == 3
    assert e.admitted_s == 5 and e.finish_s == 7 == 4.5 + 2.5  # at the very last moment
    assert run.telemetry.running.tolist() == [1, 2, 2, 2, 2, 1]
    assert run.telemetry.waiting.tolist() == [0, 2, 2, 0, 0, 0]
    assert run.telemetry.steps.tolist() == [1, 1, 1, 2, 1, 1]


def test_an_answer_that_ends_late_was_not_waited_for():
    run = simulate([Request("a", 3, 2)], Scheduler(1, PagePool(9)), SECOND, patience_s=1.5)
    assert (run.log.status[0], run.log.finish_s[0], run.log.output_tokens[0]) == ("timed_out", 2, 2)


def test_who_gives_up_while_nothing_runs_leaves_at_that_moment():
    requests = [Request("a", 3, 2, 1.0), Request("b", 3, 2, 1.5)]
    run = simulate(requests, DynamicBatches(3, 10.0), SECOND, patience_s=[0.75, 99.0])
    assert run.log.finish_s.tolist() == [1.75, 11.5 + 2.0]  # the batch waits for the older one


@pytest.mark.parametrize("chunked", [False, True])
@given(
    job=jobs(with_keys=False), num_pages=st.integers(9, 16), slots=st.integers(1, 6),
    patience_s=PATIENCE,
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_it_is_the_story_told_naively(chunked, job, num_pages, slots, patience_s):
    rules = {"token_budget": 11, "chunked": chunked}
    memory = {"num_pages": num_pages, "page_tokens": 4}
    told = serve(job, COST, max_sequences=slots, patience_s=patience_s, **memory, **rules)
    scheduler = Scheduler(slots, PagePool(num_pages, 4), **rules)
    options = {"output_tokens": job.output_tokens, "token_times": True, "patience_s": patience_s}
    run = simulate(job.requests, scheduler, COST, **options)
    for record, life in zip(run.records(), told, strict=True):
        np.testing.assert_allclose(record.token_times_s, life.token_times_s, rtol=0, atol=1e-9)
        assert record.preemptions == life.preemptions
        end_s = life.token_times_s[-1] if life.left_s is None else life.left_s
        assert record.finish_s == pytest.approx(end_s, abs=1e-9)
        in_time = life.left_s is None and end_s < life.arrival_s + patience_s
        assert record.status == ("ok" if in_time else "timed_out")


@pytest.mark.parametrize("policy", POLICIES)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_under_any_policy_an_answer_is_ok_if_and_only_if_it_was_waited_for(policy, data):
    job = data.draw(jobs(with_keys=True))
    patience_s = np.array(data.draw(st.lists(PATIENCE, min_size=14, max_size=14)))
    due_s = np.array([one.arrival_s for one in job.requests]) + patience_s[: len(job.requests)]
    planned = []  # nobody computes after it has left, or from when it was due
    run = simulate(
        job.requests, POLICIES[policy].make(10), COST, output_tokens=job.output_tokens,
        patience_s=patience_s[: len(job.requests)], token_times=True,
        watch=lambda now_s, plan: planned.append((now_s, {one.id for one, _ in plan.chunks})),
    )  # fmt: skip
    log = run.log
    assert set(log.status) <= {"ok", "timed_out"}
    assert (log.finish_s[log.ok] <= due_s[log.ok]).all()
    assert (log.finish_s[~log.ok] >= due_s[~log.ok]).all()
    ends_s = [now_s for now_s, _ in planned]
    for row, request in enumerate(job.requests):
        mine = [at for at, (_, ids) in enumerate(planned) if request.id in ids]
        if mine:
            assert ends_s[mine[-1]] <= log.finish_s[row]
            assert mine[-1] == 0 or ends_s[mine[-1] - 1] < due_s[row]
        assert log.output_tokens[row] == len(run.token_times_s(row)) <= job.output_tokens[row]


@pytest.mark.parametrize("policy", ["chunked", "prompts first", "static", "by priority"])
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_clients_that_wait_long_enough_change_nothing(policy, data):
    job = data.draw(jobs(with_keys=True))
    until_s = data.draw(st.sampled_from([None, 0.05]))
    options = {"output_tokens": job.output_tokens, "token_times": True, "until_s": until_s}
    runs = [
        simulate(job.requests, POLICIES[policy].make(10), COST, **options, **patience)
        for patience in ({}, {"patience_s": 1e3}, {"patience_s": math.inf})
    ]
    assert_equal_runs(runs[0], runs[1])
    assert_equal_runs(runs[0], runs[2])


def test_whoever_is_due_when_a_run_is_broken_off_has_left():
    requests = [Request(row, 2, 9) for row in range(3)]
    options = {"until_s": 2.0, "patience_s": [2.0, 1.5, 2.5]}
    run = simulate(requests, Scheduler(3, PagePool(9)), SECOND, **options)
    assert run.log.status.tolist() == ["timed_out", "timed_out", "cancelled"]
    np.testing.assert_array_equal(run.log.finish_s, [2.0, 2.0, math.nan])


def test_a_timeout_keeps_no_promise():
    requests = [Request(row, 2, 3, 0.5 * row) for row in range(3)]
    run = simulate(requests, Scheduler(3, PagePool(9)), SECOND, patience_s=[9.0, 2.0, 9.0])
    kept = Kept.of(run, Promises(otherwise=Promise(ttft_s=99.0, tpot_s=99.0)))
    assert kept.all.tolist() == kept.ttft.tolist() == [True, False, True]
    assert run.log.ttft_s[1] < 2.0 and not kept.refused.any()
    assert (
        run.log.goodput_per_s(0.0, 10.0, ttft_s=99.0) == run.log.throughput_per_s(0.0, 10.0) == 0.2
    )


class Forgets(Scheduler):
    """Serves nobody."""

    def schedule(self, now_s):
        """No step."""
        return None


def test_patience_hides_no_request_that_waits_for_ever():
    with pytest.raises(BadPlan, match="request 'a' waits for ever"):
        simulate([Request("a", 3, 2)], Forgets(1, PagePool(9)), SECOND, patience_s=5.0)
