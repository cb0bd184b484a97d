"""The assistant: the engine's own tokens, spans that tell the truth, nothing lost."""

import asyncio
import time
from dataclasses import replace

import numpy as np
import pytest

from labutils.engine import Engine
from labutils.retrieval import Assistant, ExactIndex, StageThreads
from labutils.retrieval.assistant import fitted
from labutils.telemetry import critical_path, record_traces, root_of

QUESTIONS = ("What is goodput?", "When is a request preempted?", "What does an SLO promise?")


@pytest.fixture
def recorder():
    recorder = record_traces("assistant")
    yield recorder
    recorder.close()


@pytest.fixture
def assistant(library, engine, recorder):
    assistant = Assistant(library, engine, recorder, max_output_tokens=7)
    yield assistant
    assistant.close()


def by_name(spans):
    return {span.name: span for span in spans}


def settled(condition, seconds=5.0):
    """Wait until other threads have come so far."""
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.002)
    return condition()


def test_an_answer_has_the_engines_tokens_and_the_passages_of_its_prompt(assistant, draft, library):
    heard = []
    answer = asyncio.run(assistant.answer(QUESTIONS[0], on_token=heard.append))
    model, tokenizer = draft
    texts = [passage.words for passage in answer.passages]
    prompt = "".join(f"{text}\n\n" for text in texts) + f"\n\n{QUESTIONS[0]}\n"
    pieces = [tokenizer.encode(f"{text}\n\n") for text in texts]
    tokens = [t for piece in pieces for t in piece] + tokenizer.encode(f"\n\n{QUESTIONS[0]}\n")
    assert tokenizer.decode(tokens) == prompt
    (alone,) = Engine(model, tokenizer=tokenizer).generate([tokens], max_output_tokens=7)
    assert heard == alone.answer and answer.text == alone.text
    assert answer.prompt_tokens == len(tokens) <= model.spec.max_context - 7
    assert any("goodput" in text.lower() for text in texts)


def test_a_trace_has_each_stage_once_and_waits_beside_the_work(assistant, recorder):
    asyncio.run(assistant.answer(QUESTIONS[1]))
    (spans,) = recorder.traces()
    named = by_name(spans)
    stages = ("embed", "near", "words", "rerank", "prompt", "generate")
    assert sorted(named) == sorted(["answer", "fuse", *stages, *(f"wait.{s}" for s in stages)])
    root = root_of(spans)
    assert all(span.parent_id == root.id for span in spans if span is not root)
    for name in stages:
        waited, worked = named[f"wait.{name}"], named[name]
        assert root.start_s <= waited.start_s <= waited.end_s <= worked.start_s + 1e-6
        assert worked.end_s <= root.end_s + 1e-6
    assert named["near"].start_s >= named["embed"].end_s
    assert named["generate"].start_s >= named["prompt"].end_s
    assert named["generate"].attributes["gen_ai.usage.output_tokens"] == 7
    (event,) = named["generate"].events
    assert event[0] == "first token"
    assert named["generate"].start_s < event[1] < named["generate"].end_s
    path = [span.name for span, *_ in critical_path(spans)]
    assert path[-1] in ("generate", "answer") and "fuse" in path


def test_one_server_of_a_stage_makes_the_others_wait(recorder):
    threads = StageThreads("slow", 1, recorder.tracer())

    async def three():
        await asyncio.gather(*(threads.run(time.sleep, 0.02) for _ in range(3)))

    asyncio.run(three())
    threads.close()
    spans = [span for trace in recorder.traces() for span in trace]
    waits = sorted((s for s in spans if s.name == "wait.slow"), key=lambda span: span.end_s)
    works = sorted((s for s in spans if s.name == "slow"), key=lambda span: span.start_s)
    assert len(waits) == len(works) == 3
    for one, after, waited in zip(works, works[1:], waits[1:]):
        assert one.end_s <= after.start_s + 1e-6
        assert one.end_s <= waited.end_s <= after.start_s + 1e-6  # it waited for that work


def test_who_leaves_the_line_is_not_served_and_leaves_no_open_span(recorder):
    threads, served = StageThreads("slow", 1, recorder.tracer()), []

    async def one_leaves():
        first = asyncio.create_task(threads.run(time.sleep, 0.05))
        second = asyncio.create_task(threads.run(served.append, "second"))
        await asyncio.sleep(0.01)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        await first

    asyncio.run(one_leaves())
    threads.close()
    assert served == [] and recorder.open_spans() == []


