"""The plain batching loop by hand, against the queue kernel and SimPy; each fault by its effect."""

import numpy as np
import pytest

from labutils.simulation import fifo_queue, suspects
from labutils.simulation.batches.batcher_in_simpy import batcher_run

FAULTY = (suspects.saves_idle_time, suspects.newest_first, suspects.polls)


def collect(env, store, batch, max_batch, timeout_s):
    """A right batcher that leaves no get behind, by a context manager."""
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        with store.get() as get:
            yield get | deadline
            if not get.triggered:
                return
            batch.append(get.value)


def test_batches_by_hand():
    # 0 opens a batch that waits until 3: 1 and 2.5 join, and the third fills it at 2.5. It runs
    # until 7.5. Then 4 and 7 wait; the batch stays open until 10.5, nobody comes; 10.5 to 11.5.
    # 20 is alone: open until 23, runs for 2.
    departures = suspects.fill_or_timeout([0, 1, 2.5, 4, 7, 20], [5, 1, 2, 9, 9, 9], 3, 3.0)
    assert departures.tolist() == [7.5, 7.5, 7.5, 11.5, 11.5, 25]


@pytest.mark.parametrize("utilization", (0.6, 0.95, 1.2))
def test_batches_of_one_are_a_single_server(visits, utilization):
    arrivals, services = visits(31, 2_003, utilization=utilization, num_servers=1)
    departures = suspects.fill_or_timeout(arrivals, services, 1, 0.5)
    assert departures == pytest.approx(fifo_queue(arrivals, services).departure_s, rel=1e-12)


@pytest.mark.parametrize("max_batch", (2, 5, 8))
@pytest.mark.parametrize("timeout_s", (0.0, 0.3, 1.7))
def test_loop_equals_the_story_in_simpy(max_batch, timeout_s):
    rng = np.random.default_rng(100 * max_batch + int(10 * timeout_s))
    arrivals = 3.7 + np.cumsum(rng.gamma(0.6, 0.5, 3_001))
    durations = rng.lognormal(-0.2, 0.8, 3_001)
    loop = suspects.fill_or_timeout(arrivals, durations, max_batch, timeout_s)
    story = batcher_run(collect, arrivals, durations, max_batch, timeout_s)
    assert np.abs(loop - story.departure_s).max() <= 1e-9
    assert (loop > arrivals).all()


def test_saved_idle_time_shortens_the_next_wait():
    # served 0 to 2; idle until 10; the clock stands at 4 after it, so 10.5 starts at once
    right = suspects.fill_or_timeout([0, 10, 10.5], [2, 2, 2], 1, 0.0)
    faulty = suspects.saves_idle_time([0, 10, 10.5], [2, 2, 2], 1, 0.0)
    assert right.tolist() == [2, 12, 14] and faulty.tolist() == [2, 12, 12.5]


def test_newest_first_serves_the_newest_of_those_who_wait():
    departures = suspects.newest_first([0, 1, 2, 3], [10, 1, 1, 1], 1, 0.0)
    assert departures.tolist() == [10, 13, 12, 11]


@pytest.mark.parametrize("max_batch", (1, 4))
def test_newest_first_changes_nobodys_moment_but_whose_it_is(visits, max_batch):
    arrivals, durations = visits(8, 4_001, utilization=0.9 * max_batch, num_servers=1)
    arrivals = np.unique(arrivals)
    durations = durations[: arrivals.size]
    first = suspects.fill_or_timeout(arrivals, durations, max_batch, 0.1)
    last = suspects.newest_first(arrivals, durations, max_batch, 0.1)
    assert np.sort(last) == pytest.approx(np.sort(first), rel=1e-12)
    assert (last - arrivals).std() > 1.2 * (first - arrivals).std()


def test_polling_starts_on_ticks_alone():
    rng = np.random.default_rng(5)
    arrivals, durations = np.cumsum(rng.exponential(0.02, 500)), rng.exponential(0.01, 500)
    starts = suspects.polls(arrivals, durations, 1, 0.0) - durations
    ticks = starts / suspects.TICK_S
    assert ticks == pytest.approx(np.round(ticks), abs=1e-6)
    assert (starts >= arrivals - 1e-12).all()


def test_the_two_of_the_opening_are_one_right_and_one_wrong():
    assert suspects.simulator_a is suspects.fill_or_timeout
    assert suspects.simulator_b is suspects.saves_idle_time


@pytest.mark.parametrize("simulate", (suspects.fill_or_timeout, *FAULTY))
@pytest.mark.parametrize(
    "arguments, message",
    (
        (([2, 1], [1, 1], 2, 0.1), r"arrival_s\[1\] = 1"),
        (([1, 2], [1, -1], 2, 0.1), r"service_s\[1\] = -1"),
        (([1, 2], [1, 1], 0, 0.1), "max_batch = 0"),
        (([1, 2], [1, 1], 2, -0.1), "timeout_s = -0.1"),
    ),
)
def test_bad_input_is_named(simulate, arguments, message):
    with pytest.raises(ValueError, match=message):
        simulate(*arguments)
