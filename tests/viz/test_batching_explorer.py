"""The batching explorer: its areas add up to the latency, its left edge, and what it says."""

import math
import re

import numpy as np
import pytest

from labutils.laws.batching import (
    AffineBatchTime,
    fill_batch_mean_sojourn,
    take_everything_mean_sojourn,
)
from labutils.viz.explorers.batching import LARGEST, batching_explorer

SEED, NUM = 3, 8_000


@pytest.fixture(scope="module")
def explorer():
    return batching_explorer(seed=SEED, num_requests=NUM)


def by_hand(rate, fixed_s, per_item_s, timeout_s, room):
    """Every request's wait for company, for the machine, in the batch; a plain loop."""
    arrivals = np.cumsum(np.random.default_rng(SEED).standard_exponential(NUM)) / rate
    parts, sizes, free, first = np.zeros((NUM, 3)), [], 0.0, 0
    while first < NUM:
        full = arrivals[first + room - 1] if first + room <= NUM else math.inf
        ready = min(arrivals[first] + timeout_s, full)
        ready = arrivals[-1] if ready == math.inf else ready
        start, size = max(free, ready), 1
        while size < room and first + size < NUM and arrivals[first + size] <= start:
            size += 1
        for one in range(first, first + size):
            company = max(0.0, ready - arrivals[one])
            parts[one] = company, start - arrivals[one] - company, fixed_s + per_item_s * size
        free, first = start + fixed_s + per_item_s * size, first + size
        sizes.append(size)
    return 1000 * parts, sizes


@pytest.mark.parametrize(
    ("machine", "costs", "load", "timeout", "room"),
    [
        ("5 + 0.5 b ms", (0.005, 0.0005), 0.2, 0, 32),
        ("5 + 0.5 b ms", (0.005, 0.0005), 0.44, 10, 20),
        ("4 + 0.9 b ms", (0.004, 0.0009), 0.6, 20, 18),
    ],
)
def test_the_finding_tells_a_plain_loop(explorer, machine, costs, load, timeout, room):
    said = explorer(machine=machine, load=load, timeout=timeout, max_batch=room)
    parts, sizes = by_hand(load / costs[1], *costs, timeout / 1000, room)
    numbers = r"latency ([\d.]+) ms = ([\d.]+) to fill \+ ([\d.]+) .* \+ ([\d.]+) in the batch"
    total, *split = map(float, re.search(numbers, said).groups())
    assert split == pytest.approx(parts.mean(axis=0), rel=0.006, abs=1e-9)
    assert total == pytest.approx(sum(split), rel=0.01)
    assert f"p99 {np.quantile(parts.sum(axis=1), 0.99):.3g} ms" in said
    assert f"mean batch {NUM / len(sizes):.3g}" in said


def mean_ms(said):
    return float(re.search(r"latency ([\d.]+) ms", said)[1])


@pytest.mark.parametrize("room", [12, 13, 16, 40])
def test_full_batches_are_exact_and_a_run_without_window_is_mended_by_them(explorer, room):
    model, setting = AffineBatchTime(0.004, 0.0009), {"machine": "4 + 0.9 b ms", "load": 0.72}
    full = explorer(**setting, timeout=math.inf, max_batch=room)
    assert mean_ms(full) == pytest.approx(
        1000 * fill_batch_mean_sojourn(800, model, room), rel=0.005
    )
    none = explorer(timeout=0)  # 8,000 requests alone would say 34 ms at 12
    assert mean_ms(none) == pytest.approx(
        1000 * take_everything_mean_sojourn(800, model, room), rel=0.05
    )


def test_a_p99_is_told_only_where_the_run_is_long_enough(explorer):
    at_the_edge = explorer(machine="4 + 0.9 b ms", load=0.72, timeout=0, max_batch=12)
    assert "p99" in at_the_edge and not re.search(r"p99 \d", at_the_edge)
    assert re.search(r"p99 \d", explorer(max_batch=14))


def test_an_edge_that_is_a_whole_number_does_not_keep_up(explorer):
    # 1000 * 0.004 / (1 - 0.9) = 40, and in floating point a little more or less
    assert "keeps up is 41" in explorer(machine="4 + 0.9 b ms", load=0.9, timeout=0, max_batch=40)
    assert "mean latency" in explorer(max_batch=41)


def test_the_areas_stand_on_each_other_and_end_at_the_latency(explorer):
    explorer(machine="4 + 0.9 b ms", load=0.72, timeout=20, max_batch=24)
    view = explorer._update.__self__
    rings = [area.get_paths()[0].vertices[:-1] for area in view._areas]
    below = np.zeros(len(rings[0]) // 2)
    for ring in rings:
        low, high = ring[: below.size], ring[below.size :][::-1]
        assert low[:, 1] == pytest.approx(below) and (high[:, 1] >= low[:, 1]).all()
        below = high[:, 1]
    at = rings[-1][: below.size, 0].tolist().index(24)
    parts, _ = by_hand(800, 0.004, 0.0009, 0.020, 24)
    assert below[at] == pytest.approx(parts.sum(axis=1).mean())
    assert view._dot.get_ydata()[0] == pytest.approx(below[at])
    assert rings[0][:, 0].min() == 12  # 800 * 0.004 / (1 - 0.72) = 11.4


def test_left_of_the_edge_nothing_keeps_up_and_no_timeout_changes_it(explorer):
    for timeout in (0, 5, math.inf):
        said = explorer(machine="4 + 0.9 b ms", load=0.72, timeout=timeout, max_batch=11)
        assert "does not keep up" in said and "keeps up is 12" in said
        assert np.isnan(explorer._update.__self__._dot.get_ydata()[0])
    assert "mean latency" in explorer(max_batch=12, timeout=0)


def test_a_load_that_no_batch_of_the_axis_carries_empties_the_figure(explorer):
    said = explorer(machine="4 + 0.9 b ms", load=0.96, timeout=0, max_batch=LARGEST)
    assert "keeps up is 107" in said  # 1066.7 * 0.004 / 0.04 = 106.7
    assert not any(len(area.get_paths()) for area in explorer._update.__self__._areas)


def test_timeout_0_wins_at_400_requests_a_second(explorer):
    means = [mean_ms(explorer(load=0.2, timeout=t)) for t in (0, 5, 20)]
    assert means == pytest.approx([9.8, 10.6, 21.1], rel=0.03)


def test_the_bars_are_shares_of_the_batches(explorer):
    explorer(load=0.3, timeout=2, max_batch=7)
    _, sizes = by_hand(600, 0.005, 0.0005, 0.002, 7)
    shares = explorer._update.__self__._shares.get_data().values
    assert shares[:7] == pytest.approx(100 * np.bincount(sizes, minlength=8)[1:] / len(sizes))
    assert not shares[7:].any()


def test_a_machine_of_ones_own_and_settings_to_begin_with():
    own = {"mine": AffineBatchTime(0.030, 0.002), "other": AffineBatchTime(0.001, 0.003)}
    explorer = batching_explorer(
        seed=1, num_requests=2_000, machines=own, load=0.5, max_batch=40, timeout=50
    )
    assert explorer.finding.startswith("250 requests/s, timeout 50 ms, max batch 40")
    assert explorer.values["machine"] == "mine"


def test_bad_input_is_named(explorer):
    with pytest.raises(ValueError, match="num_requests = 10"):
        batching_explorer(seed=1, num_requests=10)
    with pytest.raises(ValueError, match="timeout = 3"):
        explorer(timeout=3)
    with pytest.raises(ValueError, match="max_batch = 65"):
        explorer(max_batch=65)
