"""What a server says of itself: metrics under vLLM's names, spans of slow requests, log lines.

All of it is written when a request has ended, from the times that the engine noted anyway; the
gauges are read when somebody asks. So nothing is paid for per token.
"""

import json
import random
import time
from collections.abc import Callable

import numpy as np
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily

from labutils.telemetry import conventions

from .job import Ending
from .protocol import ProtocolError

FAST_S = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5)
SLOW_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_HISTOGRAMS = {  # vLLM's names (docs.vllm.ai, metrics, read November 2026), here in seconds
    "time_to_first_token_seconds": ("from the arrival to the first token", SLOW_S),
    "request_time_per_output_token_seconds": ("mean gap after the first token", FAST_S),
    "inter_token_latency_seconds": ("single gaps between tokens", FAST_S),
    "e2e_request_latency_seconds": ("from the arrival to the end", SLOW_S),
    "request_queue_time_seconds": ("from the arrival to the first step", SLOW_S),
    "request_prefill_time_seconds": ("from the first step to the first token", SLOW_S),
    "request_decode_time_seconds": ("from the first token to the last", SLOW_S),
}


class Watch:
    """``noted`` hears of each request that has ended; ``exposition`` is what a scraper reads.

    ``recorder`` (``labutils.telemetry``) keeps spans: of failed and slow requests (over ``slow_s``
    from arrival to end) all, of the others the share ``keep``, with a weight of 1 / ``keep`` so
    that shares can be counted all the same. ``write`` takes a line of JSON for each request.
    """

    def __init__(
        self, engine, *, model: str, recorder=None, slow_s: float = 1.0, keep: float = 0.05,
        write: Callable[[str], None] | None = None, seed: int | None = None,
    ):  # fmt: skip
        self.engine, self.model, self.recorder, self.write = engine, model, recorder, write
        self.slow_s, self.keep, self.random = slow_s, keep, random.Random(seed)
        self.registry = registry = CollectorRegistry()
        self.histograms = {
            name: Histogram(
                f"vllm:{name}", text, ["model_name"], buckets=edges, registry=registry
            ).labels(model)
            for name, (text, edges) in _HISTOGRAMS.items()
        }
        self.counters = {
            name: Counter(f"vllm:{name}", text, ["model_name", *labels], registry=registry)
            for name, text, *labels in (
                ("request_success", "requests by how they ended", "finished_reason"),
                ("request_refused", "requests that were not let in, by code", "code"),
                ("prompt_tokens", "tokens of prompts"),
                ("generation_tokens", "tokens of answers"),
                ("prefix_cache_queries", "tokens of prompts that were looked up"),
                ("prefix_cache_hits", "tokens of prompts that were found"),
                ("num_preemptions", "times that a request lost its memory"),
            )
        }
        self.registry.register(self)

    def collect(self):
        """The gauges, as they are when somebody asks (prometheus_client calls this)."""
        scheduler, pool = self.engine.scheduler, self.engine.pool
        for name, text, value in (
            ("num_requests_running", "requests in the batch", len(scheduler.running)),
            ("num_requests_waiting", "requests in the queue", len(scheduler.waiting)),
            ("kv_cache_usage_perc", "share of the pages held", 1 - pool.num_free / pool.num_pages),
        ):
            gauge = GaugeMetricFamily(f"vllm:{name}", text, labels=["model_name"])
            gauge.add_metric([self.model], value)
            yield gauge

    def exposition(self) -> bytes:
        """All metrics in the text format of Prometheus."""
        return generate_latest(self.registry)

    def refused(self, error: ProtocolError) -> None:
        """A request was not let in."""
        self._count("request_refused", 1, error.code or "bad_request")
        if self.write is not None:
            line = {"status": error.status, "refused": error.code, "param": error.param}
            self.write(json.dumps({"model": self.model, **line}))

    def noted(self, ending: Ending) -> None:
        """A request has ended."""
        self._count("request_success", 1, ending.reason)
        self._count("prompt_tokens", ending.prompt_tokens)
        self._count("generation_tokens", ending.output_tokens)
        request = ending.request
        if request is not None:
            self._counts(request)
            for name, seconds in durations(ending).items():
                self.histograms[f"{name}_seconds"].observe(seconds)
            for gap_s in np.diff(request.times_s).tolist():
                self.histograms["inter_token_latency_seconds"].observe(gap_s)
        if self.write is not None:
            self.write(json.dumps(log_line(ending, self.model)))
        if self.recorder is not None:
            self._trace(ending)

    def _counts(self, request) -> None:
        self._count("prefix_cache_queries", request.prompt_tokens)
        self._count("prefix_cache_hits", request.cached or 0)
        self._count("num_preemptions", request.preemptions)

    def _count(self, name: str, by: int, *labels: str) -> None:
        self.counters[name].labels(self.model, *labels).inc(by)

    def _trace(self, ending: Ending) -> None:
        """Its spans, if it is worth keeping: which can be told only now (tail sampling)."""
        rare = ending.status != 200 or ending.finish_s - ending.arrival_s > self.slow_s
        if not rare and self.random.random() >= self.keep:
            return
        offset_ns = time.time_ns() - int(1e9 * self.engine.clock())
        tracer = self.recorder.tracer("labutils.server")

        def span(name, begun_s, ended_s, context=None):
            made = tracer.start_span(name, context, start_time=offset_ns + int(1e9 * begun_s))
            made.end(end_time=offset_ns + int(1e9 * ended_s)) if context else None
            return made

        from opentelemetry.trace import set_span_in_context

        whole = span("request", ending.arrival_s, ending.finish_s)
        for name, value in _attributes(ending, self.model, 1.0 if rare else 1 / self.keep).items():
            whole.set_attribute(name, value)
        for name, begun_s, ended_s in phases(ending):
            span(name, begun_s, ended_s, set_span_in_context(whole))
        whole.end(end_time=offset_ns + int(1e9 * ending.finish_s))


