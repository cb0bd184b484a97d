import math

import numpy as np
import pytest

from labutils.metrics import RequestLog, RequestRecord, RequestStatus
from labutils.metrics.latency import percentile, percentile_of_all
from labutils.simulation import in_flight_curve

COLUMNS = ("ttft_s", "ttft_from_send_s", "tpot_s", "e2e_s", "e2e_from_send_s", "ok")


def random_record(i, rng):
    """A request that may stop after any of its steps, in any way."""
    arrival = rng.uniform(0, 60)
    steps = np.cumsum(rng.exponential([0.05, 1.0, 0.4], 3)) + arrival
    tokens = steps[2] + np.cumsum(rng.exponential(0.03, rng.integers(0, 9)))
    reached = rng.integers(0, 4)
    status = "ok" if reached == 3 else rng.choice(["failed", "timed_out", "rejected", "cancelled"])
    finish = max(steps[2], *tokens, 0) + rng.exponential(0.1)
    return RequestRecord(
        i,
        arrival,
        sent_s=steps[0] if reached > 0 else math.nan,
        admitted_s=steps[1] if reached > 1 else math.nan,
        token_times_s=tokens if reached > 2 else (),
        finish_s=finish if reached == 3 or rng.random() < 0.6 else math.nan,
        status=status,
    )


def random_records(n, seed):
    rng = np.random.default_rng(seed)
    return [random_record(i, rng) for i in range(n)]


@pytest.mark.parametrize("seed", [3, 14, 20261])
def test_columns_and_records_are_the_same_numbers(seed):
    records = random_records(301, seed)
    log = RequestLog.of(records)
    assert len(log) == 301 and 50 < log.ok.sum() < 150
    for name in COLUMNS:
        expected = [getattr(record, name) for record in records]
        np.testing.assert_array_equal(getattr(log, name), expected)
    gaps = [gap for record in records for gap in record.itl_s]
    assert log.itl_s.tolist() == gaps and len(gaps) > 100
    limits = {"ttft_s": 1.6, "tpot_s": 0.035, "e2e_s": 1.9}
    good = [record.meets(**limits) for record in records]
    assert log.meets(**limits).tolist() == good and 0 < sum(good) < log.ok.sum()


@pytest.mark.parametrize("seed", [5, 6])
def test_from_times_and_of_records_agree(seed):
    records = random_records(97, seed)
    log = RequestLog.of(records)
    names = ("sent_s", "admitted_s", "first_token_s", "last_token_s", "output_tokens", "status")
    again = RequestLog.from_times(
        log.intended_arrival_s, log.finish_s, **{name: getattr(log, name) for name in names}
    )
    for name in (*COLUMNS, "admitted_s"):
        np.testing.assert_array_equal(getattr(again, name), getattr(log, name))
    assert again.itl_s.size == 0


def test_definitions_by_hand():
    log = RequestLog.from_times(
        [10.0, 20.0, 30.0, 40.0],
        [14.25, 23.0, 30.5, math.nan],
        sent_s=[10.5, 20.0, 30.0, math.nan],
        admitted_s=[12.0, 21.0, math.nan, math.nan],
        first_token_s=[13.0, 22.5, math.nan, math.nan],
        output_tokens=[6, 1, 0, 0],
        status=["ok", RequestStatus.OK, "failed", "cancelled"],
    )
    nan = math.nan
    np.testing.assert_array_equal(log.ttft_s, [3.0, 2.5, nan, nan])
    np.testing.assert_array_equal(log.ttft_from_send_s, [2.5, 2.5, nan, nan])
    np.testing.assert_array_equal(log.tpot_s, [0.25, nan, nan, nan])  # the last token ends it
    np.testing.assert_array_equal(log.e2e_s, [4.25, 3.0, 0.5, nan])
    np.testing.assert_array_equal(log.e2e_from_send_s, [3.75, 3.0, 0.5, nan])
    assert log.ok.tolist() == [True, True, False, False]


