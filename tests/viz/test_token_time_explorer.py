"""The explorer of lab 2 on made-up timings: its numbers, what it hides, its words."""

import re

import numpy as np
import pytest

from labutils.measure import Timing
from labutils.viz.explorers.token_time import answer_s, token_time_explorer
from labutils.viz.style import title_of

POSITIONS = (10, 110, 410)
MEDIANS = {"again": (4, 20, 80), "append": (3, 5, 16), "room": (3, 4, 5)}  # ms


def made_up(medians=MEDIANS):
    """Three runs each; 80 % of them lie from 0.9 to 1.3 times the median."""
    return {
        name: {
            p: Timing(tuple(f * ms / 1000 for f in (1.3, 1.0, 0.9)))
            for p, ms in zip(POSITIONS, row)
        }
        for name, row in medians.items()
    }


@pytest.fixture(scope="module")
def explorer():
    return token_time_explorer(made_up())


def axes(explorer):
    return explorer._frames.fig.axes[0]


def test_it_says_the_time_of_one_token_between_two_that_were_measured(explorer):
    assert explorer(token=60).startswith("Token 60: again 12 ms, append 4 ms, room 3.5 ms.")


def test_it_adds_up_the_tokens_of_an_answer(explorer):
    said = re.search(r"All tokens up to it: again ([\d.]+) s", explorer(token=410))
    by_hand = 10 * 4 + sum(4 + 0.16 * i for i in range(1, 101)) + sum(
        20 + 0.2 * i for i in range(1, 301)
    )  # fmt: skip
    assert float(said[1]) == pytest.approx(by_hand / 1000, rel=2e-3)


def test_before_the_first_position_every_token_costs_the_same():
    assert answer_s(7, np.array(POSITIONS), np.array([4.0, 20.0, 80.0])) == pytest.approx(28)


def test_the_caches_alone_get_the_axis_to_themselves(explorer):
    assert axes(explorer).get_ylim()[1] > 80
    explorer(shown="with a cache")
    assert 16 * 1.3 < axes(explorer).get_ylim()[1] < 30
    drawn = [max(line.get_ydata()) for line in axes(explorer).lines if line.get_visible()]
    assert 80 not in drawn and 16 in drawn
    shown = [text.get_text() for text in axes(explorer).texts if text.get_visible()]
    assert sorted(shown) == ["append", "room"]
    explorer(shown="all")
    assert sorted(t.get_text() for t in axes(explorer).texts if t.get_visible()) == sorted(MEDIANS)


def test_the_title_names_the_slowest_that_is_shown(explorer):
    assert "410 takes 16 times as long with again as with room" in title_of(explorer._frames.fig)
    explorer(shown="with a cache")
    assert "takes 3.2 times as long with append as with room" in title_of(explorer._frames.fig)


@pytest.mark.parametrize(
    ("timings", "named"),
    [
        ({"again": made_up()["again"]}, "expected two to 4 versions"),
        ({**made_up(), "room": {10: Timing((1.0,))}}, "expected the same two or more"),
        ({**made_up(), "room": {p: Timing((0.0,)) for p in POSITIONS}}, r"\['room'\]\[10\]"),
        ({**made_up(), "room": {0: Timing((1.0,))}}, "position = 0"),
    ],
)
def test_bad_timings_are_named(timings, named):
    with pytest.raises(ValueError, match=named):
        token_time_explorer(timings)
