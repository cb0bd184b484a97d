"""Clients as tables: under which names each one keeps what a load test is."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Client:
    """Names of one client, as paths with dots and, where it is not the second, a unit.

    ``stage`` has those of a ``MeasuredStage``, ``{}`` stands for a quantile, whose names are
    ``quantiles``; ``row`` has those of a ``Row``. ``known_by`` are paths that no other client has,
    ``stages`` is the list of stages where the object is not one itself, ``asked_tokens`` how long
    answers were to be, all of them where ``asked_spread`` is 0 or missing. ``beside`` is the file
    with single requests, ``rows`` are lists of them by status. ``note`` is for the reader.
    """

    name: str
    known_by: tuple[str, ...]
    quantiles: Mapping[str, str]
    stage: Mapping[str, str]
    row: Mapping[str, str]
    rows: Mapping[str, str] = field(default_factory=dict)
    beside: str = ""
    stages: str = ""
    version: str = ""
    asked_tokens: str = ""
    asked_spread: str = ""
    note: str = ""


def _quantiles(template: str = "{}", mean: str = "mean", median: str = "median") -> dict[str, str]:
    tails = {name: template.format(name) for name in ("p10", "p90", "p95", "p99")}
    return {"mean": mean, "median": median, "max": "max", **tails}


GUIDELLM = Client(
    name="GuideLLM",
    version="metadata.guidellm_version",
    known_by=("benchmarks.0.metrics",),
    stages="benchmarks",
    quantiles=_quantiles("percentiles.{}"),
    asked_tokens="config.spec.data.0.output_tokens",
    asked_spread="config.spec.data.0.output_tokens_stdev",
    stage={
        "answered": "metrics.request_totals.successful",
        "failed": "metrics.request_totals.errored",
        "planned": "scheduler_state.created_requests",
        "duration_s": "duration",
        "rate_per_s": "config.strategy.rate",
        "concurrency": "config.strategy.streams",
        "arrivals": "config.strategy.type_",
        "ttft_s": "metrics.time_to_first_token_ms.successful.{} ms",
        "e2e_s": "metrics.request_latency.successful.{}",
        "reported_tpot_s": "metrics.inter_token_latency_ms.successful.{} ms",
        "prompt_tokens": "metrics.prompt_token_count.successful.{}",
        "reported_output_tokens": "metrics.output_token_count.successful.{}",
    },
    rows={
        "ok": "requests.successful", "failed": "requests.errored",
        "cancelled": "requests.incomplete",
    },
    row={
        "due": "info.timings.targeted_start", "sent": "request_start_time",
        "first": "info.timings.first_token_iteration",
        "last": "info.timings.last_token_iteration", "end": "request_end_time",
        "tokens": "output_tokens", "events": "info.timings.token_iterations", "error": "info.error",
    },
    note="what GuideLLM calls inter_token_latency is TPOT here; its time_per_output_token holds "
    "the first token, too",
)  # fmt: skip

AIPERF = Client(
    name="AIPerf",
    version="aiperf_version",
    known_by=("request_latency.unit",),
    quantiles=_quantiles(mean="avg", median="p50"),
    asked_tokens="input_config.datasets.0.prompts.osl.mean",
    asked_spread="input_config.datasets.0.prompts.osl.stddev",
    stage={
        "answered": "request_count.avg",
        "failed": "error_request_count.avg",
        "planned": "input_config.phases.-1.requests",
        "duration_s": "benchmark_duration.avg unit",
        "rate_per_s": "input_config.phases.-1.rate",
        "concurrency": "input_config.phases.-1.concurrency",
        "arrivals": "input_config.phases.-1.type",
        "ttft_s": "time_to_first_token.{} unit",
        "e2e_s": "request_latency.{} unit",
        "reported_tpot_s": "inter_token_latency.{} unit",
        "reported_itl_s": "inter_chunk_latency.{} unit",
        "prompt_tokens": "input_sequence_length.{}",
        "reported_output_tokens": "output_sequence_length.{}",
    },
    beside="profile_export.jsonl",
    row={
        "due": "metadata.credit_issued_ns ns", "sent": "metadata.request_start_ns ns",
        "end": "metadata.request_end_ns ns", "ttft": "metrics.time_to_first_token.value unit",
        "tokens": "metrics.output_sequence_length.value", "error": "error",
        "gaps": "metrics.inter_chunk_latency.value",
    },
)  # fmt: skip

INFERENCE_PERF = Client(
    name="inference-perf",
    known_by=("load_summary.count", "successes.count"),
    quantiles=_quantiles(),
    stage={
        "answered": "successes.count",
        "failed": "failures.count",
        "duration_s": "load_summary.send_duration",
        "rate_per_s": "load_summary.requested_rate",
        "ttft_s": "successes.latency.time_to_first_token.{}",
        "e2e_s": "successes.latency.request_latency.{}",
        "reported_tpot_s": "successes.latency.time_per_output_token.{}",
        "reported_itl_s": "successes.latency.inter_token_latency.{}",
        "failed_after_s": "failures.request_latency.{}",
        "concurrency": "load_summary.concurrency",
        "prompt_tokens": "successes.prompt_len.{}|successes.prompt_tokens.{}",
        "reported_output_tokens": "successes.output_len.{}",
    },
    beside="per_request_lifecycle_metrics.json",
    row={
        "sent": "start_time", "end": "end_time", "error": "error",
        "first": "info.output_token_times.0|info.response_metrics.output_token_times.0",
        "last": "info.output_token_times.-1|info.response_metrics.output_token_times.-1",
        "tokens": "info.output_tokens|info.response_metrics.output_tokens",
        "events": "info.output_token_times|info.response_metrics.output_token_times",
    },
)  # fmt: skip

VLLM_BENCH = Client(
    name="vllm bench serve",
    known_by=("request_throughput", "completed"),
    quantiles=_quantiles(),
    stage={
        "answered": "completed",
        "failed": "failed",
        "planned": "num_prompts",
        "duration_s": "duration",
        "rate_per_s": "request_rate",
        "concurrency": "max_concurrency",
        "ttft_s": "{}_ttft_ms ms",
        "e2e_s": "{}_e2el_ms ms",
        "reported_tpot_s": "{}_tpot_ms ms",
        "reported_itl_s": "{}_itl_ms ms",
    },
    rows={"ok": "requests"},
    row={
        "due": "due", "sent": "sent", "ttft": "ttft", "end": "end", "tokens": "tokens",
        "gaps": "gaps", "prompt": "prompt", "error": "error",
    },
    note="vllm bench serve gives end-to-end times with --percentile-metrics ttft,tpot,itl,e2el, "
    "and single requests with --save-detailed",
)  # fmt: skip

COURSE = Client(
    name="labutils.loadtest --records",
    known_by=("intended_arrival_s", "token_times_s"),
    quantiles={},
    stage={},
    row={
        "due": "intended_arrival_s", "sent": "sent_s", "first": "token_times_s.0",
        "last": "token_times_s.-1", "end": "finish_s", "tokens": "tags.server_output_tokens",
        "events": "token_times_s", "prompt": "prompt_tokens", "status": "status",
    },
)  # fmt: skip

REPORTS = (GUIDELLM, AIPERF, INFERENCE_PERF, VLLM_BENCH)
