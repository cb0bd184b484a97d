"""The envelope: figures of a run, and predictions that a steady machine bears out."""

import dataclasses

import numpy as np
import pytest

from labutils.metrics import RequestLog
from labutils.serving import (
    ContiguousReservation,
    Continuous,
    Engine,
    LlamaModel,
    StepCost,
    envelope,
    open_loop,
    replay,
    simulate,
    small_spec,
)
from labutils.serving.plan import StepShape
from labutils.serving.step_record import StepRecord
from labutils.workload import RequestTrace

COST = StepCost(2e-3, 50e-6, 1e-6, 120e-6, 3e-6)


class SteadyMachine:
    """A clock that moves by the cost of each step, times ``stretch``, and while nothing runs."""

    def __init__(self, stretch=1.0):
        self.now_s, self.stretch = 100.0, stretch

    def __call__(self):
        return self.now_s

    def on_step(self, engine, plan):
        self.now_s += self.stretch * COST.time_s(plan.shape)

    def nap(self, seconds):
        self.now_s += max(1e-10, seconds)  # rounding must not stop the clock


@pytest.fixture(scope="module")
def model():
    spec = small_spec(layers=1, hidden_size=32, num_heads=2, num_kv_heads=1, ffn_size=32)
    return LlamaModel(dataclasses.replace(spec, head_dim=16, vocab_size=61))


def scheduler():
    return Continuous(3, ContiguousReservation(100), token_budget=12, chunked=True)


def crowd(n, rate_per_s, seed=3):
    rng = np.random.default_rng(seed)
    arrivals = np.cumsum(rng.exponential(1, n)) / rate_per_s
    return RequestTrace(arrivals - arrivals[0], rng.integers(2, 17, n), rng.integers(1, 15, n))


def on(machine, model, monkeypatch):
    monkeypatch.setattr(open_loop, "_nap", machine.nap)
    engine = Engine(model, scheduler(), clock=machine)
    engine.on_step = machine.on_step
    return engine


def backlog(n=60):
    one = crowd(n, 1.0)
    return RequestTrace(np.zeros(n), one.prompt_tokens, one.output_tokens)


def test_simulator_and_engine_have_the_same_capacity(model, monkeypatch):
    log = replay(on(SteadyMachine(), model, monkeypatch), backlog(30))
    said = simulate(backlog(30), scheduler(), COST).log_without_gaps
    assert envelope.capacity_per_s(log) == pytest.approx(envelope.capacity_per_s(said), rel=1e-6)


@pytest.mark.parametrize(("share", "seed"), [(0.5, 1), (0.7, 2), (1.2, 3)])
def test_on_a_steady_machine_the_simulator_is_right(model, monkeypatch, share, seed):
    capacity = envelope.capacity_per_s(simulate(backlog(), scheduler(), COST).log_without_gaps)
    loads = {share: crowd(36, share * capacity, seed)}
    sealed = envelope.Envelope.of(loads, scheduler, COST)
    engine = on(SteadyMachine(), model, monkeypatch)
    measured = {share: [envelope.measure_load(loads[share], engine)]}
    opened = sealed.opened(measured, drift=envelope.drift(engine.steps, COST))
    # Rounding of clocks is all that parts them; in a count of requests it may move one across.
    assert all(abs(row.error) < (0.02 if share > 1 else 1e-6) for row in opened.graded)
    assert abs(opened.drift) < 0.005  # it takes a very short wait for work of the host
    assert not opened.is_noisy
    assert opened.inside == len(opened.graded) == (1 if share > 1 else 4)


def test_a_machine_that_slows_down_is_too_noisy_to_judge(model, monkeypatch):
    loads = {0.7: crowd(16, 40.0)}
    sealed = envelope.Envelope.of(loads, scheduler, COST)
    engine = on(SteadyMachine(stretch=1.3), model, monkeypatch)
    measured = {0.7: [envelope.measure_load(loads[0.7], engine)]}
    opened = sealed.opened(measured, drift=envelope.drift(engine.steps, COST))
    assert opened.drift == pytest.approx(0.3, abs=1e-6)
    assert opened.is_noisy and opened.verdict().startswith("Too noisy")
    assert opened.inside < 4


