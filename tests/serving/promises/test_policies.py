"""Policies that look at promises: audited, on the engine, and each held to what it claims."""

import itertools
import math
from functools import partial

import pytest

from labutils.engine import Engine, PagePool, Request, Scheduler
from labutils.serving.memory import Unlimited
from labutils.serving.promises import Kept, Promise, Promises, Tenant, policies
from labutils.serving.promises.policies import (
    Ageing,
    EarliestDeadline,
    LinedUp,
    PromisedChunks,
    Shedding,
    TokenBuckets,
    every,
)
from labutils.serving.scheduling import Audited, Ordered
from labutils.serving.simulator import StepCost, simulate
from tests.engine.jobs import plain_answer, ragged_prompts, tiny_model
from tests.serving.promises.stories import COST, PROMPTS_ONLY, reserved, story

MEMORIES = {"pages": lambda: PagePool(12, 4), "reserved": lambda: reserved(50), "none": Unlimited}


class Both(Shedding, PromisedChunks, EarliestDeadline):
    """Three policies in one; two of them predict steps."""


POLICIES = every()


def made(kind, *args, **options):
    """A scheduler of a policy, with the arguments with which it wants to be tried."""
    return kind(*args, **options, step_cost=COST, **kind.tried_with)


def test_a_policy_is_found_by_its_class_alone():
    assert POLICIES["earliest deadline"] is EarliestDeadline and len(POLICIES) >= 9
    assert {one.__name__ for one in POLICIES.values()} < {*policies.__all__}
    assert policies.__getattr__("Ageing") is Ageing
    assert not hasattr(policies, "Nobody")


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("policy", [*POLICIES, "both"])
def test_every_plan_is_audited_and_nobody_is_lost(policy, memory):
    for seed in range(25):
        told = story(seed)
        options = {"token_budget": 9, "promises": told.promises}
        scheduler = made({**POLICIES, "both": Both}[policy], 3, MEMORIES[memory](), **options)
        audited = Audited(scheduler, in_order=scheduler.in_order)
        run = simulate(told.requests, audited, COST, output_tokens=told.output_tokens)
        answered = [n for n, ok in zip(told.output_tokens, run.log.ok) if ok]
        assert run.log.output_tokens[run.log.ok].tolist() == answered
        assert len(answered) + len(run.refusals) == len(told.requests)
        assert not scheduler.running and not len(scheduler.waiting)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_engine_answers_the_same_under_every_policy(policy):
    prompts, lengths = ragged_prompts(6, seed=4, longest=12), [1, 6, 4, 2, 7, 3]
    promises = Promises(
        [Promise(tenant="ab"[at % 2], priority=at % 3, ttft_s=100 + at, tpot_s=9)
         for at in range(6)],
        tenants=[Tenant(name="a", tokens_per_s=10, burst_tokens=900), Tenant(name="b")],
    )  # fmt: skip
    options = {"token_budget": 9, "promises": promises}
    scheduler = made(POLICIES[policy], 4, PagePool(40, 4), **options)
    engine = Engine(tiny_model(), Audited(scheduler))
    for at in range(6):
        engine.add_request(prompts[at], id=at, max_output_tokens=lengths[at])
    engine.run()
    engine.check()
    answers = [engine.requests[at].answer for at in range(6)]
    assert answers == [plain_answer(*one) for one in zip(prompts, lengths)]


def test_the_engine_tells_a_refused_request_what_was_predicted():
    promises = Promises([Promise(ttft_s=1e-6)])
    engine = Engine(tiny_model(), Shedding(2, PagePool(40, 4), step_cost=COST, promises=promises))
    engine.add_request([1, 2, 3], id=0, max_output_tokens=3)
    assert engine.requests[0].finish_reason == "rejected"
    predicted = engine.requests[0].error.predicted_ttft_s
    assert predicted == pytest.approx(0.005 + 3 * 0.0007 + 6 * 0.00003, rel=1e-3)
    assert not engine.open


def test_policies_want_promises():
    with pytest.raises(ValueError, match="promises = None: expected Promises"):
        EarliestDeadline(2, Unlimited(), promises=None)
    with pytest.raises(ValueError, match="patience_s = -1: expected"):
        Ageing(2, Unlimited(), patience_s=-1, promises=Promises())


