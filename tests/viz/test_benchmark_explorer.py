"""The benchmark explorer on made-up logs: every combination of faults, by hand."""

import re

import numpy as np
import pytest

from labutils.viz.explorers.benchmark import benchmark_explorer

LOGS = {
    (False, False): [0.002, 0.001, 0.003, 0.002, 0.002],
    (False, True): [0.001, 0.001, 0.004, 0.002, 0.002],
    (True, False): [2.0, 4.0, 3.0, 0.5, 0.5],
    (True, True): [5.0, 1.0, 1.0, 3.0, 1.1],
}


@pytest.fixture
def explorer():
    return benchmark_explorer(LOGS, floor_s=0.6, warm_up=1)


def test_it_begins_with_no_repair_and_an_impossible_claim(explorer):
    assert explorer.finding == "No repair: 30,000 % of the roofline, beyond it."


@pytest.mark.parametrize(
    ("switches", "quoted_s"),
    [
        ({"waits": True}, 2.0),  # the mean of 2, 4, 3, 0.5, 0.5
        ({"waits": True, "one_shape": True}, 11.1 / 5),
        ({"waits": True, "one_shape": True, "warm": True}, 6.1 / 4),
        ({"waits": True, "one_shape": True, "warm": True, "median": True}, 1.0),
        ({"waits": True, "median": True}, 2.0),
        ({"one_shape": True, "warm": True, "median": True}, 0.002),
    ],
)
def test_each_combination_claims_what_its_log_says(explorer, switches, quoted_s):
    everything = dict.fromkeys(("waits", "one_shape", "warm", "median"), False)
    finding = explorer(**everything | switches)
    share = float(re.search(r": ([\d,.]+) %", finding)[1].replace(",", ""))
    assert share == pytest.approx(100 * 0.6 / quoted_s, rel=0.01)
    assert ("beyond it" in finding) == (quoted_s < 0.6)
    strip, runs = explorer._frames.fig.axes
    assert strip.lines[-1].get_xdata()[0] == pytest.approx(60 / quoted_s)
    assert runs.lines[2].get_ydata()[0] == pytest.approx(1000 * quoted_s)


def test_left_out_runs_are_drawn_apart(explorer):
    explorer(waits=True, warm=True)
    out, counted, *_ = explorer._frames.fig.axes[1].lines
    assert out.get_ydata() == pytest.approx([2000])
    assert counted.get_ydata() == pytest.approx([4000, 3000, 500, 500])
    assert counted.get_xdata().tolist() == [2, 3, 4, 5]


def test_earlier_claims_stay_as_faint_dots(explorer):
    explorer(waits=True)
    explorer(median=True)
    ghosts = explorer._frames.fig.axes[0].lines[1]
    assert sorted(ghosts.get_xdata()) == pytest.approx([30, 30_000])
    assert np.all(np.asarray(ghosts.get_ydata()) == 0.5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"logs": {(True, True): [1.0, 2.0]}}, r"logs\[\(False, False\)\]"),
        ({"warm_up": 5}, "more than 5 durations"),
        ({"floor_s": 0}, "floor_s = 0"),
        ({"logs": {**LOGS, (True, False): [1, 0, 2]}}, "shortest"),
    ],
)
def test_bad_input_is_named(changes, message):
    with pytest.raises(ValueError, match=message):
        benchmark_explorer(**{"logs": LOGS, "floor_s": 0.6, "warm_up": 1} | changes)
