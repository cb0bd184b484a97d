"""The batch explorer on made-up timings: its numbers, its marks, its honest words."""

import re

import numpy as np
import pytest

from labutils.measure import Timing
from labutils.viz.explorers.batch_cost import batch_cost_explorer
from labutils.viz.style import title_of

# Three runs each, the median in the middle: 4 ms for one, 6 ms for 3, 20 ms for 16.
MADE_UP = {
    16: Timing((0.020, 0.018, 0.030)),
    1: Timing((0.004, 0.0035, 0.005)),
    3: Timing((0.006, 0.0055, 0.0065)),
}


@pytest.fixture(scope="module")
def explorer():
    return batch_cost_explorer(MADE_UP)


def axes(explorer):
    return explorer._frames.fig.axes[0]


def times_said(finding):
    return [float(x) for x in re.findall(r"\(([\d.]+) times", finding)]


def test_it_says_what_a_batch_costs_and_what_it_buys(explorer):
    finding = explorer(size=16)
    assert times_said(finding) == [5.0, 3.2]  # 20 / 4, and 16 / 20 ms against 1 / 4 ms
    assert "done after 20 ms" in finding and "800/s" in finding
    assert times_said(explorer(size=3)) == [1.5, 2.0]


def test_one_at_a_time_is_the_measure(explorer):
    assert explorer() == "One at a time: each vector takes 4 ms, 250/s."


def test_a_batch_that_loses_is_said_to_lose():
    losing = {1: Timing((0.004,)), 2: Timing((0.010,))}
    assert times_said(batch_cost_explorer(losing, size=2).finding) == [2.5, 0.8]


def test_the_curves_are_the_medians_and_their_shares(explorer):
    batch, vector, guess, *_ = axes(explorer).lines
    assert batch.get_xdata().tolist() == vector.get_xdata().tolist() == [1, 3, 16]
    assert batch.get_ydata() == pytest.approx([4, 6, 20])
    assert vector.get_ydata() == pytest.approx([4, 2, 1.25])
    assert guess.get_ydata() == pytest.approx([4, 12, 64])


def test_the_bars_hold_the_spread(explorer):
    of_batch, of_vector = axes(explorer).collections
    assert np.array(of_batch.get_segments())[:, :, 1] == pytest.approx(
        np.array([[3.5, 5], [5.5, 6.5], [18, 30]])
    )
    assert of_vector.get_segments()[2][:, 1] == pytest.approx([18 / 16, 30 / 16])


def test_the_marks_follow_the_slider(explorer):
    explorer(size=3)
    *_, cut, batch, vector = axes(explorer).lines
    assert [m.get_xdata()[0] for m in (batch, vector, cut)] == [3, 3, 3]
    assert (batch.get_ydata()[0], vector.get_ydata()[0]) == pytest.approx((6, 2))


def test_the_title_is_computed(explorer):
    title = title_of(explorer._frames.fig)
    assert "batch of 16 takes 5 times" in title and "3.2 times as many" in title
    explorer(size=3)
    assert "batch of 3 takes 1.5 times" in title_of(explorer._frames.fig)


@pytest.mark.parametrize(("scale", "unit"), [(1e-3, "µs"), (1.0, "ms"), (300.0, "s")])
def test_the_axis_takes_the_unit_of_the_machine(scale, unit):
    timings = {k: Timing(tuple(scale * s for s in t.samples_s)) for k, t in MADE_UP.items()}
    assert axes(batch_cost_explorer(timings)).get_ylabel() == f"time ({unit})"


def test_the_slider_takes_measured_sizes_only(explorer):
    with pytest.raises(ValueError, match="size = 5: expected one of 1, 3, 16"):
        explorer(size=5)
    with pytest.raises(ValueError, match="size = 2"):
        batch_cost_explorer(MADE_UP, size=2)


@pytest.mark.parametrize(
    ("timings", "named"),
    [
        ({1: Timing((0.1,))}, "at least one more"),
        ({2: Timing((0.1,)), 4: Timing((0.2,))}, "expected 1 and"),
        ({1: Timing((0.1,)), 0: Timing((0.1,))}, "batch size = 0"),
        ({1: Timing((0.0,)), 2: Timing((0.1,))}, r"timings\[1\].median_s = 0"),
    ],
)
def test_bad_timings_are_named(timings, named):
    with pytest.raises(ValueError, match=named):
        batch_cost_explorer(timings)
