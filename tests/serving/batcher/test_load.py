"""Offering load to a batcher, on the virtual clock and on the real one; buckets by length."""

import asyncio

import numpy as np
import pytest

from labutils.serving.batcher.dynamic_batcher import DynamicBatcher, Overloaded
from labutils.serving.batcher.length_buckets import LengthBuckets
from labutils.serving.batcher.load import batcher_load


def test_times_of_a_run_computed_by_hand():
    run = batcher_load(
        lambda model: DynamicBatcher(model, max_batch=2, window_s=0.03),
        [0.0, 0.01, 0.05, 0.3],
        lambda batch: 0.1 * len(batch),
    )
    # two at 0.01 (full) for 0.2; the third, long due, at 0.21; the last after its window
    assert run.finish_s == pytest.approx([0.21, 0.21, 0.31, 0.43])
    assert run.sojourn_time_s == pytest.approx([0.21, 0.2, 0.26, 0.13])
    assert run.batch_sizes.tolist() == [2, 1, 1] and run.mean_batch == pytest.approx(4 / 3)
    assert run.answered.all() and run.clock == "virtual" and run.errors == ()


def test_refusals_are_kept_and_have_no_finish():
    run = batcher_load(
        lambda model: DynamicBatcher(model, max_batch=1, max_waiting=1),
        [0.0, 0.1, 0.2, 0.3],
        lambda batch: 1.0,
    )
    assert run.answered.tolist() == [True, True, False, False]
    assert [type(error) for error in run.errors] == [Overloaded] * 2


def test_everybody_may_bring_a_patience_of_their_own():
    run = batcher_load(
        lambda model: DynamicBatcher(model, window_s=9.0),
        [0.0, 0.1, 1.0],
        lambda batch: 0.01,
        patience_s=[5.0, 0.2, 0.05],
    )
    assert run.finish_s == pytest.approx([0.31, 0.31, 1.06])


def test_on_the_real_clock_nobody_is_faster_than_the_model():
    run = batcher_load(
        lambda model: DynamicBatcher(model), [0.0, 0.002, 0.004], lambda batch: 0.005, clock="real"
    )
    assert run.answered.all() and run.batch_sizes.sum() == 3
    assert (run.sojourn_time_s > 0.0049).all()


def test_on_the_real_clock_a_batcher_that_loses_somebody_is_not_waited_for(monkeypatch):
    class Loses(DynamicBatcher):
        def deliver(self, batch, results):
            super().deliver(batch[:1], results[:1])

    monkeypatch.setattr("labutils.serving.batcher.load.GIVE_UP_S", 0.05)
    run = batcher_load(
        lambda model: Loses(model, max_batch=3, window_s=5.0),
        [0.0, 0.0, 0.0],
        lambda batch: 0.001,
        clock="real",
    )
    assert run.answered.tolist() == [True, False, False]


def test_it_works_inside_a_running_loop():
    async def notebook():
        return [
            batcher_load(DynamicBatcher, [0.0, 0.01], lambda batch: 0.002, clock=clock)
            for clock in ("virtual", "real")
        ]

    assert all(run.answered.all() for run in asyncio.run(notebook()))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"clock": "wall"}, "clock = 'wall'"),
        ({"items": [1]}, "items = 1 of them: expected 2"),
        ({"patience_s": [1.0] * 3}, "patience_s = 3 of them: expected 2"),
    ],
)
def test_bad_arguments_are_named(options, said):
    with pytest.raises(ValueError, match=said):
        batcher_load(DynamicBatcher, [0.0, 0.1], lambda batch: 0.1, **options)


def test_a_bucket_holds_lengths_up_to_its_edge_and_batches_do_not_mix():
    batches = []

    def seconds(batch):
        batches.append(sorted(batch))
        return 0.001 * len(batch) * max(batch)

    lengths = [3, 40, 8, 9, 64, 5]
    run = batcher_load(
        lambda model: LengthBuckets(model, [8, 64], length=int, window_s=0.1),
        np.arange(6) / 1000,
        seconds,
        items=lengths,
    )
    assert run.answered.all() and batches == [[3, 5, 8], [9, 40, 64]]
    # the short ones are ready 100 ms after the first of them; the long ones wait for the device
    assert run.finish_s[[0, 2, 5]] == pytest.approx(0.1 + 0.024)
    assert run.finish_s[[1, 3, 4]] == pytest.approx(0.124 + 0.192)


def test_what_is_longer_than_the_last_edge_is_refused_and_edges_must_ascend():
    run = batcher_load(
        lambda model: LengthBuckets(model, [8], length=int), [0.0], lambda b: 0.1, items=[9]
    )
    assert str(run.errors[0]) == "length = 9: expected at most 8, the last edge"
    for edges in ([], [8, 4], [4, 4]):
        with pytest.raises(ValueError, match="edges = "):
            LengthBuckets(list, edges)
