"""The queueing figures show the numbers that they claim, by an independent calculation."""

import re

import numpy as np
import pytest

from labutils.laws import queueing
from labutils.simulation import QueueRun
from labutils.viz.figures import queueing as queue_figures
from labutils.viz.style import title_of


def texts(fig):
    return [t.get_text() for ax in fig.axes for t in ax.texts]


def test_the_timeline_counts_who_waits_and_how_long_the_server_idles():
    # service 0-2, 5-9, 9-12; the third came at 6 and waits; idle 2-5 of 12
    run = QueueRun(np.array([0.0, 5.0, 6.0]), np.array([0.0, 5.0, 9.0]), np.array([2.0, 9.0, 12.0]))
    title = title_of(queue_figures.timeline(run, first=3))
    assert title == "1 of 3 requests wait, although the server is idle 25 % of this time"


def test_the_timeline_draws_as_many_requests_as_asked_for():
    arrivals = np.arange(9.0)
    fig = queue_figures.timeline(QueueRun(arrivals, arrivals, arrivals + 0.5), first=4)
    bars = [bar for bar in fig.axes[0].containers[1].patches if bar.get_width() > 0]
    assert [round(bar.get_width()) for bar in bars] == [500] * 4


def test_occupancy_sets_the_shares_beside_the_geometric_line():
    shares = [0.5, 0.3, 0.2]
    fig = queue_figures.occupancy(shares, queueing.MM1(30, 50), up_to=9)
    theory, measured = fig.axes[0].lines
    assert theory.get_ydata() == pytest.approx([0.4 * 0.6**k for k in range(10)])
    assert list(measured.get_ydata()) == shares


@pytest.mark.parametrize("tops", [(5, 25, 400), (9, 16)])
def test_the_knee_is_where_the_drawn_line_climbs_at_45_degrees(tops):
    fig = queue_figures.no_knee(tops=tops)
    for ax, top in zip(fig.axes, tops):
        curve, knee = ax.lines
        x, y = curve.get_data()
        rise, run = np.gradient(y) / top, np.gradient(x)
        steepest_45 = x[np.abs(rise / run - 1).argmin()]
        assert knee.get_xdata()[0] == pytest.approx(steepest_45, abs=0.01)
        assert ax.get_ylim() == (0, top) and ax.get_xlim() == (0, 1)
        assert any(f"{100 * knee.get_xdata()[0]:.0f} %" in t.get_text() for t in ax.texts)


@pytest.mark.parametrize("target", [1.5, 2.0, 7.0])
def test_ceilings_of_one_server_solve_pollaczek_khinchine(target):
    """rho/(1-rho) * (1+scv)/2 = target - 1 for one server."""
    fig = queue_figures.ceilings(target=target, folklore=(0.5, 0.8))
    curves = [line for line in fig.axes[0].lines if len(line.get_xdata()) > 5]
    for curve, (scv, _) in zip(curves, queue_figures.CEILING_LINES, strict=True):
        wait = (target - 1) * 2 / (1 + scv)
        assert curve.get_ydata()[0] == pytest.approx(100 * wait / (1 + wait), rel=1e-6)
        assert (np.diff(curve.get_ydata()) > 0).all()
    assert {"“50 %”", "“80 %”"} <= set(texts(fig))


def test_the_title_of_ceilings_repeats_the_ends_of_its_curves():
    fig = queue_figures.ceilings(target=2.0)
    curves = [line.get_ydata() for line in fig.axes[0].lines]
    ends = [f(curve[at] for curve in curves) for at in (0, -1) for f in (min, max)]
    assert re.findall(r"\d+(?= to| %)", title_of(fig)) == [f"{end:.0f}" for end in ends]


def test_recovery_lays_the_fluid_line_over_median_and_band():
    fluid = queueing.Overload(110, 100, 20, 60)  # 200 up, 5 s down
    clock = np.array([-5.0, 0.0, 20.0, 30.0])
    backlogs = np.arange(11)[:, None] * np.array([1.0, 2.0, 30.0, 4.0])
    fig = queue_figures.recovery(fluid, clock, backlogs)
    median, theory = fig.axes[0].lines
    assert list(median.get_ydata()) == [5.0, 10.0, 150.0, 20.0]
    assert list(theory.get_xdata()) == [0, 20, 25] and list(theory.get_ydata()) == [0, 200, 0]
    assert title_of(fig).startswith("20 s of overload take 5 s to drain")
    assert any("median of 11 runs" in text for text in texts(fig))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: queue_figures.no_knee(tops=(5, 0)), "top = 0"),
        (lambda: queue_figures.ceilings(target=-1), "target = -1"),
        (lambda: queue_figures.occupancy([1], queueing.MM1(1, 2), up_to=0), "up_to = 0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
