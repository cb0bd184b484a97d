"""The figure of lab 2: every pair's number stands where it belongs, and the sums are said."""

import numpy as np
import pytest

from labutils.viz.figures.kv_cache import pair_counts
from labutils.viz.style import title_of


def test_the_numbers_stand_in_their_cells_and_nowhere_else():
    again = np.array([[3, 0, 0], [2, 2, 0], [1, 1, 7]])
    fig = pair_counts({"twice": again, "once": np.tri(3)}, prompt=1)
    left, right = fig.axes
    placed = {(t.get_position(), t.get_text()) for t in left.texts if t.get_text().isdigit()}
    assert placed == {
        ((0, 0), "3"), ((0, 1), "2"), ((1, 1), "2"), ((0, 2), "1"), ((1, 2), "1"), ((2, 2), "7")
    }  # fmt: skip
    assert [t.get_text() for t in right.texts] == ["1"] * 6
    assert title_of(fig).startswith("16 comparisons twice, 6 once")
    assert right.get_title(loc="left") == "once: 6 comparisons"


def test_the_line_stands_below_the_prompt():
    left, right = pair_counts({"a": 2 * np.tri(5), "b": np.tri(5)}, prompt=3).axes
    assert [ax.lines[0].get_ydata()[0] for ax in (left, right)] == [2.5, 2.5]
    with pytest.raises(ValueError, match="prompt = 0"):
        pair_counts({"a": np.tri(5)}, prompt=0)
