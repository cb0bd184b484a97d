"""Schedulers that ask for the impossible get a clear answer, and their records so far."""

import re

import pytest

from labutils.serving import (
    BadPlan,
    BlockManager,
    Continuous,
    Request,
    StepPlan,
    StepShape,
    WaitUntil,
    simulate,
)
from labutils.workload import uniform_trace

from .workloads import COST


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
            self.running.append(request.id)
            return StepPlan([(request.id, request.prompt_tokens)])
        return StepPlan([(one, 1) for one in self.running]) if self.running else None

    def commit(self, plan, steps=1):
        pass

    def finish(self, request_id):
        self.running.remove(request_id)


REQUESTS = [Request("a", 5, 3), Request("b", 7, 2), Request("c", 4, 4, 0.01)]


def broken_by(scheduler, message):
    with pytest.raises(BadPlan, match=message) as caught:
        simulate(REQUESTS, scheduler, COST)
    return caught.value.run


def test_a_scheduler_of_a_dozen_lines_runs():
    run = simulate(REQUESTS, Mine(), COST)
    assert run.log.ok.all()
    reference = simulate(REQUESTS, Continuous(2, token_budget=1), COST)
    assert run.log.finish_s.tolist() == reference.log.finish_s.tolist()


class Greedy(Mine):
    def schedule(self, now_s):
        if not self.waiting:
            return super().schedule(now_s)
        self.running += [one.id for one in self.waiting]
        chunks = [(one.id, one.prompt_tokens) for one in self.waiting]
        self.waiting = []
        return StepPlan(chunks)


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
        def finish(self, request_id):
            pass

    run = broken_by(Forgetful(), "request 'b' is scheduled: expected one that has arrived and not")
    records = {record.id: record for record in run.records()}
    assert records["b"].status == "ok" and records["b"].output_tokens == 2
    assert records["a"].status == "cancelled" and records["a"].output_tokens == 2
    assert run.log.finish_s[1] == records["b"].token_times_s[-1]


@pytest.mark.parametrize("stranger", ["z", 7, None])
def test_an_unknown_request(stranger):
    class Inventive(Mine):
        def schedule(self, now_s):
            return StepPlan([(stranger, 1)])

    run = broken_by(Inventive(), re.escape(f"request {stranger!r} is scheduled: expected"))
    assert run.steps == 0 and run.log.finish_s.size == 2  # the two that had arrived


@pytest.mark.parametrize(("tokens", "left"), [(6, 5), (0, 5), (-1, 5)])
def test_more_tokens_than_there_are(tokens, left):
    class Eager(Mine):
        def schedule(self, now_s):
            return StepPlan([("a", tokens)])

    broken_by(Eager(), f"request 'a' is to compute {tokens} tokens: expected from 1 to {left}")


def test_two_tokens_for_a_request_that_decodes():
    class Eager(Mine):
        def schedule(self, now_s):
            plan = super().schedule(now_s)
            both = self.running == ["a", "b"]
            return StepPlan([(one, 2) for one, _ in plan.chunks]) if both else plan

    broken_by(Eager(), "to compute 2 tokens: expected from 1 to")


def test_the_same_request_twice():
    class Double(Mine):
        def schedule(self, now_s):
            return StepPlan([*super().schedule(now_s).chunks] * 2)

    broken_by(Double(), "expected each request at most once")


def test_a_shape_that_is_not_that_of_the_chunks():
    class Flattering(Mine):
        def schedule(self, now_s):
            return super().schedule(now_s)._replace(shape=StepShape(1, 1))

    broken_by(Flattering(), "expected StepShape\\(prefill_tokens=5, attention_pairs=15")


@pytest.mark.parametrize("answer", [None, WaitUntil(0.0)])
def test_nobody_served_though_somebody_waits(answer):
    class Idle(Mine):
        def schedule(self, now_s):
            return answer if not self.waiting or len(self.waiting) > 2 else WaitUntil(now_s + 1)

    broken_by(Idle(), "expected a step, or a later time; request 'a' waits")


@pytest.mark.parametrize("answer", ["later", 3, WaitUntil(float("inf")), [("a", 1)]])
def test_no_plan_at_all(answer):
    class Odd(Mine):
        def schedule(self, now_s):
            return answer

    broken_by(Odd(), "expected a StepPlan, WaitUntil or None")


@pytest.mark.parametrize("chunks", [[(["a"], 1)], ["a"], 5])
def test_chunks_that_are_no_pairs(chunks):
    class Odd(Mine):
        def schedule(self, now_s):
            return StepPlan(chunks)

    broken_by(Odd(), r"expected pairs \(request id, new tokens\)")


def test_an_empty_plan_and_a_repeated_prefill():
    class Empty(Mine):
        def schedule(self, now_s):
            return StepPlan(())

    class Repeating(Mine):
        def schedule(self, now_s):
            return super().schedule(now_s)._replace(repeat=4)

    broken_by(Empty(), "0 chunks")
    broken_by(Repeating(), "repeat = 1 where a request prefills")