def test_times_of_single_tokens_make_flat_gaps():
    log = RequestLog.of(
        [
            RequestRecord("a", 0.0, token_times_s=[1.0, 1.5, 1.75], finish_s=2.0),
            RequestRecord("b", 0.0, finish_s=9.0),
            RequestRecord("c", 0.5, token_times_s=[3.0], finish_s=3.0),
            RequestRecord("d", 0.5, token_times_s=[4.0, 6.0], finish_s=7.0),
        ]
    )
    assert log.itl_s.tolist() == [0.5, 0.25, 2.0]
    assert log.tpot_s[[0, 3]].tolist() == [0.375, 2.0]
    assert RequestLog.of([]).itl_s.size == len(RequestLog.of([])) == 0


ENDS = RequestLog.from_times(
    intended_arrival_s=[0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0],
    finish_s=[2.0, 6.0, 4.5, 2.5, 8.0, 7.0, 10.0],
    first_token_s=[1.0, 5.0, 2.0, math.nan, 3.5, 4.1, 9.5],
    output_tokens=[5, 11, 1, 0, 10, 30, 2],
    status=["ok", "ok", "ok", "failed", "ok", "ok", "timed_out"],
)


def test_throughput_counts_answers_by_their_finish():
    assert ENDS.throughput_per_s(2.0, 6.0) == 2 / 4  # at 2.0 and 4.5; that at 6.0 is the next one's
    assert ENDS.throughput_per_s(6.0, 11.0) == 3 / 5
    assert ENDS.token_throughput_per_s(2.0, 6.0) == 6 / 4
    assert ENDS.token_throughput_per_s(6.0, 11.0) == 51 / 5
    assert ENDS.arrival_rate_per_s(1.0, 4.0) == 4 / 3  # failed ones arrive too
    assert ENDS.arrival_rate_per_s(4.0, 9.0) == 1 / 5


def test_goodput_counts_answers_that_meet_every_limit():
    assert ENDS.goodput_per_s(0, 10) == ENDS.throughput_per_s(0, 10) == 5 / 10
    assert ENDS.goodput_per_s(0, 10, e2e_s=5.0) == 5 / 10  # exactly 5 s is in time
    assert ENDS.goodput_per_s(0, 10, e2e_s=4.9) == 3 / 10
    assert ENDS.goodput_per_s(0, 10, ttft_s=1.0) == 4 / 10
    assert ENDS.goodput_per_s(0, 10, tpot_s=0.2) == 3 / 10
    assert ENDS.goodput_per_s(0, 10, ttft_s=0.6, tpot_s=0.2) == 2 / 10
    assert ENDS.goodput_per_s(2, 5, ttft_s=0.6) == 1 / 3


def test_a_single_token_has_no_gap_to_be_late():
    log = RequestLog.from_times(
        [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], first_token_s=[1.0, 0.5, 0.5], output_tokens=[1, 0, 2]
    )
    assert log.meets(tpot_s=0.1).tolist() == [True, False, False]
    assert log.meets(tpot_s=0.5).tolist() == [True, False, True]
    assert log.meets(ttft_s=0.7, tpot_s=0.5).tolist() == [False, False, True]


def test_a_latency_that_was_not_measured_meets_no_limit():
    log = RequestLog.from_times([0.0, 1.0], [0.1, 1.1])
    assert log.meets(ttft_s=100).tolist() == [False, False]
    assert log.meets(e2e_s=100).tolist() == [True, True]
    with pytest.raises(ValueError, match="ttft_s = nan: expected a finite number of at least 0"):
        log.meets(ttft_s=math.nan)


def test_in_flight_is_clipped_at_both_edges():
    log = RequestLog.from_times([0.0, 2.0, 5.0, 8.0, 1.0], [3.0, 4.0, 9.0, 9.0, 20.0])
    # From 2.5 to 7: 0.5 + 1.5 + 2 + 0 + 4.5 request-seconds.
    assert log.mean_in_flight(2.5, 7.0) == pytest.approx(8.5 / 4.5)
    assert log.mean_in_flight(-10.0, 30.0) == pytest.approx(log.e2e_s.sum() / 40)
    assert log.mean_in_flight(21.0, 22.0) == 0.0


