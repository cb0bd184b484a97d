"""Runs against a server whose behaviour is known: each stream's end, and what a loop sees."""

import asyncio
import threading
import time
import zlib
from dataclasses import replace

import psutil
import pytest

from labutils.loadtest import (
    Arrivals,
    Limits,
    LoadPlan,
    LoadReport,
    LoadRun,
    PlannedRequest,
    RequestKind,
    Target,
    Unreachable,
    closed_plan,
    open_plan,
    run_load,
)
from labutils.metrics import RequestStatus

SHORT = RequestKind(prompt_words=5, max_tokens=3)


def request(id: int = 0, **said) -> PlannedRequest:
    return PlannedRequest(
        **{"id": id, "at_s": 0.01 * id, "max_tokens": 4, "prompt_words": 6, **said}
    )


def records_of(target: Target, *requests: PlannedRequest, timeout_s: float = 30.0, **options):
    plan = LoadPlan(requests=requests or [request()], seconds=1.0)
    run = LoadRun(plan, target, timeout_s=timeout_s, **options)
    asyncio.run(run.go())
    return sorted(run.records, key=lambda record: record.id)


def test_an_answer_is_recorded_with_its_times_and_the_servers_counts(served):
    served.behaviour.first_s, served.behaviour.gap_s = 0.03, 0.004
    (record,) = records_of(served.target(extra={"ignore_eos": True}), request(tenant="blue"))
    assert record.status is RequestStatus.OK and record.output_tokens == 4
    assert record.intended_arrival_s == 0 <= record.sent_s
    assert record.ttft_s >= 0.03 and record.e2e_s >= 0.03 + 4 * 0.004  # sleeps are never shorter
    assert record.prompt_tokens == 7  # the server counts one more than there are words
    assert record.tags.pop("answer_crc32") == zlib.crc32(b"w0 w1 w2 w3 ")
    assert record.tags == {"kind": "any", "tenant": "blue", "server_output_tokens": 4}
    (asked,) = served.behaviour.asked
    assert asked["user"] == "blue" and asked["ignore_eos"] is True and asked["stream"] is True
    assert asked["max_tokens"] == 4 and len(asked["prompt"].split()) == 6
    assert asked["stream_options"] == {"include_usage": True}


ENDS = {
    "full": (RequestStatus.REJECTED, 0, "HTTP 429: too many requests of yours"),
    "overloaded": (RequestStatus.REJECTED, 0, "HTTP 503: no room"),
    "unknown": (RequestStatus.FAILED, 0, "HTTP 404: no such model"),
    "cut": (RequestStatus.FAILED, 2, "cut: the connection closed too soon"),
    "quiet_end": (RequestStatus.FAILED, 1, "cut: the stream ended without [DONE]"),
    "error_event": (RequestStatus.FAILED, 1, r"error event: out of <pages>\x1b[2J"),
    "garbage": (RequestStatus.FAILED, 0, "cut: an event that is no JSON object: '{not json'"),
}


@pytest.mark.parametrize("model", ENDS)
def test_each_end_has_its_status_and_reason_and_keeps_the_tokens_that_came(served, model):
    (record,) = records_of(served.target(model))
    status, tokens, reason = ENDS[model]
    assert record.status is status and record.output_tokens == tokens
    assert record.tags["reason"].startswith(reason)
    assert record.finish_s >= record.sent_s


def test_the_server_hears_who_asks_and_what_was_promised(served):
    promises = {"chat": Limits(ttft_s=0.25), "batch": Limits(e2e_s=3.0)}
    requests = [
        request(0, kind="chat", tenant="blue"), request(1, kind="batch", tenant="Zoë & sons")
    ]  # fmt: skip
    plan = LoadPlan(requests=requests, seconds=1.0, promises=promises)
    run_load(plan, served.target(headers={"Authorization": "Bearer x"}))
    chat, batch = sorted(served.behaviour.headers, key=lambda headers: headers["x-request-id"])
    assert (chat["x-request-id"], chat["x-tenant"], chat["authorization"]) == (
        "0", "blue", "Bearer x",
    )  # fmt: skip
    assert chat["x-ttft-deadline-ms"] == "250" and "x-ttft-deadline-ms" not in batch
    assert batch["x-request-id"] == "1" and "x-tenant" not in batch
    assert {asked["user"] for asked in served.behaviour.asked} == {"blue", "Zoë & sons"}


