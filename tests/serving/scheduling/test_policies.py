"""What every policy promises: order, limits, no token lost, no request left behind."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.engine import PagePool, Plan, Request, RequestTooLong, Scheduler
from labutils.serving.memory import ContiguousReservation, Unlimited
from labutils.serving.scheduling import Audited, BadPlan, ByRule, Ordered, admit_what_fits
from labutils.serving.simulator import simulate
from tests.serving.workloads import COST, POLICIES, jobs


class Witness:
    """A scheduler in between that writes down what it sees and holds it against the rules."""

    def __init__(self, scheduler, *, in_order):
        self.inner, self.in_order, self.pool = scheduler, in_order, scheduler.pool
        self.max_sequences = scheduler.max_sequences
        self.waiting, self.running, self.order = [], [], {}

    def add(self, request):
        self.inner.add(request)
        self.order[request] = len(self.order)
        self.waiting.append(request)

    def schedule(self, now_s):
        plan = self.inner.schedule(now_s)
        if isinstance(plan, Plan):
            for one in plan.preempted:
                self.running.remove(one)
                self.waiting.append(one)
            for one, new in plan.chunks:
                assert new >= 1
                if one in self.waiting:
                    assert not plan.preempted, "no request is admitted in a step that preempted"
                    self.waiting.remove(one)
                    self.running.append(one)
            rank = self.order.__getitem__
            if self.running and self.waiting and self.in_order:
                assert max(map(rank, self.running)) < min(map(rank, self.waiting))
        return plan

    def commit(self, plan):
        self.inner.commit(plan)

    def finish(self, request):
        self.running.remove(request)
        self.inner.finish(request)


@pytest.mark.parametrize("policy", POLICIES)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_all_are_served_and_in_order_where_that_is_promised(policy, data):
    job, pages = data.draw(jobs(with_keys=True)), data.draw(st.integers(9, 15))
    promise = POLICIES[policy].in_order
    scheduler = POLICIES[policy].make(pages)
    witness = Witness(scheduler, in_order=promise)
    run = simulate(job.requests, witness, COST, output_tokens=job.output_tokens)
    assert run.log.ok.all()
    assert run.log.output_tokens.tolist() == list(job.output_tokens)
    scheduler.pool.check()
    assert scheduler.pool.num_free == scheduler.pool.num_pages
    again = Audited(POLICIES[policy].make(pages), in_order=promise)
    simulate(job.requests, again, COST, output_tokens=job.output_tokens)


@pytest.mark.parametrize("policy", ["by priority", "shortest prompt first"])
def test_a_policy_that_promises_no_order_keeps_none(policy):
    requests = [
        Request("old", 9, 3),
        Request("late", 8, 3, 0.001, priority=2),
        Request("short", 3, 3, 0.002, priority=1),
        Request("shorter", 2, 3, 0.003, priority=0),
    ]
    assert not POLICIES[policy].in_order
    scheduler = POLICIES[policy].make(40)
    scheduler.max_sequences = 1
    run = simulate(requests, scheduler, COST)
    order = sorted(range(4), key=run.log.admitted_s.__getitem__)
    assert order == [0, 3, 2, 1]
    scheduler = Audited(POLICIES[policy].make(40), in_order=True)
    scheduler.scheduler.max_sequences = 1
    with pytest.raises(BadPlan, match="'shorter' starts while 'late' waits, which came first"):
        simulate(requests, scheduler, COST)


def test_equal_priorities_keep_the_order_of_arrival_and_the_preempted_go_first():
    queue = Ordered(9, Unlimited())
    for name, priority in (("a", 1), ("b", 0), ("c", 1), ("d", 0)):
        queue.add(Request(name, 1, 1, priority=priority))
    queue.wait(Request("back", 1, 1, priority=1), first=True)
    assert [one.id for one in queue.waiting] == ["b", "d", "back", "a", "c"]


def crowd(pages=7, answers=(9, 14, 11), chunked=False):
    """Three requests that together need more pages than there are."""
    requests = [Request(name, 6, answer) for name, answer in zip("abc", answers)]
    scheduler = Scheduler(3, PagePool(pages, 4), token_budget=20, chunked=chunked)
    return requests, scheduler


def named(plan):
    """Tokens by id, and the ids of the preempted: requests forget their numbers when they go on."""
    return {one.id: new for one, new in plan.chunks}, [one.id for one in plan.preempted]


@pytest.mark.parametrize("chunked", [False, True])
def test_the_newest_gives_way_and_loses_no_token(chunked):
    requests, scheduler = crowd(chunked=chunked)
    run = simulate(requests, scheduler, COST, token_times=True)
    records = {record.id: record for record in run.records()}
    assert records["a"].preemptions == 0
    assert records["c"].preemptions >= 1
    assert [record.output_tokens for record in run.records()] == [9, 14, 11]
    assert all((record.itl_s > 0).all() for record in run.records())


def test_a_preempted_request_computes_again_what_it_knew():
    requests, scheduler = crowd()
    watched = []
    run = simulate(requests, scheduler, COST, watch=lambda now_s, plan: watched.append(named(plan)))
    at = next(step for step, (_, preempted) in enumerate(watched) if preempted)
    assert watched[at][1] == ["c"]
    again = next(chunks for chunks, _ in watched[at:] if "c" in chunks)
    out = sum("c" in chunks for chunks, _ in watched[:at])  # tokens of its answer, one a step
    assert again["c"] == 6 + out
    assert run.telemetry.preemptions.sum() == run.requests["preemptions"].sum() >= 1


def plans_of(requests, scheduler):
    plans = []
    simulate(requests, scheduler, COST, watch=lambda now_s, plan: plans.append(named(plan)[0]))
    return plans


@pytest.mark.parametrize("chunked", [False, True])
def test_a_prompt_longer_than_the_budget_is_served(chunked):
    requests = [Request(0, 50, 2), Request(1, 3, 2)]
    plans = plans_of(requests, Scheduler(4, Unlimited(), token_budget=16, chunked=chunked))
    assert plans[0] == ({0: 16} if chunked else {0: 50})
    if chunked:
        assert plans[1:4] == [{0: 16}, {0: 16}, {0: 2, 1: 3}]


def test_a_chunked_step_decodes_before_it_spends_on_prompts():
    requests = [Request("old", 4, 9), Request("new", 30, 2, 0.001)]
    plans = plans_of(requests, Scheduler(4, Unlimited(), token_budget=8, chunked=True))
    assert list(plans[1].items()) == [("old", 1), ("new", 7)]


def test_prompts_first_makes_everybody_wait_for_a_prompt():
    requests = [Request("old", 4, 9), Request("new", 30, 2, 0.001)]
    assert plans_of(requests, Scheduler(4, Unlimited()))[1] == {"new": 30}


def test_a_rule_sees_the_head_of_the_queue_and_decides():
    seen = []

    def one_at_a_time(view):
        seen.append(view)
        return view.running == 0

    scheduler = ByRule(8, PagePool(20, 4), rule=one_at_a_time)
    run = simulate([Request(i, 7, 3) for i in range(3)], scheduler, COST)
    assert run.telemetry.running.max() == 1
    assert seen[0].prompt_tokens == 7 and seen[0].free_pages == 20 and seen[0].pages_needed == 2


@pytest.mark.parametrize("memory", [lambda: PagePool(9, 4), lambda: ContiguousReservation(40)])
@given(job=jobs(with_keys=True))
@settings(max_examples=25, deadline=None)
def test_a_rule_that_asks_what_the_default_asks_changes_nothing(memory, job):
    runs = [
        simulate(job.requests, scheduler, COST, output_tokens=job.output_tokens)
        for scheduler in (Scheduler(3, memory()), ByRule(3, memory(), rule=admit_what_fits))
    ]
    for name, column in runs[0].requests.items():
        np.testing.assert_array_equal(column, runs[1].requests[name])
    assert runs[0].gaps.counts.tolist() == runs[1].gaps.counts.tolist()


def test_reservation_admits_fewer_than_paging_with_the_same_memory():
    requests = [Request(i, 8, 40, 0.01 * i) for i in range(12)]
    answers = [5 + i % 4 for i in range(12)]
    runs = {
        name: simulate(requests, Scheduler(12, memory), COST, output_tokens=answers)
        for name, memory in (
            ("paged", PagePool(30, 4)),
            ("reserved", ContiguousReservation(120)),
        )
    }
    assert runs["reserved"].telemetry.running.max() == 2  # 48 slots each
    assert runs["paged"].telemetry.running.max() > 4
    assert runs["paged"].log.ttft_s.mean() < runs["reserved"].log.ttft_s.mean()


def test_a_request_that_might_outgrow_the_pool_is_refused():
    scheduler = Scheduler(2, PagePool(5, 4))
    scheduler.add(Request("fits", 12, 9))  # the last token needs no room
    with pytest.raises(RequestTooLong, match="'long' may need 6 pages: expected at most 5"):
        scheduler.add(Request("long", 12, 10))


def test_a_finish_may_come_a_step_late():
    scheduler = Scheduler(2, PagePool(8, 4))
    short, long = Request("short", 4, 2), Request("long", 4, 9)
    scheduler.add(short)
    scheduler.add(long)
    for _ in range(3):  # prefill, last token of "short", and a step planned before anybody knew
        plan = scheduler.schedule(0.0)
        scheduler.commit(plan)
    assert named(plan)[0] == {"long": 1}  # its length limit alone keeps "short" out
    assert short.room > 0
    scheduler.finish(short)
    assert short.room == 0 and not short.pages


def test_a_finish_may_reach_a_request_that_was_preempted_meanwhile():
    requests, scheduler = crowd()
    for request in requests:
        scheduler.add(request)
    plan = scheduler.schedule(0.0)
    while not plan.preempted:
        scheduler.commit(plan)
        plan = scheduler.schedule(0.0)
    scheduler.commit(plan)
    scheduler.finish(requests[2])
    assert not scheduler.waiting
    with pytest.raises(ValueError):
        scheduler.finish(requests[2])


def test_a_budget_that_cannot_hold_all_decodes_is_refused():
    with pytest.raises(ValueError, match="token_budget = 3: expected at least max_sequences = 4"):
        Scheduler(4, Unlimited(), token_budget=3, chunked=True)
