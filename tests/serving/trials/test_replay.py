"""Requests sent to the engine when their time has come: times, lengths, prompts, limits."""

import math

import numpy as np
import pytest

from labutils.engine import Engine, LlamaModel, PagePool, Request, small_spec
from labutils.serving.scheduling import DynamicBatches
from labutils.serving.trials.replay import replay
from labutils.workload import RequestTrace


@pytest.fixture(scope="module")
def model():
    return LlamaModel(small_spec(layers=1, hidden_size=24, num_heads=2, num_kv_heads=1, head_dim=12,
                                 ffn_size=20, vocab_size=61))  # fmt: skip


class Clock:
    """Stands still but for what is done to it."""

    def __init__(self):
        self.now_s, self.skipped = 50.0, []

    def __call__(self):
        return self.now_s

    def skip(self, seconds):
        self.skipped.append(seconds)
        self.now_s += seconds


def test_it_sends_in_time_and_cuts_answers_at_their_lengths(model):
    requests = [Request(f"r{i}", 3 + i, 12, 0.01 * i) for i in range(5)]
    engine = Engine(model, page_tokens=4, max_sequences=2)
    log = replay(engine, requests, output_tokens=[4, 1, 12, 7, 2], seed=3)
    engine.check()
    np.testing.assert_allclose(log.intended_arrival_s, [0, 0.01, 0.02, 0.03, 0.04], atol=1e-9)
    assert (log.sent_s >= log.intended_arrival_s - 1e-9).all()
    assert log.output_tokens.tolist() == [4, 1, 12, 7, 2] and log.ok.all()
    assert [engine.requests[i].prompt_tokens for i in range(5)] == [3, 4, 5, 6, 7]
    again = replay(engine, requests[:2], seed=3)
    assert again.output_tokens.tolist() == [12, 12]
    assert engine.requests[6].tokens[:4] == engine.requests[1].tokens[:4]


def test_a_trace_shares_what_it_shares(model):
    keys = ((7, 8), (7, 9), (7, 8, 5))
    trace = RequestTrace([0, 0, 0], [20, 17, 26], [3, 2, 1], keys, 8)
    engine = Engine(model, page_tokens=4, max_sequences=1)
    log = replay(engine, trace, max_output_tokens=5)
    a, b, c = (engine.requests[i].tokens for i in range(3))
    assert a[:8] == b[:8] == c[:8] and a[:16] == c[:16] and a[8:16] != b[8:16]
    assert a[16:20] != c[16:20]
    assert [engine.requests[i].cached for i in range(3)] == [0, 8, 16]
    assert log.output_tokens.tolist() == [3, 2, 1]


def test_it_breaks_off_at_its_limit(model):
    engine, clock, steps = Engine(model, page_tokens=4), Clock(), []
    engine.clock = clock

    def on_step(*_):
        steps.append(1)
        clock.now_s += 10 if len(steps) == 4 else 0

    engine.on_step = on_step
    log = replay(engine, [Request(0, 5, 100), Request(1, 5, 2, 3600.0)], time_limit_s=5.0)
    engine.check()
    assert log.status.tolist() == ["cancelled"] and log.output_tokens.tolist() == [4]
    assert not engine.open and math.isclose(log.finish_s[0], 10)


def test_pauses_are_skipped_where_the_clock_can(model):
    clock = Clock()
    engine = Engine(model, clock=clock)
    log = replay(engine, [Request(0, 2, 1, 1.0), Request(1, 2, 1, 3600.0)])
    assert clock.skipped == [1.0, 3599.0]
    assert log.finish_s.tolist() == [1.0, 3600.0]


def test_a_window_of_dynamic_batches_passes(model):
    scheduler = DynamicBatches(3, 0.02, PagePool(20, 4))
    engine = Engine(model, scheduler, clock=Clock())
    log = replay(engine, [Request(0, 2, 2)])
    assert log.ok.all() and log.admitted_s[0] == pytest.approx(0.02, abs=2e-3)


def test_a_scheduler_that_plans_nothing_is_named(model):
    engine = Engine(model, clock=Clock())
    engine.scheduler.admits = lambda request: False
    with pytest.raises(RuntimeError, match=r"planned no step; open: \[0\]"):
        replay(engine, [Request(0, 2, 2)])
