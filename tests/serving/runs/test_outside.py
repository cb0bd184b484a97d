"""A run as its clients see it."""

import math

import numpy as np
import pytest

from labutils.engine import PagePool, Request, Scheduler
from labutils.metrics import RequestLog
from labutils.serving.simulator import StepCost, simulate
from tests.serving.simulator.stories import assert_equal_runs, story

# A step takes 1 s, a quarter for each token of a prompt, and a quarter for each row that decodes.
COST = StepCost(1.0, 0.25, 0.0, 0.25, 0.0)
BUSY = [Request("a", 4, 4), Request("b", 2, 2, 0.5)]
NAMES = ("first_token_s", "last_token_s", "finish_s")


def served(*requests, **options):
    scheduler = Scheduler(3, PagePool(9, 4), token_budget=20, chunked=True)
    return simulate(requests, scheduler, COST, token_times=True, **options)


@pytest.mark.parametrize(
    ("late_steps", "late_s"), [(0, 0.0), (1, 1.5), (2, 1.5 + 1.25), (9, 1.5 + 1.25)]
)
def test_three_requests_by_hand(late_steps, late_s):
    """Steps end at 2, 3.75, 5.25 and 6.5 s; b comes in the first, c when there has been a pause."""
    run = served(*BUSY, Request("c", 2, 1, 20.0))
    assert run.log.first_token_s.tolist() == [2.0, 3.75, 21.5]
    seen = run.seen_from_outside(edge_s=0.125, late_steps=late_steps)
    a, b, c = seen.records()
    assert a.token_times_s.tolist() == [2.125, 3.875, 5.375, 6.625]
    assert b.token_times_s.tolist() == [3.875 + late_s, 5.375 + late_s]
    assert c.token_times_s.tolist() == [21.625]
    assert [one.finish_s for one in (a, b, c)] == [6.625, 5.375 + late_s, 21.625]
    assert seen.log.intended_arrival_s.tolist() == [0.0, 0.5, 20.0]
    assert seen.log.admitted_s.tolist() == [0.0, 2.0, 20.0]
    assert run.log.first_token_s.tolist() == [2.0, 3.75, 21.5]  # nothing was changed


def test_who_comes_at_the_end_of_a_step_has_missed_the_next_one_too():
    run = served(*BUSY, Request("c", 1, 1, 2.0))  # it is read together with b: a row that decodes
    assert run.log.first_token_s.tolist() == [2.0, 4.0, 4.0]
    assert run.seen_from_outside(late_steps=1).log.ttft_s.tolist() == [2.0, 3.5 + 1.5, 2.0 + 1.5]


def test_an_engine_that_falls_idle_has_handed_nothing_over():
    run = served(Request("a", 4, 1), Request("b", 2, 1, 0.5), Request("c", 8, 2, 9.0))
    assert run.seen_from_outside(late_steps=1).log.finish_s.tolist() == run.log.finish_s.tolist()


def test_a_step_of_a_stretch_is_as_long_as_their_mean():
    growing = StepCost(1.0, per_context_token_s=0.125)
    requests = [Request("a", 4, 2), Request("b", 1, 8, 0.5)]
    run = simulate(requests, Scheduler(1, PagePool(9, 4)), growing)
    first, rest = run.log.first_token_s[1], run.telemetry.duration_s[-1]
    assert run.telemetry.steps.tolist() == [1, 1, 8]  # b's prompt of one token begins a stretch
    seen = run.seen_from_outside(late_steps=1)
    assert seen.log.first_token_s[1] == pytest.approx(first + rest / 8)


def test_what_is_not_reached_stays_so():
    run = served(*BUSY, Request("too long", 90, 90, 1.0), Request("late", 2, 2, 3.8), until_s=4.0)
    seen = run.seen_from_outside(edge_s=0.5, late_steps=1)
    assert seen.log.status.tolist() == ["cancelled", "ok", "rejected", "cancelled"]
    np.testing.assert_array_equal(seen.log.finish_s, [math.nan, 5.25 + 1.5 + 0.5] + 2 * [math.nan])
    np.testing.assert_array_equal(seen.log.first_token_s, [2.5, 3.75 + 1.5 + 0.5] + 2 * [math.nan])


@pytest.mark.parametrize("seed", range(60))
def test_a_compiled_run_is_seen_as_a_plain_one(seed):
    told = story(seed)
    plain, twin = (
        simulate(told.source, told.scheduler(), told.cost, compiled=compiled, token_times=True,
                 patience_s=0.3, **told.options).seen_from_outside(edge_s=0.01, late_steps=1)
        for compiled in (False, True)
    )  # fmt: skip
    assert_equal_runs(plain, twin)
    records = RequestLog.of(plain.records())  # which checks that no time runs backwards
    for name in ("first_token_s", "last_token_s", "finish_s", "tpot_s", "itl_s"):
        np.testing.assert_array_equal(getattr(plain.log, name), getattr(records, name))


@pytest.mark.parametrize("seed", range(60))
def test_the_edge_is_added_once_and_tpot_and_gaps_stay(seed):
    told = story(seed)
    run = simulate(told.source, told.scheduler(), told.cost, token_times=True, **told.options)
    assert_equal_runs(run, run.seen_from_outside())
    seen = run.seen_from_outside(edge_s=0.25)
    for name in NAMES:
        np.testing.assert_array_equal(getattr(seen.log, name), getattr(run.log, name) + 0.25)
    late = run.seen_from_outside(late_steps=2)
    np.testing.assert_allclose(late.log.tpot_s, run.log.tpot_s, rtol=1e-9, atol=1e-9)
    assert late.gaps is run.gaps and late.telemetry.steps.tolist() == run.telemetry.steps.tolist()
    for name in NAMES:
        assert not (getattr(late.log, name) < getattr(run.log, name)).any()


def test_without_token_times_there_are_none_to_see():
    run = simulate(BUSY, Scheduler(3, PagePool(9, 4)), COST).seen_from_outside(edge_s=1.0)
    assert run.log.itl_s.size == 0
    with pytest.raises(ValueError, match=r"token_times=True"):
        run.records()
    nothing = simulate([], Scheduler(3, PagePool(9, 4)), COST)
    assert len(nothing.seen_from_outside(edge_s=1.0, late_steps=1).log) == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"edge_s": -0.001}, "edge_s = -0.001: expected a finite number of at least 0"),
        ({"edge_s": math.nan}, "edge_s = nan: expected"),
        ({"late_steps": 0.5}, "late_steps = 0.5: expected a whole number of at least 0"),
        ({"late_steps": -1}, "late_steps = -1: expected"),
    ],
)
def test_bad_input_is_named(given, message):
    with pytest.raises(ValueError, match=message):
        served(*BUSY).seen_from_outside(**given)
