"""Schedulers that ask for the impossible get a clear answer, and their records so far."""

import re

import pytest

from labutils.engine import PagePool, Plan, Request, Scheduler
from labutils.serving.memory import Unlimited
from labutils.serving.scheduling import Audited, BadPlan, ByRule, WaitUntil
from labutils.serving.simulator import simulate
from labutils.workload import uniform_trace
from tests.serving.workloads import COST


class Mine:
    """A whole scheduler, as a learner writes it; the tests break it in one place each."""

    max_sequences = 2

    def __init__(self):
        self.waiting, self.running = [], []

    def add(self, request):
        self.waiting.append(request)

    def schedule(self, now_s):
        if self.waiting and len(self.running) < self.max_sequences:
            request = self.waiting.pop(0)
            self.running.append(request)
            return Plan([(request, request.prompt_tokens)])
        return Plan([(one, 1) for one in self.running]) if self.running else None

    def commit(self, plan):
        pass

    def finish(self, request):
        self.running.remove(request)


REQUESTS = [Request("a", 5, 3), Request("b", 7, 2), Request("c", 4, 4, 0.01)]


def broken_by(scheduler, message):
    with pytest.raises(BadPlan, match=message) as caught:
        simulate(REQUESTS, scheduler, COST, token_times=True)
    return caught.value.run


def test_a_scheduler_of_a_dozen_lines_runs():
    run = simulate(REQUESTS, Mine(), COST)
    assert run.log.ok.all()
    reference = simulate(REQUESTS, Scheduler(2, Unlimited(), token_budget=1), COST)
    assert run.log.finish_s.tolist() == reference.log.finish_s.tolist()


class Greedy(Mine):
    def schedule(self, now_s):
        if not self.waiting:
            return super().schedule(now_s)
        self.running += self.waiting
        chunks = [(one, one.prompt_tokens) for one in self.waiting]
        self.waiting = []
        return Plan(chunks)


def test_an_over_full_plan():
    run = broken_by(Greedy(), "3 requests run after 'c' was added: expected at most max_seq")
    assert run.ids == ("a", "b", "c")
    assert run.steps == 1


def test_a_step_over_the_token_budget():
    class Wide(Greedy):
        max_sequences, token_budget = 3, 11

    broken_by(Wide(), "12 tokens up to request 'b': expected at most token_budget = 11")


def test_a_finished_request():
    class Forgetful(Mine):
        def finish(self, request):
            pass

    run = broken_by(Forgetful(), "request 'b' is scheduled: expected one that has come and not")
    records = {record.id: record for record in run.records()}
    assert records["b"].status == "ok" and records["b"].output_tokens == 2
    assert records["a"].status == "cancelled" and records["a"].output_tokens == 2
    assert run.log.finish_s[1] == records["b"].token_times_s[-1]


@pytest.mark.parametrize("stranger", ["z", 7, None])
def test_an_unknown_request(stranger):
    class Inventive(Mine):
        def schedule(self, now_s):
            return Plan([(stranger, 1)])

    run = broken_by(Inventive(), re.escape(f"request {stranger!r} is scheduled: expected"))
    assert run.steps == 0 and run.log.finish_s.size == 2  # the two that had arrived


@pytest.mark.parametrize(("tokens", "left"), [(6, 5), (0, 5), (-1, 5)])
def test_more_tokens_than_there_are(tokens, left):
    class Eager(Mine):
        def schedule(self, now_s):
            return Plan([(self.waiting[0], tokens)])

    broken_by(Eager(), f"request 'a' is to compute {tokens} tokens: expected from 1 to {left}")


def test_two_tokens_for_a_request_that_decodes():
    class Eager(Mine):
        def schedule(self, now_s):
            plan = super().schedule(now_s)
            decodes = plan and plan.chunks[0][1] == 1
            return Plan([(one, 2) for one, _ in plan.chunks]) if decodes else plan

    broken_by(Eager(), "to compute 2 tokens: expected from 1 to")


def test_the_same_request_twice():
    class Double(Mine):
        def schedule(self, now_s):
            return Plan([*super().schedule(now_s).chunks] * 2)

    broken_by(Double(), "request 'a' is in two chunks: expected each request once")


@pytest.mark.parametrize("answer", [None, WaitUntil(0.0)])
def test_nobody_served_though_somebody_waits(answer):
    class Idle(Mine):
        def schedule(self, now_s):
            return answer if not self.waiting or len(self.waiting) > 2 else WaitUntil(now_s + 1)

    broken_by(Idle(), "expected a step, or a later time; request 'a' waits for ever")


@pytest.mark.parametrize("answer", ["later", 3, WaitUntil(float("inf")), [("a", 1)]])
def test_no_plan_at_all(answer):
    class Odd(Mine):
        def schedule(self, now_s):
            return answer

    broken_by(Odd(), "expected a Plan, WaitUntil or None")


