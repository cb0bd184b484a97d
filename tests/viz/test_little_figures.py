"""The figures of Little's law show the numbers that they claim, by an independent calculation."""

import re

import numpy as np
import pytest

from labutils.viz.figures import little as figures
from labutils.viz.style import title_of


def texts(fig):
    return [text.get_text() for ax in fig.axes for text in ax.texts]


def test_the_edge_gap_draws_medians_and_the_line_through_them():
    lengths = [2, 10, 40]
    gaps = [[-0.5, 0.3, 0.6], [0.1, -0.11, 0.02], [0.01, -0.03, 0.02]]
    fig = figures.edge_gap(lengths, gaps)
    each, slope, middle = fig.axes[0].lines
    assert list(middle.get_ydata()) == pytest.approx([50, 10, 2])
    assert sorted(each.get_ydata()) == pytest.approx([1, 2, 2, 3, 10, 11, 30, 50, 60])
    constant = (2 * 50 * 10 * 10 * 40 * 2) ** (1 / 3)  # geometric mean of length × gap
    assert list(slope.get_ydata()) == pytest.approx([constant / t for t in lengths])
    assert any("each of 3 windows" in text for text in texts(fig))


def test_caught_draws_densities_and_says_the_ratio_of_the_means():
    latency = np.array([0.1, 0.3, 0.2, 0.2])  # mean 0.2
    caught = np.array([0.3, 0.3, 0.2])  # mean 4/3 of that
    fig = figures.caught(latency, caught)
    log, seen = (line for line in fig.axes[0].lines if len(line.get_xdata()) > 5)
    for step in (log, seen):
        widths = np.diff(step.get_xdata())
        assert widths @ step.get_ydata()[:-1] == pytest.approx(1.0)
    # a quarter of the log at half its mean, in a bin a quarter wide
    assert log.get_ydata()[2] == pytest.approx(0.25 / 0.25)
    assert "take 1.3 times" in title_of(fig)


@pytest.mark.parametrize("slots", [1, 16])
def test_the_alarm_is_in_flight_by_slots(slots):
    fig = figures.alarm(slots=slots, seen=(0.9, 1.25))
    theory, diagonal, limit, seen = fig.axes[0].lines
    load, ratio = theory.get_xdata() / 100, theory.get_ydata() / 100
    if slots == 1:  # L = ρ / (1 - ρ), which is 1 at ρ = 1/2
        assert ratio == pytest.approx(load / (1 - load))
        assert "a load of 50 %" in title_of(fig)
    else:  # below half load sixteen slots hardly ever make anybody wait
        assert ratio[load < 0.5] == pytest.approx(load[load < 0.5], rel=1e-2)
        crossing = int(re.search(r"load of (\d+) %", title_of(fig))[1]) / 100
        assert np.interp(crossing, load, ratio) == pytest.approx(1, abs=0.06)
    assert (seen.get_xdata()[0], seen.get_ydata()[0]) == pytest.approx((90, 125))
    assert set(limit.get_ydata()) == {100}
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())


def test_resident_stacks_what_is_held_up_to_its_sum():
    clock = np.array([0.0, 1.0, 2.0, 3.0])
    held = np.array([[500, 600, 0, 0], [0, 100, 200, 300], [0, 0, 40, 41]])
    fig = figures.resident(clock, held, mean=420.0)
    total, mean = fig.axes[0].lines
    assert list(total.get_ydata()) == pytest.approx([0.5, 0.7, 0.24, 0.341])
    assert set(mean.get_ydata()) == {0.42}
    assert len(fig.axes[0].collections) == 3
    assert texts(fig) == ["λG = 0.4, the mean of the long run"]
