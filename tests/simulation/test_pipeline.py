"""The pipeline: its twin, sample paths by hand, theory, and what a faster stage does."""

import numpy as np
import pytest

from labutils.laws.queueing import MM1, Stage, clocked_mean, fixed_tandem_mean
from labutils.simulation import fifo_queue, poisson_arrivals
from labutils.simulation.pipeline import (
    Parallel,
    clocked_pipeline,
    pipeline_twin as twin,
    run_pipeline,
    stage_services,
    stages_of,
    what_if,
)

PLAN = [
    Stage("embed", 0.021, scv=0.5),
    Parallel(
        Stage("bm25", 0.033, servers=2, scv=2.0),
        [Stage("vector", 0.017, scv=1.7), Stage("filter", 0.009, servers=3)],
    ),
    Stage("rerank", 0.11, servers=5, scv=4.0, visits=0.8),
]


def drawn(seed, n, rate, plan=PLAN):
    rng = np.random.default_rng(seed)
    return 2.3 + poisson_arrivals(rate, n, rng), stage_services(plan, n, rng, kind="lognormal")


@pytest.mark.parametrize(("seed", "rate"), [(3, 11.0), (8, 37.0), (21, 60.0)])
def test_the_story_and_the_queues_agree(seed, rate):
    arrivals, services = drawn(seed, 1501, rate)
    fast, story = (
        run_pipeline(PLAN, arrivals, services),
        twin.run_pipeline(PLAN, arrivals, services),
    )
    for column in ("ready_s", "start_s", "done_s", "sojourn_time_s"):
        assert np.abs(getattr(fast, column) - getattr(story, column)).max() <= 1e-9
    assert (np.diff(fast.done_s[:, 1]) < 0).any()  # requests did overtake


def test_two_requests_by_hand():
    plan = [Stage("a", 1.0), Parallel(Stage("b", 1.0), Stage("c", 1.0)), Stage("d", 1.0)]
    run = run_pipeline(plan, [0.0, 1.0], [[2.0, 5.0, 3.0, 1.0], [1.0, 1.0, 6.0, 0.5]])
    # a: 0-2 and 2-3; b: 2-7 and 7-8; c: 2-5 and 5-11; d: 7-8 and 11-11.5
    assert run.done_s.tolist() == [[2, 7, 5, 8], [3, 8, 11, 11.5]]
    assert run.waiting_time_s.tolist() == [[0, 0, 0, 0], [1, 4, 2, 0]]
    assert run.critical.tolist() == [[1, 1, 0, 1], [1, 0, 1, 1]]
    assert run.critical_time_s.tolist() == [[2, 5, 0, 1], [2, 0, 8, 0.5]]
    assert run.sojourn_time_s.tolist() == [8, 10.5]
    assert run.shares() == pytest.approx(
        {"a": 4 / 18.5, "b": 5 / 18.5, "c": 8 / 18.5, "d": 1.5 / 18.5}
    )


def test_the_critical_time_of_a_request_is_its_sojourn_time():
    run = run_pipeline(PLAN, *drawn(5, 3001, 42.0))
    assert run.critical_time_s.sum(axis=1) == pytest.approx(run.sojourn_time_s, rel=1e-9)
    assert sum(run.shares(0.99).values()) == pytest.approx(1)
    near = np.sort(run.sojourn_time_s)[int(0.985 * 3001) : 2986]
    assert np.sort(run.sojourn_time_s[run.near(0.99)]) == pytest.approx(near)


def test_one_stage_is_the_queue():
    arrivals, services = drawn(6, 999, 30.0, [Stage("only", 0.1, servers=4)])
    run = run_pipeline(Stage("only", 0.1, servers=4), arrivals, services)
    queue = fifo_queue(arrivals, services[:, 0], num_servers=4)
    assert run.sojourn_time_s == pytest.approx(queue.sojourn_time_s)