def test_noise_of_the_fit_counts_too():
    figures = envelope.Figures(0.1, 0.2, 0.01, 0.02, 0.0)
    sealed = envelope.Envelope({0.5: figures})
    assert sealed.opened({0.5: [figures]}, drift=0.0, noise=0.2).is_noisy
    assert not sealed.opened({0.5: [figures]}, drift=0.0, noise=0.05).is_noisy
    assert sealed.opened({0.5: [figures]}, drift=0.0, noise=0.06).is_noisy  # as the fit says itself


def test_a_line_for_each_row_with_its_error():
    said = envelope.Figures(0.11, 0.2, 0.01, 0.02, 5.0)
    came = envelope.Figures(0.1, 0.25, 0.01, 0.02, 4.0)
    sealed = envelope.Envelope({1.0: said, 1.2: said})
    title, *lines = sealed.opened({1.0: [came], 1.2: [came]}, drift=0.0).lines()
    assert title.split() == ["load", "quantity", "predicted", "measured", "error"]
    assert lines[1].split() == ["1", "ttft_p99_s", "0.2", "0.25", "-20", "%", "not", "graded"]
    assert lines[-1].split() == ["1.2", "backlog_per_s", "5", "4", "+25", "%"]


def test_rows_compare_with_the_median_of_the_runs():
    said = envelope.Figures(0.11, 0.2, 0.01, 0.02, 5.0)
    runs = [envelope.Figures(x, 0.2, 0.01, 0.03, 4.0) for x in (0.08, 0.1, 0.16)]
    opened = envelope.Envelope({1.0: said, 1.2: said}).opened({1.0: runs, 1.2: runs[:1]}, drift=0.0)
    first, backlog = opened.rows[0], opened.rows[-1]
    assert (first.share, first.quantity, first.graded) == (1.0, "ttft_p50_s", False)
    assert first.measured == 0.1
    assert first.error == pytest.approx(0.1)
    assert first.spread == pytest.approx(0.8)
    assert [row.quantity for row in opened.graded] == ["backlog_per_s"]
    assert not backlog.inside and backlog.error == pytest.approx(0.25)
    assert opened.verdict().startswith("0 of 1 predictions within 10 %")


def test_nothing_is_relative_to_a_backlog_that_stands_still():
    still = envelope.Figures(0.1, 0.2, 0.01, 0.02, 0.0)
    (row,) = envelope.Envelope({1.2: still}).opened({1.2: [still]}, drift=0.0).rows
    assert np.isnan(row.error) and np.isnan(row.spread) and not row.inside


def test_the_seal_knows_every_number():
    one = envelope.Figures(0.1, 0.2, 0.01, 0.02, 5.0)
    sealed = envelope.Envelope({0.5: one, 0.7: one}).seal
    assert sealed == envelope.Envelope({0.7: one, 0.5: one}).seal
    changed = dataclasses.replace(one, tpot_p99_s=0.02 + 1e-12)
    assert sealed != envelope.Envelope({0.5: one, 0.7: changed}).seal
    assert len(sealed) == 8


def test_backlog_slope_is_what_comes_in_less_what_goes_out():
    came, gone = np.arange(0, 10, 0.25), np.arange(0.5, 20.5, 0.5)  # 4 and 2 a second
    log = RequestLog.from_times(came, gone[: len(came)])
    assert envelope.backlog_slope(log, 10.0) == pytest.approx(2.0, rel=0.03)
    with pytest.raises(ValueError, match="until_s"):
        envelope.backlog_slope(log, 0.0)


def test_capacity_counts_while_somebody_waits():
    ends = np.concatenate([np.arange(3.0, 33.0, 0.5), [40.0, 60.0]])  # two a second, then the rest
    starts = np.maximum(ends - 3.0, 0.0).clip(max=29.5)
    log = RequestLog.from_times(np.zeros(ends.size), ends, admitted_s=starts)
    assert envelope.capacity_per_s(log) == pytest.approx(2.0, rel=0.05)
    with pytest.raises(ValueError, match="longer backlog"):
        envelope.capacity_per_s(RequestLog.from_times([0, 0], [1.0, 2.0], admitted_s=[0, 0.1]))


def test_drift_leaves_out_waiting_for_arrivals():
    shape = StepShape(3, 6, 1, 9)
    one = COST.time_s(shape)
    starts = [0.0, 1.1 * one, 50 * one]  # a tenth of a step of host work, then a long wait
    steps = [StepRecord(at, 0.0, 0.0, one, one, shape, 2, 0, 0) for at in starts]
    assert envelope.drift(steps, COST) == pytest.approx(0.1 / 3)
