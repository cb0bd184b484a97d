"""What every policy promises: order, limits, no token lost, nobody left behind."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labutils.serving import BlockManager, Continuous, Request, RequestTooLong, simulate
from labutils.serving.plan import StepPlan

from .workloads import COST, POLICIES, jobs


class Witness:
    """A scheduler in between that writes down what it sees and holds it against the rules."""

    def __init__(self, scheduler):
        self.inner, self.held, self.generated, self.prompts = scheduler, {}, {}, {}
        self.max_sequences = scheduler.max_sequences
        self.waiting, self.running, self.order = [], [], {}

    def add(self, request):
        self.inner.add(request)
        self.order[request.id] = len(self.order)
        self.waiting.append(request.id)

    def schedule(self, now_s):
        plan = self.inner.schedule(now_s)
        if isinstance(plan, StepPlan):
            for one in plan.preempted:
                self.running.remove(one)
                self.waiting.append(one)
            for one, new in plan.chunks:
                assert new >= 1
                if one in self.waiting:
                    assert not plan.preempted, "nobody is admitted in a step that preempted"
                    self.waiting.remove(one)
                    self.running.append(one)
            rank = self.order.__getitem__
            if self.running and self.waiting:
                assert max(map(rank, self.running)) < min(map(rank, self.waiting))
        return plan

    def commit(self, plan, steps=1):
        self.inner.commit(plan, steps)

    def finish(self, request_id):
        self.running.remove(request_id)
        self.inner.finish(request_id)


@pytest.mark.parametrize("policy", POLICIES)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_whoever_runs_arrived_before_whoever_waits_and_all_are_served(policy, data):
    job, pool = data.draw(jobs(with_keys=True)), data.draw(st.integers(9, 15))
    scheduler = POLICIES[policy](pool)
    run = simulate(job.requests, Witness(scheduler), COST, output_tokens=job.output_tokens)
    assert run.log.ok.all()
    assert run.log.output_tokens.tolist() == list(job.output_tokens)
    if hasattr(scheduler.blocks, "num_used"):
        scheduler.blocks.check()
        assert scheduler.blocks.num_used == 0
    elif scheduler.blocks is not None:
        assert scheduler.blocks.used_tokens == 0


def crowd(pages=7, answers=(9, 14, 11), chunked=False):
    """Three requests that together need more pages than there are."""
    requests = [Request(name, 6, answer) for name, answer in zip("abc", answers)]
    scheduler = Continuous(3, BlockManager(pages, 4), token_budget=20, chunked=chunked)
    return requests, scheduler


@pytest.mark.parametrize("chunked", [False, True])
def test_the_newest_gives_way_and_loses_no_token(chunked):
    requests, scheduler = crowd(chunked=chunked)
    run = simulate(requests, scheduler, COST)
    records = {record.id: record for record in run.records()}
    assert records["a"].preemptions == 0
    assert records["c"].preemptions >= 1
    assert [record.output_tokens for record in run.records()] == [9, 14, 11]
    assert all((record.itl_s > 0).all() for record in run.records())


def test_a_preempted_request_computes_again_what_it_knew():
    requests, scheduler = crowd()
    watched = []
    run = simulate(requests, scheduler, COST, watch=lambda now_s, plan, steps: watched.append(plan))
    first_loss = next(plan for plan in watched if plan.preempted)
    assert first_loss.preempted == ("c",)
    later = watched[watched.index(first_loss) :]
    again = next(plan for plan in later if "c" in dict(plan.chunks))
    already_out = sum(dict(plan.chunks).get("c", 0) for plan in watched[:1])
    assert dict(again.chunks)["c"] > already_out  # prompt and answer so far
    assert run.telemetry.preemptions.sum() == sum(one.preemptions for one in run.records())


@pytest.mark.parametrize("chunked", [False, True])
def test_a_prompt_longer_than_the_budget_is_served(chunked):
    requests = [Request(0, 50, 2), Request(1, 3, 2)]
    plans = []
    scheduler = Continuous(4, token_budget=16, chunked=chunked)
    simulate(requests, scheduler, COST, watch=lambda now_s, plan, steps: plans.append(plan.chunks))
    assert plans[0] == (((0, 16),) if chunked else ((0, 50),))
    if chunked:
        assert plans[1:4] == [((0, 16),), ((0, 16),), ((0, 2), (1, 3))]


def test_a_chunked_step_decodes_before_it_spends_on_prompts():
    requests = [Request("old", 4, 9), Request("new", 30, 2, 0.001)]
    plans = []
    simulate(
        requests,
        Continuous(4, token_budget=8, chunked=True),
        COST,
        watch=lambda now_s, plan, steps: plans.append(plan.chunks),
    )
    assert plans[1] == (("old", 1), ("new", 7))


def test_prompts_first_makes_everybody_wait_for_a_prompt():
    requests = [Request("old", 4, 9), Request("new", 30, 2, 0.001)]
    plans = []
    simulate(
        requests,
        Continuous(4),
        COST,
        watch=lambda now_s, plan, steps: plans.append(plan.chunks),
    )
    assert plans[1] == (("new", 30),)


def test_a_rule_sees_the_head_of_the_queue_and_decides():
    seen = []

    def one_at_a_time(view):
        seen.append(view)
        return view.running == 0

    scheduler = Continuous(8, BlockManager(20, 4), admission=one_at_a_time)
    run = simulate([Request(i, 7, 3) for i in range(3)], scheduler, COST)
    assert run.telemetry.running.max() == 1
    assert seen[0].prompt_tokens == 7 and seen[0].free_blocks == 20 and seen[0].blocks_needed == 2


def test_a_rule_that_asks_what_the_default_asks_changes_nothing():
    from labutils.serving.admission import admit_what_fits

    requests, _ = crowd()
    runs = [
        simulate(requests, Continuous(3, BlockManager(7, 4), admission=rule), COST)
        for rule in (None, admit_what_fits)
    ]
    assert runs[0].log.finish_s.tolist() == runs[1].log.finish_s.tolist()


def test_reservation_admits_fewer_than_paging_with_the_same_memory():
    from labutils.serving import ContiguousReservation

    requests = [Request(i, 8, 40, 0.01 * i) for i in range(12)]
    answers = [5 + i % 4 for i in range(12)]
    runs = {
        name: simulate(requests, Continuous(12, memory), COST, output_tokens=answers)
        for name, memory in (
            ("paged", BlockManager(30, 4)),
            ("reserved", ContiguousReservation(120)),
        )
    }
    assert runs["reserved"].telemetry.running.max() == 2  # 48 slots each
    assert runs["paged"].telemetry.running.max() > 4
    assert runs["paged"].log.ttft_s.mean() < runs["reserved"].log.ttft_s.mean()


def test_a_request_that_might_outgrow_the_pool_is_refused():
    scheduler = Continuous(2, BlockManager(5, 4))
    scheduler.add(Request("fits", 12, 9))  # the last token needs no room
    with pytest.raises(RequestTooLong, match="'long' may need 6 pages: expected at most 5"):
        scheduler.add(Request("long", 12, 10))


def test_a_finish_may_come_a_step_late():
    scheduler = Continuous(2, BlockManager(8, 4))
    scheduler.add(Request("short", 4, 2))
    scheduler.add(Request("long", 4, 9))
    for _ in range(3):  # prefill, last token of "short", and a step planned before anybody knew
        plan = scheduler.schedule(0.0)
        scheduler.commit(plan)
    assert dict(plan.chunks) == {"long": 1}  # its length limit alone keeps "short" out
    assert scheduler.blocks.room("short") > 0
    scheduler.finish("short")
    assert scheduler.blocks.room("short") == 0


def test_a_finish_may_reach_a_request_that_was_preempted_meanwhile():
    requests, scheduler = crowd()
    for request in requests:
        scheduler.add(request)
    plan = scheduler.schedule(0.0)
    while not plan.preempted:
        scheduler.commit(plan)
        plan = scheduler.schedule(0.0)
    scheduler.commit(plan)
    scheduler.finish("c")
    assert not scheduler.waiting
    with pytest.raises(ValueError, match="request_id = 'c': expected one that runs or waits"):
        scheduler.finish("c")


def test_a_budget_that_cannot_hold_everybody_is_refused():
    with pytest.raises(ValueError, match="token_budget = 3: expected at least max_sequences = 4"):
        Continuous(4, token_budget=3, chunked=True)
    with pytest.raises(ValueError, match="blocks = 7: expected a BlockManager"):
        Continuous(4, blocks=7)
