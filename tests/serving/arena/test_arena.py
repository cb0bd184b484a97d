"""Matches are fair: the same requests for everybody, honest scores, and no harm to others."""

import contextlib
import math
import os
import re
import signal
import sys
import time
from itertools import pairwise

import numpy as np
import pytest

from labutils.engine import PagePool, Plan, Request, Scheduler
from labutils.serving.arena import (
    RIVALS,
    Part,
    Table,
    Workload,
    contest,
    jain,
    match,
    play,
    policy_of,
    workloads,
)
from labutils.serving.arena.match import COST
from labutils.serving.arena.night import night
from labutils.serving.arena.workload import LONGEST_ANSWER, LONGEST_PROMPT
from labutils.serving.promises import Kept, Promise, Promises
from labutils.serving.promises.policies import EarliestDeadline
from labutils.serving.simulator import simulate

FOUR = workloads(40, seed=3, load=2.0)
ONE = FOUR["chat, then a batch job"]


def first_come(setting):
    return Scheduler(*setting.server(), **setting.options)


@pytest.mark.parametrize("name", FOUR)
def test_a_workload_is_its_seed_and_every_request_fits(name):
    again, other = workloads(40, seed=3, load=2.0)[name], workloads(40, seed=4, load=2.0)[name]
    columns = [
        [(one.arrival_s, one.prompt_tokens) for one in drawn.requests]
        for drawn in (FOUR[name], again, other)
    ]
    assert columns[0] == columns[1] != columns[2]
    assert [one.id for one in again.requests] == list(range(len(again.requests)))
    assert all(a <= b for (a, _), (b, _) in pairwise(columns[0]))
    assert abs(len(columns[0]) - 40) <= 3
    assert max(prompt for _, prompt in columns[0]) <= LONGEST_PROMPT
    assert min(again.output_tokens) >= 1 and max(again.output_tokens) <= LONGEST_ANSWER
    tenants = {again.promises[one.id].tenant for one in again.requests}
    assert tenants == set(again.promises.tenants)


def test_parts_have_their_shares_and_their_time():
    chat, batch = (Promise(kind=kind, tenant=kind) for kind in ("chat", "batch"))
    parts = [
        Part(mix="azure-conversation", share=3, promise=chat, burstiness=1.0),
        Part(mix="azure-conversation", share=1, promise=batch, begins=0.5, ends=0.6),
    ]
    drawn = Workload.of("two", parts, num_requests=2000, rate_per_s=10.0, seed=1)
    kinds = drawn.promises.column("kind", range(2000))
    when = np.array([one.arrival_s for one in drawn.requests])
    assert (kinds == "batch").sum() == 500
    assert when[kinds == "batch"].min() >= 100 and when[kinds == "batch"].max() < 130
    assert when[kinds == "chat"].max() == pytest.approx(200, rel=0.1)


