"""The figures of chapter 04 show the numbers that they claim, by an independent calculation."""

import math

import numpy as np
import pytest

from labutils import simulation as sim
from labutils.laws import batching
from labutils.measure import Timing
from labutils.viz.figures import batching as figures
from labutils.viz.style import title_of

SIZES = (1, 3, 10, 40)


def timings(fixed_s=0.006, per_item_s=0.0003):
    """A machine without noise: 9 runs, a tenth of them 20 % slower."""
    usual = {size: fixed_s + per_item_s * size for size in SIZES}
    return {size: Timing((*[s] * 8, 1.2 * s)) for size, s in usual.items()}


def fits(times):
    seconds = [times[size].median_s for size in SIZES]
    return {
        name: fit(SIZES, seconds)
        for name, fit in (
            ("affine", batching.fit_affine),
            ("log", batching.fit_log),
            ("roofline", batching.fit_roofline),
        )
    }


def test_the_sweep_shows_both_prices_and_the_limit():
    times = timings()
    fig = figures.sweep(fits(times)["affine"], times)
    assert title_of(fig).startswith("A batch costs 6 ms and 0.3 ms") and "3,330/s" in title_of(fig)
    left, right = fig.axes
    curve, marks = left.lines
    assert curve.get_ydata()[-1] == pytest.approx(6 + 0.3 * 40)
    assert marks.get_ydata() == pytest.approx([6.3, 6.9, 9, 18])
    limit, curve, marks = right.lines
    assert limit.get_ydata()[0] == pytest.approx(1 / 0.0003)
    assert marks.get_ydata() == pytest.approx([1000 / 6.3, 3000 / 6.9, 10000 / 9, 40000 / 18])
    assert curve.get_ydata().max() < limit.get_ydata()[0]


def test_disturbed_runs_move_neither_the_points_nor_the_axes():
    times = {size: Timing((seconds.median_s, *[9 * seconds.median_s] * 4)) for size, seconds in
             timings().items()}  # fmt: skip
    shortest = [min(times[size].samples_s) for size in SIZES]
    left, right = figures.sweep(batching.fit_affine(SIZES, shortest), times).axes
    assert left.lines[1].get_ydata() == pytest.approx([6.3, 6.9, 9, 18])
    assert right.lines[2].get_ydata() == pytest.approx(
        [1000 / 6.3, 3000 / 6.9, 10000 / 9, 40000 / 18]
    )
    assert left.get_ylim()[1] < 2 * 18


def test_only_the_logarithm_leaves_the_limit_behind():
    made = fits(timings())
    fig = figures.three_models(made, up_to=2000)
    limit, affine, flat, log, _ = fig.axes[0].lines
    assert affine.get_ydata()[-1] < limit.get_ydata()[0] < log.get_ydata()[-1]
    assert flat.get_ydata()[-1] <= 1.05 * limit.get_ydata()[0]
    model = made["log"].model
    promised = 2000 / (model.single_s * (1 + model.alpha * math.log(2000)))
    assert log.get_ydata()[-1] == pytest.approx(promised)
    assert f"{promised * 0.0003:.2g} times" in title_of(fig)


def test_full_batches_stand_on_the_floor_and_name_the_best():
    machine = batching.AffineBatchTime(0.003, 0.0011)
    simulated = dict.fromkeys((9, 17, 30), 0.05)
    fig = figures.full_batches(600, machine, simulated)
    theory, floor, marks = fig.axes[0].lines
    assert theory.get_xdata()[0] == 6  # 600 * 0.003 / (1 - 0.66) = 5.3
    assert floor.get_ydata()[9] == pytest.approx(1000 * (9 / 1200 + 0.003 + 0.011))
    assert (theory.get_ydata() >= floor.get_ydata()[5:] - 1e-9).all()
    assert theory.get_ydata()[-1] == pytest.approx(floor.get_ydata()[-1], rel=5e-3)
    best = int(theory.get_xdata()[theory.get_ydata().argmin()])
    assert f"best full batch is {best}:" in title_of(fig)
    assert marks.get_ydata() == pytest.approx([50, 50, 50])


def test_the_timeline_draws_every_request_with_its_batch():
    run = sim.batch_queue(
        [0.0, 0.001, 0.002, 0.004, 0.030, 0.031, 0.033],
        batching.AffineBatchTime(0.005, 0.001), max_batch=2, batch_timeout_s=0,
    )  # fmt: skip
    fig = figures.batch_timeline(run, first=6)
    ends = sorted(bar.get_x() + bar.get_width() for bar in fig.axes[0].patches[-6:])
    assert ends == pytest.approx([6, 13, 13, 19, 36, 43])
    waits = sorted(bar.get_width() for bar in fig.axes[0].patches[6:12])
    assert waits == pytest.approx([0, 0, 4, 5, 5, 9])


def test_the_fluid_batch_and_a_setting_that_cannot_keep_up():
    machine, rates = batching.AffineBatchTime(0.005, 0.0005), [100, 400, 900]
    clock = np.cumsum(np.random.default_rng(5).standard_exponential(5_000))
    runs = [
        sim.batch_queue(clock / rate, machine, max_batch=64, batch_timeout_s=0) for rate in rates
    ]
    fig = figures.own_size(
        machine, rates, {"all": ("service", runs), "4": ("theory", [*runs[:2], None])}
    )
    left, right = fig.axes
    fluid, batch, _ = left.lines
    assert fluid.get_ydata()[-1] == pytest.approx(900 * 0.005 / 0.55)
    assert batch.get_ydata() == pytest.approx([5000 / run.batch_sizes.size for run in runs])
    late, partly = right.lines
    mean = 1000 * (runs[1].batch_finish_s.repeat(runs[1].batch_sizes) - clock / 400).mean()
    assert late.get_ydata()[1] == pytest.approx(mean) and np.isnan(partly.get_ydata()[2])


def test_times_that_do_not_grow_have_no_limit_to_draw():
    times = {1: Timing((0.010, 0.011)), 8: Timing((0.009, 0.010)), 32: Timing((0.007, 0.008))}
    fit = batching.fit_affine(tuple(times), [min(one.samples_s) for one in times.values()])
    assert fit.model.per_item_s == 0
    left, right = figures.sweep(fit, times).axes
    assert "does not end here" in " ".join(title_of(left.figure).split())
    assert not right.texts and right.get_ylim()[1] == pytest.approx(1.15 * 32 / 0.007)
