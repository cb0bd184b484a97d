"""Exclusive time, critical path and replay, against references of another style."""

import math
from itertools import pairwise

import numpy as np
import pytest

from labutils.laws.scaling import amdahl_speedup
from labutils.telemetry import (
    Span,
    critical_path,
    exclusive_times,
    trace_at,
    what_if,
    worth_of,
)  # fmt: skip
from tests.telemetry.toys import random_trace, serial_trace, spans

SEEDS = range(300)
PARALLEL = spans(
    ("r", None, 0, 100), ("a", "r", 10, 60), ("b", "r", 10, 40), ("a1", "a", 15, 35),
    ("c", "r", 65, 95),
)  # fmt: skip


def grid_exclusive(trace) -> dict[str, float]:
    """Millisecond by millisecond: who is active, and has no active child."""
    found = dict.fromkeys((span.id for span in trace), 0)
    for moment in np.arange(0.0005, 0.2, 0.001):
        active = [span for span in trace if span.start_s < moment < span.end_s]
        busy = {span.parent_id for span in active}
        for span in active:
            found[span.id] += span.id not in busy
    return {key: count / 1000 for key, count in found.items()}


def test_by_hand():
    assert exclusive_times(PARALLEL) == {"r": 20, "a": 30, "b": 30, "a1": 20, "c": 30}
    path = [(span.id, start, end) for span, start, end in critical_path(PARALLEL)]
    assert path == [
        ("r", 0, 10), ("a", 10, 15), ("a1", 15, 35), ("a", 35, 60), ("r", 60, 65), ("c", 65, 95),
        ("r", 95, 100),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("stage", "factor", "expected"),
    [
        ("c", 3, 80), ("a", 2, 85), ("a1", math.inf, 80), ("b", 7, 100), ("a", math.inf, 80),
        ("r", 2, 90), ("b", 0.5, 110), ("c", 1, 100),
    ],
)  # fmt: skip
def test_what_if_by_hand(stage, factor, expected):
    """Without a's own 30 ms, b ends at 40 and c starts 5 later: 80, not 70."""
    assert what_if(PARALLEL, stage, factor) == pytest.approx(expected)


def test_exclusive_times_agree_with_a_fine_grid():
    for trace in map(random_trace, SEEDS):
        assert exclusive_times(trace) == pytest.approx(grid_exclusive(trace), abs=1e-9)


def test_in_series_they_sum_to_the_time_covered():
    for seed in range(50):
        trace = serial_trace(seed)
        assert sum(exclusive_times(trace).values()) == pytest.approx(trace[0].duration_s)


def test_a_child_that_outlives_its_parent_keeps_its_time_and_is_not_waited_for():
    trace = spans(("r", None, 0, 10), ("late", "r", 4, 25))
    assert exclusive_times(trace) == {"r": 4, "late": 21}
    assert [(s.id, a, b) for s, a, b in critical_path(trace)] == [("r", 0, 10)]
    assert what_if(trace, "late", math.inf) == 10


def test_the_path_joins_without_a_gap_and_follows_who_ended_last():
    for trace in map(random_trace, SEEDS):
        (root,) = [span for span in trace if span.parent_id is None]
        path = critical_path(trace)
        assert path[0][1] == root.start_s and path[-1][2] == root.end_s
        assert all(earlier[2] == later[1] for earlier, later in pairwise(path))
        for span, start, end in path:
            assert span.start_s <= start < end <= span.end_s
            ended = [c.end_s for c in trace if c.parent_id == span.id]
            assert not [moment for moment in ended if start < moment < end]


