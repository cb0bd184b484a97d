"""Traces as columns."""

import math

import numpy as np
import pytest

from labutils.workload import RequestTrace, uniform_trace


def small() -> RequestTrace:
    return RequestTrace(
        arrival_s=[2.0, 2.5, 4.0, 7.0],
        prompt_tokens=[9, 700, 20, 3],
        output_tokens=[5, 1, 80, 33],
        prefix_keys=((1,), (1, 2), (1,), ()),
        prefix_page_tokens=512,
        name="small",
        note="Made up.",
    )


def test_rate_duration_and_burstiness():
    trace = small()
    assert (len(trace), trace.duration_s, trace.rate_per_s) == (4, 5.0, 0.6)
    gaps = [0.5, 1.5, 3.0]
    assert trace.gap_cv == pytest.approx(np.std(gaps) / np.mean(gaps))


def test_take_keeps_every_column_together():
    taken = small().take(3)
    assert taken.arrival_s.tolist() == [2.0, 2.5, 4.0]
    assert taken.output_tokens.tolist() == [5, 1, 80]
    assert taken.prefix_keys == ((1,), (1, 2), (1,))
    assert len(small().take(99)) == 4


def test_scaled_changes_the_rate_and_nothing_else():
    scaled = small().scaled(2.5)
    assert scaled.arrival_s == pytest.approx([2.0, 2.2, 2.8, 4.0])
    assert scaled.rate_per_s == pytest.approx(2.5 * 0.6)
    assert scaled.gap_cv == pytest.approx(small().gap_cv)
    assert scaled.prompt_tokens.tolist() == [9, 700, 20, 3]
    assert scaled.prefix_keys == small().prefix_keys


def test_columns_are_copied_and_read_only():
    arrivals = np.array([1.0, 2.0])
    trace = RequestTrace(arrivals, [3, 4], [5, 6])
    arrivals[0] = 99
    assert trace.arrival_s[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        trace.prompt_tokens[0] = 7


def test_summary_says_what_was_measured():
    summary = small().summary()
    assert summary.reuse == pytest.approx(1 - 2 / 4)
    assert summary.prompt_tokens.mean == pytest.approx(183)
    assert summary.output_tokens.longest == 80
    told = str(summary)
    assert "small: 4 requests in 5 s, 0.6 per second" in told
    assert "prefix blocks seen before: 50.0%" in told and told.endswith("Made up.")
    assert "prefix" not in str(
        uniform_trace(3, rate_per_s=2, prompt_tokens=1, output_tokens=1).summary()
    )


def test_uniform_trace():
    trace = uniform_trace(5, rate_per_s=4.0, prompt_tokens=7, output_tokens=3)
    assert trace.arrival_s.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert set(trace.prompt_tokens) == {7} and set(trace.output_tokens) == {3}
    at_once = uniform_trace(5, rate_per_s=math.inf, prompt_tokens=7, output_tokens=3)
    assert at_once.arrival_s.tolist() == [0.0] * 5 and at_once.rate_per_s == math.inf


def test_a_trace_of_one_request_has_no_rate():
    one = uniform_trace(1, rate_per_s=4.0, prompt_tokens=7, output_tokens=3)
    assert math.isnan(one.rate_per_s) and math.isnan(one.gap_cv)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arrival_s": [2, 3, 2.5]}, r"arrival_s\[2\] = 2\.5: expected a time no earlier"),
        ({"arrival_s": [2, math.nan, 4]}, r"arrival_s\[1\] = nan: expected a finite"),
        ({"prompt_tokens": [4, 0, 4]}, r"prompt_tokens\[1\] = 0: expected a whole number"),
        ({"prompt_tokens": [4, math.nan, 4]}, r"prompt_tokens\[1\] = nan"),
        ({"output_tokens": [4, 5, 1.5]}, r"output_tokens\[2\] = 1\.5"),
        ({"output_tokens": [4, 5]}, "output_tokens: expected 3 numbers"),
        ({"output_tokens": [4, 5, 10**30]}, r"output_tokens\[2\] = 10{30}: expected .* to 2\*\*53"),
        ({"prompt_tokens": [4, "x", 10**30]}, r"prompt_tokens\[1\] = x: expected a whole number"),
        ({"prefix_keys": ((), (), ())}, "prefix_page_tokens: expected both or neither"),
        ({"prefix_keys": ((),), "prefix_page_tokens": 16}, "prefix_keys: expected 3, got 1"),
        ({"prefix_keys": ((),) * 3, "prefix_page_tokens": 0}, "prefix_page_tokens = 0"),
    ],
)
def test_bad_columns_name_the_row(change, message):
    columns = {"arrival_s": [1, 2, 3], "prompt_tokens": [4, 5, 6], "output_tokens": [7, 8, 9]}
    with pytest.raises(ValueError, match=message):
        RequestTrace(**{**columns, **change})


def test_a_negative_rate_is_refused():
    with pytest.raises(ValueError, match=r"rate_per_s = -2"):
        uniform_trace(5, rate_per_s=-2, prompt_tokens=7, output_tokens=3)
    with pytest.raises(ValueError, match=r"prompt_tokens = 10{30}: expected at most"):
        uniform_trace(5, rate_per_s=1, prompt_tokens=10**30, output_tokens=3)
    with pytest.raises(
        ValueError, match=r"num_requests = 10000000000: expected at most 50,000,000"
    ):
        uniform_trace(10**10, rate_per_s=1, prompt_tokens=7, output_tokens=3)
    with pytest.raises(ValueError, match=r"rate_factor = -1"):
        small().scaled(-1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"prompt_tokens": 10**30},
        {"output_tokens": 10**400},
        {"num_requests": 10**30},
        {"rate_per_s": 10**400},
        {"rate_per_s": 5e-324},
    ],
)
def test_sizes_that_no_trace_has_are_refused_by_name(wrong):
    (name,) = wrong
    right = {"num_requests": 3, "rate_per_s": 1.0, "prompt_tokens": 5, "output_tokens": 5}
    with pytest.raises(ValueError, match=f"{name} = .*expected"):
        uniform_trace(**{**right, **wrong})


def test_an_arrival_that_no_float_holds_is_refused():
    with pytest.raises(ValueError, match="arrival_s: expected numbers"):
        RequestTrace([10**400], [1], [1])
