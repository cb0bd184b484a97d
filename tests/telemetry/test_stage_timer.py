"""A stage timer that loses no error, awaits inside the span, and counts nothing twice."""

import asyncio
import logging
from dataclasses import replace

import numpy as np
import pytest
from opentelemetry import trace as api

from labutils.telemetry import (
    Span,
    TokenMarks,
    conventions,
    critical_path,
    exclusive_times,
    flat_attributes,
    read_span,
    record_traces,
    stage,
    staged,
    text_tree,
    waterfall_rows,
)  # fmt: skip
from tests.telemetry.toys import spans


@pytest.fixture
def recorder():
    made = record_traces()
    yield made
    made.close()


def only(recorder) -> list[Span]:
    (found,) = recorder.traces()
    return found


def test_an_async_function_is_timed_while_it_runs(recorder):
    """Timing the call alone would measure the making of a coroutine."""

    @staged(recorder.tracer())
    async def inner():
        await asyncio.sleep(0.02)
        return 7

    @staged(recorder.tracer(), "outer", size=3)
    async def anything():
        return await inner() + await inner()

    assert asyncio.run(anything()) == 14
    outer, *inners = only(recorder)
    assert (outer.name, outer.attributes["size"]) == ("outer", 3)
    assert [span.parent_id for span in inners] == [outer.id] * 2
    assert all(span.duration_s >= 0.02 for span in inners)
    alone = exclusive_times([outer, *inners])
    assert sum(alone.values()) == pytest.approx(outer.duration_s)


def test_branches_in_parallel_belong_to_their_request(recorder):
    @staged(recorder.tracer(), "branch")
    async def branch():
        await asyncio.sleep(0.01)

    async def request():
        with stage(recorder.tracer(), "request"):
            await asyncio.gather(branch(), branch())

    async def both():
        await asyncio.gather(request(), request())

    asyncio.run(both())
    for found in recorder.traces():
        root, one, other = found
        assert one.parent_id == other.parent_id == root.id
        assert one.start_s < other.end_s and other.start_s < one.end_s
        assert {span.name for span, _, _ in critical_path(found)} == {"request", "branch"}


def test_an_error_ends_the_span_and_goes_on(recorder):
    @staged(recorder.tracer())
    def search():
        raise LookupError("no index")

    with pytest.raises(LookupError, match="no index"), stage(recorder.tracer(), "request"):
        search()
    for span in only(recorder):
        assert not span.is_open and span.error == "LookupError: no index"
        assert span.attributes["error.type"] == "LookupError"
        assert [name for name, _ in span.events] == ["exception"]
    assert "search" in text_tree(only(recorder)) and "no index" in text_tree(only(recorder))


def test_a_cancelled_stage_says_so(recorder):
    async def run():
        started = asyncio.Event()

        async def generate():
            with stage(recorder.tracer(), "generate"):
                started.set()
                await asyncio.sleep(60)

        task = asyncio.create_task(generate())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    (span,) = only(recorder)
    assert not span.is_open and span.error == "CancelledError"


def test_generators_are_refused():
    def lines():
        yield 1

    async def tokens():
        yield 1

    for function in (lines, tokens):
        with pytest.raises(ValueError, match="expected no generator"):
            staged(api.get_tracer("x"))(function)


def test_without_an_sdk_stages_run_and_record_nothing():
    with stage(api.get_tracer("x"), "embed", deep={"a": 1}) as span:
        TokenMarks(span).token()
    assert not span.is_recording()


def test_tokens_leave_their_times(recorder):
    times = iter([10.0, 10.5, 10.6, 11.0, 11.1])
    with stage(recorder.tracer(), "generate") as span:
        marks = TokenMarks(span, clock=lambda: next(times))
        for _ in range(4):
            marks.token()
        marks.finish()
    (span,) = only(recorder)
    said = span.attributes
    assert said[conventions.TIME_TO_FIRST_CHUNK] == pytest.approx(0.5)
    assert said[conventions.TIME_PER_OUTPUT_TOKEN] == pytest.approx(0.2)
    assert said[conventions.LONGEST_GAP] == pytest.approx(0.4)
    assert said[conventions.OUTPUT_TOKENS] == 4
    assert [name for name, _ in span.events] == ["first token"]


