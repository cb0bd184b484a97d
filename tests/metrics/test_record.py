import dataclasses
import math
import pickle

import numpy as np
import pytest

from labutils.metrics import RequestRecord, RequestStatus

FINISHED = {
    "id": "r-17",
    "intended_arrival_s": 10.0,
    "sent_s": 10.5,
    "admitted_s": 12.0,
    "token_times_s": [13.0, 13.2, 13.9, 14.0],
    "finish_s": 14.25,
    "prompt_tokens": 700,
    "cached_tokens": 512,
    "preemptions": 1,
    "tags": {"tenant": "b"},
}


def test_the_fields_are_those_of_the_design():
    assert [f.name for f in dataclasses.fields(RequestRecord)] == [
        "id",
        "intended_arrival_s",
        "sent_s",
        "admitted_s",
        "token_times_s",
        "finish_s",
        "status",
        "prompt_tokens",
        "cached_tokens",
        "output_tokens",
        "preemptions",
        "tags",
    ]
    assert {str(s) for s in RequestStatus} == {"ok", "cancelled", "timed_out", "failed", "rejected"}


def test_latencies_count_from_the_intended_arrival():
    record = RequestRecord(**FINISHED)
    assert record.ttft_s == 3.0
    assert record.ttft_from_send_s == 2.5
    assert record.e2e_s == 4.25
    assert record.e2e_from_send_s == 3.75
    assert record.tpot_s == pytest.approx(1.0 / 3)
    assert record.itl_s == pytest.approx([0.2, 0.7, 0.1])
    assert record.output_tokens == 4


def test_a_plain_queue_needs_no_tokens():
    record = RequestRecord(3, intended_arrival_s=1.0, admitted_s=2.5, finish_s=4.0)
    assert record.e2e_s == 3.0
    assert record.status == "ok"
    assert math.isnan(record.ttft_s) and math.isnan(record.tpot_s)
    assert math.isnan(record.e2e_from_send_s) and record.itl_s.size == 0
    assert (record.output_tokens, record.prompt_tokens, record.tags) == (0, 0, {})
    assert record.cached_tokens == record.preemptions == 0


def test_one_token_has_no_time_between_tokens():
    record = RequestRecord("x", 0.0, token_times_s=[2.0], finish_s=2.0)
    assert record.ttft_s == 2.0
    assert math.isnan(record.tpot_s) and record.itl_s.size == 0


def test_two_tokens_have_one_gap():
    record = RequestRecord("x", 0.0, token_times_s=[2.0, 2.75], finish_s=3.0)
    assert record.tpot_s == 0.75 and list(record.itl_s) == [0.75]


@pytest.mark.parametrize("status", ["cancelled", "timed_out", "failed", "rejected"])
def test_what_was_not_reached_is_nan(status):
    record = RequestRecord("x", 5.0, sent_s=5.0, status=status)
    assert record.status is RequestStatus(status)
    assert math.isnan(record.e2e_s) and math.isnan(record.ttft_s)
    assert RequestRecord("x", 5.0, finish_s=9.0, status=status).e2e_s == 4.0


def test_an_ok_request_has_finished():
    with pytest.raises(ValueError, match="finish_s = nan: expected the time at which an 'ok'"):
        RequestRecord("x", 5.0, sent_s=5.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sent_s": 9.9}, r"sent_s = 9.9: expected at least intended_arrival_s = 10.0"),
        ({"admitted_s": 10.4}, r"admitted_s = 10.4: expected at least sent_s = 10.5"),
        ({"admitted_s": 13.1}, r"token_times_s\[0\] = 13.0: expected at least admitted_s = 13.1"),
        (
            {"token_times_s": [13.0, 13.2, 13.1, 14.0]},
            r"token_times_s\[2\] = 13.1: expected at least token_times_s\[1\] = 13.2",
        ),
        (
            {"token_times_s": [13.0, 13.2, 13.3, 13.1]},
            r"token_times_s\[3\] = 13.1: expected at least token_times_s\[2\] = 13.3",
        ),
        (
            {"token_times_s": [13.0, 13.0, 13.5, 13.2, 14.0]},
            r"token_times_s\[3\] = 13.2: expected at least token_times_s\[2\] = 13.5",
        ),
        ({"finish_s": 13.95}, r"finish_s = 13.95: expected at least token_times_s\[3\] = 14.0"),
        ({"token_times_s": (), "finish_s": 11.0}, r"finish_s = 11.0: expected at least admitted_s"),
        (
            {"token_times_s": (), "admitted_s": math.nan, "finish_s": 10.2},
            r"finish_s = 10.2: expected at least sent_s = 10.5",
        ),
    ],
)
def test_times_that_run_backwards_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        RequestRecord(**{**FINISHED, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": "done"}, "status = 'done': expected one of 'ok', 'cancelled', 'timed_out'"),
        ({"intended_arrival_s": math.nan}, "intended_arrival_s = nan: expected a finite number"),
        ({"intended_arrival_s": "10 s"}, "intended_arrival_s = '10 s': expected a finite number"),
        ({"sent_s": math.inf}, "sent_s = inf: expected a finite number"),
        ({"finish_s": True}, "finish_s = True: expected a finite number"),
        ({"admitted_s": None}, "admitted_s = None: expected a finite number"),
        ({"token_times_s": [13.0, math.nan]}, r"token_times_s\[1\] = nan: expected finite"),
        ({"token_times_s": "soon"}, "token_times_s = 'soon': expected a one-dimensional sequence"),
        ({"output_tokens": 5}, "output_tokens = 5: expected 4, the number of token_times_s"),
        ({"output_tokens": -1, "token_times_s": ()}, "output_tokens = -1: expected a whole number"),
        ({"cached_tokens": 701}, "cached_tokens = 701: expected at most prompt_tokens = 700"),
        ({"prompt_tokens": 2.5}, "prompt_tokens = 2.5: expected a whole number of at least 0"),
        ({"cached_tokens": -1}, "cached_tokens = -1: expected a whole number of at least 0"),
        ({"preemptions": "1"}, "preemptions = '1': expected a whole number of at least 0"),
    ],
)
def test_bad_fields_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        RequestRecord(**{**FINISHED, **change})


def test_output_tokens_may_be_counted_without_their_times():
    record = RequestRecord("x", 0.0, finish_s=3.0, output_tokens=120)
    assert record.output_tokens == 120 and record.itl_s.size == 0


def test_a_record_keeps_its_own_read_only_copy():
    times, tags = np.array([1.0, 2.0]), {"tenant": "a"}
    record = RequestRecord("x", 0.0, token_times_s=times, finish_s=2.0, tags=tags)
    times[0], tags["tenant"] = 1.5, "b"
    assert record.ttft_s == 1.0 and record.tags == {"tenant": "a"}
    with pytest.raises(ValueError, match="read-only"):
        record.token_times_s[0] = 0.5
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.finish_s = 9.0


def test_a_record_travels_between_processes():
    record = pickle.loads(pickle.dumps(RequestRecord(**FINISHED)))
    assert record.ttft_s == 3.0 and list(record.token_times_s) == [13.0, 13.2, 13.9, 14.0]
    assert record.status is RequestStatus.OK
