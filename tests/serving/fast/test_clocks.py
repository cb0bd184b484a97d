"""What is written down about steps, on a clock that the test winds."""

import pytest

from labutils.engine import PagePool, Scheduler
from labutils.serving.fast import FastEngine
from labutils.serving.scheduling import DynamicBatches, StepShape
from tests.engine.jobs import plain_answer, require_empty, tiny_model
from tests.engine.test_clocks import Clock, Slow


def slow_engine(scheduler=None, **options):
    clock = Clock()
    options = {"page_tokens": 4, "token_budget": 16, **options}
    engine = FastEngine(tiny_model(), scheduler, clock=clock, **options)
    engine.model = Slow(engine.model, clock)
    return engine, clock


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


class Pensive(Scheduler):
    """Takes its time, on ``clock``."""

    clock: Clock

    def schedule(self, now_s):
        self.clock.now_s += 2
        return super().schedule(now_s)

    def commit(self, plan):
        self.clock.now_s += 0.5
        super().commit(plan)

    def finish(self, request):
        self.clock.now_s += 0.25
        super().finish(request)


@pytest.mark.parametrize("overlap", (False, True))
def test_time_in_the_scheduler_is_counted_apart_from_the_hosts(overlap):
    scheduler = Pensive(4, PagePool(9, 4), token_budget=9, chunked=True)
    engine, clock = slow_engine(scheduler, overlap=overlap)
    scheduler.clock = clock

    def listen(id, token):
        clock.now_s += 0.125

    engine.add_request([1, 2], max_output_tokens=2, on_token=listen)
    engine.run()
    first, last = engine.steps
    assert (first.schedule_s, first.host_s, first.device_s) == pytest.approx((2.5, 0.125, 1.2))
    assert (last.schedule_s, last.host_s, last.device_s) == pytest.approx((2.75, 0.125, 1.1))
    if not overlap:
        for step in engine.steps:  # nothing runs beside it: the parts are the whole
            assert step.wall_s == pytest.approx(step.schedule_s + step.host_s + step.device_s)


def test_a_hooks_time_is_the_hosts_and_a_failed_request_is_in_no_record():
    engine, clock = slow_engine()

    def hook(engine, plan):
        clock.now_s += 0.75

    engine.on_step = hook
    engine.add_request([1, 2, 3], max_output_tokens=2)
    model, engine.model = engine.model, None
    engine.step()  # without a model
    engine.model = model
    engine.add_request([1, 2, 3], max_output_tokens=1)
    engine.run()
    failed, fine = engine.steps
    assert (failed.rows, failed.shape, failed.device_s) == (0, StepShape(), 0.0)
    assert (fine.rows, fine.shape) == (1, StepShape(3, 6))
    assert [step.host_s for step in engine.steps] == pytest.approx([0.75, 0.75])


def test_an_early_token_is_known_late_when_planning_ahead():
    engine, _ = slow_engine(overlap=True)
    engine.add_request([1] * 3, id="a", max_output_tokens=3)
    told = [engine.step() for _ in range(5)]
    assert told == [[], *([("a", token)] for token in plain_answer([1] * 3, 3)), None]
    assert not engine.open and len(engine.steps) == 3


def test_who_stops_early_has_computed_one_token_too_many_when_planning_ahead():
    expected = plain_answer([1] * 3, 9)
    at, steps = expected.index(expected[2]), {}
    for overlap in (False, True):
        (engine, _), heard = slow_engine(overlap=overlap), []
        engine.add_request(
            [1] * 3,
            id="a",
            max_output_tokens=9,
            stop=expected[2:3],
            on_token=lambda *one: heard.append(one),  # noqa: B023 (called in this round)
        )
        told = [one for _ in range(9) for one in engine.step() or ()]
        require_empty(engine)
        assert engine.requests["a"].answer == expected[: at + 1]
        assert told == heard == [("a", token) for token in expected[: at + 1]]
        steps[overlap] = len(engine.steps)
    assert steps[True] == steps[False] + 1


def test_a_window_of_dynamic_batches_is_waited_for():
    engine = FastEngine(tiny_model(), DynamicBatches(3, 0.02, PagePool(20, 4)))
    engine.add_request([1, 2], max_output_tokens=2)
    assert engine.step() is None and engine.idle_until_s > engine.clock()
    engine.run()
    request = engine.requests[0]
    assert request.answer == plain_answer([1, 2], 2)
    assert request.admitted_s - request.arrival_s >= 0.02
    assert engine.step() is None and engine.idle_until_s == float("inf")
