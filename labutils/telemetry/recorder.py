"""A tracer provider whose spans a notebook reads, and that may send them to a collector as well."""

import os
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from urllib.parse import urlsplit

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from labutils.telemetry.conventions import SERVICE_NAME
from labutils.telemetry.span import Span, read_span

_GIVE_UP_S = 2.0  # a collector that is silent so long loses a batch; no request waits for it


class Recorder(SpanProcessor):
    """Keeps every span of a provider in memory: those that ended, and those that have not.

    An exporter is told of ended spans alone; a processor hears of starts too, so a span whose end
    was forgotten is still in ``traces``, and marked as open. Times count from the recorder's start.
    Any thread may record while another reads.
    """

    def __init__(self, provider: TracerProvider, sent: "_Counted | None" = None):
        self.provider = provider
        self._sent, self._ended = sent, 0
        self._origin_ns = time.time_ns()
        self._lock = threading.Lock()
        self._spans: dict[int, object] = {}  # in order of start; a span is replaced at its end
        self._closed = False

    def on_start(self, span, parent_context=None) -> None:
        """Called by OpenTelemetry where a span starts."""
        self._keep(span)

    def on_end(self, span) -> None:
        """Called by OpenTelemetry where a span ends."""
        self._keep(span)
        with self._lock:
            self._ended += 1

    def tracer(self, name: str = "labutils"):
        """What makes spans: ``with recorder.tracer().start_as_current_span("embed"): …``."""
        return self.provider.get_tracer(name)

    def traces(self) -> list[list[Span]]:
        """The spans so far, those of one trace together, both in order of start."""
        with self._lock:
            kept = list(self._spans.values())
        found = defaultdict(list)
        for span in kept:
            found[span.context.trace_id].append(read_span(span, origin_ns=self._origin_ns))
        return list(found.values())

    def open_spans(self) -> list[Span]:
        """All spans that have started and not ended."""
        return [span for spans in self.traces() for span in spans if span.is_open]

    def clear(self) -> None:
        """Forget what was recorded. Spans that end later come back when they do."""
        with self._lock:
            self._spans.clear()

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Send what waits for the collector now; whether it has every span that has ended so far.

        Comes back within ``timeout_s``. Spans that were lost before count as well. Without a
        collector there is nothing to send.
        """
        ended = self._ended
        flushing = threading.Thread(target=self.provider.force_flush, daemon=True)
        flushing.start()  # OpenTelemetry's own call does not keep to a time limit
        flushing.join(timeout_s)
        return not flushing.is_alive() and (self._sent is None or self._sent.arrived >= ended)

    def close(self) -> None:
        """Record no more. A provider of its own is shut down with it, the global one lives on."""
        self._closed = True
        if self.provider is not trace.get_tracer_provider():
            self.provider.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Of OpenTelemetry's interface: spans are kept at once, so there is nothing to flush."""
        return True

    def _keep(self, span) -> None:
        if not self._closed:
            with self._lock:
                self._spans[span.context.span_id] = span


def record_traces(
    service: str = "labutils", *, collector: str | None = None, globally: bool = False
) -> Recorder:
    """Set up tracing and return what records it.

    ``collector`` is the address of an OTLP/HTTP collector, ``"http://127.0.0.1:4318"`` say. Spans
    go there in batches from a thread of their own, so that a request never waits for it: a
    collector that is slow or gone costs spans (2,048 wait at most), not time.

    The provider is the recorder's own unless ``globally``. OpenTelemetry takes one global provider
    in the life of a process, so a second recorder with ``globally`` joins the first one's provider
    and keeps its service name. Code that uses the bare API (``trace.get_tracer``) needs it.

    Raises ``RuntimeError`` where ``OTEL_SDK_DISABLED`` is set: then there are no spans to record.
    """
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        raise RuntimeError("OTEL_SDK_DISABLED is true: expected it unset, no span is made with it")
    endpoint = None if collector is None else _endpoint(collector)
    resource = Resource.create({SERVICE_NAME: service})
    provider = trace.get_tracer_provider() if globally else None
    if not isinstance(provider, TracerProvider):
        provider = TracerProvider(resource=resource, sampler=ALWAYS_ON)
        if globally:
            trace.set_tracer_provider(provider)
    sent = endpoint and _Counted(_exporter(endpoint))
    recorder = Recorder(provider, sent)
    provider.add_span_processor(recorder)
    if sent:
        provider.add_span_processor(BatchSpanProcessor(sent, schedule_delay_millis=500))
    return recorder


class _Counted(SpanExporter):
    """Sends as ``exporter`` does, and counts the spans that the collector took."""

    def __init__(self, exporter: SpanExporter):
        self.exporter, self.arrived = exporter, 0
        self.shutdown = exporter.shutdown

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """The exporter's own result."""
        result = self.exporter.export(spans)
        self.arrived += len(spans) * (result is SpanExportResult.SUCCESS)
        return result


def _exporter(endpoint: str) -> SpanExporter:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(endpoint=endpoint, timeout=_GIVE_UP_S)


def _endpoint(collector: str) -> str:
    """The address that takes spans; the conventional path is added where there is none."""
    parts = urlsplit(collector)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"collector = {collector!r}: expected an address, http://HOST:PORT")
    return parts._replace(path=parts.path.rstrip("/") or "/v1/traces").geturl()
