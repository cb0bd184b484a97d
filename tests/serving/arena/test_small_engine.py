"""The arena on an engine: the same matches, the same referee, on a smaller scale."""

import math
import re

import pytest

from labutils.engine import Plan, Scheduler
from labutils.serving.arena import (
    RIVALS,
    SealedTable,
    Server,
    SmallEngine,
    contest,
    policy_of,
    workloads,
)
from labutils.serving.arena.scale import SHRINK, SIZE, scaled
from labutils.serving.promises.policies import Promising
from labutils.serving.runs.step_cost import StepCost
from tests.rotation import in_turn

DRAWN = workloads(12, seed=3, load=1.5)


@pytest.fixture(scope="module")
def engine():
    return SmallEngine(seconds=0.2)


@pytest.fixture(scope="module")
def small(engine):
    one, *_ = DRAWN
    return engine.scaled({one: DRAWN[one]})


def test_where_an_eighth_of_the_work_takes_as_long_a_second_stays_one():
    cost = Server().step_cost
    eighth = StepCost(
        cost.base_s, 8 * cost.per_prefill_token_s, 64 * cost.per_pair_s,
        8 * cost.per_sequence_s, 64 * cost.per_context_token_s,
    )  # fmt: skip
    server, small = scaled(DRAWN, Server(step_cost=eighth, **SIZE))
    assert server.second_s == pytest.approx(
        1, rel=0.15
    )  # the last answers take longer on many places
    for name, one in small.items():
        large = DRAWN[name]
        for mine, theirs, short, long in zip(
            one.requests, large.requests, one.output_tokens, large.output_tokens
        ):
            assert mine.prompt_tokens == max(1, theirs.prompt_tokens // SHRINK)
            assert short == max(1, long // SHRINK) and short <= mine.max_output_tokens
            assert mine.arrival_s == pytest.approx(server.second_s * theirs.arrival_s)
            told, before = one.promises[mine.id], large.promises[mine.id]
            assert told.ttft_s == pytest.approx(server.second_s * before.ttft_s)
            assert (told.tpot_s == math.inf) == (before.tpot_s == math.inf)
            assert told.tenant == before.tenant
        for mine, theirs in zip(one.promises.tenants.values(), large.promises.tenants.values()):
            budgets = mine.tokens_per_s * server.second_s, theirs.tokens_per_s / SHRINK
            assert budgets[0] == pytest.approx(budgets[1])


def test_a_promised_pace_lies_between_the_same_two_steps():
    server, small = scaled(DRAWN, Server(**SIZE))
    told = {one.tpot_s for one in small["everybody"].promises.by_id.values()}
    least = server.step_cost.time_s((0, 0, 8, 500 * 16 // 2))
    full = server.step_cost.time_s((248, 248 * 248 // 2, 8, 500 * 16 // 2))
    assert all(least < one < full for one in told if one < math.inf)


def test_the_engine_serves_every_request_by_the_rules(engine, small):
    names = ("shedding by deadline", "ageing", "token counters")
    some = {name: RIVALS[name] for name in (names if in_turn(__file__) else names[:1])}
    table = contest(some, small, play=engine.play)
    assert [one.sent_off for one in table.scores] == [""] * len(some)
    for one in table.scores:
        assert 0 <= one.kept <= 1 and one.steps > 12 and one.p90_wait_s <= one.worst_wait_s
    assert engine.bench.clock() > 0


def test_predictions_are_sealed_before_and_opened_after(engine, small):
    policies = {name: RIVALS[name] for name in ("first come", "deadlines")}
    sealed = SealedTable.of(policies, small, engine)
    opened = sealed.open(contest(policies, small, play=engine.play))
    assert sealed.digest == SealedTable.of(policies, small, engine).digest
    said = "Predicted: " if opened.winner_named is None else "The winner was named "
    assert said in str(opened)
    steps = [(a.steps, b.steps) for a, b in zip(opened.predicted.scores, opened.measured.scores)]
    assert all(said == pytest.approx(found, rel=0.3) for said, found in steps)


class AsksTheRule(Promising):
    def schedule(self, now_s):
        for one in self.running:
            one.stop([])
        return super().schedule(now_s)


class Crashes(Promising):
    def finish(self, request):
        raise KeyError("a bug of mine")


class CrashesAtTheDoor(Promising):
    def add(self, request):
        raise ValueError("not this one")


class Twice(Scheduler):
    def schedule(self, now_s):
        plan = super().schedule(now_s)
        return plan and Plan([*plan.chunks, *plan.chunks], plan.preempted)


def twice(setting):
    return Twice(*setting.server(), **setting.options)


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (policy_of(AsksTheRule), r"step \d+: Disqualified: it looked at the rule that ends an an"),
        (policy_of(Crashes), r"step \d+: KeyError: 'a bug of mine'"),
        (policy_of(CrashesAtTheDoor), r"step 1: ValueError: not this one"),
        (twice, r"step \d+: BadPlan: request 0 is in two chunks"),
    ],
)
def test_who_breaks_a_rule_on_the_engine_is_sent_off(engine, small, policy, why):
    (name,) = small
    score = engine.play("mine", policy, small[name])
    assert re.match(why, score.sent_off), score.sent_off
    assert math.isnan(score.kept) and score.workload == name


def test_bad_seconds():
    with pytest.raises(ValueError, match="seconds = 0: expected"):
        SmallEngine(seconds=0)
