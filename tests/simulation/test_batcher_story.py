"""The batching story counts itself truthfully, and shows what a batcher that drops gets loses."""

import traceback

import numpy as np
import pytest

from labutils.simulation.batches.batcher_in_simpy import batcher_run


def careful(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        get = store.get()
        yield get | deadline
        if not get.triggered:
            get.cancel()
            return
        batch.append(get.value)


def careless(timed_out):
    """A batcher that leaves its last get behind, and notes each time that it does."""

    def collect(env, store, batch, max_batch, timeout_s):
        batch.append((yield store.get()))
        deadline = env.timeout(timeout_s)
        while len(batch) < max_batch:
            get = store.get()
            yield get | deadline
            if not get.triggered:
                timed_out.append(env.now)
                return
            batch.append(get.value)

    return collect


@pytest.fixture
def draws():
    rng = np.random.default_rng(11)
    return np.cumsum(rng.exponential(0.5, 1_501)) + 2.3, rng.exponential(1.1, 1_501)


def test_story_by_hand():
    run = batcher_run(careful, [1, 2, 9], [4, 1, 1], 2, 3.0, audit_s=[1.5, 3, 6.5, 10, 14])
    assert run.departure_s.tolist() == [6, 6, 13]
    assert run.inside.tolist() == [1, 2, 0, 1, 0]
    assert run.latency_s.tolist() == [5, 4, 4] and run.finished.all()


def test_a_careful_batcher_accounts_for_everybody_at_every_audit(draws):
    arrivals, durations = draws
    audits = np.linspace(arrivals[0], arrivals[-1] + 50, 333)
    run = batcher_run(careful, arrivals, durations, 4, 0.7, audit_s=audits)
    came = np.array([(arrivals <= t).sum() for t in audits])
    gone = np.array([(run.departure_s <= t).sum() for t in audits])
    assert (came - gone == run.inside).all() and run.inside.max() > 4


def test_each_batch_that_times_out_costs_a_careless_batcher_the_next_request(draws):
    arrivals, durations = draws
    timed_out = []
    audits = np.linspace(arrivals[0], arrivals[-1] + 50, 97)
    run = batcher_run(careless(timed_out), arrivals, durations, 4, 0.7, audit_s=audits)
    lost = set(np.flatnonzero(~run.finished))
    nobody_left = len(arrivals)
    victims = {int(np.searchsorted(arrivals, t, side="right")) for t in timed_out} - {nobody_left}
    assert lost == victims and len(lost) > 20
    missing = [
        (arrivals <= t).sum() - (run.departure_s <= t).sum() - k
        for t, k in zip(audits, run.inside, strict=True)
    ]
    assert missing == [(arrivals[sorted(lost)] <= t).sum() for t in audits]
    assert len(run.latency_s) == len(arrivals) - len(lost)


def test_what_the_collector_raises_goes_on():
    def unwritten(env, store, batch, max_batch, timeout_s):
        yield store.get()
        raise NotImplementedError("later")

    with pytest.raises(NotImplementedError, match="later"):
        batcher_run(unwritten, [1, 2], [1, 1], 2, 0.5)


@pytest.mark.parametrize(
    "change, message",
    (
        ({"arrival_s": [2, 1]}, r"arrival_s\[1\] = 1"),
        ({"batch_s": [1]}, "service_s = 1 values"),
        ({"max_batch": 1.5}, r"max_batch = 1\.5"),
        ({"timeout_s": -1}, "timeout_s = -1"),
        ({"audit_s": [3, 2]}, r"audit_s\[1\] = 2"),
    ),
)
def test_bad_input_is_named(change, message):
    right = {"arrival_s": [1, 2], "batch_s": [1, 1], "max_batch": 2, "timeout_s": 0.5}
    with pytest.raises(ValueError, match=message):
        batcher_run(careful, **{**right, **change})


def test_what_is_no_event_is_named_at_the_yield_that_waits_for_it():
    def waits_for_nothing(env, store, batch, max_batch, timeout_s):
        batch.append((yield store.get()))
        yield store.get().cancel()

    with pytest.raises(TypeError, match="yield was given None, which is no event") as caught:
        batcher_run(waits_for_nothing, [1, 2], [1, 1], 2, 0.5)
    error, names = caught.value, []
    while error:  # SimPy hands copies on, each with the one before as its cause
        names += [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        error = error.__cause__
    assert "waits_for_nothing" in names


def test_a_batcher_may_catch_what_its_event_raises():
    def tries_twice(env, store, batch, max_batch, timeout_s):
        try:
            yield env.event().fail(ValueError("lost"))
        except ValueError:
            batch.append((yield store.get()))

    assert batcher_run(tries_twice, [1, 5], [2, 1], 2, 0.5).departure_s.tolist() == [3, 6]
