"""The pipeline explorer: what it draws is the run, and the finding says the same."""

import re

import numpy as np
import pytest

from labutils.laws.queueing import Stage
from labutils.simulation.pipeline import Parallel, run_pipeline, what_if
from labutils.viz.explorers.pipeline import pipeline_explorer

PLAN = [
    Stage("cut", 0.02, scv=0.5),
    Parallel(Stage("words", 0.03), [Stage("dense", 0.01), Stage("merge", 0.04, scv=2.0)]),
    Stage("write", 0.3, servers=9, scv=1.5),
]
N, RATE = 4_001, 25.0  # merge carries 1 / 0.04 requests a second


@pytest.fixture(scope="module")
def explorer():
    return pipeline_explorer(PLAN, seed=4, num_requests=N)


def rebuilt(load, spread):
    """The explorer's run from its seed, without the explorer's code."""
    rng = np.random.default_rng(4)
    arrivals = np.cumsum(rng.standard_exponential(N)) / (load * RATE)
    normal = rng.standard_normal((5, N))
    columns = []
    for row, (mean, scv) in zip(normal, ((0.02, 0.5), (0.03, 1), (0.01, 1), (0.04, 2), (0.3, 1.5))):
        spread_of_log = np.sqrt(np.log(1 + spread * scv))
        columns.append(mean * np.exp(spread_of_log * row - spread_of_log**2 / 2))
    return run_pipeline(PLAN, arrivals, np.stack(columns, axis=1))


def widths(collection):
    return [path.vertices[:4, 0].max() - path.vertices[:4, 0].min() for path in
            collection.get_paths()]  # fmt: skip


@pytest.mark.parametrize(("q", "panel"), [(0.5, 0), (0.99, 1)])
def test_the_waterfalls_are_those_of_a_median_and_a_p99_request(explorer, q, panel):
    explorer(load=0.85, spread=0.5, factor=2.0, stage="dense")
    after = what_if(rebuilt(0.85, 0.5), "dense", 2.0).after
    row = np.argsort(after.sojourn_time_s)[int(np.ceil(q * after.sojourn_time_s.size)) - 1]
    (bars,) = explorer._frames.fig.axes[panel].collections
    want = 1e3 * np.concatenate((after.waiting_time_s[row], after.service_s[row]))
    assert widths(bars) == pytest.approx(want.tolist(), rel=1e-6, abs=1e-6)
    right = max(path.vertices[:, 0].max() for path in bars.get_paths())
    assert right == pytest.approx(1e3 * np.quantile(after.sojourn_time_s, q), rel=0.02)
    grey = (bars.get_facecolor()[5:] == bars.get_facecolor()[5]).all(axis=1)
    assert (grey == after.critical[row]).all()  # the first stage is always waited for


def test_shares_and_gains_are_those_of_the_runs(explorer):
    finding = explorer(load=0.75, factor=4.0, servers=1, stage="merge")
    gain = what_if(rebuilt(0.75, 1.0), "merge", 4.0, more_servers=1)
    shares, gains = explorer._frames.fig.axes[2:]
    for bars, want in zip(shares.collections, (gain.after.shares(), gain.after.shares(0.99))):
        assert widths(bars) == pytest.approx([100 * share for share in want.values()], abs=1e-6)
    law, ceiling, dots = gains.lines[1:]
    assert dots.get_xdata() == pytest.approx([gain.mean, gain.p50, gain.p99])
    assert law.get_xdata() == pytest.approx([gain.amdahl] * 2)
    assert ceiling.get_xdata() == pytest.approx([gain.ceiling] * 2)
    told = [float(x) for x in re.findall(r"×(\d+\.\d+)", finding)]
    assert told == pytest.approx(
        [gain.mean, gain.p50, gain.p99, gain.amdahl, gain.ceiling], abs=0.006
    )
    assert "merge 4 times as fast with 1 more server:" in finding and "3,601 sim" in finding


def test_what_dominates_changes_with_the_load():
    explorer = pipeline_explorer(seed=2, num_requests=12_000)
    assert "most time goes to generate" in explorer.finding
    assert "most time goes to rerank, near p99 to rerank" in explorer(load=0.9)


def test_at_no_spread_and_low_load_the_gain_is_amdahls(explorer):
    explorer(load=0.05, spread=0.0, factor=3.0, stage="write")
    law, _, dots = explorer._frames.fig.axes[3].lines[1:]
    assert dots.get_xdata()[:2] == pytest.approx([law.get_xdata()[0]] * 2, rel=0.01)


def test_branches_are_marked_and_what_follows_in_one(explorer):
    names = [text.get_text() for text in explorer._frames.fig.axes[0].get_yticklabels()]
    assert names == ["cut", "∥ words", "∥ dense", "→ merge", "write"]


def test_more_servers_alone_are_no_speed_up(explorer):
    finding = explorer(stage="merge", servers=2)
    assert "merge with 2 more servers: mean ×" in finding and "times as fast" not in finding


def test_bad_input_is_named(explorer):
    with pytest.raises(ValueError, match="num_requests = 9"):
        pipeline_explorer(seed=1, num_requests=9)
    with pytest.raises(ValueError, match="stage = 'cache'"):
        explorer(stage="cache")
    with pytest.raises(ValueError, match="factor = 0"):
        explorer(factor=0)
