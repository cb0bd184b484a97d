"""The figures of chapter 10 show the numbers that they claim, by an independent calculation."""

from types import SimpleNamespace

import numpy as np
import pytest

from labutils.caching import hot_key, poisson_times
from labutils.caching.levels import OutageRun
from labutils.simulation.flush import FlushRun
from labutils.simulation.flush.flush_kernels import COMPUTED, WASTED
from labutils.viz.figures import reuse
from labutils.viz.style import title_of


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_knee_marks_its_points_and_where_the_backend_is_full():
    hit_rates = np.array([0.61, 0.7, 0.8, 0.9])
    loads, mean_s = (1 - hit_rates) / 0.4, np.array([9.0, 1.5, 0.7, 0.4])
    fig = reuse.knee(hit_rates, loads, mean_s, told=(0.8, 0.7))
    curve, full, *marks = fig.axes[0].lines
    assert curve.get_xydata().tolist() == np.column_stack([hit_rates, mean_s]).tolist()
    assert full.get_xdata()[0] == pytest.approx(0.6)
    assert [float(mark.get_ydata()[0]) for mark in marks] == [0.7, 1.5]
    assert texts(fig.axes[0]) == ["load 0.5: 0.70 s", "load 0.75: 1.50 s", "load 1"]
    assert "At 80 % hits the backend's load is 0.5, at 60 % it is 1" in title_of(fig)


def test_percentiles_are_those_of_each_sample():
    alone = np.arange(1, 1001) / 1000
    cached = np.where(np.arange(1000) < 970, 0.002, alone)
    fig = reuse.percentiles_seen({0.0: alone, 0.97: cached}, told=0.97)
    ax = fig.axes[0]
    assert [float(line.get_ydata()[0]) for line in ax.lines[1:4:2]] == [0.99, 0.99]
    slower, latency = ax.lines[2].get_data()
    assert latency[slower > 0.0301] == pytest.approx(0.002)
    assert latency[slower < 0.0299].min() > 0.97
    means = [text.get_text() for text in ax.get_legend().get_texts()]
    assert means == ["0 % hits: mean 500 ms", f"97 % hits: mean {1000 * cached.mean():.0f} ms"]
    assert title_of(fig) == "97 % hits turn a p50 of 500 into 2 ms, and a p99 of 990 into 990 ms"


def test_chances_are_counted_in_ranks_that_double_in_the_second_half():
    keys = [0, 1, 2, 0, 0, 1, 2, 0]
    hit = np.array([0, 0, 0, 0, 1, 1, 0, 0], dtype=bool)
    one, two = (np.array(chances) for chances in ([0.9, 0.3, 0.1], [1, 0.8, 0.4]))
    runs = {
        1: (SimpleNamespace(hit=hit), SimpleNamespace(per_key=one)),
        2: (SimpleNamespace(hit=~hit), SimpleNamespace(per_key=two)),
    }
    fig = reuse.who_is_inside(keys, runs)
    theory, seen, other, its = fig.axes[0].lines
    assert theory.get_ydata().tolist() == [0.9, 0.3, 0.1]
    assert other.get_ydata().tolist() == [1, 0.8, 0.4]
    assert seen.get_ydata().tolist() == [0.5, 0.5]  # key 0 of two; keys 1 and 2 together
    assert its.get_ydata().tolist() == [0.5, 0.5]
    assert seen.get_xdata() == pytest.approx([1, 6**0.5])
    assert texts(fig.axes[0]) == ["1 places\n50 % hit", "2 places\n50 % hit"]
    assert "A cache for 33.3 % of the keys serves 50 %" in title_of(fig)