def test_an_answer_without_tokens_has_no_times(recorder):
    with stage(recorder.tracer(), "generate") as span:
        TokenMarks(span).finish()
    assert only(recorder)[0].attributes == {conventions.OUTPUT_TOKENS: 0}


def test_nested_attributes_become_flat_and_are_kept(recorder, caplog):
    with caplog.at_level(logging.WARNING), stage(recorder.tracer(), "x", usage={"in": 3, "k": [1]}):
        pass
    assert only(recorder)[0].attributes == {"usage.in": 3, "usage.k": (1,)}
    assert not caplog.records


@pytest.mark.parametrize(
    "value", [None, object(), [1, "a"], [None], {"a": {"b": b"x"}}, {"a": {1, 2}}]
)
def test_a_value_that_some_version_drops_is_refused(value):
    with pytest.raises(ValueError, match=r"attributes\['x"):
        flat_attributes({"x": value})


def test_numbers_of_numpy_become_plain():
    flat = flat_attributes({"n": np.int64(3), "all": np.array([0.5, 1.5]), "empty": {}})
    assert flat == {"n": 3, "all": [0.5, 1.5]} and type(flat["n"]) is int


def test_two_paths_to_one_name_are_refused():
    with pytest.raises(ValueError, match=r"'a\.b'.*one value of a name"):
        flat_attributes({"a.b": 1, "a": {"b": 2}})


def test_names_are_those_of_the_package_and_have_a_status():
    from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as package

    published = {value for name, value in vars(package).items() if name.startswith("GEN_AI_")}
    own = {n: v for n, v in vars(conventions).items() if n.isupper() and n != "STATUS"}
    assert set(own.values()) == set(conventions.STATUS)
    assert {v for v in own.values() if v.startswith("gen_ai.")} <= published
    assert {conventions.STATUS[v] for v in own.values() if v in published} == {"development"}


def test_the_tree_and_the_rows_follow_starts():
    trace = spans(
        ("r", None, 2, 3), ("late", "r", 2.5, 2.9), ("early", "r", 2.1, 2.4),
        ("deep", "early", 2.2, 2.3),
    )  # fmt: skip
    lines = text_tree(trace).splitlines()
    assert [line.split()[0] for line in lines] == ["r", "early", "deep", "late"]
    assert lines[2].startswith("      deep") and lines[0].endswith(" 1,000.0 ms")
    rows = waterfall_rows(trace)
    assert [(row.name, row.depth) for row in rows] == [
        ("r", 0), ("early", 1), ("deep", 2), ("late", 1),
    ]  # fmt: skip
    assert rows[1].start_s == pytest.approx(0.1) and rows[1].duration_s == pytest.approx(0.3)
    flat = [part for row in rows for part in row.critical]
    assert sum(end - start for start, end in flat) == pytest.approx(1)


def test_a_circle_of_parents_is_refused():
    trace = spans(("r", None, 0, 9), ("a", "b", 1, 2), ("b", "a", 1, 2))
    with pytest.raises(ValueError, match="1 of 3 under a root"):
        text_tree(trace)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"end_s": 0.5}, "end_s = 0.5: expected at least start_s"),
        ({"start_s": float("inf")}, "start_s"),
        ({"end_s": float("inf")}, "end_s"),
        ({"parent_id": "a"}, "parent_id = 'a'"),
        ({"events": (("first", 0.9),)}, "events"),
    ],
)
def test_a_span_in_disorder_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(Span("t", "a", None, "x", 1.0, 2.0), **changes)


def test_a_clock_set_back_leaves_no_negative_time(recorder):
    span = recorder.tracer().start_span("x", start_time=5_000_000_000)
    span.add_event("before", timestamp=4_000_000_000)
    span.end(end_time=3_000_000_000)
    assert read_span(span).duration_s == 0 and read_span(span).start_s == 5