@pytest.mark.parametrize("chunks", [[(["a"], 1)], ["a"], 5])
def test_chunks_that_are_no_pairs(chunks):
    class Odd(Mine):
        def schedule(self, now_s):
            return Plan(chunks)

    broken_by(Odd(), r"expected pairs \(request, new tokens\)")


def test_an_empty_plan():
    class Empty(Mine):
        def schedule(self, now_s):
            return Plan(())

    broken_by(Empty(), "0 chunks")


def test_a_preemption_of_a_request_that_does_not_run():
    class Odd(Mine):
        def schedule(self, now_s):
            return super().schedule(now_s)._replace(preempted=[self.waiting[0]])

    broken_by(Odd(), "request 'b' is preempted: expected one that runs")


def test_cached_tokens_that_cannot_be():
    class Optimist(Mine):
        def schedule(self, now_s):
            self.waiting[0].computed = 5
            return Plan([(self.waiting[0], 1)])

    class Stray(Scheduler):
        def wait(self, request, *, first=False):
            super().wait(request)
            request.room = request.computed = 4

    broken_by(Optimist(), "starts behind 5 cached tokens: expected fewer than the 5 that it knows")
    pool = PagePool(30, 4)
    pool.start = lambda request: setattr(request, "pages", pool.take(2))
    broken_by(Stray(2, pool), "behind 4 cached tokens: expected whole pages under the keys of its")


class Paging(Mine):
    """Mine with pages: enough for everybody."""

    def __init__(self, pages=30):
        super().__init__()
        self.pool = PagePool(pages, 4)

    def schedule(self, now_s):
        plan = super().schedule(now_s)
        for one, _ in plan.chunks if plan else ():
            if one.room:
                self.pool.grow(one)
            else:
                self.pool.start(one)
        return plan

    def finish(self, request):
        super().finish(request)
        self.pool.release(request)


def test_pages_that_are_kept_right():
    assert simulate(REQUESTS, Paging(), COST).log.ok.all()


def test_a_leaked_page():
    class Leaky(Paging):
        def finish(self, request):
            self.running.remove(request)

    run = broken_by(Leaky(), "request 'b' has ended and still has memory for 12 tokens")
    assert run.records()[1].status == "ok"


def test_a_page_lost_to_nobody():
    class Leaky(Paging):
        def finish(self, request):
            super().finish(request)
            self.pool.start(Request(("nobody", request.id), 1, 1))

    broken_by(Leaky(), "pages are in use while no request runs: expected none")


def test_tokens_without_memory():
    class Blind(Paging):
        def schedule(self, now_s):
            plan = Mine.schedule(self, now_s)
            for one, _ in plan.chunks if plan else ():
                if not one.room:
                    self.pool.grow(one)
            return plan

    class Forgetful(Paging):
        def schedule(self, now_s):
            return Mine.schedule(self, now_s)

    broken_by(Blind(), "request 'a' computes 5 tokens: expected at most 4, what its memory holds")
    broken_by(Forgetful(), "request 'a' computes 5 tokens without memory: expected that it was giv")


@pytest.mark.parametrize("pages", [2, 3, 7])
@pytest.mark.parametrize("short", ["a", "b"])
def test_room_that_ends_while_the_same_requests_decode(short, pages):
    class Stingy(PagePool):
        def grow(self, request):
            if request.id != short or len(request.pages) < pages:
                super().grow(request)

    said = f"'{short}' computes {4 * pages + 1} tokens: expected at most {4 * pages}, what its mem"
    with pytest.raises(BadPlan, match=said):
        simulate([Request("a", 5, 60), Request("b", 7, 70)], Scheduler(2, Stingy(50, 4)), COST)


def test_books_that_do_not_agree():
    class Forger(Paging):
        def finish(self, request):
            super().finish(request)
            self.pool.owners[self.pool.blank.pop()] = 0
            self.pool.num_pages -= 1

    broken_by(Forger(), "at the end of the run page")


def test_memory_that_runs_out_inside_a_scheduler():
    broken_by(Paging(pages=3), "request 'b' finds 1 free pages: too few")


def test_a_rule_that_lets_in_what_does_not_fit():
    broken_by(
        ByRule(4, PagePool(3, 4), rule=lambda view: True), "request 'b' finds 1 free pages: too few"
    )
    broken_by(ByRule(2, Unlimited(), rule=lambda view: True), "max_sequences = 2")


def test_preempting_for_ever():
    class Thrashing(Mine):
        def schedule(self, now_s):
            first, self.served = (self.waiting or self.served)[0], self.waiting or self.served
            preempted = () if self.waiting else (first,)
            self.waiting = []
            return Plan([(first, 1)], preempted)

    broken_by(Thrashing(), "expected a token within 10,000 preemptions")