def test_what_is_for_nobody_lies_on_what_is_not():
    def run(wasted):
        table = np.zeros((100, 9), dtype=int)
        table[:, COMPUTED], table[50:, WASTED] = 10, wasted
        return FlushRun(np.array([]), np.array([]), table, 20.0)

    fig = reuse.for_nobody({"nothing": run(8), "a cure": run(3)}, remedy_s=50)
    for ax, useful in zip(fig.axes, (2, 7)):
        low, high = (bands.get_paths()[0].vertices for bands in ax.collections)
        assert low[low[:, 0] > 70 / 60, 1].max() == useful
        assert high[high[:, 0] > 70 / 60, 1].tolist().count(10) > 3
        assert high[high[:, 0] > 70 / 60, 1].min() == useful
    assert "80 % of the later" in title_of(fig) and "a cure it is 30 %" in title_of(fig)


def test_a_stampede_counts_what_is_under_way():
    times_s = poisson_times(3_000, 20, seed=3)
    how = {"ttl_s": 10, "recompute_s": 0.8, "seed": 3}
    runs = {
        "alone": hot_key(3_000, 20, **how),
        "together": hot_key(3_000, 20, **how, single_flight=True),
    }
    fig = reuse.stampede(times_s, runs, recompute_s=0.8, expected=17)
    rows = reuse.under_way(times_s, runs["alone"], np.array([-0.1, 0, 0.799, 1.61]), 0.8)
    assert len(rows) == runs["alone"].waves and rows[:, 0].max() == rows[:, 3].max() == 0
    assert (rows[:, 1] == 1).all() and rows[:, 2].sum() == runs["alone"].recomputations
    since_s, mean = fig.axes[0].lines[1].get_data()
    assert set(mean[(since_s > 0.01) & (since_s < 0.79)]) == {1}
    assert f"up to {runs['alone'].at_once.max()} requests" in title_of(fig)
    assert f"alone: {runs['alone'].recomputations} computed" in texts(fig.axes[0])[0]


def test_an_outage_shows_each_answer_and_the_state_it_found():
    level = np.array(["process", "shared", "compute", "process", "compute"])
    states = np.array(["closed", "closed", "open", "half-open", "open"])
    took_s = np.array([0.001, 0.002, 0.03, 0.004, 0.05])
    run = OutageRun(np.arange(5.0), took_s, level, 0, gone_s=2.0, back_s=3.5, breaker=states)
    fig = reuse.outage(run)
    top, low = fig.axes
    assert [line.get_ydata().tolist() for line in top.lines] == [
        [0.001, 0.004],
        [0.002],
        [0.03, 0.05],
    ]
    assert low.lines[0].get_ydata().tolist() == [0, 0, 2, 1, 2]
    assert "away for 1.5 s: 0 of 5 requests are lost, 50 % of those that came" in title_of(fig)


ALIKE = np.array([0.99, 0.97, 0.96, 0.93, 0.91, 0.7, 0.65])
SAME = np.array([True, False, True, True, False, True, False])


def test_errors_are_counted_from_each_threshold_on():
    fig = reuse.errors_over_threshold(ALIKE, SAME, at=0.955, fewest=3)
    wrong, hits, *_ = fig.axes[0].lines
    at = np.abs(wrong.get_xdata() - 0.92).argmin()
    assert (wrong.get_ydata()[at], hits.get_ydata()[at]) == (1 / 4, 4 / 7)
    assert title_of(fig).startswith("From 0.955 on 33 % of 3 hits are wrong")
    assert "with 3 hits and more never under 25 %" in title_of(fig)


def test_each_kind_has_its_row_and_its_errors():
    kinds = ["near", "near", "apart", "apart", "near", "apart", "near"]
    fig = reuse.alike_by_kind(ALIKE, SAME, kinds, threshold=0.95)
    ax = fig.axes[0]
    right, wrong, _ = ax.lines
    assert right.get_xdata().tolist() == [0.99, 0.96, 0.93, 0.7]
    assert np.round(right.get_ydata()).tolist() == [0, 1, 1, 1]
    assert np.round(wrong.get_ydata()).tolist() == [0, 0, 0]
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["near\n1 of 2 wrong", "apart\n0 of 1 wrong"]
    assert "1 of 2 hits of a near are wrong, and 0 of 1 other hits" in title_of(fig)
