"""Clients as tables: where each one keeps what a stage is."""

from collections.abc import Mapping
from dataclasses import dataclass

Field = tuple[str, float | None]
"""The path of a quantity, ``{}`` for its quantile, and its unit in seconds (None: stands there)."""


@dataclass(frozen=True, kw_only=True)
class Client:
    """Paths into the JSON of one client; an empty one is not reported.

    ``known_by`` are paths that no other client has. ``stages`` names the list of them, and is empty
    where the object is one itself; ``asked_output`` is a path of the whole object, the others are
    paths of a stage. ``advice`` says how to get what its file lacks.
    """

    name: str
    known_by: tuple[str, ...]
    quantiles: Mapping[str, str]
    answered: str
    failed: str
    duration_s: str
    ttft: Field
    e2e: Field
    prompt: str = ""
    output: str = ""
    tpot: Field = ("", 1.0)
    itl: Field = ("", 1.0)
    failed_after: Field = ("", 1.0)
    planned: str = ""
    stages: str = ""
    version: str = ""
    rate: str = ""
    concurrency: str = ""
    arrivals: str = ""
    asked_output: str = ""
    advice: str = ""


def _percentiles(template: str, *more: str) -> dict[str, str]:
    names = ("p10", "p25", "p75", "p90", "p95", "p99", *more)
    return {name: template.format(name) for name in names}


GUIDELLM = Client(
    name="GuideLLM",
    known_by=("benchmarks.0.metrics",),
    stages="benchmarks",
    version="metadata.guidellm_version",
    quantiles={"mean": "mean", "median": "median", "min": "min", "max": "max"}
    | _percentiles("percentiles.{}"),
    answered="metrics.request_totals.successful",
    failed="metrics.request_totals.errored",
    planned="scheduler_state.created_requests",
    duration_s="duration",
    rate="config.strategy.rate",
    concurrency="config.strategy.streams",
    arrivals="config.strategy.type_",
    ttft=("metrics.time_to_first_token_ms.successful.{}", 1e-3),
    e2e=("metrics.request_latency.successful.{}", 1.0),
    tpot=("metrics.inter_token_latency_ms.successful.{}", 1e-3),
    prompt="metrics.prompt_token_count.successful.{}",
    output="metrics.output_token_count.successful.{}",
    asked_output="config.spec.data.0.output_tokens",
    advice="its time_per_output_token holds the first token, too: its inter_token_latency is the "
    "mean of each answer, and so what is called TPOT here",
)

AIPERF = Client(
    name="AIPerf",
    known_by=("request_latency.unit",),
    version="aiperf_version",
    quantiles={"mean": "avg", "median": "p50", "min": "min", "max": "max"} | _percentiles("{}"),
    answered="request_count.avg",
    failed="error_request_count.avg",
    planned="input_config.phases.-1.requests",
    duration_s="benchmark_duration.avg",
    rate="input_config.phases.-1.rate",
    concurrency="input_config.phases.-1.concurrency",
    arrivals="input_config.phases.-1.type",
    ttft=("time_to_first_token.{}", None),
    e2e=("request_latency.{}", None),
    tpot=("inter_token_latency.{}", None),
    itl=("inter_chunk_latency.{}", None),
    prompt="input_sequence_length.{}",
    output="output_sequence_length.{}",
    asked_output="input_config.datasets.0.prompts.osl.mean",
)

INFERENCE_PERF = Client(
    name="inference-perf",
    known_by=("load_summary.count", "successes.count"),
    quantiles={name: name for name in ("mean", "median", "min", "max")} | _percentiles("{}", "p1"),
    answered="successes.count",
    failed="failures.count",
    duration_s="load_summary.send_duration",
    rate="load_summary.requested_rate",
    concurrency="load_summary.concurrency",
    ttft=("successes.latency.time_to_first_token.{}", 1.0),
    e2e=("successes.latency.request_latency.{}", 1.0),
    tpot=("successes.latency.time_per_output_token.{}", 1.0),
    itl=("successes.latency.inter_token_latency.{}", 1.0),
    failed_after=("failures.request_latency.{}", 1.0),
    prompt="successes.prompt_len.{}",
    output="successes.output_len.{}",
)

VLLM_BENCH = Client(
    name="vllm bench serve",
    known_by=("request_throughput", "completed"),
    quantiles={name: name for name in ("mean", "median")} | _percentiles("{}"),
    answered="completed",
    failed="failed",
    planned="num_prompts",
    duration_s="duration",
    rate="request_rate",
    concurrency="max_concurrency",
    ttft=("{}_ttft_ms", 1e-3),
    e2e=("{}_e2el_ms", 1e-3),
    tpot=("{}_tpot_ms", 1e-3),
    itl=("{}_itl_ms", 1e-3),
    advice="end-to-end times come with --percentile-metrics ttft,tpot,itl,e2el, single requests "
    "with --save-detailed",
)

COURSE_REPORT = Client(
    name="labutils.loadtest",
    known_by=("mean_in_flight", "offered_per_s"),
    quantiles={"mean": "mean", "median": "p50", "p90": "p90", "p99": "p99"},
    answered="statuses.ok",
    failed="failed",
    planned="planned",
    duration_s="duration_s",
    rate="offered_per_s",
    ttft=("TTFT.{}", 1.0),
    e2e=("E2E.{}", 1.0),
    tpot=("TPOT.{}", 1.0),
    itl=("ITL.{}", 1.0),
    advice="single requests come with --records FILE, which is read as well",
)

CLIENTS = (GUIDELLM, AIPERF, INFERENCE_PERF, VLLM_BENCH, COURSE_REPORT)
