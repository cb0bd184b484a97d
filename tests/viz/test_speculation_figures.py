"""The figures of lab 7 say what they show."""

import pytest

from labutils.serving.speculation import Tally
from labutils.viz.figures.speculation import acceptance_figure, gain_figure
from labutils.viz.style import title_of


def tally(tried, stayed):
    return Tally(tried=list(tried), stayed=list(stayed))


def test_acceptance_by_place_names_the_range():
    figure = acceptance_figure({"code": tally([10, 5], [5, 4]), "prose": tally([10, 2], [2, 1])})
    assert title_of(figure) == "25 to 60 % of the drafts stay, by kind of text"
    drawn = [line.get_ydata().tolist() for line in figure.axes[0].lines]
    assert [0.5, 0.8] in drawn and [0.2, 0.5] in drawn


def test_a_kind_without_drafts_is_left_out():
    figure = acceptance_figure({"code": tally([10], [5]), "prose": tally([], [])})
    assert title_of(figure) == "50 to 50 % of the drafts stay, by kind of text"


def test_the_gain_counts_what_gains():
    measured = {"1 by the model": {1: 0.8, 4: 0.7}, "4 by look-up": {1: 1.1, 4: 0.9}}
    figure = gain_figure(measured, {"1 by the model": {1: 0.85, 4: 0.8}})
    assert title_of(figure) == "1 of 4 settings gain"
    drawn = [pytest.approx([*line.get_ydata()]) for line in figure.axes[0].lines]
    assert [0.85, 0.8] in drawn and [1.1, 0.9] in drawn
