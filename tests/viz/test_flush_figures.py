"""The flush, drawn: curves are those of the runs, and the explorer's finding is the run's."""

import re
from dataclasses import replace

import numpy as np
import pytest

from labutils.simulation.flush import CachedService, Remedy, flush_draws, run_flush
from labutils.viz.explorers.flush import FLUSH_S, REMEDY_S, flush_explorer
from labutils.viz.figures.flush import flush_panels, smoothed

SERVICE = replace(CachedService(), num_keys=5_000, queue_limit=200)


def rebuilt(seed, flush_s=FLUSH_S, **remedy):
    """The explorer's run from its seed, without the explorer's code."""
    draws = flush_draws(SERVICE, 420, np.random.default_rng(seed))
    change = Remedy(from_s=REMEDY_S, **remedy)
    return run_flush(SERVICE, draws, duration_s=420, flush_s=flush_s, remedy=change)


@pytest.fixture(scope="module")
def explorer():
    return flush_explorer(seed=5, service=SERVICE, duration_s=420)


def test_the_curves_are_those_of_the_run_and_of_doing_nothing(explorer):
    explorer(single_flight=True, queue_limit=40, warm_keys=100)
    runs = rebuilt(5), rebuilt(5, single_flight=True, queue_limit=40, warm_keys=100)
    answered, hits, queue = explorer._frames.fig.axes
    runs += (rebuilt(5, flush_s=np.inf),)
    for place, run in zip((-3, -2, -1), runs):
        assert answered.lines[place].get_ydata() == pytest.approx(100 * run.good_share)
        want = [run.hit_rate[i - 9 : i + 1].mean() for i in (30, 200, 419)]
        assert hits.lines[place].get_ydata()[[30, 200, 419]] == pytest.approx(np.dot(100, want))
        assert queue.lines[place].get_ydata()[300] == run.queue_length[291:301].mean()
    # 34 that each take a twentieth of a second, then 0.3 s of computing: two seconds
    assert queue.lines[0].get_ydata()[0] == pytest.approx(34)


def test_the_finding_tells_what_the_run_tells(explorer):
    calm = {"single_flight": False, "warm_keys": 0, "queue_limit": 200}
    assert re.match("No remedy: not back: ", explorer(**calm))
    finding = explorer(**calm | {"queue_limit": 20})
    run = rebuilt(5, queue_limit=20)
    assert finding.startswith(f"A queue limit of 20: back {run.back_at_s - 180:.0f} s after it.")
    assert f"{run.lost:,} of" in finding and f"{run.wasted_per_s.sum():,} of" in finding
    both = explorer(**calm | {"drop_abandoned": True, "late_fills": True})
    assert both.startswith("Skip computations that nobody waits for, late answers are kept: ")


def test_the_finding_calls_a_remedy_what_its_control_says(explorer):
    calm = {"single_flight": False, "drop_abandoned": False, "late_fills": False}
    for name in calm:
        said = explorer(**calm | {"queue_limit": 200, "warm_keys": 0, name: True})
        assert said.partition(":")[0].lower() == explorer.controls[name].description


def test_it_opens_with_a_remedy_that_looks_well_for_a_while():
    explorer = flush_explorer(seed=5)
    answered = explorer._frames.fig.axes[0].lines[-2].get_ydata()
    assert explorer.values["warm_keys"] == 400 and "not back" in explorer.finding
    assert answered[240:300].min() > 90 > 50 > answered[-60:].max()


def test_nobody_is_in_time_where_computing_takes_longer_than_patience():
    slow = replace(SERVICE, mean_service_s=3.0)
    *_, queue = flush_explorer(seed=1, service=slow, duration_s=300)._frames.fig.axes
    assert queue.lines[0].get_ydata()[0] == 0


def test_a_run_that_does_the_same_as_the_first_leaves_it_in_sight():
    same = rebuilt(2)
    runs = {"nothing": same, "the same": same}
    fig, *_ = flush_panels(runs, title="Twice", remedy_s=None, in_time=34)
    for ax in fig.axes:
        first, second = ax.lines[-2:]
        assert first.get_linewidth() > 2 * second.get_linewidth()
        assert first.get_zorder() == second.get_zorder()  # so the first lies beneath


def test_the_name_of_the_limit_stands_where_no_curve_comes():
    fig, *_ = flush_panels({"nothing": rebuilt(2)}, title="Once", remedy_s=None, in_time=34)
    fig.draw_without_rendering()
    (name,) = (text for text in fig.axes[-1].texts if "in time" in text.get_text())
    box = name.get_window_extent()
    assert fig.axes[-1].bbox.y1 <= box.y0 and box.y1 < fig.axes[-2].bbox.y0


def test_smoothing_is_a_mean_of_ten():
    values = np.arange(25.0) ** 2
    values[3] = np.nan
    want = [np.nan_to_num(values)[max(0, i - 9) : i + 1].mean() for i in range(25)]
    assert smoothed(values) == pytest.approx(want)


def test_bad_input_is_named(explorer):
    with pytest.raises(ValueError, match="queue_limit = 41"):
        explorer(queue_limit=41)
    with pytest.raises(ValueError, match="duration_s = 100"):
        flush_explorer(seed=1, duration_s=100)