def test_what_has_hours_of_its_own_comes_every_day():
    part = Part(mix="azure-code", share=1, promise=Promise(), begins=0.2, ends=0.3, burstiness=1.0)
    when = np.array([row[0] for row in part.draw(3000, 1830.0, seed=4)])  # three days of 610 s
    assert (np.diff(when) >= 0).all()
    hours = when % 610 / 610
    assert when.max() < 1830 and (hours >= 0.2).all() and (hours[when < 1220] < 0.3 + 1e-9).all()
    assert [round(share, 1) for share in np.bincount((when // 610).astype(int)) / 3000] == (
        [0.3, 0.3, 0.3]
    )


def test_an_agent_asks_again_with_all_that_was_said():
    part = Part(mix="azure-code", share=1, promise=Promise(), turns=4, tool_tokens=50)
    rows = part.draw(40, 100.0, seed=2)
    for session in zip(*[iter(rows)] * 4):
        for (now, prompt, answer), (later, longer, _) in pairwise(session):
            assert later > now and longer == min(prompt + answer + 50, LONGEST_PROMPT)


def test_a_score_is_what_the_run_says():
    score = play("mine", first_come, ONE)
    made = Scheduler(64, PagePool(4_000), token_budget=2_048, chunked=True)
    run = simulate(ONE.requests, made, COST, output_tokens=ONE.output_tokens)
    kept = Kept.of(run, ONE.promises)
    assert score.kept == kept.share and score.steps >= run.steps
    assert score.worst_wait_s == pytest.approx(run.log.ttft_s.max())
    assert score.goodput_per_s == pytest.approx(kept.all.sum() / run.log.finish_s.max())
    by_tenant = {}
    for row, one in enumerate(ONE.requests):
        by_tenant.setdefault(ONE.promises[one.id].tenant, []).append(kept.all[row])
    shares = [np.mean(rows) for rows in by_tenant.values()]
    assert score.worst_tenant == pytest.approx(min(shares))
    assert score.fairness == pytest.approx(np.mean(shares) ** 2 / np.mean(np.square(shares)))


def test_jain():
    assert jain([0.3, 0.3, 0.3]) == pytest.approx(1) and jain([0, 0, 0, 5]) == pytest.approx(0.25)
    assert jain([1, 2]) == pytest.approx(0.9) and math.isnan(jain([0, 0]))


class Peeks(Scheduler):
    """Sorts by the true length of the answer, and swallows what comes of it."""

    def schedule(self, now_s):
        for one in self.waiting:
            with contextlib.suppress(Exception):
                getattr(one, "output_tokens", None)
        return super().schedule(now_s)


class PeeksAtTheDoor(Scheduler):
    def add(self, request):
        self.length = getattr(request, "answer_tokens", 0)
        super().add(request)


class Crashes(Scheduler):
    def commit(self, plan):
        if len(self.running) > 2:
            raise KeyError("a bug of mine")
        super().commit(plan)


class Nonsense(Scheduler):
    def schedule(self, now_s):
        return "later"


class Twice(Scheduler):
    def schedule(self, now_s):
        plan = super().schedule(now_s)
        return plan and Plan([*plan.chunks, *plan.chunks], plan.preempted)


class Slow(Scheduler):
    def schedule(self, now_s):
        time.sleep(0.02)
        return super().schedule(now_s)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Peeks, r"step \d+: Disqualified: it looked at 'output_tokens' of request \d+"),
        (PeeksAtTheDoor, r"step 1: Disqualified: it looked at 'answer_tokens' of request 0"),
        (Crashes, r"step \d+: KeyError: 'a bug of mine'"),
        (Nonsense, r"step \d+: BadPlan: schedule returned a str: expected a Plan"),
        (Twice, r"step \d+: BadPlan: request 0 is in two chunks"),
    ],
)
def test_a_policy_that_breaks_a_rule_is_sent_off_alone_and_with_its_step(kind, why):
    def mine(setting):
        return kind(*setting.server(), **setting.options)

    table = contest({"mine": mine, "first come": first_come}, {"one": ONE})
    (score,) = table.of("mine")
    assert re.match(why, score.sent_off), score.sent_off
    assert math.isnan(score.kept)
    assert table.of("first come")[0] == play("first come", first_come, ONE)
    assert table.ranking()[-1][0] == "mine" and score.sent_off in str(table)


class Leaves(Scheduler):
    def schedule(self, now_s):
        sys.exit(0)


class Interrupts(Scheduler):
    def schedule(self, now_s):
        raise KeyboardInterrupt


class Closes(Scheduler):
    def add(self, request):
        raise GeneratorExit


class Unreadable(Exception):
    def __str__(self):
        raise SystemExit


class HasNoWords(Scheduler):
    def schedule(self, now_s):
        raise Unreadable


class AgesAnew(Scheduler):
    def schedule(self, now_s):
        for one in self.waiting:
            one.arrival_s = now_s
        return super().schedule(now_s)


class ComesLater(Scheduler):
    def add(self, request):
        request.arrival_s += 5
        super().add(request)


class AsksAgain(Scheduler):
    """It says that what has ended came later."""

    def finish(self, request):
        super().finish(request)
        request.arrival_s += 5


class Generous(Scheduler):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.token_budget = 10**6


class Roomy(Scheduler):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.max_sequences = 10**4


