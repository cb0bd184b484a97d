"""What the engine writes down about requests and steps, on a clock that the test winds."""

import math
from functools import partial

import numpy as np
import pytest

from labutils.metrics import RequestLog
from labutils.serving import (
    BlockManager,
    Continuous,
    DynamicBatches,
    Engine,
    Request,
    StepShape,
    replay,
)
from labutils.workload import RequestTrace

from .jobs import plain_answer, tiny_model


class Clock:
    """Stands still unless wound."""

    now_s = 5.0

    def __call__(self):
        return self.now_s


class Slow:
    """A model that takes a second per call, and a tenth of one per token."""

    def __init__(self, model, clock):
        self.model, self.clock = model, clock

    def __call__(self, tokens, *args, **options):
        self.clock.now_s += 1 + tokens.shape[1] / 10
        return self.model(tokens, *args, **options)


def slow_engine(**options):
    clock = Clock()
    engine = Engine(tiny_model(), clock=clock, **{"page_tokens": 4, "token_budget": 16, **options})
    engine.runner.model = Slow(engine.runner.model, clock)
    return engine, clock


def test_records_of_two_requests_by_hand():
    engine, clock = slow_engine()
    engine.add_request([1] * 20, id="a", max_output_tokens=2, arrival_s=4.0)
    engine.step()  # 16 tokens of a
    engine.add_request([1] * 9, id="b", max_output_tokens=3)
    clock.now_s += 0.5
    engine.run()
    a, b = engine.records()
    assert (a.intended_arrival_s, a.sent_s, a.admitted_s) == (4.0, 5.0, 5.0)
    # 1 + 1.6 s, half a second, 4 tokens of a and b's 9 less the 8 that a has computed, then 1 and 1
    np.testing.assert_allclose(a.token_times_s, [7.6 + 0.5 + 1.5, 9.6 + 1.2])
    np.testing.assert_allclose(b.token_times_s, [9.6, 10.8, 11.9])
    assert (b.sent_s, b.admitted_s, b.finish_s) == (7.6, 8.1, pytest.approx(11.9))
    assert (a.cached_tokens, b.cached_tokens, b.prompt_tokens) == (0, 8, 9)
    assert isinstance(engine.log, RequestLog)
    np.testing.assert_allclose(engine.log.ttft_s, [5.6, 2.0])
    np.testing.assert_allclose(engine.log.tpot_s, [1.2, 1.15])


def test_steps_by_hand():
    engine, _ = slow_engine()
    engine.add_request([1] * 20, max_output_tokens=3)
    engine.run()
    first, second, third, fourth = engine.steps
    assert [step.start_s for step in engine.steps] == pytest.approx([5.0, 7.6, 9.0, 10.1])
    assert [step.device_s for step in engine.steps] == pytest.approx([2.6, 1.4, 1.1, 1.1])
    assert [step.wall_s for step in engine.steps] == pytest.approx([2.6, 1.4, 1.1, 1.1])
    assert first.shape == StepShape(16, 136) and second.shape == StepShape(4, 4 * 16 + 10)
    assert third.shape == StepShape(0, 0, 1, 21) and fourth.shape == StepShape(0, 0, 1, 22)
    assert [step.pages_in_use for step in engine.steps] == [5, 5, 6, 6]
    for step in engine.steps:
        assert (step.rows, step.preempted, step.schedule_s) == (1, 0, 0.0)
        assert step.host_s == pytest.approx(0.0, abs=1e-9)


def test_time_in_the_scheduler_is_counted_apart_from_the_hosts():
    clock = Clock()

    class Pensive(Continuous):
        def schedule(self, now_s):
            clock.now_s += 2
            return super().schedule(now_s)

        def commit(self, plan, steps=1):
            clock.now_s += 0.5
            super().commit(plan, steps)

        def finish(self, request_id):
            clock.now_s += 0.25
            super().finish(request_id)

    def listen(id, token):
        clock.now_s += 0.125

    engine = Engine(
        tiny_model(), Pensive(4, BlockManager(9, 4), token_budget=9, chunked=True), clock=clock
    )
    engine.runner.model = Slow(engine.runner.model, clock)
    engine.add_request([1, 2], max_output_tokens=2, on_token=listen)
    engine.run()
    first, last = engine.steps
    assert (first.schedule_s, first.host_s, first.device_s) == pytest.approx((2.5, 0.125, 1.2))
    assert (last.schedule_s, last.host_s, last.device_s) == pytest.approx((2.75, 0.125, 1.1))