def test_a_request_nothing_was_promised_to_is_a_clear_error_in_a_run():
    with pytest.raises(ValueError, match="id = 'a': expected a request that something was prom"):
        simulate([Request("a", 1, 1)], EarliestDeadline(1, Unlimited(), promises=Promises()), COST)


def overtakers(run, told):
    """Pairs of rows: one that came later and was admitted first."""
    came, began = run.log.intended_arrival_s, run.log.admitted_s
    rows = range(len(came))
    return [(b, a) for a in rows for b in rows if came[b] > came[a] and began[b] < began[a]]


def strictly(promises):
    return lambda request: promises[request.id].priority


def by_due(waiting, now_s):
    """Earliest deadline first, as a function of what waits."""
    return [one.id for one in sorted(waiting, key=lambda one: one.due_s)]


def test_a_function_may_order_the_queue_and_lose_nobody():
    for seed in range(20):
        told, runs = story(seed), []
        for make in (EarliestDeadline, partial(LinedUp, line_up=by_due)):
            scheduler = make(3, Unlimited(), token_budget=9, promises=told.promises)
            runs.append(simulate(told.requests, scheduler, COST, output_tokens=told.output_tokens))
        assert (runs[0].log.ttft_s == runs[1].log.ttft_s).all()
    with pytest.raises(ValueError, match="expected each of"):
        forgets = LinedUp(
            1, Unlimited(), promises=told.promises, line_up=lambda waiting, now_s: [waiting[0].id]
        )
        simulate(told.requests, forgets, COST, output_tokens=told.output_tokens)


def test_ageing_bounds_who_overtakes_and_strict_priority_does_not():
    broken = 0
    for seed in range(60):
        told = story(seed)
        tell = {"output_tokens": told.output_tokens}
        ageing = Ageing(2, Unlimited(), token_budget=9, patience_s=0.1, promises=told.promises)
        run = simulate(told.requests, ageing, COST, **tell)
        strict = Ordered(2, Unlimited(), token_budget=9, by=strictly(told.promises))
        for later, earlier in overtakers(run, told):
            better = told.promises[earlier].priority - told.promises[later].priority
            gap_s = told.requests[later].arrival_s - told.requests[earlier].arrival_s
            assert better > 0 and gap_s <= 0.1 * better
        for later, earlier in overtakers(simulate(told.requests, strict, COST, **tell), told):
            better = told.promises[earlier].priority - told.promises[later].priority
            gap_s = told.requests[later].arrival_s - told.requests[earlier].arrival_s
            broken += gap_s > 0.1 * better
    assert broken > 5


def lateness(order, works, due):
    """The largest lateness when jobs that all wait are done one by one, in that order."""
    ends = itertools.accumulate(works[at] for at in order)
    return max(end - due[at] for at, end in zip(order, ends))


def test_of_those_that_wait_together_no_order_has_a_smaller_largest_lateness():
    feasible = 0
    for seed in range(60):
        told = story(seed, most=6)
        together = [Request(one.id, one.prompt_tokens + 1, 1) for one in told.requests]
        works = [0.001 * one.prompt_tokens for one in together]
        due = [told.promises[one.id].ttft_s / 4 for one in together]
        promises = Promises([Promise(ttft_s=one) for one in due])
        scheduler = EarliestDeadline(1, Unlimited(), token_budget=1, promises=promises)
        run = simulate(together, scheduler, PROMPTS_ONLY)
        orders = itertools.permutations(range(len(works)))
        best = min(lateness(order, works, due) for order in orders)
        assert (run.log.ttft_s - due).max() == pytest.approx(best, abs=1e-12)
        if best < -1e-9:
            feasible += 1
            assert Kept.of(run, promises).all.all()
    assert 10 < feasible < 50


def last_first(waiting, now_s):
    return [one.id for one in reversed(waiting)]


@pytest.mark.parametrize("longest, kept", ((1, 2), (100, 1)))
def test_where_a_place_is_taken_until_the_last_token_deadlines_do_not_suffice(longest, kept):
    """A single place; the request whose first token is due first has the longer answer."""
    requests, due_s = [Request(0, 50, longest), Request(1, 60, 1)], (1.0, 1.1)
    promises, cost = Promises([Promise(ttft_s=one) for one in due_s]), StepCost(0.02, 0.001)
    deadlines = EarliestDeadline(1, Unlimited(), promises=promises)
    other = LinedUp(1, Unlimited(), promises=promises, line_up=last_first)
    ttft_s, best_s = (simulate(requests, one, cost).log.ttft_s for one in (deadlines, other))
    assert ttft_s.tolist() == pytest.approx([0.07, 0.07 + 0.02 * (longest - 1) + 0.08])
    assert best_s.tolist() == pytest.approx([0.15, 0.08])
    assert (sum(ttft_s <= due_s), sum(best_s <= due_s)) == (kept, 2)


