"""Promises, the table of them, and who kept what."""

import math

import numpy as np
import pytest

from labutils.engine import Request, Scheduler
from labutils.metrics import RequestLog
from labutils.serving.memory import Unlimited
from labutils.serving.promises import Kept, Promise, Promises, Tenant
from labutils.serving.simulator import simulate
from tests.serving.promises.stories import COST, story


def served(seed):
    told = story(seed)
    run = simulate(
        told.requests, Scheduler(3, Unlimited(), token_budget=9, chunked=True), COST,
        output_tokens=told.output_tokens, token_times=True,
    )  # fmt: skip
    return run, told.promises


@pytest.mark.parametrize("seed", range(20))
def test_kept_is_what_a_look_at_each_record_says(seed):
    run, promises = served(seed)
    kept = Kept.of(run, promises)
    for row, record in enumerate(run.records()):
        promise, times = promises[record.id], record.token_times_s
        first = times[0] - record.intended_arrival_s <= promise.ttft_s
        rest = len(times) == 1 or (times[-1] - times[0]) / (len(times) - 1) <= promise.tpot_s
        assert (kept.ttft[row], kept.tpot[row], kept.all[row]) == (first, rest, first and rest)


def test_the_stories_keep_some_promises_and_break_some():
    shares = [Kept.of(*served(seed)).share for seed in range(20)]
    assert min(shares) < 0.4 < 0.7 < max(shares)


def test_each_kind_is_counted_and_goodput_counts_what_kept_all():
    run, promises = served(3)
    kept = Kept.of(run, promises)
    for kind, got in kept.by_kind().items():
        rows = [promises[id].kind == kind for id in run.ids]
        assert got.requests == sum(rows) and got.kept == kept.all[rows].sum()
        assert got.worst_ttft_s == run.log.ttft_s[rows].max()
        assert got.share == got.kept / got.requests
    end_s = run.log.finish_s.max() + 1
    assert kept.goodput_per_s(0, end_s) == pytest.approx(kept.all.sum() / end_s)
    assert "chat" in str(kept) and len(str(kept).splitlines()) == 3


def test_tags_say_which_promise_was_kept():
    run, promises = served(5)
    kept = Kept.of(run, promises)
    for row, record in enumerate(kept.tagged(run.records())):
        assert record.tags["kept_ttft"] == kept.ttft[row]
        assert record.tags["kept"] == (record.tags["kept_ttft"] and record.tags["kept_tpot"])
        assert record.tags["tenant"] == promises[record.id].tenant and not record.tags["refused"]


def test_an_unanswered_request_keeps_nothing_and_no_promise_is_kept_by_any_answer():
    log = RequestLog.from_times(
        [0, 0, 0], [9, math.nan, 9], first_token_s=[8, math.nan, math.nan],
        output_tokens=[2, 0, 2], status=["ok", "rejected", "ok"],
    )  # fmt: skip

    class Run:
        ids = (0, 1, 2)

    Run.log = log
    kept = Kept.of(Run, Promises([Promise()] * 3))
    assert kept.all.tolist() == [True, False, True] and kept.refused.tolist() == [0, 1, 0]
    assert kept.by_kind()["any"].worst_ttft_s == 8


def test_limits_as_a_column_are_limits_one_by_one():
    run, promises = served(8)
    column = promises.column("ttft_s", run.ids)
    one_by_one = [run.log.meets(ttft_s=limit)[row] for row, limit in enumerate(column)]
    assert run.log.meets(ttft_s=column).tolist() == one_by_one
    with pytest.raises(ValueError, match=r"ttft_s\[1\] = -2.0: expected a number of at least 0"):
        run.log.meets(ttft_s=np.array([1.0, -2.0]))


def test_moments_are_derived_from_the_arrival():
    promise = Promise.due(12.5, arrival_s=10.0, tpot_s=0.1)
    assert (promise.ttft_s, promise.tpot_s) == (2.5, 0.1)
    assert Promises({"a": promise}).first_token_by_s(Request("a", 1, 1, 7.0)) == 9.5
    with pytest.raises(
        ValueError, match=r"first_token_by_s = 9\.0: expected a moment after the arr"
    ):
        Promise.due(9.0, arrival_s=10.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Promise(ttft_s=-1), "ttft_s = -1: expected a number above 0, or infinity"),
        (lambda: Promise(tpot_s=0), "tpot_s = 0: expected a number above 0, or infinity"),
        (lambda: Promise(ttft_s=math.nan), "ttft_s = nan: expected"),
        (lambda: Promise(priority=math.inf), "priority = inf: expected a finite number"),
        (lambda: Tenant(name="a", weight=0), "weight = 0: expected"),
        (lambda: Tenant(name="a", tokens_per_s=-5), "tokens_per_s = -5: expected"),
        (lambda: Tenant(name="a", tokens_per_s=5), "'a': expected both or neither to be limited"),
        (lambda: Promises([3]), "promise of request 0 = 3: expected a Promise"),
        (
            lambda: Promises({"q": Promise(tenant="x")}, tenants=[Tenant(name="a")]),
            "tenant = 'x' of request 'q': expected one of 'a'",
        ),
        (lambda: Promises([Promise()])[1], "id = 1: expected a request that something was prom"),
    ],
)
def test_bad_promises(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_request_without_a_promise_gets_the_others_one():
    promises = Promises({"a": Promise(ttft_s=1)}, otherwise=Promise(ttft_s=9, tenant="b"))
    assert promises["z"].ttft_s == 9
    assert promises.tenant(Request("z", 1, 1)) == Tenant(name="b")
