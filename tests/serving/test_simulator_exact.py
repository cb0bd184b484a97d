"""The simulator against a second telling of the same story, and jumps against single steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labutils.serving import BlockManager, Continuous, simulate

from .naive import serve
from .workloads import COST, POLICIES, jobs


@pytest.mark.parametrize("chunked", [False, True])
@given(job=jobs(with_keys=False), num_pages=st.integers(9, 16), slots=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_continuous_batching_is_the_story_told_naively(chunked, job, num_pages, slots):
    rules = {"token_budget": 11, "chunked": chunked}
    told = serve(job, COST, max_sequences=slots, num_pages=num_pages, page_tokens=4, **rules)
    scheduler = Continuous(slots, BlockManager(num_pages, 4), **rules)
    run = simulate(job.requests, scheduler, COST, output_tokens=job.output_tokens)
    for record, life in zip(run.records(), told, strict=True):
        assert record.id == life.id
        np.testing.assert_allclose(record.token_times_s, life.token_times_s, rtol=0, atol=1e-9)
        assert record.preemptions == life.preemptions


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("with_keys", [False, True])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_jump_ends_where_its_steps_end(policy, with_keys, data):
    job, pool = data.draw(jobs(with_keys=with_keys)), data.draw(st.integers(9, 15))
    runs = [
        simulate(
            job.requests,
            POLICIES[policy](pool),
            COST,
            output_tokens=job.output_tokens,
            jumps=jumps,
        )
        for jumps in (True, False)
    ]
    assert runs[0].steps == runs[1].steps
    assert len(runs[0].telemetry) <= len(runs[1].telemetry)
    for mine, single in zip(*(run.records() for run in runs), strict=True):
        np.testing.assert_allclose(mine.token_times_s, single.token_times_s, rtol=0, atol=1e-9)
        facts = ("status", "finish_s", "admitted_s", "cached_tokens", "preemptions")
        for name in facts:
            np.testing.assert_equal(getattr(mine, name), getattr(single, name))


def test_jumps_are_taken():
    job = [(10, 400), (7, 300)]
    from labutils.serving import Request

    requests = [Request(i, prompt, answer) for i, (prompt, answer) in enumerate(job)]
    run = simulate(requests, Continuous(4, BlockManager(100, 16)), COST)
    assert run.steps == 400  # one prefill for both, and 399 decode steps
    assert len(run.telemetry) == 3