def test_where_more_is_to_come_a_server_that_sets_nothing_aside_needs_more_than_deadlines():
    """The order long, short keeps both promises only if the server waits for the short one."""
    requests = [Request("long", 1000, 1), Request("short", 100, 1, 0.05)]
    promises = Promises({"long": Promise(ttft_s=1.5), "short": Promise(ttft_s=0.2)})
    scheduler = EarliestDeadline(1, Unlimited(), token_budget=1, promises=promises)
    kept = Kept.of(simulate(requests, scheduler, PROMPTS_ONLY), promises)
    assert kept.all.tolist() == [True, False]
    later = [Request("short", 100, 1, 0.05), Request("long", 1000, 1, 0.051)]
    kept = Kept.of(
        simulate(later, Scheduler(1, Unlimited(), token_budget=1), PROMPTS_ONLY), promises
    )
    assert kept.all.tolist() == [True, True]
    assert kept.log.finish_s[1] < 1.5  # in time for the promise of one that had come at 0


def dominoes(make):
    """Two requests a second for a server that does one: each is due two seconds after it comes."""
    requests = [Request(at, 1000, 1, 0.5 * at) for at in range(40)]
    promises = Promises([Promise(ttft_s=2.0)] * 40)
    return Kept.of(simulate(requests, make(promises), PROMPTS_ONLY), promises)


def test_in_overload_the_earliest_deadline_falls_like_dominoes_and_shedding_does_not():
    deadlines = dominoes(lambda p: EarliestDeadline(1, Unlimited(), token_budget=1, promises=p))
    shed = dominoes(
        lambda p: Both(1, Unlimited(), token_budget=1, step_cost=PROMPTS_ONLY, promises=p)
    )
    assert deadlines.all.sum() <= 4  # the first few; then everybody is late
    assert shed.all.sum() >= 20 and shed.all.sum() + shed.refused.sum() == 40


def shed(told, requests, promises):
    scheduler = Shedding(99, Unlimited(), token_budget=1, step_cost=COST, promises=promises)
    return simulate(requests, scheduler, COST, output_tokens=told)


@pytest.mark.parametrize("seed", range(40))
def test_shedding_refuses_nobody_that_would_keep_and_admits_nobody_that_cannot(seed):
    """One prompt a step, and places for all: then the future of a first token is certain."""
    told = story(seed)
    requests = [Request(r.id, r.prompt_tokens + 1, r.max_output_tokens, r.arrival_s)
                for r in told.requests]  # fmt: skip
    run = shed(told.output_tokens, requests, told.promises)
    admitted = []
    for row, request in enumerate(requests):
        promised = told.promises[request.id].ttft_s
        if request.id not in run.refusals:
            assert run.log.ttft_s[row] <= promised + 1e-9
            admitted.append(row)
            continue
        rows, scheduler = [*admitted, row], Scheduler(99, Unlimited(), token_budget=1)
        without = simulate([requests[at] for at in rows], scheduler, COST,
                           output_tokens=[told.output_tokens[at] for at in rows])  # fmt: skip
        predicted = run.refusals[request.id].predicted_ttft_s
        assert without.log.ttft_s[-1] == pytest.approx(predicted, abs=1e-9)
        assert predicted > promised


def test_shedding_refuses_some_and_says_so_in_the_run():
    refused = 0
    for seed in range(40):
        told = story(seed)
        run = shed(told.output_tokens, told.requests, told.promises)
        refused += len(run.refusals)
        assert run.log.status.tolist().count("rejected") == len(run.refusals)
        if run.refusals:
            assert f"{len(run.refusals)} of {len(run.ids)} requests were refused" in run.rejections
    assert refused > 50


