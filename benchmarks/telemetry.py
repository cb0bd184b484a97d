"""What it costs to trace a request of eight spans, by where the spans go."""

import time
from collections.abc import Iterator

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    SimpleSpanProcessor,
    SpanExporter,
    SpanExportResult,
)
from opentelemetry.trace import NoOpTracerProvider

from labutils.telemetry import conventions, record_traces, stage

from .registry import Goal, Row, Settings, benchmark
from .timing import Contender, side_by_side

STAGES = ("embed", "search", "words", "fuse", "rerank", "prompt", "generate")
REQUEST_S = 0.1
"""A short request, against which the cost is held: a longer one pays a smaller share."""


class Exporter(SpanExporter):
    """Takes every batch, after so many seconds."""

    def __init__(self, takes_s: float = 0.0):
        self.takes_s = takes_s

    def export(self, spans):
        """Wait, and say that all is well."""
        if self.takes_s:
            time.sleep(self.takes_s)
        return SpanExportResult.SUCCESS


@benchmark
def request(settings: Settings) -> Iterator[Row]:
    """Tracing one request of 8 spans with 4 attributes each"""
    many, few = settings.choose(400, 40), settings.choose(20, 3)
    recorder = record_traces()
    providers = {
        "no provider": NoOpTracerProvider(),
        "in memory": recorder.provider,
        "batch, exporter takes 0 ms": _provider(BatchSpanProcessor(Exporter())),
        "batch, exporter takes 1 ms": _provider(BatchSpanProcessor(Exporter(0.001))),
        "simple, exporter takes 1 ms": _provider(SimpleSpanProcessor(Exporter(0.001))),
    }
    timings = side_by_side(
        {
            name: _requests(provider, few if name.startswith("simple") else many, recorder)
            for name, provider in providers.items()
        },
        rounds=settings.choose(9, 2),
    )
    for name, timing in timings.items():
        goal = None if name.startswith("simple") else Goal(300)
        yield Row(name, timing.best_ns / 1e3, "µs", timing.median_ns / 1e3, goal)
    for name in ("in memory", "batch, exporter takes 1 ms"):
        timing = timings[name]
        best, median = (ns / 1e7 / REQUEST_S for ns in (timing.best_ns, timing.median_ns))
        yield Row(f"  {name}, of a request of {REQUEST_S * 1e3:.0f} ms", best, "%", median, Goal(1))
    for provider in (recorder.provider, *list(providers.values())[2:]):
        provider.shutdown()


def _provider(processor) -> TracerProvider:
    provider = TracerProvider()
    provider.add_span_processor(processor)
    return provider


def _requests(provider, count: int, recorder) -> Contender:
    tracer = provider.get_tracer("bench")

    def run():
        recorder.clear()
        for _ in range(count):
            with stage(tracer, "request", **_said("request")):
                for name in STAGES:
                    with stage(tracer, name, **_said(name)):
                        pass

    return Contender(run, count)


def _said(name: str) -> dict[str, object]:
    return {
        conventions.OPERATION_NAME: name,
        conventions.REQUEST_MODEL: "toy",
        conventions.INPUT_TOKENS: 512,
        conventions.REQUEST_STREAM: True,
    }
