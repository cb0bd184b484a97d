"""The figures of lab 8 say what they show."""

import pytest

from labutils.viz.figures.streams import loads_figure, token_times_figure
from labutils.viz.style import title_of


def test_the_last_first_token_stands_in_the_title():
    figure = token_times_figure(
        {"in the loop": {"long": [1.0, 1.0], "short": [2.5]}, "in a thread": {"long": [0.1, 0.4],
         "short": [0.25, 0.5, 0.6]}}
    )  # fmt: skip
    assert title_of(figure) == "The last first token: 2.50 s in the loop, 0.25 s in a thread"
    drawn = [
        [[float(mark[0][0]) for mark in row.get_segments()] for row in ax.collections]
        for ax in figure.axes
    ]
    assert drawn == [[[1.0, 1.0], [2.5]], [[0.1, 0.4], [0.25, 0.5, 0.6]]]
    assert [one.get_text() for one in figure.axes[1].get_yticklabels()] == ["long", "short"]


def test_the_title_says_how_far_predictions_are_off():
    measured = {"TTFT p90": {0.5: 40.0, 0.7: 50.0}, "TPOT p50": {0.5: 10.0, 0.7: 20.0}}
    predicted = {"TTFT p90": {0.5: 30.0, 0.7: 50.5}, "TPOT p50": {0.5: 11.0, 0.7: 21.0}}
    figure = loads_figure(measured, predicted)
    assert title_of(figure) == (
        "Predictions are off by -25 to +10 %, furthest for TTFT p90 at load 0.5"
    )
    (ax,) = figure.axes
    drawn = [pytest.approx([*line.get_xdata()]) for line in ax.lines]
    assert [30.0, 40.0] in drawn and [21.0, 20.0] in drawn
    assert [one.get_text() for one in ax.texts[:4]] == ["-25 %", "+1 %", "+10 %", "+5 %"]
    assert ax.get_yticklabels()[2].get_text() == "TPOT p50, load 0.5"
