"""Levers: what each does to latency and to throughput, and its price."""

from labutils.cards.card import ReferenceCard

UP, SAME, BOTH = "better", "same", "either"


def levers() -> ReferenceCard:
    """Twelve levers on the whole system."""
    rows = (
        ("Smaller model, routing", UP, UP, "quality on hard requests; a router that errs"),
        ("Quantisation", "TPOT better", UP, "quality; weights alone do nothing for prefill"),
        ("Speculation", "TPOT better", BOTH, "wasted arithmetic; slower when acceptance is low"),
        (
            "Continuous batching",
            "TTFT better under load, TPOT of a fuller batch worse",
            UP,
            "against a small static batch each step is longer; name the baseline",
        ),
        ("Paged KV, more of it", "queueing better", UP, "preemption when admitted too many"),
        ("Semantic cache", "hits far better", UP, "wrong or stale answers; isolation of tenants"),
        ("Prefix reuse", "TTFT better", UP, "memory; routing has to follow the prefix"),
        ("Trim the context", UP, UP, "what was cut may have been the answer"),
        (
            "Streaming",
            "felt latency better, real one the same",
            SAME,
            "text is shown before all of it is checked; whoever leaves has to be noticed",
        ),
        ("Faster device", UP, UP, "the hourly price; often dearer per token"),
        ("Autoscaling", "better after the start-up time", UP, "cold starts: minutes of backlog"),
        (
            "Asynchronous split",
            "felt latency better",
            SAME,
            "results come later: retries, and a place to fetch them",
        ),
    )
    return ReferenceCard(
        id="levers",
        title="Twelve levers",
        topics=("G01", "E13", "O13", "N02"),
        header=("lever", "latency", "throughput", "price"),
        rows=rows,
        note="Most help both. Latency and throughput conflict once such levers are used up.",
    )


def knobs() -> ReferenceCard:
    """Eight knobs of an inference server."""
    rows = (
        ("Sequences at a time, more", "more throughput, longer steps", "TPOT limit or KV memory"),
        (
            "Tokens per step (chunk), more",
            "prompts done sooner, longer gaps between tokens",
            "ITL limit",
        ),
        ("Longest context, longer", "long prompts admitted, fewer sequences", "KV memory"),
        ("Precision of weights, lower", "shorter decode steps", "quality"),
        (
            "Precision of KV, lower",
            "more sequences, shorter long-context steps",
            "quality at long range",
        ),
        ("Draft, longer", "fewer steps per token, more arithmetic", "acceptance, load"),
        ("Graph capture, on", "less host time per step", "memory; fixed shapes"),
        ("Prefix cache, on", "less prefill", "memory; hits need stable prompts"),
    )
    return ReferenceCard(
        id="knobs",
        title="Eight knobs of an inference server",
        topics=("G02",),
        header=("knob, and which way", "what it does", "bounded by"),
        rows=rows,
        note=(
            "Such lists also name continuous batching (leave it on) and GQA (decided when the "
            "model was trained)."
        ),
    )
