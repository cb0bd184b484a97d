"""The retrieval room: an exact index against a graph, what each search finds, the cost of spans."""

import asyncio
import time
from collections.abc import Iterator
from functools import partial

import numpy as np

from labutils.retrieval import Assistant, ExactIndex, GraphIndex, Library, read_corpus
from labutils.retrieval.quality import judged, read_questions
from labutils.telemetry import record_traces

from .registry import Goal, Row, Settings, benchmark
from .timing import Contender, Timing, side_by_side

QUERIES = 200
K = 10


@benchmark
def index(settings: Settings) -> Iterator[Row]:
    """20,000 vectors of 128 numbers: every one compared, or a graph (M 16, search width 64)"""
    size = settings.choose(20_000, 2_000)
    for kind, draw in (("random", _random), ("clustered", _clustered)):
        vectors, queries = np.split(draw(size + QUERIES), [size])
        exact, begin = ExactIndex(vectors), time.perf_counter()
        graph = GraphIndex(vectors)
        built_s = time.perf_counter() - begin
        contenders = {
            name: Contender(partial(_search, index, queries), QUERIES, 2)
            for name, index in (("exact", exact), ("graph", graph))
        }
        timings = side_by_side(contenders, rounds=settings.choose(7, 2))
        for name, timing in timings.items():
            yield Row(f"{kind}, {name}", timing.best_ns / 1e3, "µs a query", timing.median_ns / 1e3)
        pairs = zip(_search(exact, queries), _search(graph, queries))
        recall = np.mean([len(set(a) & set(b)) / K for a, b in pairs])
        yield Row(f"  {kind}, recall@10 of the graph", float(recall), "", note="the exact has 1")
        yield Row(f"  {kind}, graph built in", built_s, "s")


@benchmark
def recall(settings: Settings) -> Iterator[Row]:
    """Labelled questions with a right passage among the first five"""
    questions = read_questions()
    rows = judged(Library.of(read_corpus()), questions)
    words = rows["words"]
    best = max(words.share, rows["vectors"].share)
    for name, row in rows.items():
        low, high = row.interval
        gain, (least, most) = row.gain_over(words)
        note = f"95 %: {100 * low:.1f} to {100 * high:.1f}"
        if row is not words:
            note += f"; over words {100 * gain:+.1f} ({100 * least:+.1f} to {100 * most:+.1f})"
        goal = Goal(100 * best, at_least=True) if name.endswith("scores, cross-fitted") else None
        yield Row(name, 100 * row.share, f"% of {len(questions)}", goal=goal, note=note)


@benchmark
def traced(settings: Settings) -> Iterator[Row]:
    """One request through the assistant, answered by the trained model, with and without spans"""
    from opentelemetry.trace import NoOpTracerProvider

    library, engine = Library.of(read_corpus()), _engine()
    recorder = record_traces()
    assistant = Assistant(library, engine, recorder)
    texts = [question.text for question in read_questions()[: settings.choose(20, 3)]]
    run = Contender(lambda: asyncio.run(_ask(assistant, texts)), len(texts))
    timing = side_by_side({"with spans": run}, rounds=settings.choose(5, 1))["with spans"]
    spans = len(recorder.traces()[-1])
    assistant.close()
    yield Row(f"request with {spans} spans", timing.best_ns / 1e6, "ms", timing.median_ns / 1e6)
    many = settings.choose(300, 20)
    tracers = {"spans": recorder.tracer(), "none": NoOpTracerProvider().get_tracer("bench")}
    costs = side_by_side(
        {name: Contender(partial(_spans, recorder, tracer, spans, many), many)
         for name, tracer in tracers.items()},
        rounds=settings.choose(9, 2),
    )  # fmt: skip
    recorder.close()
    yield from _cost(costs["spans"], costs["none"], timing, spans)


def _cost(with_spans: Timing, without: Timing, request: Timing, spans: int) -> Iterator[Row]:
    best_ns = with_spans.best_ns - without.best_ns
    median_ns = with_spans.median_ns - without.median_ns
    eight = 8 / spans / 1e3
    yield Row("  8 spans", best_ns * eight, "µs", median_ns * eight, Goal(300))
    share, median = 100 * best_ns / request.best_ns, 100 * median_ns / request.median_ns
    yield Row(f"  {spans} spans, of the request", share, "%", median, Goal(1))


def _engine():
    from labutils.engine import Engine
    from labutils.serving.checkpoints.checkpoint import course_model

    model, tokenizer = course_model("target")
    return Engine(model, tokenizer=tokenizer, num_pages=256, max_sequences=8)


async def _ask(assistant: Assistant, texts: list[str]) -> None:
    for text in texts:
        await assistant.answer(text)


def _spans(recorder, tracer, spans: int, requests: int) -> None:
    """Requests of nothing but spans, with four attributes each."""
    recorder.clear()
    said = {"a": 512, "b": 32, "c": "length", "d": 0.25}
    for _ in range(requests):
        with tracer.start_as_current_span("answer", attributes=said):
            for _ in range(spans - 1):
                tracer.start_span("stage", attributes=said).end()


def _search(index, queries: np.ndarray) -> list[list[int]]:
    return [index.search(query, K)[0].tolist() for query in queries]


def _random(size: int) -> np.ndarray:
    return _unit(np.random.default_rng(7).normal(size=(size, 128)))


def _clustered(size: int) -> np.ndarray:
    """Around 200 centres, as the vectors of texts on a few subjects lie."""
    rng = np.random.default_rng(7)
    centres = rng.normal(size=(200, 128))
    return _unit(centres[rng.integers(200, size=size)] + 0.3 * rng.normal(size=(size, 128)))


def _unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