def test_retry_after_stands_in_the_tags(served):
    (record,) = records_of(served.target("full"))
    assert record.tags["http_status"] == 429 and record.tags["retry_after"] == "7"
    (record,) = records_of(served.target("overloaded"))
    assert record.tags["http_status"] == 503 and "retry_after" not in record.tags


def test_who_waits_too_long_gives_up_and_keeps_what_it_has(served):
    (record,) = records_of(served.target("never"), timeout_s=0.3)
    assert record.status is RequestStatus.TIMED_OUT and record.output_tokens == 1
    assert record.finish_s >= 0.3 and record.tags["reason"] == "0.3 s"


def test_who_leaves_on_purpose_closes_the_connection_and_the_server_notices(served):
    served.behaviour.gap_s = 0.01
    (record,) = records_of(served.target(), request(max_tokens=500, leave_after=3))
    assert record.status is RequestStatus.CANCELLED and record.output_tokens == 3
    assert record.tags["reason"] == "left"
    for _ in range(200):
        if served.behaviour.left_early:
            break
        time.sleep(0.01)
    assert served.behaviour.left_early == 1 and served.behaviour.streams_open == 0


def test_whose_answer_ends_before_it_leaves_is_answered(served):
    (record,) = records_of(served.target(), request(max_tokens=3, leave_after=5))
    assert record.status is RequestStatus.OK and record.output_tokens == 3


def test_a_slow_reader_takes_its_time_and_says_so(served):
    slow, quick = records_of(served.target(), request(0, pause_s=0.03), request(1))
    assert slow.ok and slow.tags["slow_reader"] is True and "slow_reader" not in quick.tags
    assert slow.e2e_s >= 4 * 0.03


def test_an_event_of_several_tokens_is_told(served):
    plan = LoadPlan(requests=[request()], seconds=1.0)
    carried = run_load(plan, served.target("bundled"))
    assert carried.records[0].output_tokens == 2
    report = LoadReport.of(carried.records, plan)
    assert (report.output_tokens, report.server_output_tokens) == (2, 5)
    assert any("counts 5 output tokens, the streams held 2" in line for line in report.remarks)


def test_a_token_without_text_counts_and_the_closing_chunk_does_not(served):
    (record,) = records_of(served.target("half_characters"))
    assert record.ok and record.output_tokens == 2


def test_nobody_there_is_said_before_the_first_request(nobody):
    with pytest.raises(Unreachable, match=rf"{nobody} cannot be reached: "):
        records_of(Target(nobody))
    plan = LoadPlan(requests=[request(0), request(1)], seconds=1.0)
    with pytest.raises(Unreachable, match=rf"{nobody} cannot be reached: "):
        run_load(plan, Target(nobody), processes=2)


def stalling(served, *, hold: int, hold_most_s: float):
    """A target that stalls from its third request on."""
    behaviour = served.behaviour
    behaviour.hold_from, behaviour.hold, behaviour.hold_most_s = 2, hold, hold_most_s
    return served.target("stalling")


def test_an_open_loop_goes_on_while_the_server_stalls(served):
    """It stalls until 12 requests stand before it: a loop that waited would never get there."""
    target = stalling(served, hold=12, hold_most_s=60.0)
    plan = open_plan(Arrivals.evenly(100), 0.3, [SHORT], seed=1)
    carried = run_load(plan, target)
    assert served.behaviour.held >= 12
    assert [record.status for record in carried.records] == [RequestStatus.OK] * 30


def test_a_closed_loop_sees_a_stall_no_more_often_than_it_has_users(served):
    target = stalling(served, hold=1000, hold_most_s=0.25)
    plan = closed_plan(2, 0.8, [SHORT], think_s=0.002, seed=1)
    carried = run_load(plan, target)
    assert 1 <= served.behaviour.held <= 2 < len(carried.records) == len(served.behaviour.asked)
    report = LoadReport.of(carried.records, plan)
    assert any("coordinated omission" in line for line in report.remarks)


