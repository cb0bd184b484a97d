"""What chapter 14 draws of routers and autoscalers is what it was given."""

from types import SimpleNamespace

import numpy as np
import pytest

from labutils.engine import PagePool, Scheduler
from labutils.serving.replicas import serve_replicas
from labutils.serving.simulator import StepCost
from labutils.viz.crowding import crowded
from labutils.viz.figures import replicas as figures
from labutils.viz.figures.replica_lanes import waiting
from labutils.viz.picture import png
from labutils.viz.style import title_of
from labutils.workload import uniform_trace

ROUTERS = ("round robin", "least by reports", "two choices", "own choices counted")


@pytest.fixture(scope="module")
def run():
    """Four requests a second apart, two steps of 3 s each; the third goes to replica 1."""
    trace = uniform_trace(4, rate_per_s=1, prompt_tokens=4, output_tokens=2)
    two = [Scheduler(1, PagePool(9)) for _ in range(2)]
    return serve_replicas(trace, two, StepCost(3.0), np.array([0, 0, 1, 0]))


def drawn(ax):
    return [[*map(float, one.get_ydata())] for one in ax.lines]


def uncrowded(fig, title):
    png(fig)
    assert title_of(fig) == title and list(crowded(fig)) == []
    return fig.axes


def test_who_waits_was_sent_and_has_no_token(run):
    """First tokens at 3, 9 and 15 s at replica 0, at 5 s at replica 1."""
    assert waiting(run, [0.5, 1.5, 2.5, 4, 6.5, 9.5]).tolist() == [
        [1, 2, 2, 2, 2, 1], [0, 0, 1, 1, 0, 0],
    ]  # fmt: skip


def test_every_router_has_a_column_of_lanes_on_one_scale(run):
    axes = uncrowded(figures.queues({"a": run, "b": run}, between_s=(1, 9), title="Lanes"), "Lanes")
    assert [ax.get_title(loc="left") for ax in axes] == ["a", "b"]
    first, second = axes[0].collections[1].get_paths()
    assert np.ptp(first.vertices[:, 1]) == pytest.approx(0.86)  # two waited, so that lane is full
    assert np.ptp(second.vertices[:, 1]) == pytest.approx(0.43)
    assert "a full lane: 2 requests" in axes[0].figure._supxlabel.get_text()


def test_routers_by_age_and_by_number_are_lines_that_bear_their_names():
    rows = {name: [0.04 * k, 0.05 * k, 0.2 * k] for k, name in enumerate(ROUTERS, 1)}
    (ax,) = uncrowded(figures.by_age((0, 0.1, 2), rows, title="Age"), "Age")
    assert drawn(ax) == [pytest.approx(row) for row in rows.values()]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [*ROUTERS]
    shares = {name: [0.5, 0.4, 0.1 * k] for k, name in enumerate(ROUTERS, 1)}
    hits, ttft = uncrowded(figures.by_replicas((2, 4, 8), shares, rows, title="Number"), "Number")
    assert drawn(hits)[2] == pytest.approx([50, 40, 30])
    assert drawn(ttft)[1] == pytest.approx([0.08, 0.1, 0.4]) and ttft.get_yscale() == "log"
    with pytest.raises(ValueError, match="5 routers"):
        figures.by_age((0, 1), {name: [1, 1] for name in "abcde"}, title="")


def test_of_a_minute_the_fewest_replicas_are_told_and_whether_it_was_late():
    scaling = np.rec.fromarrays(
        [[20.0, 40.0, 90.0, 100.0], [3, 1, 2, 5], [0, 4, 6, 1]], names="at_s,up,booting"
    )
    sent_s, in_time = np.array([1.0, 70.0, 80.0]), np.array([True, True, False])
    told = SimpleNamespace(scaling=scaling, log=SimpleNamespace(sent_s=sent_s))
    ordered, up, late = figures.minutes_of(told, in_time, 2)
    assert (ordered.tolist(), up.tolist(), late.tolist()) == ([3, 5], [3, 1], [1])


def test_a_bound_that_leaves_none_out_is_called_none():
    panels = uncrowded(figures.by_bound((1, 1.25, 1e9), [0.2, 0.6, 0.7], [1, 2, 4], title="B"), "B")
    assert [*map(drawn, panels)] == [[pytest.approx([20, 60, 70])], [[1, 2, 4]]]
    assert [text.get_text() for text in panels[0].get_xticklabels()] == ["1", "1.25", "none"]


def test_a_claim_is_hollow_and_may_be_missing():
    rows = [("a", 0.3, 0.5, 0.6, 0.7), ("b", None, 0.8, 1.1, 9)]
    (ax,) = uncrowded(figures.claims(rows, title="Claims"), "Claims")
    (interval,) = ax.collections
    assert [one[:, 0].tolist() for one in interval.get_segments()] == [[0.5, 0.7], [0.8, 9]]
    _, middle, claimed = ax.lines
    assert [*middle.get_xdata()] == [0.6, 1.1] and [*claimed.get_xdata()] == [0.3]
    assert claimed.get_markerfacecolor() == "none"


def test_a_morning_counts_the_minutes_in_which_a_promise_was_broken():
    told = {"queue": ([2, 3, 3], [2, 2, 3], [1]), "in flight": ([1, 1, 4], [1, 1, 1], [])}
    fig = figures.morning([5, 9, 7], told, title="Morning")
    top, queue, flight = uncrowded(fig, "Morning")
    assert drawn(top) == [[5, 9, 7]]
    ordered, broken = queue.lines
    assert [*ordered.get_ydata()] == [2, 3, 3] and [*broken.get_xdata()] == [pytest.approx(1 / 60)]
    titles = [ax.get_title(loc="left") for ax in (queue, flight)]
    assert titles == ["queue: 1 min broken", "in flight: 0 min broken"]


@pytest.mark.parametrize("log", [False, True])
def test_every_bill_is_a_named_point(log):
    spots = {"GPU activity": (150, 9.0), "in flight": (144, 1.2), "fixed": (240, 0.0)}
    (ax,) = uncrowded(figures.bills(spots, title="Bills", log=log), "Bills")
    assert [(mark.get_xdata()[0], mark.get_ydata()[0]) for mark in ax.lines] == [*spots.values()]
    assert {*spots} < {text.get_text() for text in ax.texts}


def test_what_was_thrown_away_stands_beside_ttft():
    panels = uncrowded(figures.thrown(["a", "b"], [0.12, 0.004], [0.25, 0.1], title="T"), "T")
    bars = [[bar.get_width() for bar in ax.patches] for ax in panels]
    assert bars == [pytest.approx([120, 4]), pytest.approx([0.25, 0.1])]