def constraints(trace, stage, factor) -> float:
    """The same model as longest paths over a fine grid of elementary intervals."""
    kept = {span.id: span for span in trace}
    children = {key: [c for c in trace if c.parent_id == key] for key in kept}

    def cost(span, old, moment):
        total = 0.0
        for at in range(round(1000 * old), round(1000 * moment)):
            mid = (at + 0.5) / 1000
            alone = not any(c.start_s < mid < c.end_s for c in children[span.id])
            total += 0.001 / factor if alone and span.name == stage else 0.001
        return total

    def order(span):
        return (span.start_s, span.end_s, trace.index(span))

    def before(span, moment, of):
        """Ends that came before, of siblings that are earlier in order."""
        return [
            c for c in children[span.id]
            if c.end_s <= moment and (of is None or order(c) < order(of))
        ]  # fmt: skip

    new = {(key, "start"): 0.0 for key in kept} | {(key, "end"): 0.0 for key in kept}
    while True:
        last = dict(new)
        for span in trace:
            for moment, of in [(c.start_s, c) for c in children[span.id]] + [(span.end_s, None)]:
                done = before(span, moment, of)
                old = max([span.start_s, *(c.end_s for c in done)])
                begun = max([new[span.id, "start"], *(new[c.id, "end"] for c in done)])
                key = (of.id, "start") if of else (span.id, "end")
                new[key] = begun + cost(span, old, moment)
        if new == last:
            (root,) = [span for span in trace if span.parent_id is None]
            return new[root.id, "end"]


@pytest.mark.parametrize("factor", [3, 0.5])
def test_replay_agrees_with_relaxing_constraints(factor):
    for seed in range(60):
        trace = random_trace(seed, size=7)
        for stage in ("s0", "s1", "s2"):
            expected = constraints(trace, stage, factor)
            assert what_if(trace, stage, factor) == pytest.approx(expected, abs=1e-9)


def test_replay_keeps_a_trace_as_it_was_and_never_slows_it():
    for trace in map(random_trace, SEEDS):
        (root,) = [span for span in trace if span.parent_id is None]
        for stage in {span.name for span in trace}:
            assert what_if(trace, stage, 1) == pytest.approx(root.duration_s, abs=1e-12)
            assert what_if(trace, stage, 2) <= root.duration_s + 1e-12


def test_in_series_the_mean_follows_amdahl_and_the_tail_does_not():
    traces = [serial_trace(seed) for seed in range(200)]
    slow = spans(("request", None, 0, 50), ("rerank", "request", 1, 49))
    traces += [slow] * 5
    worth = worth_of(traces, "rerank", 4)
    assert worth.mean == pytest.approx(worth.amdahl)
    assert worth.amdahl == amdahl_speedup(worth.share, 4)
    assert worth.p99 > 3 > 1.5 > worth.mean > worth.p50
    assert worth_of(traces, "rerank", math.inf).mean == pytest.approx(worth.ceiling)


def test_in_parallel_amdahl_promises_too_much():
    worth = worth_of([PARALLEL, PARALLEL], "b", 10)
    assert worth.mean == worth.p50 == worth.p99 == 1 and worth.amdahl > 1.3


def test_percentiles_are_requests_by_nearest_rank():
    """1 to 9 s and 100 s; half of each is the stage's, of the last nine tenths."""
    totals = [(n, n / 2) for n in range(1, 10)] + [(100, 90)]
    traces = [spans(("r", None, 0, end), ("x", "r", 0, part)) for end, part in totals]
    worth = worth_of(traces, "x", math.inf)
    assert (worth.p50, worth.p99) == (pytest.approx(5 / 2.5), pytest.approx(100 / 10))


def test_the_trace_at_a_quantile():
    traces = [spans(("r", None, 0, length)) for length in (5, 1, 4, 2, 3)]
    assert trace_at(traces, 0.5)[0].end_s == 3
    assert [trace_at(traces, q)[0].end_s for q in (0.01, 0.6, 0.61, 0.99)] == [1, 3, 4, 5]


@pytest.mark.parametrize(
    ("trace", "message"),
    [
        ([Span("t", "a", None, "ask", 0.0)], "ask: expected ended spans"),
        (spans(("a", None, 0, 1), ("b", None, 0, 1)), "roots: a, b"),
        ([], "roots: none"),
    ],
)
def test_traces_that_cannot_be_judged_say_why(trace, message):
    with pytest.raises(ValueError, match=message):
        worth_of([trace], "ask", 2)


@pytest.mark.parametrize("factor", [0, -1, math.nan])
def test_a_factor_is_above_zero(factor):
    with pytest.raises(ValueError, match="factor = "):
        what_if(PARALLEL, "a", factor)


def test_an_unknown_stage_is_named():
    with pytest.raises(ValueError, match="stage = 'x': expected one of a, a1, b, c, r"):
        worth_of([PARALLEL], "x", 2)