def test_a_preemption_of_somebody_who_does_not_run():
    class Odd(Mine):
        def schedule(self, now_s):
            return super().schedule(now_s)._replace(preempted=("b",))

    broken_by(Odd(), "request 'b' is preempted: expected one that runs")


def test_cached_tokens_that_cannot_be():
    class Optimist(Mine):
        def schedule(self, now_s):
            return StepPlan([("a", 1)], cached=(("a", 5),))

    class Stray(Mine):
        def schedule(self, now_s):
            return super().schedule(now_s)._replace(cached=(("b", 2),))

    broken_by(Optimist(), "starts behind 5 cached tokens: expected fewer than the 5 that it knows")
    broken_by(Stray(), "expected only requests that start in this step")


class Paging(Mine):
    """Mine with pages: enough for everybody."""

    def __init__(self, pages=30):
        super().__init__()
        self.blocks = BlockManager(pages, 4)

    def schedule(self, now_s):
        plan = super().schedule(now_s)
        for one, tokens in plan.chunks if plan else ():
            if self.blocks.room(one):
                self.blocks.extend(one, self.blocks.room(one) + 4)
            else:
                self.blocks.allocate(one, tokens)
        return plan

    def finish(self, request_id):
        super().finish(request_id)
        self.blocks.free(request_id)


def test_pages_that_are_kept_right():
    assert simulate(REQUESTS, Paging(), COST).log.ok.all()


def test_a_leaked_page():
    class Leaky(Paging):
        def finish(self, request_id):
            self.running.remove(request_id)

    run = broken_by(Leaky(), "request 'b' has ended and still has memory for 12 tokens")
    assert run.records()[1].status == "ok"


def test_a_page_lost_to_nobody():
    class Leaky(Paging):
        def finish(self, request_id):
            super().finish(request_id)
            self.blocks.allocate(("nobody", request_id), 1)

    broken_by(Leaky(), "pages are in use while nobody runs: expected none")


def test_tokens_without_memory():
    class Blind(Paging):
        def schedule(self, now_s):
            plan = Mine.schedule(self, now_s)
            for one, _ in plan.chunks if plan else ():
                if not self.blocks.room(one):
                    self.blocks.allocate(one, 1)
            return plan

    broken_by(Blind(), "request 'a' computes 5 tokens: expected at most 4, what its memory holds")


def test_books_that_do_not_agree():
    class Forger(Paging):
        def finish(self, request_id):
            super().finish(request_id)
            self.blocks._blank.pop()
            self.blocks.num_blocks -= 1

    broken_by(Forger(), "at the end of the run page")


def test_memory_that_runs_out_inside_a_scheduler():
    broken_by(Paging(pages=3), "request 'b' needs 2 more pages of 4 tokens; 1 of 3 are free")


def test_a_rule_that_lets_in_what_does_not_fit():
    broken_by(
        Continuous(4, BlockManager(3, 4), admission=lambda view: True),
        "request 'b' needs 2 more pages",
    )
    broken_by(Continuous(2, admission=lambda view: True), "max_sequences = 2")


def test_preempting_for_ever():
    class Thrashing(Mine):
        def schedule(self, now_s):
            preempted = () if self.waiting else ("a",)
            self.waiting = []
            return StepPlan([("a", 1)], preempted)

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
    run = simulate(requests, Continuous(4, BlockManager(6, 4)), COST)
    assert run.log.status.tolist() == ["ok", "rejected", "ok"]
    assert run.log.output_tokens.tolist() == [3, 0, 4]


def test_requests_out_of_order_twice_or_with_odd_answers():
    serve = Continuous(4)
    with pytest.raises(ValueError, match="request 'b': expected requests in order"):
        simulate([Request("a", 1, 1, 1.0), Request("b", 1, 1, 0.5)], serve, COST)
    with pytest.raises(ValueError, match="id = 'a': expected another one"):
        simulate([Request("a", 1, 1), Request("a", 1, 1)], Continuous(4), COST)
    with pytest.raises(ValueError, match="output_tokens = 4 of request 'a': expected from 1 to"):
        simulate(REQUESTS, serve, COST, output_tokens=[4, 1, 1])
    with pytest.raises(ValueError, match="output_tokens has 2 lengths: expected one for each of 3"):
        simulate(REQUESTS, serve, COST, output_tokens=[1, 1])
    with pytest.raises(ValueError, match="prompt_tokens = 0"):
        simulate([Request("a", 0, 1)], serve, COST)


def test_a_trace_whose_answers_are_longer_than_what_is_asked_for():
    trace = uniform_trace(5, rate_per_s=2.0, prompt_tokens=7, output_tokens=9)
    with pytest.raises(ValueError, match="max_output_tokens = 8: expected at least 9"):
        simulate(trace, Continuous(4), COST, max_output_tokens=8)
    with pytest.raises(ValueError, match="expected None, since a trace brings its own"):
        simulate(trace, Continuous(4), COST, output_tokens=[1] * 5)