@pytest.mark.parametrize("window", [(0.0, 50.0), (13.7, 31.9), (-5.0, 400.0)])
def test_in_flight_agrees_with_the_curve_of_the_simulation(window):
    rng = np.random.default_rng(40)
    arrival = rng.uniform(0, 60, 503)
    finish = arrival + rng.exponential(4.0, 503)
    log = RequestLog.from_times(arrival, finish)
    assert log.mean_in_flight(*window) == pytest.approx(
        in_flight_curve(arrival, finish).mean(*window)
    )


def test_who_has_no_end_stays_unless_it_was_turned_away():
    log = RequestLog.from_times(
        [1.0, 2.0, 3.0], [math.nan] * 3, status=["timed_out", "rejected", "cancelled"]
    )
    assert log.mean_in_flight(0.0, 5.0) == pytest.approx((4 + 0 + 2) / 5)
    assert log.throughput_per_s(0.0, 5.0) == 0.0 and log.arrival_rate_per_s(0.0, 5.0) == 3 / 5


def test_a_percentile_over_a_log_with_failures_can_be_read_three_ways():
    rng = np.random.default_rng(8)
    latency = np.append(rng.uniform(1.0, 2.0, 950), np.full(50, 0.01))  # failures are quick
    status = np.repeat(["ok", "failed"], [950, 50])
    log = RequestLog.from_times(np.zeros(1000), latency, status=status)
    everything, answers = percentile(log.e2e_s, 0.03), percentile(log.e2e_s[log.ok], 0.03)
    assert everything == 0.01 and answers > 1.0
    users = [percentile_of_all(log.e2e_s[log.ok], (~log.ok).sum(), q) for q in (0.94, 0.99)]
    assert percentile(log.e2e_s[log.ok], 0.94) < users[0] < users[1] == math.inf


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"finish_s": [5.0, 2.9]}, r"finish_s\[1\] = 2.9: expected at least 3.0"),
        ({"sent_s": [0.5, 3.0]}, r"sent_s\[0\] = 0.5: expected at least 1.0, the time of intend"),
        (
            {"sent_s": [1.0, 3.5], "admitted_s": [1.0, math.nan], "finish_s": [5.0, 3.4]},
            r"finish_s\[1\] = 3.4: expected at least 3.5, the time of admitted_s or before",
        ),
        ({"first_token_s": [6.0, 4.0]}, r"finish_s\[0\] = 5.0: expected at least 6.0"),
        ({"finish_s": [math.nan, 4.0]}, r"finish_s\[0\] = nan: expected the time at which an 'ok'"),
        ({"finish_s": [5.0]}, r"finish_s = shape \(1,\): expected one value for each of the 2 req"),
        ({"finish_s": [5.0, math.inf]}, r"finish_s\[1\] = inf: expected a finite time, or NaN"),
        ({"finish_s": ["a", "b"]}, "finish_s = .*: expected one number per request"),
        ({"intended_arrival_s": [math.nan, 1.0]}, r"intended_arrival_s\[0\] = nan: expected fini"),
        ({"status": ["ok", "done"]}, r"status\[1\] = 'done': expected one of 'ok', 'cancelled'"),
        ({"status": ["ok"]}, r"status = shape \(1,\): expected one value for each of the 2"),
        ({"output_tokens": [3, -1]}, r"output_tokens\[1\] = -1.0: expected a whole number of at"),
        ({"output_tokens": [2.5, 1]}, r"output_tokens\[0\] = 2.5: expected a whole number of at"),
    ],
)
def test_bad_columns_are_named(change, message):
    good = {"intended_arrival_s": [1.0, 3.0], "finish_s": [5.0, 4.0]}
    with pytest.raises(ValueError, match=message):
        RequestLog.from_times(**{**good, **change})


@pytest.mark.parametrize("window", [(3.0, 3.0), (3.0, 1.0)])
def test_a_window_has_to_last(window):
    for rate in (
        ENDS.mean_in_flight,
        ENDS.throughput_per_s,
        ENDS.goodput_per_s,
        ENDS.token_throughput_per_s,
        ENDS.arrival_rate_per_s,
    ):
        with pytest.raises(ValueError, match=f"to_s = {window[1]}: expected a time after from_s"):
            rate(*window)
