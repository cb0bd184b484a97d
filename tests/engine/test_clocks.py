"""When things happened, on a clock that the test winds."""

import pytest

from labutils.engine import Engine, PagePool, Scheduler

from .jobs import tiny_model


class Clock:
    """Stands still unless wound."""

    now_s = 5.0

    def __call__(self):
        return self.now_s


class Slow:
    """A model that takes a second per call, and a tenth of one per token."""

    def __init__(self, model, clock):
        self.model, self.spec, self.clock = model, model.spec, clock

    def __call__(self, tokens, *args, **options):
        self.clock.now_s += 1 + tokens.shape[1] / 10
        return self.model(tokens, *args, **options)


def slow_engine(scheduler=None, **options):
    clock = Clock()
    engine = Engine(
        tiny_model(), scheduler, clock=clock, **{"page_tokens": 4, "token_budget": 16, **options}
    )
    engine.model = Slow(engine.model, clock)
    return engine, clock


def test_times_of_two_requests_by_hand():
    engine, clock = slow_engine()
    engine.add_request([1] * 20, id="a", max_output_tokens=2, arrival_s=4.0)
    engine.step()  # 16 tokens of a
    engine.add_request([1] * 9, id="b", max_output_tokens=3)
    clock.now_s += 0.5
    engine.run()
    a, b = engine.requests.values()
    assert (a.arrival_s, a.sent_s, a.admitted_s) == (4.0, 5.0, 5.0)
    # 1 + 1.6 s, half a second, 4 tokens of a and b's 9 less the 8 that a has computed, then 1 and 1
    assert a.times_s == pytest.approx([7.6 + 0.5 + 1.5, 9.6 + 1.2])
    assert b.times_s == pytest.approx([9.6, 10.8, 11.9])
    assert (b.arrival_s, b.sent_s, b.admitted_s) == pytest.approx((7.6, 7.6, 8.1))
    assert (a.finish_s, b.finish_s) == pytest.approx((10.8, 11.9))
    assert (a.cached, b.cached, b.prompt_tokens) == (0, 8, 9)


def test_admission_and_hits_count_once_however_often_a_request_starts():
    engine, clock = slow_engine(Scheduler(2, PagePool(4, 4), token_budget=16, chunked=True))
    requests = engine.generate([[1, 2, 3, 4, 5], [6, 7, 8, 9]], max_output_tokens=5)
    newer = requests[1]
    assert newer.preemptions == 1 and newer.cached == 0 and newer.admitted_s == 5.0
    assert newer.times_s[-1] == newer.finish_s == clock.now_s
    assert len(newer.times_s) == 5 and newer.times_s == sorted(newer.times_s)


def test_a_scheduler_is_told_the_time_of_the_engines_clock():
    asked = []

    class Curious(Scheduler):
        def schedule(self, now_s):
            asked.append(now_s)
            return super().schedule(now_s)

    engine, _ = slow_engine(Curious(2, PagePool(9, 4), token_budget=16, chunked=True))
    engine.generate([[1, 2, 3]], max_output_tokens=2)
    assert asked == pytest.approx([5.0, 6.3])


def test_the_end_of_who_never_ran():
    engine, clock = slow_engine()
    id = engine.add_request([1, 2])
    clock.now_s = 9.0
    engine.cancel(id)
    request = engine.requests[id]
    assert (request.sent_s, request.admitted_s, request.finish_s) == (5.0, None, 9.0)
    assert request.times_s == []