def test_users_who_begin_anew_ask_in_other_words(served):
    plan = closed_plan(2, 0.8, [SHORT], seed=1, requests=3)
    records = run_load(plan, served.target()).records
    ids = [record.id for record in records]
    assert len(set(ids)) == len(ids) > 3 and {0, 1, 2, "0.1"} <= set(ids)
    prompts = [asked["prompt"] for asked in served.behaviour.asked]
    assert len(set(prompts)) == len(prompts)


def test_a_clock_that_slips_makes_the_generator_late_and_it_says_so(served):
    class Slips:
        reads = 0

        def __call__(self):
            self.reads += 1
            return time.perf_counter() + 0.02 * self.reads

    requests = [request(i, at_s=0.2 * i) for i in range(4)]
    records = records_of(served.target(), *requests, clock=Slips())
    report = LoadReport.of(records, LoadPlan(requests=requests, seconds=1.0))
    assert report.lateness.p50_s >= 0.02 and report.is_generator_late
    assert report.remarks[0].startswith("The generator was late")


def test_patience_counts_from_the_intended_moment(served):
    """The machine slept for 40 s before the second request went out: its user has left."""

    def clock() -> float:
        return time.perf_counter() + (40.0 if served.behaviour.asked else 0.0)

    served.behaviour.first_s = 0.05
    requests = [request(0), request(1, at_s=0.5)]
    first, second = records_of(served.target(), *requests, timeout_s=30.0, clock=clock)
    assert second.status is RequestStatus.TIMED_OUT and second.sent_s - 0.5 > 30
    assert len(served.behaviour.asked) == 1 and first.e2e_s > 40


def test_it_works_where_an_event_loop_runs_already(served):
    async def notebook_cell():
        return run_load(LoadPlan(requests=[request()], seconds=1.0), served.target())

    assert [record.ok for record in asyncio.run(notebook_cell()).records] == [True]


def test_workers_share_the_plan_and_the_clock(served):
    plan = open_plan(Arrivals.evenly(60), 0.4, [replace(SHORT, tenant="red")], seed=1)
    before_s = time.perf_counter()
    carried = run_load(plan, served.target(), processes=2)
    took_s = time.perf_counter() - before_s
    records = sorted(carried.records, key=lambda record: record.id)
    assert [record.id for record in records] == list(range(24)) and not carried.lost
    assert [record.intended_arrival_s for record in records] == [r.at_s for r in plan.requests]
    assert all(r.ok and r.sent_s >= r.intended_arrival_s for r in records)
    assert max(record.finish_s for record in records) <= took_s  # one clock, one zero
    assert {record.tags["tenant"] for record in records} == {"red"}


def test_when_a_worker_dies_the_records_that_there_are_are_kept(served):
    plan = open_plan(Arrivals.evenly(20), 1.0, [SHORT], seed=1)

    def kill_one():
        while len(served.behaviour.asked) < 4:
            time.sleep(0.005)
        children = psutil.Process().children()
        next(one for one in children if "labutils.loadtest" in one.cmdline()).kill()

    killer = threading.Thread(target=kill_one)
    killer.start()
    carried = run_load(plan, served.target(), processes=2)
    killer.join()
    assert "a worker ended with exit code -9" in carried.lost
    last = [record.id for record in carried.records if record.id >= 18]
    assert {record.id % 2 for record in carried.records} == {0, 1} and len(last) == 1
    report = LoadReport.of(carried.records, plan)
    assert f"{len(carried.records)} of 20 requests have a record." in report.remarks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"processes": 0}, "processes = 0"),
        ({"processes": 3}, "processes = 3: expected at most 2"),
        ({"timeout_s": 0}, "timeout_s = 0"),
    ],
)
def test_bad_options_are_named(nobody, options, message):
    plan = LoadPlan(requests=[request(0), request(1)], seconds=1.0)
    with pytest.raises(ValueError, match=message):
        run_load(plan, Target(nobody), **options)
