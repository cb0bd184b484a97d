"""Levers: what each does to latency and to throughput, and its price."""

from labutils.cards.card import ReferenceCard

UP, DOWN, SAME, BOTH = "better", "worse", "same", "either"


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
            "the baseline decides the sign: against static batching both gain",
        ),
        ("Paged KV, more of it", "queueing better", UP, "preemption when overbooked"),
        ("Semantic cache", "hits far better", UP, "wrong or stale answers; isolation of tenants"),
        ("Prefix reuse", "TTFT better", UP, "memory; routing has to follow the prefix"),
        ("Trim the context", UP, UP, "what was cut may have been the answer"),
        ("Streaming", "felt latency better, real one the same", SAME, "no check of the whole"),
        ("Faster device", UP, UP, "price; faster is not cheaper per token"),
        ("Autoscaling", "better after the start-up time", UP, "cold starts: minutes of backlog"),
        ("Asynchronous split", "felt latency better", SAME, "consistency, retries, an inbox"),
    )
    return ReferenceCard(
        id="levers",
        title="Twelve levers",
        topics=("G01", "E13", "O13", "N02"),
        header=("lever", "latency", "throughput", "price"),
        rows=rows,
        note="Several help both: latency and throughput trade only once such levers are used up.",
    )


def knobs() -> ReferenceCard:
    """Eight knobs of an inference server."""
    rows = (
        ("Most sequences", "more throughput, longer steps", "TPOT limit or KV memory"),
        ("Tokens per step (chunk)", "lower: steadier ITL; higher: TTFT, throughput", "ITL limit"),
        ("Longest context", "long prompts admitted, fewer sequences", "KV memory"),
        ("Precision of weights", "shorter decode steps", "quality"),
        ("Precision of KV", "more sequences, shorter long-context steps", "quality at long range"),
        ("Draft length", "fewer steps per token", "acceptance, load"),
        ("Graph capture", "less host time per step", "memory; fixed shapes"),
        ("Prefix cache", "less prefill", "memory; hits need stable prompts"),
    )
    return ReferenceCard(
        id="knobs",
        title="Eight knobs of an inference server",
        topics=("G02",),
        header=("knob", "turned up", "bounded by"),
        rows=rows,
    )