def test_shedding_sees_a_queue_for_memory():
    """Prompts are nothing here; four answers fill the memory, and a fifth waits for their end."""
    requests = [Request(at, 4, 40, 0.05 * at) for at in range(120)]
    promises, work = Promises([Promise(ttft_s=0.5)] * 120), StepCost(0.01)

    def kept(kind, **more):
        scheduler = kind(99, reserved(200), **more)
        return Kept.of(simulate(requests, scheduler, work), promises)

    shed = kept(Shedding, step_cost=work, promises=promises)
    first_come = kept(Scheduler)
    assert first_come.ttft.sum() < 30 < 55 < shed.ttft.sum()
    assert shed.refused.sum() >= 110 - shed.ttft.sum()  # hardly anybody is let in and late


def let_in_by_hand(told, rate, burst):
    """Who is let in: a bucket never overflows iff no window takes more than burst + rate * t."""
    taken, let_in = [], []
    for row, request in enumerate(told.requests):
        if told.promises[row].tenant != "a":
            continue
        asked = [*taken, (request.arrival_s, request.most)]
        windows = [
            sum(tokens for _, tokens in asked[at:]) - rate * (request.arrival_s - asked[at][0])
            for at in range(len(asked))
        ]
        if max(windows) <= burst:
            taken, let_in = asked, [*let_in, row]
    return let_in


@pytest.mark.parametrize("seed", range(40))
def test_buckets_agree_with_a_reckoning_of_their_own(seed):
    told = story(seed)
    tenants = [Tenant(name="a", tokens_per_s=200, burst_tokens=40), *map(named, "bc")]
    promises = Promises(told.promises.by_id, tenants=tenants)
    scheduler = TokenBuckets(50, Unlimited(), promises=promises)
    run = simulate(told.requests, scheduler, COST)  # answers as long as they may get: no refund
    expected = let_in_by_hand(told, 200, 40)
    mine = [row for row in range(len(told.requests)) if promises[row].tenant == "a"]
    assert [row for row in mine if row not in run.refusals] == expected
    assert not any(promises[id].tenant != "a" for id in run.refusals)


def named(name):
    return Tenant(name=name)


def test_what_an_answer_did_not_use_flows_back_and_a_refusal_names_the_wait():
    tenants = [Tenant(name="a", tokens_per_s=1, burst_tokens=100)]
    promises = Promises([Promise(tenant="a")] * 4, tenants=tenants)
    requests = [Request(0, 10, 80), Request(1, 10, 50, 0.001), Request(2, 10, 60, 10.0),
                Request(3, 50, 51, 11.0)]  # fmt: skip
    run = simulate(requests, TokenBuckets(9, Unlimited(), promises=promises), COST,
                   output_tokens=[5, 5, 60, 51])  # fmt: skip
    assert sorted(run.refusals) == [1, 3]
    assert run.refusals[1].retry_after_s == pytest.approx(50 - 0.001)  # 10.001 of 60 are there
    assert run.refusals[3].retry_after_s is None  # more than the bucket ever holds


def test_chunks_keep_every_tpot_that_a_step_can_keep_and_a_whole_budget_does_not():
    shortest_s = COST.base_s + 4 * (COST.per_sequence_s + 40 * COST.per_context_token_s)
    shortest_s += 2 * COST.per_prefill_token_s + 80 * COST.per_pair_s
    promises = Promises([Promise(tpot_s=shortest_s)] * 40)
    broken = 0
    for seed in range(40):
        told = story(seed)
        tell = {"output_tokens": told.output_tokens}
        mine = PromisedChunks(
            4, Unlimited(), step_cost=COST, least=2, token_budget=90, promises=promises
        )
        assert Kept.of(simulate(told.requests, mine, COST, **tell), promises).tpot.all()
        plain = Scheduler(4, Unlimited(), token_budget=90, chunked=True)
        broken += (~Kept.of(simulate(told.requests, plain, COST, **tell), promises).tpot).sum()
    assert broken > 20


def test_the_budget_is_whole_while_nothing_that_was_promised_something_decodes():
    chunks = PromisedChunks(4, Unlimited(), step_cost=COST, token_budget=64, promises=Promises())
    assert chunks.budget([], math.inf) == 64 and chunks.budget([30, 40], math.inf) == 64
    tight = chunks.budget([30, 40], 0.05)  # no prompt around: pairs as of one from its beginning
    seconds = [
        0.005 + 0.0007 * new + 0.00003 * new * (new + 1) / 2 + 2 * 0.0011 + 70 * 0.00013
        for new in (tight - 2, tight - 1)
    ]
    assert seconds[0] <= 0.05 < seconds[1]
    assert chunks.budget([30, 40], 0.001) == 2 + 16  # a promise that no step can keep