def test_an_early_token_is_known_late_when_planning_ahead():
    engine, _ = slow_engine(overlap=True)
    engine.add_request([1] * 3, id="a", max_output_tokens=3)
    told = [engine.step() for _ in range(4)]
    assert told == [[], *([("a", token)] for token in plain_answer([1] * 3, 3))]
    assert not engine.has_work and len(engine.steps) == 3


def _append(heard, *one):
    heard.append(one)


def test_who_stops_early_has_computed_one_token_too_many_when_planning_ahead():
    expected = plain_answer([1] * 3, 9)
    stop = expected[2:3]
    steps = {}
    for overlap in (False, True):
        (engine, _), heard = slow_engine(overlap=overlap), []
        listen = partial(_append, heard)
        id = engine.add_request([1] * 3, max_output_tokens=9, stop=stop, on_token=listen)
        told = [one for _ in range(9) for one in engine.step()]
        engine.check()
        at = expected.index(stop[0])
        assert list(engine.answers[id].tokens) == expected[: at + 1]
        assert told == heard == [(id, token) for token in expected[: at + 1]]
        steps[overlap] = len(engine.steps)
    assert steps[True] == steps[False] + 1


def test_a_window_of_dynamic_batches_is_waited_for():
    engine = Engine(tiny_model(), DynamicBatches(3, window_s=0.02), num_pages=20)
    engine.add_request([1, 2], max_output_tokens=2)
    assert engine.step() == [] and engine.idle_until_s > engine.clock()
    engine.run()
    record = engine.records()[0]
    assert record.admitted_s - record.intended_arrival_s >= 0.02


def test_replay_sends_in_time_and_cuts_answers_at_their_lengths():
    requests = [Request(f"r{i}", 3 + i, 12, 0.01 * i) for i in range(5)]
    engine = Engine(tiny_model(), page_tokens=4, max_sequences=2)
    log = replay(engine, requests, output_tokens=[4, 1, 12, 7, 2], seed=3)
    engine.check()
    np.testing.assert_allclose(log.intended_arrival_s, [0, 0.01, 0.02, 0.03, 0.04], atol=1e-9)
    assert (log.sent_s >= log.intended_arrival_s - 1e-9).all()
    assert log.output_tokens.tolist() == [4, 1, 12, 7, 2] and log.ok.all()
    assert [len(engine.answers[i].prompt_tokens) for i in range(5)] == [3, 4, 5, 6, 7]
    for answer in engine.answers.values():
        assert list(answer.tokens) == plain_answer(answer.prompt_tokens, len(answer.tokens))
    again = replay(engine, requests[:2], seed=3)
    assert again.output_tokens.tolist() == [12, 12]
    assert engine.answers[6].prompt_tokens == engine.answers[1].prompt_tokens


def test_replay_of_a_trace_shares_what_the_trace_shares():
    keys = ((7, 8), (7, 9), (7, 8, 5))
    trace = RequestTrace([0, 0, 0], [20, 17, 26], [3, 2, 1], keys, 8)
    engine = Engine(tiny_model(), page_tokens=4, max_sequences=1)
    log = replay(engine, trace, max_output_tokens=5)
    a, b, c = (engine.answers[i].prompt_tokens for i in range(3))
    assert a[:8] == b[:8] == c[:8] and a[:16] == c[:16] and a[8:16] != b[8:16]
    assert a[16:20] != c[16:20]
    assert [record.cached_tokens for record in engine.records()] == [0, 8, 16]
    assert log.output_tokens.tolist() == [3, 2, 1]


def test_replay_breaks_off_at_its_limit():
    engine = Engine(tiny_model(), page_tokens=4)
    requests = [Request(0, 5, 100), Request(1, 5, 2, 3600.0)]
    listen = []
    engine.on_step = lambda *_: listen.append(1) or (len(listen) == 4 and wind())

    clock = Clock()
    engine.clock = engine._launcher.clock = clock

    def wind():
        clock.now_s += 10

    log = replay(engine, requests, time_limit_s=5.0)
    engine.check()
    assert log.status.tolist() == ["cancelled"] and log.output_tokens.tolist() == [4]
    assert not engine.has_work and math.isclose(log.finish_s[0], 10)
