"""Questions on schedule: sent when due, recorded however they end, nothing left behind."""

import asyncio

import numpy as np
import pytest

from labutils.metrics.status import RequestStatus
from labutils.retrieval import Assistant, ask_on_schedule, poisson_moments
from labutils.telemetry import record_traces


@pytest.fixture
def recorder():
    recorder = record_traces("load")
    yield recorder
    recorder.close()


@pytest.fixture
def assistant(library, engine, recorder):
    assistant = Assistant(library, engine, recorder, max_output_tokens=5)
    yield assistant
    assistant.close()


def test_poisson_moments():
    moments_s = poisson_moments(40.0, 4_001, np.random.default_rng(3))
    gaps = np.diff(moments_s, prepend=0)
    assert (gaps > 0).all() and gaps.mean() == pytest.approx(1 / 40, rel=0.08)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.1)
    with pytest.raises(ValueError, match="rate_per_s = 0"):
        poisson_moments(0, 3, np.random.default_rng(3))


def test_each_question_is_sent_when_it_is_due(assistant, recorder):
    due_s = [0.0, 0.001, 0.03, 0.031, 0.05]
    questions = ["What is goodput?", "What is backpressure?", ""]
    records = asyncio.run(ask_on_schedule(assistant, questions, due_s))
    assert [record.id for record in records] == list(range(5))
    assert [record.intended_arrival_s for record in records] == due_s
    assert all(record.sent_s >= record.intended_arrival_s for record in records)
    for record in records:
        if record.id == 2:  # the empty one
            assert record.status is RequestStatus.REJECTED
            assert record.tags == {"error": "ValueError"} and record.token_times_s.size == 0
        else:
            assert record.status is RequestStatus.OK
            assert record.token_times_s.size == 5 and record.prompt_tokens > 5
            assert record.sent_s < record.first_token_s <= record.finish_s
    assert records[1].sent_s < records[0].finish_s  # nobody waits for an answer before
    assert len(recorder.traces()) == 5 and recorder.open_spans() == []


def test_who_loses_patience_leaves_nothing_behind(assistant, engine, recorder):
    async def impatient():
        records = await ask_on_schedule(
            assistant, ["What is goodput?"], [0.0] * 7, patience_s=0.002
        )
        for _ in range(500):
            if not engine.requests and not recorder.open_spans():
                break
            await asyncio.sleep(0.01)
        return records

    records = asyncio.run(impatient())
    late = [record for record in records if record.status is RequestStatus.TIMED_OUT]
    assert len(late) >= 6 and all(record.finish_s >= 0.002 for record in late)
    assert late[0].tags == {"error": "TimeoutError"}
    assert not engine.requests and not engine.open and recorder.open_spans() == []
    engine.check()


def test_no_questions(assistant):
    with pytest.raises(ValueError, match=r"questions = \[\]: expected at least one"):
        asyncio.run(ask_on_schedule(assistant, [], [0.0]))