def test_any_error_of_a_scheduler_keeps_the_records():
    class Crashing(Mine):
        def schedule(self, now_s):
            if now_s > 0.03:
                raise KeyError("my own bug")
            return super().schedule(now_s)

    with pytest.raises(KeyError, match="my own bug") as caught:
        simulate(REQUESTS, Crashing(), COST)
    assert caught.value.run.steps >= 3


def test_a_request_longer_than_the_pool_is_rejected_and_the_run_goes_on():
    requests = [Request("a", 5, 3), Request("huge", 5, 60), Request("c", 4, 4, 0.01)]
    run = simulate(requests, Scheduler(4, PagePool(6, 4)), COST)
    assert run.log.status.tolist() == ["ok", "rejected", "ok"]
    assert run.log.output_tokens.tolist() == [3, 0, 4]


def test_requests_out_of_order_twice_or_with_odd_answers():
    serve = Scheduler(4, Unlimited())
    with pytest.raises(ValueError, match="request 'b': expected requests in order"):
        simulate([Request("a", 1, 1, 1.0), Request("b", 1, 1, 0.5)], serve, COST)
    with pytest.raises(ValueError, match="id = 'a': expected another one"):
        simulate([Request("a", 1, 1), Request("a", 1, 1)], Scheduler(4, Unlimited()), COST)
    with pytest.raises(ValueError, match="output_tokens = 4 of request 'a': expected from 1 to"):
        simulate(REQUESTS, serve, COST, output_tokens=[4, 1, 1])
    with pytest.raises(ValueError, match="output_tokens has 2 lengths: expected one for each of 3"):
        simulate(REQUESTS, serve, COST, output_tokens=[1, 1])
    with pytest.raises(ValueError, match="prompt_tokens = 0"):
        simulate([Request("a", 0, 1)], serve, COST)


def test_a_trace_whose_answers_are_longer_than_what_is_asked_for():
    trace = uniform_trace(5, rate_per_s=2.0, prompt_tokens=7, output_tokens=9)
    with pytest.raises(ValueError, match="max_output_tokens = 8: expected at least 9"):
        simulate(trace, Scheduler(4, Unlimited()), COST, max_output_tokens=8)
    with pytest.raises(ValueError, match="expected None, since a trace brings its own"):
        simulate(trace, Scheduler(4, Unlimited()), COST, output_tokens=[1] * 5)


def test_the_id_in_the_place_of_the_request():
    class ById(Mine):
        def schedule(self, now_s):
            return Plan([(self.waiting[0].id, 5)])

    broken_by(ById(), "request 'a' is scheduled: expected the request itself, not its id")


def test_a_request_that_gets_lost_is_named():
    class Dropping(Scheduler):
        def admits(self, request):
            fits = super().admits(request)
            if not fits:
                self.waiting.popleft()
            return fits and bool(self.waiting)

    broken_by(Dropping(2, PagePool(30, 4)), "request 'c' was lost: it neither waits nor runs")


def test_a_request_that_runs_and_is_forgotten_is_named():
    class Forgetful(Scheduler):
        def _decode(self, plan):
            super()._decode(plan)
            plan.chunks[:] = [chunk for chunk in plan.chunks if chunk[0].id != "b"]

    broken_by(Forgetful(3, PagePool(30, 4)), "request 'b' runs and gets no step")


def test_who_was_overtaken_is_named():
    class LastFirst(Scheduler):
        def wait(self, request, *, first=False):
            super().wait(request, first=True)

    overtaken = "request 'b' starts while 'a' waits, which came first: 'a' is overtaken"
    with pytest.raises(BadPlan, match=overtaken):
        simulate(REQUESTS, Audited(LastFirst(1, Unlimited()), in_order=True), COST)
    simulate(REQUESTS, LastFirst(1, Unlimited()), COST)  # as it promises no order


def test_memory_kept_after_a_preemption():
    class Keeping(Scheduler):
        def _preempt(self, plan):
            newest = super()._preempt(plan)
            newest.room = 8
            return newest

    requests = [Request(name, 6, 14) for name in "ab"]
    with pytest.raises(BadPlan, match="'b' was preempted and still has memory for 8 tokens"):
        simulate(requests, Keeping(3, PagePool(5, 4)), COST)


def test_a_request_that_is_done_is_not_planned_again():
    """An engine may learn of an end a step late; its scheduler knows the limit by itself."""
    audited = Audited(Scheduler(2, PagePool(9, 4)))
    short, long = Request("short", 3, 2), Request("long", 3, 9)
    audited.add(short)
    audited.add(long)
    for _ in range(3):
        plan = audited.schedule(0.0)
        audited.commit(plan)
    assert [one.id for one, _ in plan.chunks] == ["long"]
    audited.finish(short)
    assert audited.num_running == 1 and audited.stored_tokens == long.computed
    plan = audited.schedule(0.0)
    with pytest.raises(BadPlan, match="'short' is scheduled: expected one that has come and not"):
        audited._check(plan._replace(chunks=[*plan.chunks, (short, 1)]))
