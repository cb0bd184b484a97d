"""What a run shows: log, records, telemetry, timeline, Chrome trace."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.engine import PagePool, Request, Scheduler
from labutils.metrics import RequestLog
from labutils.serving.scheduling import StaticBatches
from labutils.serving.simulator import simulate
from labutils.workload import mix
from tests.serving.workloads import COST, POLICIES, jobs


@pytest.mark.parametrize("policy", ["chunked", "prompts first", "static"])
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_the_log_is_that_of_the_records(policy, data):
    job = data.draw(jobs(with_keys=True))
    until = data.draw(st.sampled_from([None, None, 0.05, 0.2]))
    options = {"output_tokens": job.output_tokens, "until_s": until, "token_times": True}
    run = simulate(job.requests, POLICIES[policy].make(10), COST, **options)
    slow = RequestLog.of(run.records())
    for name in slow.__dataclass_fields__:
        mine, theirs = getattr(run.log, name), getattr(slow, name)
        if name == "status":
            assert mine.tolist() == theirs.tolist()
        else:
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("policy", POLICIES)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_telemetry_agrees_with_the_log(policy, data):
    job = data.draw(jobs(with_keys=True))
    options = {"output_tokens": job.output_tokens, "token_times": True}
    run = simulate(job.requests, POLICIES[policy].make(11), COST, **options)
    seen, spans = run.telemetry, run.timeline
    records = run.records()
    # Each row of a run alone, told again from the records: who got a token in it.
    ends_s = seen.time_s + seen.duration_s
    tokens_s = np.concatenate([one.token_times_s for one in records])
    for begin_s, end_s, decoded in zip(seen.time_s, ends_s, seen.decode_tokens):
        assert decoded <= ((tokens_s > begin_s + 1e-12) & (tokens_s <= end_s + 1e-12)).sum()
    assert seen.decode_tokens.sum() <= sum(job.output_tokens)
    assert (ends_s[:-1] <= seen.time_s[1:] + 1e-12).all()
    assert seen.preemptions.sum() == sum(one.preemptions for one in records)
    in_memory = spans.total_s("prefill") + spans.total_s("decode")
    assert float(seen.running @ seen.duration_s) == pytest.approx(in_memory, abs=1e-9)
    cached, prompts = (
        sum(getattr(one, name) for one in records) for name in ("cached_tokens", "prompt_tokens")
    )
    assert seen.hit_rate[-1] == pytest.approx(cached / prompts)


@pytest.mark.parametrize("policy", POLICIES)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_spans_tile_the_life_of_a_request(policy, data):
    job = data.draw(jobs(with_keys=True))
    options = {"output_tokens": job.output_tokens, "token_times": True}
    run = simulate(job.requests, POLICIES[policy].make(10), COST, **options)
    spans = run.timeline
    for row, request in enumerate(job.requests):
        mine = spans.request == row
        starts, ends, phases = spans.start_s[mine], spans.end_s[mine], spans.phase[mine].tolist()
        assert starts[0] == request.arrival_s and ends[-1] == run.log.finish_s[row]
        np.testing.assert_allclose(starts[1:], ends[:-1], rtol=0, atol=0)
        assert phases[:2] == ["queue", "prefill"]
        assert phases.count("preempted") == run.records()[row].preemptions
    lanes = spans.lanes()
    for lane in range(lanes.max() + 1):
        here = np.flatnonzero(lanes == lane)
        here = here[np.lexsort((spans.end_s[here], spans.start_s[here]))]
        assert (spans.start_s[here][1:] >= spans.end_s[here][:-1] - 1e-12).all()
    assert lanes.max() + 1 <= max(run.telemetry.running.max(), 1)


def test_a_small_run_by_hand():
    requests = [Request("a", 4, 3), Request("b", 2, 2, 0.001)]
    run = simulate(requests, Scheduler(2, PagePool(9, 4)), COST, token_times=True)
    first = 0.005 + 4 * 0.0007 + 10 * 0.00003
    second = first + 0.005 + 2 * 0.0007 + 3 * 0.00003
    third = second + 0.005 + 2 * 0.0011 + (5 + 3) * 0.00013
    fourth = third + 0.005 + 0.0011 + 6 * 0.00013
    a, b = run.records()
    np.testing.assert_allclose(a.token_times_s, [first, third, fourth], rtol=0, atol=1e-12)
    np.testing.assert_allclose(b.token_times_s, [second, third], rtol=0, atol=1e-12)
    seen = run.telemetry
    assert seen.running.tolist() == [1, 2, 2, 1] and seen.waiting.tolist() == [0, 0, 0, 0]
    assert seen.pages_in_use.tolist() == [1, 2, 3, 2]
    assert seen.stored_tokens.tolist() == [0, 4, 6, 5]
    assert seen.prefill_tokens.tolist() == [4, 2, 0, 0]
    assert seen.decode_tokens.tolist() == [0, 0, 2, 1]
    assert math.isclose(run.busy_s, fourth) and run.steps == 4
    spans = list(zip(run.timeline.request.tolist(), run.timeline.phase.tolist()))
    assert spans == [(row, phase) for row in (0, 1) for phase in ("queue", "prefill", "decode")]


def test_static_batches_leave_places_empty():
    requests = [Request(i, 3, 12) for i in range(4)]
    run = simulate(requests, StaticBatches(2), COST, output_tokens=[12, 2, 3, 5])
    assert run.log.admitted_s[2] == run.log.finish_s[0]  # not when request 1 left
    assert run.log.finish_s[1] < run.log.finish_s[0]
    assert run.timeline.lanes().max() == 1


def test_a_run_that_is_broken_off_keeps_what_happened():
    requests = [Request(i, 6, 30, 0.02 * i) for i in range(9)]
    whole, part = (
        simulate(requests, Scheduler(3, PagePool(40, 4)), COST, until_s=until_s, token_times=True)
        for until_s in (None, 0.1)
    )
    last_s = part.telemetry.time_s[-1] + part.telemetry.duration_s[-1]
    assert 0 < part.steps < whole.steps and 0.1 <= last_s < 0.1 + whole.telemetry.step_s.max()
    assert set(part.log.status) == {"cancelled"} and len(part.ids) == 6
    for row in range(len(part.ids)):
        mine = part.token_times_s(row)
        assert mine.tolist() == whole.token_times_s(row)[: mine.size].tolist()
    empty = simulate(requests[3:], Scheduler(3, PagePool(40, 4)), COST, until_s=0.01)
    assert len(empty.log) == empty.steps == 0


def test_chrome_trace(tmp_path):
    requests = [Request("a", 6, 9), Request("b", 6, 14), Request("c", 6, 11)]
    run = simulate(requests, Scheduler(3, PagePool(7, 4), token_budget=20), COST)
    path = run.chrome_trace(tmp_path / "run.json")
    events = json.loads(path.read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    assert len(spans) == len(run.timeline)
    assert {event["name"] for event in spans} >= {"prefill", "decode", "preempted"}
    last = max(spans, key=lambda event: event["ts"] + event["dur"])
    assert last["ts"] + last["dur"] == pytest.approx(1e6 * np.nanmax(run.log.finish_s))
    names = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert names == {"request a", "request b", "request c"}
    counters = [event for event in events if event["ph"] == "C" and event["name"] == "running"]
    assert [event["args"]["running"] for event in counters] == run.telemetry.running.tolist()


def test_a_trace_of_a_mix_is_served_and_a_bar_is_shown(capsys):
    trace = mix("azure-conversation").trace(300, 4.0, seed=9)
    options = {"progress": True, "token_times": True}
    run = simulate(trace, Scheduler(64, PagePool(4_000)), COST, **options)
    assert run.log.output_tokens.tolist() == trace.output_tokens.tolist()
    assert "300 of 300 requests have ended" in capsys.readouterr().err
    assert run.log.itl_s.size == trace.output_tokens.sum() - len(trace)


@pytest.mark.parametrize("policy", ["chunked", "prompts first", "static, over pages"])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_gaps_are_counted_as_the_times_of_tokens_tell_them(policy, data):
    job = data.draw(jobs(with_keys=True))
    options = {"output_tokens": job.output_tokens, "token_times": True}
    run = simulate(job.requests, POLICIES[policy].make(10), COST, **options)
    gaps_s = np.sort(run.log.itl_s)
    assert len(run.gaps) == gaps_s.size
    if not gaps_s.size:
        assert math.isnan(run.gaps.quantile(0.5))
        return
    assert run.gaps.longest_s == pytest.approx(gaps_s[-1], abs=1e-12)
    for q in (0.01, 0.5, 0.9, 0.99):
        exact = gaps_s[math.ceil(q * gaps_s.size * (1 - 1e-12)) - 1]
        assert run.gaps.quantile(q) == pytest.approx(exact, rel=run.gaps.relative_error)


def test_times_of_tokens_are_kept_only_on_request():
    run = simulate([Request("a", 4, 3)], Scheduler(1, PagePool(9)), COST)
    assert run.log.itl_s.size == 0 and len(run.gaps) == 2
    with pytest.raises(ValueError, match=r"token_times=True"):
        run.records()


def test_a_stretch_of_equal_steps_is_one_row():
    requests = [Request(0, 10, 400), Request(1, 7, 300)]
    run = simulate(requests, Scheduler(4, PagePool(100, 16)), COST)
    assert run.steps == 400  # one prefill for both, and 399 decode steps
    assert run.telemetry.steps.tolist() == [1, 299, 100]
    arrives = [*requests, Request(2, 1, 1, arrival_s=0.5)]
    again = simulate(arrives, Scheduler(2, PagePool(100, 16)), COST)
    assert again.telemetry.waiting.tolist() == [0, 0, 1, 0, 0]  # it finds no place until one ends