class Rich(Scheduler):
    def __init__(self, places, pool, **options):
        super().__init__(places, PagePool(10**6), **options)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Leaves, r"step 1: SystemExit: 0"),
        (Interrupts, r"step 1: KeyboardInterrupt: $"),
        (Closes, r"step 1: GeneratorExit: $"),
        (HasNoWords, r"step 1: Unreadable, whose text cannot be read"),
        (AgesAnew, r"step \d+: Disqualified: it changed 'arrival_s' of request \d+"),
        (ComesLater, r"step 2: Disqualified: it changed 'arrival_s' of request 0"),
        (AsksAgain, r"step \d+: Disqualified: it changed 'arrival_s' of request \d+"),
        (Generous, r"step \d+: BadPlan: \d+ tokens .*token_budget = 2048"),
        (Roomy, r"step \d+: BadPlan: \d+ requests run .*max_sequences = 64"),
        (Rich, r"step \d+: BadPlan: \d+ tokens are kept by requests that run: .* 64000, the mem"),
    ],
)
def test_a_contest_survives_whatever_a_policy_does(kind, why):
    where = {Generous: LONG, Roomy: SHORT, Rich: LONG}.get(kind, ONE)
    score = play("mine", lambda setting: kind(*setting.server(), **setting.options), where)
    assert re.match(why, score.sent_off), score.sent_off


def crowd(prompt_tokens):
    requests = [Request(at, prompt_tokens, 400, 0.001 * at) for at in range(90)]
    return Workload("crowd", requests, [300] * 90, Promises([Promise()] * 90))


LONG, SHORT = crowd(1_500), crowd(100)  # more than the memory holds; more than there are places


def test_an_honest_policy_fills_the_memory_to_the_last_page():
    assert not play("mine", first_come, LONG).sent_off


def test_a_larger_budget_is_seen_where_a_compiled_twin_could_play(monkeypatch):
    monkeypatch.setattr(match, "WORTH_IT", 1)

    def mine(setting):
        made = first_come(setting)
        made.token_budget = 10**6
        return made

    assert "token_budget = 2048" in play("mine", mine, LONG).sent_off


class Poisons(EarliestDeadline):
    """It makes its own promises, and the server, whatever suits it."""

    def add(self, request):
        object.__setattr__(self.promises[request.id], "ttft_s", 1e9)
        object.__setattr__(self.promises.tenant(request), "weight", 7.0)
        for name in vars(self.step_cost):
            object.__setattr__(self.step_cost, name, 1e-9)
        super().add(request)


def test_what_a_policy_does_to_its_copies_changes_nothing_for_anybody():
    before = play("first come", first_come, ONE), repr(COST), ONE.fingerprint()
    poisoned = play("mine", policy_of(Poisons), ONE)
    assert not poisoned.sent_off and poisoned.kept < 1
    assert before == (play("first come", first_come, ONE), repr(COST), ONE.fingerprint())
    assert {one.weight for one in ONE.promises.tenants.values()} == {1.0}


class Spins(Scheduler):
    def schedule(self, now_s):
        while True:
            with contextlib.suppress(BaseException):
                sum(range(99))


class Sleeps(Scheduler):
    def schedule(self, now_s):
        time.sleep(600)


@pytest.mark.parametrize("kind", [Spins, Sleeps])
def test_a_policy_that_does_not_come_back_is_sent_off(kind):
    score = play("mine", policy_of(kind), ONE, limit_s=0.5)
    assert score.sent_off == "step 1: Disqualified: it took more than 0.5 s"
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_control_c_is_no_policy_of_anybodys():
    class Waits(Scheduler):
        def schedule(self, now_s):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            play("mine", policy_of(Waits), ONE)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, handler)


def test_a_scheduler_that_knows_no_promises_is_served_and_gets_what_it_names():
    class Plain(Scheduler):
        pass

    class Named(Scheduler):
        def __init__(self, *args, step_cost, **options):
            assert step_cost == COST
            super().__init__(*args, **options)

    expected = play("x", first_come, ONE)
    assert expected == play("x", policy_of(Plain), ONE) == play("x", policy_of(Named), ONE)


