"""The simulator against a second telling of the same story."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.engine import PagePool, Request, Scheduler
from labutils.serving.simulator import simulate
from tests.serving.workloads import COST, OVERLAPPED, jobs

from .naive import serve


@pytest.mark.parametrize("cost", [COST, OVERLAPPED], ids=["linear", "overlapped"])
@pytest.mark.parametrize("chunked", [False, True])
@given(job=jobs(with_keys=False), num_pages=st.integers(9, 16), slots=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_continuous_batching_is_the_story_told_naively(chunked, cost, job, num_pages, slots):
    rules = {"token_budget": 11, "chunked": chunked}
    told = serve(job, cost, max_sequences=slots, num_pages=num_pages, page_tokens=4, **rules)
    scheduler = Scheduler(slots, PagePool(num_pages, 4), **rules)
    run = simulate(job.requests, scheduler, cost, output_tokens=job.output_tokens, token_times=True)
    for record, life in zip(run.records(), told, strict=True):
        assert record.id == life.id
        np.testing.assert_allclose(record.token_times_s, life.token_times_s, rtol=0, atol=1e-9)
        assert record.preemptions == life.preemptions


def test_the_callers_requests_are_not_touched():
    requests = [Request(i, 7 + i, 9, 0.003 * i, keys=(i,)) for i in range(5)]
    runs = [simulate(requests, Scheduler(2, PagePool(9, 4)), COST) for _ in range(2)]
    assert runs[0].log.finish_s.tolist() == runs[1].log.finish_s.tolist()
    assert all(one.known == one.prompt_tokens and not one.pages for one in requests)
    assert all(one.cached is None and not one.preemptions for one in requests)


def test_a_scheduler_never_sees_how_long_an_answer_gets():
    seen = []

    class Curious(Scheduler):
        def schedule(self, now_s):
            for request in (*self.waiting, *self.running):
                facts = {name: getattr(request, name) for name in Request.__slots__}
                seen.append((facts["known"], {*map(str, facts.values())}, dir(request)))
            return super().schedule(now_s)

    requests = [Request(i, 7, 60, 0.001 * i) for i in range(3)]
    simulate(requests, Curious(3, PagePool(99, 4)), COST, output_tokens=[41, 43, 47])
    assert seen
    for known, facts, names in seen:
        assert not {"41", "43", "47"} - {str(known), str(known - 1)} & facts
        assert names == dir(Request("plain", 1, 1))


def test_a_clock_of_many_steps_loses_nothing():
    from fractions import Fraction

    from labutils.serving.simulator import StepCost

    run = simulate([Request(0, 1, 60_001)], Scheduler(1, PagePool(4_000)), StepCost(0.1))
    exact = Fraction(0.1) * 60_001
    assert run.steps == 60_001
    assert abs(Fraction(run.log.finish_s[0]) - exact) <= Fraction(2) ** -40