def test_an_error_in_a_stage_reaches_the_asker_and_its_span(recorder):
    threads = StageThreads("breaks", 1, recorder.tracer())
    with pytest.raises(ZeroDivisionError):
        asyncio.run(threads.run(lambda: 1 // 0))
    threads.close()
    spans = by_name(span for spans in recorder.traces() for span in spans)
    assert "ZeroDivisionError" in spans["breaks"].error and spans["wait.breaks"].error is None


@pytest.mark.parametrize(
    ("question", "tenant", "says"),
    [
        ("", "course", "question = '': expected a text"),
        ("🔥🔥🚀", "course", "question = '🔥🔥🚀': expected a text of at least one word"),
        ("\x00 ¿?", "course", "expected a text of at least one word"),
        ("What \ud800?", "course", r"question = 'What \ud800?': expected characters that UTF-8"),
        ("goodput " * 250, "course", " tokens: expected at most 505"),
        (" \n", "course", "expected a text of at least one word"),
        (b"bytes", "course", "question = b'bytes': expected a text"),
        ("x" * 10_000_000, "course", "question has 10,000,000 characters: expected at most 2,000"),
        ("What?", "stranger", "tenant = 'stranger': expected one of course, other"),
    ],
)
def test_a_question_that_cannot_be_taken_says_so_and_leaves_a_trace(
    assistant, recorder, question, tenant, says
):
    with pytest.raises(ValueError) as caught:
        asyncio.run(assistant.answer(question, tenant=tenant))
    assert says in str(caught.value) and len(str(caught.value)) < 200
    (spans,) = recorder.traces()
    assert [span.name for span in spans] == ["answer"] and "ValueError" in spans[0].error


def test_a_question_of_strange_signs_is_answered(assistant):
    answer = asyncio.run(assistant.answer("¿goodput? ∑ \x00 😀", tenant="other"))
    assert answer.output_tokens == 7
    assert any("goodput" in passage.words.lower() for passage in answer.passages)


def test_a_question_without_a_direction_finds_no_passages(assistant, monkeypatch):
    nothing = np.zeros((1, 24), dtype=np.float32)
    monkeypatch.setattr(type(assistant.library.embedder), "embed", lambda self, texts: nothing)
    answer = asyncio.run(assistant.answer("zzyzx"))
    assert answer.passages == () and answer.output_tokens == 7


def test_a_closed_assistant_says_that_it_is_closed(library, engine, recorder):
    assistant = Assistant(library, engine, recorder)
    assistant.close()
    with pytest.raises(RuntimeError, match=r"the stage \w+ is closed"):
        asyncio.run(assistant.answer(QUESTIONS[0]))
    assert recorder.open_spans() == []


def test_vectors_that_are_not_finite_name_the_query(assistant, monkeypatch, recorder):
    broken = np.full((1, 24), np.nan, dtype=np.float32)
    monkeypatch.setattr(type(assistant.library.embedder), "embed", lambda self, texts: broken)
    with pytest.raises(ValueError, match="query is not finite"):
        asyncio.run(assistant.answer(QUESTIONS[0]))
    assert settled(lambda: recorder.open_spans() == [])


def test_many_askers_some_of_whom_leave(assistant, engine, recorder):
    async def all_of_them():
        tasks = [asyncio.create_task(assistant.answer(QUESTIONS[n % 3])) for n in range(17)]
        for n, task in enumerate(tasks):
            await asyncio.sleep(0.003)
            if n % 5 == 2:
                task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    ends = asyncio.run(all_of_them())
    texts = {QUESTIONS[n % 3]: end.text for n, end in enumerate(ends) if hasattr(end, "text")}
    for n, end in enumerate(ends):
        if not isinstance(end, asyncio.CancelledError):
            assert end.text == texts[QUESTIONS[n % 3]]  # company changes nothing
    assert sum(isinstance(end, asyncio.CancelledError) for end in ends) <= 3
    assert settled(lambda: not engine.requests and not engine.open)
    engine.check()
    assert settled(lambda: recorder.open_spans() == []) and len(recorder.traces()) == 17


def test_a_prompt_takes_passages_best_first_as_long_as_they_fit():
    def encode(text):
        return [ord(sign) for sign in text]

    texts = ["a" * 10, "b" * 30, "c" * 5]
    tokens, used = fitted("why", texts, encode, room=6 + 12 + 7)
    assert used == [0, 2] and bytes(tokens).decode() == f"{texts[0]}\n\n{texts[2]}\n\n\n\nwhy\n"
    with pytest.raises(ValueError, match="question has 6 tokens: expected at most 5"):
        fitted("why", texts, encode, room=5)


def test_servers_of_an_unknown_stage(library, engine, recorder):
    with pytest.raises(ValueError, match=r"servers = .'embeds'.: expected names of"):
        Assistant(library, engine, recorder, servers={"embeds": 2})


def test_a_learners_engine_answers_as_well(library, draft, recorder):
    """A package assembled from source, as ``my/engine`` is: its classes are not the course's."""
    from labutils.workspace.my_engine.texts.course_engine import course_sources
    from labutils.workspace.my_engine.texts.load_pieces import load

    model, tokenizer = draft
    package = load(dict(course_sources()))
    assert package.Engine is not Engine
    engine = package.Engine(model, tokenizer=tokenizer, num_pages=160, max_sequences=4)
    mine = Assistant(library, engine, recorder, max_output_tokens=6)
    answer = asyncio.run(mine.answer(QUESTIONS[2]))
    mine.close()
    assert answer.output_tokens == 6 and not engine.requests
    engine.check()


def test_an_index_of_another_dimension(library, engine, recorder):
    wrong = replace(library, near=ExactIndex(library.near.vectors[:, :7]))
    broken = Assistant(wrong, engine, recorder)
    with pytest.raises(ValueError, match=r"query has the shape \(24,\): expected \(7,\)"):
        asyncio.run(broken.answer(QUESTIONS[0]))
    broken.close()
    assert settled(lambda: recorder.open_spans() == []) and not engine.requests
