"""Who is let in: against books kept apart, and with the answer that each refusal needs."""

import math
import random

import pytest

from labutils.server import Admission, Limits, ProtocolError
from labutils.server.admission import tenants_of
from labutils.serving.promises import Tenant
from labutils.serving.runs.step_cost import StepCost

COST = StepCost(base_s=0.006, per_prefill_token_s=0.0001)


def refusal(admission, *args, **options):
    with pytest.raises(ProtocolError) as caught:
        admission.admit(*args, **options)
    return caught.value


@pytest.mark.parametrize("seed", range(30))
def test_sums_are_those_of_the_open_tickets_whatever_happens(seed):
    draw = random.Random(seed)
    admission = Admission(Limits(draw.randrange(50, 900), draw.randrange(2, 9)))
    waiting, open_ = {}, {}
    for n in range(200):
        now_s, what = n * 0.1, draw.random()
        if what < 0.5:
            prompt = draw.randrange(1, 300)
            may = not waiting or sum(waiting.values()) + prompt <= admission.limits.waiting_tokens
            may = may and len(open_) < admission.limits.open_requests
            if may:
                open_[n] = admission.admit("x", prompt, 7, now_s)
                waiting[n] = prompt
            else:
                assert refusal(admission, "x", prompt, 7, now_s).status == 503
        elif open_:
            one = draw.choice([*open_])
            if what < 0.8:
                admission.started(open_[one])
                waiting.pop(one, None)
            else:
                ticket = open_.pop(one)
                waiting.pop(one, None)
                admission.ended(ticket, 3, now_s)
                admission.ended(ticket, 3, now_s)  # twice is once
        assert admission.waiting_tokens == sum(waiting.values())
        assert admission.open_requests == len(open_)


def test_a_prompt_longer_than_the_bound_may_come_when_nobody_waits():
    admission = Admission(Limits(waiting_tokens=10))
    ticket = admission.admit("x", 400, 1, 0.0)
    assert refusal(admission, "x", 1, 1, 0.0).code == "full"
    admission.started(ticket)
    admission.admit("x", 1, 1, 0.0)


def test_a_promise_that_cannot_be_kept_is_refused_with_the_prediction():
    admission = Admission(Limits(), step_cost=COST, token_budget=100)
    admission.admit("x", 230, 5, 0.0)
    # 230 + 41 tokens ahead and its own: 3 steps of 6 ms and 271 tokens of 0.1 ms
    assert admission.predicted_ttft_s(41) == pytest.approx(0.018 + 0.0271)
    error = refusal(admission, "x", 41, 5, 0.0, ttft_s=0.045)
    assert (error.status, error.code) == (503, "too_late")
    assert error.more["predicted_ttft_s"] == pytest.approx(0.0451)
    assert error.retry_after_s == pytest.approx(0.0001)
    admission.admit("x", 41, 5, 0.0, ttft_s=0.0452)


def test_without_a_step_cost_nothing_is_predicted_and_no_promise_refused():
    admission = Admission(Limits())
    assert math.isnan(admission.predicted_ttft_s(9))
    admission.admit("x", 9, 9, 0.0, ttft_s=1e-9)


def test_a_budget_counts_prompt_and_longest_answer_and_gives_back_what_was_not_used():
    admission = Admission(Limits(tenants=(Tenant(name="law", tokens_per_s=10, burst_tokens=100),)))
    ticket = admission.admit("law", 50, 40, 0.0)
    error = refusal(admission, "law", 15, 5, 0.0)
    assert (error.status, error.code) == (429, "over_budget")
    assert error.retry_after_s == pytest.approx(1.0)  # 20 wanted, 10 there, 10 a second
    admission.ended(ticket, 55, 0.0)  # 35 of the 90 were not used: 45 there
    admission.admit("law", 40, 5, 0.0)
    assert refusal(admission, "law", 90, 20, 1e6).retry_after_s is None  # never


def test_a_refused_request_holds_nothing():
    admission = Admission(Limits(tenants=(Tenant(name="law", tokens_per_s=1, burst_tokens=30),)))
    for _ in range(5):
        refusal(admission, "law", 30, 5, 0.0)
        refusal(admission, "somebody", 1, 1, 0.0)
    assert (admission.waiting_tokens, admission.open_requests) == (0, 0)
    admission.admit("law", 20, 10, 0.0)


def test_nobody_comes_in_while_it_drains():
    admission = Admission(Limits())
    admission.is_draining = True
    assert refusal(admission, "x", 1, 1, 0.0).code == "draining"


@pytest.mark.parametrize("line", ["law", "law:1", ":1:2", "law:1:2:3", "law:0:5", "law:x:5"])
def test_a_tenant_that_cannot_be_read(line):
    with pytest.raises(ValueError):
        tenants_of([line])


def test_tenants_of_a_command_line():
    (law,) = tenants_of(["law:10:250"])
    assert (law.name, law.tokens_per_s, law.burst_tokens) == ("law", 10, 250)
    with pytest.raises(ValueError, match="waiting_tokens = 0: expected"):
        Limits(waiting_tokens=0)
