"""Targets that fit together, and defaults with what they assume."""

from labutils.cards.card import ReferenceCard
from labutils.ground.units import format_quantity as fmt
from labutils.llm.steps.stream import stream_duration_s, tpot_for_duration_s

# MLPerf Inference rules @ac93e89 (July 2026), datacenter: p99 limits in seconds (TTFT, TPOT).
MLPERF = {
    "Llama-2-70B": ((2.0, 0.2), (0.45, 0.04)),
    "Llama-3.1-8B": ((2.0, 0.1), (0.5, 0.03)),
    "Llama-3.1-405B": ((6.0, 0.175), (4.5, 0.08)),
    "DeepSeek-R1": ((2.0, 0.08), (1.5, 0.015)),
    "GPT-OSS-120B": ((3.0, 0.08), (2.0, 0.02)),
}


def published_limits() -> ReferenceCard:
    """What benchmarks hold services to, and what a whole answer then takes."""
    return ReferenceCard(
        id="limits",
        title="Targets: published limits on TTFT and TPOT",
        topics=("A14", "M01", "M12"),
        header=(
            "model",
            "server: TTFT, TPOT",
            "300 tokens",
            "interactive: TTFT, TPOT",
            "300 tokens",
        ),
        rows=tuple(_limits_row(name, *limits) for name, limits in MLPERF.items()),
        note=(
            "Limits at the p99 over a run of Poisson arrivals. A target needs a percentile, a "
            "window, a boundary (client or server) and a length mix, or nobody can tell whether it "
            "was missed. "
            "**Check that targets fit together**: 500 tokens in 3 s with a TTFT of 0.5 s need a "
            f"TPOT of {fmt(tpot_for_duration_s(3, 0.5, 500), 's')}; at 30 ms they take "
            f"{fmt(stream_duration_s(0.5, 0.03, 500), 's')}."
        ),
        sources=("MLPerf Inference rules, datacenter, revision ac93e89 of July 2026",),
    )


def _limits_row(name: str, server, interactive) -> tuple[str, ...]:
    cells = [name]
    for ttft, tpot in (server, interactive):
        cells += [
            f"{fmt(ttft, 's')}, {fmt(tpot, 's')}",
            fmt(stream_duration_s(ttft, tpot, 300), "s"),
        ]
    return tuple(cells)


def defaults() -> ReferenceCard:
    """Interactive against batch, setting by setting."""
    rows = (
        (
            "what is promised",
            "TTFT and TPOT at a high percentile",
            "work done by a deadline, at a price per token",
        ),
        (
            "batching window (dynamic batchers alone)",
            "2 to 10 ms in circulation; a window that is shorter than a batch changes little",
            "10 to 50 ms in circulation; with a backlog the batch is full without any window",
        ),
        (
            "batching window (continuous batching)",
            "none: a request enters at the next step",
            "none",
        ),
        (
            "sequences at a time",
            "the most for which TPOT holds (compute it from your own step time)",
            "the most that fit the KV memory",
        ),
        (
            "prefill chunk",
            "what the ITL limit leaves beside the decodes, often 256 to 1,024 tokens",
            "large: nobody watches the gaps",
        ),
        (
            "longest answer",
            "256 to 512 tokens in circulation; a limit in tokens bounds slots and cost alike",
            "whatever the job needs, stated per request",
        ),
        (
            "queue",
            "bounded by the deadline: what would be late is refused at once",
            "long: waiting does no harm before the deadline",
        ),
        (
            "silence in a stream",
            "a ping more often than the shortest limit on the way (nginx and AWS 60 s, Cloudflare "
            "100 s)",
            "none: nobody reads along",
        ),
        (
            "drain",
            "shorter than the patience of whoever sends SIGTERM (Kubernetes 30 s)",
            "the same; what is not done goes back into the queue",
        ),
        (
            "page size",
            "16 tokens is usual; a sequence wastes at most 15 of them",
            "the same",
        ),
    )
    return ReferenceCard(
        id="defaults",
        title="Defaults: interactive and batch",
        topics=("M07", "M08", "E07", "J01"),
        header=("setting", "interactive", "batch or offline"),
        rows=rows,
        note=(
            "Starting points to be measured, not settings to be kept. “In circulation” are "
            "figures from guides that give no source; they disagree by a factor of five. Chapter "
            "04 finds no window fastest at every load."
        ),
        sources=(
            "nginx `proxy_read_timeout`, AWS *Application Load Balancers*, Cloudflare *Error 524*, "
            "Kubernetes *Pod lifecycle*: defaults, read 2026",
        ),
    )