def durations(ending: Ending) -> dict[str, float]:
    """Seconds of an answered request, by the names of its histograms, from the server's side."""
    request = ending.request
    first_s, last_s, tokens = request.times_s[0], request.times_s[-1], len(request.times_s)
    found = {
        "time_to_first_token": first_s - ending.arrival_s,
        "e2e_request_latency": ending.finish_s - ending.arrival_s,
        "request_queue_time": request.admitted_s - ending.arrival_s,
        "request_prefill_time": first_s - request.admitted_s,
        "request_decode_time": last_s - first_s,
    }
    if tokens > 1:
        found["request_time_per_output_token"] = (last_s - first_s) / (tokens - 1)
    return found


def phases(ending: Ending) -> list[tuple[str, float, float]]:
    """Name, begin and end of what a request went through, on the engine's clock.

    Its text is made while it decodes: the detokeniser's time is laid at the end, as one piece.
    """
    request, arrival_s, finish_s = ending.request, ending.arrival_s, ending.finish_s
    if request is None or request.admitted_s is None or not request.times_s:
        return [("queue", arrival_s, finish_s)]
    first_s = request.times_s[0]
    return [
        ("queue", arrival_s, request.admitted_s),
        ("prefill", request.admitted_s, first_s),
        ("decode", first_s, request.times_s[-1]),
        ("detokenise", finish_s - ending.detokenise_s, finish_s),
    ]


def log_line(ending: Ending, model: str) -> dict:
    """What is logged of a request: no text of a user's, only sizes, times and names."""
    request, seconds = ending.request, {}
    if request is not None:
        seconds = {f"{name}_s": round(value, 6) for name, value in durations(ending).items()}
    return {
        "id": ending.id, "request_id": ending.caller.request_id, "tenant": ending.caller.tenant,
        "model": model, "status": ending.status, "reason": ending.reason, "error": ending.error,
        "stream": ending.ask.stream, "prompt_tokens": ending.prompt_tokens,
        "output_tokens": ending.output_tokens, **seconds,
    }  # fmt: skip


def _attributes(ending: Ending, model: str, weight: float) -> dict:
    return {
        conventions.OPERATION_NAME: "chat" if ending.ask.chat else "text_completion",
        conventions.REQUEST_MODEL: model,
        conventions.REQUEST_MAX_TOKENS: ending.ask.max_tokens,
        conventions.REQUEST_STREAM: ending.ask.stream,
        conventions.INPUT_TOKENS: ending.prompt_tokens,
        conventions.OUTPUT_TOKENS: ending.output_tokens,
        conventions.FINISH_REASONS: [ending.reason],
        "http.response.status_code": ending.status,
        "labutils.request_id": ending.caller.request_id,
        "labutils.sampling_weight": weight,
    }