def test_a_policy_that_takes_too_long_is_sent_off():
    def mine(setting):
        return Slow(*setting.server(), **setting.options)

    score = play("mine", mine, ONE, limit_s=0.1)
    assert re.match(r"step \d+: Disqualified: it took more than 0\.1 s", score.sent_off)


def test_a_policy_that_cannot_be_made_is_sent_off_before_its_first_step():
    def mine(setting):
        raise ValueError("no such thing")

    assert play("mine", mine, ONE).sent_off == "step 0: ValueError: no such thing"
    with pytest.raises(ValueError, match="policy 'x' = 3: expected a function of a Setting"):
        contest({"x": 3}, {"one": ONE})


def test_a_class_has_to_be_wrapped():
    with pytest.raises(
        ValueError, match=r"'mine' = .*: expected .* wrap it in policy_of: policy_o"
    ):
        contest({"mine": EarliestDeadline}, {"one": ONE})


def test_a_seed_is_a_whole_number_of_at_least_0():
    for draw in (lambda seed: workloads(20, seed=seed), lambda seed: night(seed=seed)):
        for seed in (-1, 1.5):
            with pytest.raises(ValueError, match=f"seed = {seed}: expected a whole number of at"):
                draw(seed)


def test_all_rivals_play_all_four_by_the_rules():
    table = contest(RIVALS, FOUR)
    assert isinstance(table, Table) and len(table.scores) == 4 * len(RIVALS) == 32
    assert not [score.sent_off for score in table.scores if score.sent_off]
    means = dict(table.ranking())
    assert means["shedding by deadline"] >= means["first come"]
    assert len(set(means.values())) > 4, "policies that all score alike were not tried"
    lines = str(table).splitlines()
    assert len(lines) == 34 and lines[1].startswith(table.ranking()[0][0])
    assert lines[-1].startswith("fairness: Jain's index over the shares that the tenants keep")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"num_requests": 0, "rate_per_s": 1.0}, "num_requests = 0: expected a whole number"),
        ({"num_requests": 5, "rate_per_s": -1.0}, "rate_per_s = -1.0: expected a finite number"),
    ],
)
def test_bad_workloads(asked, message):
    part = Part(mix="azure-code", share=1, promise=Promise())
    with pytest.raises(ValueError, match=message):
        Workload.of("w", [part], seed=1, **asked)
    with pytest.raises(ValueError, match="share = 0: expected"):
        bad = Part(mix="azure-code", share=0, promise=Promise())
        Workload.of("w", [bad], seed=1, num_requests=4, rate_per_s=1.0)


def test_a_plain_scheduler_is_played_by_its_compiled_twin_with_the_same_score(monkeypatch):
    plain = play("first come", first_come, ONE)
    monkeypatch.setattr(match, "WORTH_IT", 1)
    monkeypatch.setattr(match, "Simulation", None)  # the plain one would fail
    options = []
    simulate = match.simulate
    monkeypatch.setattr(
        match, "simulate", lambda *args, **rest: options.append(1) or simulate(*args, **rest)
    )
    assert play("first come", first_come, ONE) == plain and options == [1]


def test_a_plain_scheduler_with_a_verb_of_its_own_is_refereed(monkeypatch):
    monkeypatch.setattr(match, "WORTH_IT", 1)

    def mine(setting):
        scheduler = first_come(setting)
        scheduler.schedule = lambda now_s: "later"
        return scheduler

    assert "schedule returned a str" in play("mine", mine, ONE).sent_off


def test_what_was_promised_is_known_when_a_request_comes_and_not_before():
    seen = []

    class Curious(Scheduler):
        def add(self, request):
            seen.append((request.id, sorted(self.promises.by_id)))
            super().add(request)

    def mine(setting):
        made = first_come(setting)
        made.__class__, made.promises = Curious, setting.promises
        assert not setting.promises.by_id and set(setting.promises.tenants) == {"shop", "nightly"}
        return made

    assert not play("mine", mine, ONE).sent_off
    assert seen == [(at, list(range(at + 1))) for at in range(len(ONE.requests))]
