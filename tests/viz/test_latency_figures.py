"""The figures of chapter 01 show the numbers that they claim, by an independent calculation."""

import numpy as np
import pytest

from labutils.simulation.closed_loop import ClientLog
from labutils.viz.figures import latency as figures
from labutils.viz.style import color, title_of


def texts(fig):
    return [text.get_text() for ax in fig.axes for text in ax.texts]


def test_days_are_split_by_the_limit():
    fig = figures.days([20.0, 90.0, 44.0, 45.0, 130.0], limit_ms=45)
    assert title_of(fig) == "5 days of one service: “healthy” on 2, p99 from 20 to 130 ms"
    healthy, others, rule = fig.axes[0].lines
    assert list(healthy.get_xdata()) == [1, 3] and list(others.get_ydata()) == [90, 45, 130]
    assert set(rule.get_ydata()) == {45}


def test_two_hosts_marks_each_quantile_and_the_average_that_is_none():
    hosts = {"one": np.arange(1.0, 1000.0), "two": np.full(41, 3000.0)}
    fig = figures.two_hosts(hosts, q=0.9)
    # 999 values up to 999 and 41 of 3,000: rank 936 of 1,040. The average of 900 and 3,000.
    assert title_of(fig) == "The fleet's p90 is 936 ms; the average of its hosts' p90s is 1,950 ms"
    dots = {line.get_color(): line for line in fig.axes[0].lines if len(line.get_xdata()) == 1}
    assert dots[color("measurement")].get_xdata()[0] == 936
    assert dots[color("prediction")].get_xdata()[0] == 1950
    assert any("two: 3,000 ms" in text for text in texts(fig))
    curve = next(c for c in fig.axes[0].lines if len(c.get_xdata()) > 9)
    x, share = curve.get_data()
    at = 61
    assert share[at] == pytest.approx((hosts["one"] > x[at]).mean())


def test_frozen_counts_what_is_over_the_limit():
    sent = np.arange(6.0)
    waits = np.array([0.1, 0.2, 9.0, 0.1, 5.0, 4.0])
    fig = figures.frozen(ClientLog(sent, sent + waits), ClientLog(sent[:3], sent[:3] + waits[:3]))
    assert title_of(fig) == "Over 1 s: 3 requests if sent on schedule, 1 if the generator waits"
    left, right = fig.axes
    assert list(left.lines[1].get_xdata()) == [2, 4, 5]
    assert list(right.lines[1].get_ydata()) == [9]
    assert left.get_title(loc="left") == "on schedule: 6 requests, mean 3 s"
    assert right.get_title(loc="left") == "waits: 3 requests, mean 3 s"


def test_frozen_needs_no_slow_request():
    sent = np.arange(4.0)
    fig = figures.frozen(ClientLog(sent, sent + 0.25), ClientLog(sent, sent + 0.5))
    assert title_of(fig).startswith("Over 1 s: 0 requests")
    assert fig.axes[0].get_title(loc="left").endswith("mean 250 ms")


def test_right_skew_marks_mean_and_percentiles():
    values = np.concatenate([np.full(96, 100.0), [500, 900, 1000, 4000]])
    fig = figures.right_skew(values)
    assert title_of(fig) == "96 % are faster than the mean of 160 ms, 1 % slower than 1,000 ms"
    assert [text.split("\n") for text in texts(fig)] == [
        ["p50", "100"],
        ["p95", "100"],
        ["p99", "1,000"],
        ["mean", "160"],
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.days([1, float("nan")], limit_ms=3), r"p99_ms\[1\]"),
        (lambda: figures.days([1], limit_ms=0), "limit_ms = 0"),
        (lambda: figures.two_hosts({"a": []}), r"a = \[\]"),
        (lambda: figures.two_hosts({"a": [1]}, q=1), "q = 1"),
        (lambda: figures.right_skew("x"), "latency_ms"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