@pytest.mark.parametrize("seed", (1, 2))
def test_mm1_queues_in_a_row_are_as_burke_says(seed):
    """Each stage is an M/M/1 queue of its own, and what leaves the last one is Poisson."""
    plan = [Stage("a", 0.7), Stage("b", 0.31), Stage("c", 0.5)]
    rng = np.random.default_rng(seed)
    n = 60_000
    run = run_pipeline(plan, poisson_arrivals(1.0, n, rng), stage_services(plan, n, rng))
    run = run.steady()
    stays = run.done_s - run.ready_s
    for column, stage in enumerate(plan):
        batches = stays[:, column][: 50 * (len(stays) // 50)].reshape(50, -1).mean(axis=1)
        want = MM1(1.0, 1 / stage.mean_s).mean_sojourn_time
        assert abs(batches.mean() - want) < 5 * batches.std(ddof=1) / 50**0.5
    gaps = np.diff(run.done_s[:, -1])
    assert abs(gaps.var() / gaps.mean() ** 2 - 1) < 5 * (8 / gaps.size) ** 0.5
    assert abs(np.corrcoef(stays[:, 0], stays[:, 1])[0, 1]) < 0.05


def test_fixed_times_wait_at_the_slowest_stage_only_once():
    plan = [Stage("a", 0.4, scv=0), Stage("b", 0.9, scv=0), Stage("c", 0.6, scv=0)]
    rng = np.random.default_rng(4)
    arrivals = poisson_arrivals(0.8, 4001, rng)
    run = run_pipeline(plan, arrivals, stage_services(plan, 4001, rng))
    alone = fifo_queue(arrivals, np.full(4001, 0.9))
    assert run.sojourn_time_s == pytest.approx(alone.waiting_time_s + 1.9)
    assert run.waiting_time_s[:, 2].max() < 1e-9 and run.waiting_time_s[:, 1].max() > 1


def test_a_clock_lets_one_request_in_at_each_tick():
    run = clocked_pipeline([0.0, 0.25, 0.5, 7.0, 7.5], [1.0, 2.5, 0.5])
    assert run.start_s.tolist() == [0, 2.5, 5, 7.5, 10]
    assert run.departure_s.tolist() == [7.5, 10, 12.5, 15, 17.5]
    assert clocked_pipeline([1.0], [1.0, 2.0], tick_s=3.0).departure_s.tolist() == [9]


def test_clocked_stages_are_slower_than_free_ones_at_any_load():
    times, rng = [0.5, 0.2, 0.35], np.random.default_rng(14)
    arrivals = poisson_arrivals(1.3, 100_000, rng)  # load 0.65
    clocked = clocked_pipeline(arrivals, times).sojourn_time_s
    means = clocked[5_000:].reshape(50, -1).mean(axis=1)
    want = clocked_mean(1.3, times)
    assert abs(means.mean() - want) < 5 * means.std(ddof=1) / 50**0.5
    assert want == pytest.approx(1.5 + 0.25 / 0.35) and want > fixed_tandem_mean(1.3, times) > 1.05


def test_a_faster_stage_without_queues_gains_what_amdahl_says():
    plan = [Stage("a", 0.2, scv=0), Stage("b", 0.6, scv=0), Stage("c", 0.3, scv=0)]
    arrivals = np.arange(500) * 10.0
    run = run_pipeline(plan, arrivals, np.tile([0.2, 0.6, 0.3], (500, 1)))
    gain = what_if(run, "b", 3.0)
    assert gain.mean == pytest.approx(1.1 / 0.7) == pytest.approx(gain.amdahl)
    assert gain.p99 == pytest.approx(gain.p50) == pytest.approx(gain.amdahl)
    assert gain.ceiling == pytest.approx(1.1 / 0.5)


def test_under_load_a_faster_stage_gains_more_than_amdahl_says_and_moves_the_queue():
    plan = [Stage("first", 0.9), Stage("next", 0.85)]
    rng = np.random.default_rng(12)
    run = run_pipeline(plan, poisson_arrivals(1.0, 50_000, rng), stage_services(plan, 50_000, rng))
    gain = what_if(run, "first", 2.0)
    # In theory 14.67 s become 6.48 s, where a share of 61 % promises 1.44 times as fast.
    assert 1.4 < gain.amdahl < gain.mean - 0.5
    batchy = [Stage("gate", 0.9, scv=0), Stage("behind", 0.8, scv=0)]
    fixed = run_pipeline(batchy, run.arrival_s, np.tile([0.9, 0.8], (50_000, 1)))
    moved = what_if(fixed, "gate", 4.0).waits_moved_s()
    assert moved["gate"] < 0 < moved["behind"]
    assert what_if(fixed, "gate", 4.0).mean < what_if(fixed, "gate", 4.0).amdahl


def test_a_slower_stage_beside_a_slow_one_costs_nothing():
    plan = [Parallel(Stage("quick", 0.1), Stage("slow", 1.0))]
    run = run_pipeline(plan, np.arange(99) * 5.0, np.tile([0.1, 1.0], (99, 1)))
    assert what_if(run, "quick", 0.2).mean == 1.0
    assert what_if(run, "quick", 10).amdahl == 1.0
    assert what_if(run, "slow", 100).mean == pytest.approx(10)  # then the quick one is critical


def test_another_server_helps_where_amdahl_sees_nothing():
    plan = [Stage("a", 0.2), Parallel(Stage("b", 0.1), [Stage("c", 0.9), Stage("d", 0.2)])]
    arrivals, services = drawn(31, 20_001, 1.0, plan)
    run = run_pipeline(plan, arrivals, services)
    gain = what_if(run, "c", more_servers=1)
    assert gain.amdahl == 1.0 and gain.mean > 2 and gain.share > 0.5
    assert [stage.servers for stage in gain.after.stages] == [1, 1, 2, 1]
    wide = [Stage("a", 0.2), Parallel(Stage("b", 0.1), [Stage("c", 0.9, 2), Stage("d", 0.2)])]
    alone = run_pipeline(wide, arrivals, services).steady()
    assert gain.mean == pytest.approx(
        run.steady().sojourn_time_s.mean() / alone.sojourn_time_s.mean()
    )


def test_services_have_their_mean_and_spread():
    plan = [Stage("fixed", 0.4, scv=0, visits=2), Stage("wide", 0.2, scv=3.0, visits=0.5)]
    services = stage_services(plan, 200_000, np.random.default_rng(9))
    assert (services[:, 0] == 0.8).all()
    assert services[:, 1].mean() == pytest.approx(0.1, rel=0.03)
    assert services[:, 1].var() / 0.01 == pytest.approx(3.0, rel=0.1)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="two stages are called 'a'"):
        stages_of([Stage("a", 1.0), Parallel(Stage("b", 1.0), Stage("a", 2.0))])
    with pytest.raises(ValueError, match="plan = 'a'"):
        run_pipeline("a", [0.0], [[1.0]])
    with pytest.raises(ValueError, match="branches"):
        Parallel(Stage("a", 1.0))
    with pytest.raises(ValueError, match=r"service_s = shape \(2,\)"):
        run_pipeline(Stage("a", 1.0), [0.0, 1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"service_s\[1, 0\] = nan"):
        run_pipeline(Stage("a", 1.0), [0.0, 1.0], [[1.0], [np.nan]])
    with pytest.raises(ValueError, match=r"arrival_s\[1\] = 1"):
        run_pipeline(Stage("a", 1.0), [2.0, 1.0], [[1.0], [1.0]])
    with pytest.raises(ValueError, match="servers = 0"):
        Stage("a", 1.0, servers=0)
    with pytest.raises(ValueError, match=r"tick_s = 1: expected at least 2\.0"):
        clocked_pipeline([0.0], [1.0, 2.0], tick_s=1)
    with pytest.raises(ValueError, match=r"times_s\[0\] = 0"):
        clocked_pipeline([0.0], [0.0])
    run = run_pipeline(Stage("a", 1.0), [0.0, 1.0], [[1.0], [1.0]])
    with pytest.raises(ValueError, match="stage = 'b': expected one of a"):
        what_if(run, "b", 2.0)
    with pytest.raises(ValueError, match="factor = 0"):
        what_if(run, "a", 0)
    with pytest.raises(ValueError, match="warm_up = 1"):
        run.steady(1.0)
