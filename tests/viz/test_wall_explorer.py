"""The explorer of the wall: its lines are those of the panels, its finding that of the run."""

import numpy as np
import pytest

from labutils.telemetry.watching.wall import NEW, OLD, Recording
from labutils.viz.explorers.wall import wall_explorer
from labutils.viz.figures.wall_panels import spread
from tests.conftest import only_full


@pytest.fixture(scope="module")
def recording():
    return Recording.load()


@pytest.fixture(scope="module")
def explorer(recording):
    return wall_explorer(recording)


def drawn(explorer, panel):
    """(x, y) of each line of a panel that shows something."""
    lines = explorer._frames.fig.axes[panel].lines[:4]
    return [line.get_xydata() for line in lines if len(line.get_xdata())]


@pytest.mark.parametrize("panel, replica", [(3, "all four"), *only_full((4, "c"), (8, "b"))])
def test_lines_are_those_of_the_panel(explorer, recording, panel, replica):
    explorer(wall="the new wall", replica=replica, window_s=10.0)
    fleet = [one for one in recording.service() if replica in (one.name, "all four")]
    found = drawn(explorer, panel)
    want = NEW[panel].lines(fleet, found[0][:, 0], 10.0)
    assert len(found) == len(want)
    for points, values in zip(found, want.values()):
        np.testing.assert_allclose(points[:, 1], values)


def test_the_old_wall_is_green_for_every_replica(explorer):
    for name in "abcd":
        assert "green" in explorer(wall="the wall they had", replica=name)
    assert explorer._frames.fig.axes[0].get_title(loc="left") == OLD[0].title


def test_the_new_wall_names_the_second(explorer):
    finding = explorer(wall="the new wall", replica="c", window_s=5.0)
    second = float(finding.split()[2].rstrip(","))
    assert 40 < second <= 66


def test_replicas_are_told_apart_by_dash_and_by_a_name_at_the_end_of_the_line(explorer):
    explorer(wall="the new wall", replica="all four", window_s=10.0)
    ax = explorer._frames.fig.axes[8]
    dashes = {str(line._dash_pattern) for line in ax.lines[:4]}
    assert len(dashes) == 4
    ends = {name: line.get_ydata()[-1] for name, line in zip("abcd", ax.lines)}
    heights = {said.get_text(): said.get_position()[1] for said in ax.texts if said.get_text()}
    assert sorted("abcd", key=heights.get) == sorted("abcd", key=ends.get)
    assert abs(heights["a"] - ends["a"] / ax.get_ylim()[1]) < 0.1


def test_names_that_collide_move_apart_and_keep_their_order():
    moved = spread([0.5, 0.5, 0.98, 0.48, 1.4], 0.125)
    order = [moved[at] for at in (3, 0, 1, 2, 4)]
    assert np.diff(order).min() > 0.12 and min(moved) >= 0 and max(moved) <= 1


def test_the_wall_and_what_it_says_fit_above_the_fold(explorer):
    assert explorer._frames.fig.get_figheight() * 96 + 130 < 679
    page = explorer._picture_bundle()["text/html"]
    assert page.index("<figcaption") < page.index("<img")


def test_a_panel_with_fewer_lines_leaves_none_of_the_last_wall(explorer):
    explorer(wall="the new wall", replica="all four", window_s=10.0)
    assert len(drawn(explorer, 4)) == 4
    explorer(wall="the wall they had", replica="all four", window_s=10.0)
    assert len(drawn(explorer, 4)) == 1
