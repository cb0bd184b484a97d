"""The figures of chapter 03b show the numbers that they claim."""

import numpy as np
import pytest

from labutils.viz.figures import trust
from labutils.viz.style import color, title_of


def test_missing_requests_are_drawn_and_totalled():
    fig = trust.missing_over_time([2, 5, 9], [0, 3, 7], num_arrived=1_250)
    assert title_of(fig) == "7 of 1,250 requests are neither finished nor inside"
    (steps,) = fig.axes[0].lines
    assert list(steps.get_ydata()) == [0, 3, 7] and steps.get_drawstyle() == "steps-post"


def test_settling_counts_the_runs_outside_at_ten_thousand_and_at_the_end():
    # true mean 1/(1-0.75) = 4; within 10 %: 3.6 to 4.4
    means = [[9, 4.5, 3.9], [1, 3.5, 4.5], [2, 4.0, 4.0]]
    fig = trust.settling([500, 10_000, 2_000_000], means, utilization=0.75, within=0.1)
    expected = "2 of 3 runs are off by more than 10 % after 10,000 requests, 1 after 2 million"
    assert title_of(fig) == expected
    left, right = fig.axes
    assert [list(line.get_ydata()) for line in left.lines[:3]] == means
    assert list(left.lines[3].get_ydata()) == [4, 4]
    limit = [line.get_ydata() for line in right.lines if set(line.get_ydata()) == {10}]
    assert len(limit) == 1


def test_settling_sets_apart_and_counts_the_runs_that_are_off():
    # true mean 4, within 10 %; errors in % of the three runs at each length
    means = [[9, 4.5, 3.9], [1, 3.5, 4.5], [2, 4.04, 4.04]]
    fig = trust.settling([1_000, 10_000, 2_000_000], means, utilization=0.75, within=0.1)
    right = fig.axes[1]
    said = {text.xy[0]: text.get_text() for text in right.texts if text.get_text().isdigit()}
    assert said == {1_000: "3", 10_000: "2", 2_000_000: "1"}
    shown = {role: _dots_of(right, role) for role in ("measurement", "service")}
    assert shown["measurement"] == pytest.approx([12.5, 12.5, 12.5, 50, 75, 125])
    assert shown["service"] == pytest.approx([1, 1, 2.5])


def _dots_of(ax, role):
    """Heights of the marks in the colour of a role; they are drawn without a line."""
    marks = [x for x in ax.lines if x.get_linestyle() == "None" and x.get_color() == color(role)]
    return sorted(y for mark in marks for y in mark.get_ydata())


def test_settling_draws_the_error_that_95_of_100_runs_keep():
    fig = trust.settling([300, 10_000], [[2, 2.1]], utilization=0.5, within=0.05)
    law, limit = fig.axes[1].lines[:2]
    n, kept = law.get_data()
    assert kept == pytest.approx(196 * 3 / np.sqrt(n))  # (1 + 0.5)/(1 - 0.5) = 3
    assert list(limit.get_ydata()) == [5, 5]


def test_coverage_sets_misses_apart_and_counts_hits():
    panels = {
        "one": [(1, 2), (4, 6), (5, 9), (6, 7)],
        "two": [(0, 9), (1, 8), (2, 7), (5.5, 6)],
    }
    fig = trust.coverage(panels, truth=5)
    expected = "“95 %” intervals that hold the true mean: 2 of 4 one, 3 of 4 two"
    assert title_of(fig) == expected
    bars = {}
    for ax in fig.axes:
        for collection in ax.collections:
            rgb = tuple(np.round(255 * collection.get_colors()[0][:3]).astype(int))
            ends = sorted(tuple(s[:, 1]) for s in collection.get_segments())
            bars[ax.get_title(loc="left"), "#{:02x}{:02x}{:02x}".format(*rgb)] = ends
    assert bars["one", color("measurement")] == [(1, 2), (6, 7)]
    assert bars["one", color("service")] == [(4, 6), (5, 9)]
    assert bars["two", color("measurement")] == [(5.5, 6)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trust.settling([1], [[1]], utilization=1, within=0.1), "utilization = 1"),
        (lambda: trust.settling([1], [[1]], utilization=0.5, within=0), "within = 0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
