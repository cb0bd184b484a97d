"""D2: a hundred thousand people chatting at once."""

import math

from labutils import llm
from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution
from labutils.llm.stream import stream_duration_s
from labutils.units import format_quantity as say

USERS, PAUSE_S = 100_000, 60.0
PROMPT_TOKENS, ANSWER_TOKENS = 1500, 300
TTFT_S, TPOT_S = 1.0, 0.04
REACHED = 0.6  # of peak bandwidth
MFU = 0.5
ZONES = 6  # one of them may fail
SHARED = 0.7  # of a prompt is the conversation so far


def _decode_batch(model, device, context: float) -> int:
    """The most sequences that fit the memory and keep TPOT."""
    fits = llm.max_sequences(model, device.memory_bytes, PROMPT_TOKENS + ANSWER_TOKENS)
    budget = TPOT_S * device.bandwidth_bytes_per_s * REACHED - model.weight_bytes()
    return min(fits, math.floor(budget / model.kv_bytes(context)))


def _solve() -> Solution:
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    rate = USERS / PAUSE_S
    stay = stream_duration_s(TTFT_S, TPOT_S, ANSWER_TOKENS)
    inside = rate * stay
    context = PROMPT_TOKENS + ANSWER_TOKENS / 2
    batch = _decode_batch(model, device, context)
    decoders = math.ceil(inside / batch)
    prompt_s = llm.prefill_time_s(model, device, PROMPT_TOKENS, flops_share=MFU)
    prefills = rate * prompt_s
    cached = llm.prefill_time_s(
        model, device, PROMPT_TOKENS, cached_tokens=SHARED * PROMPT_TOKENS, flops_share=MFU
    )
    total = math.ceil((decoders + rate * cached) * ZONES / (ZONES - 1))
    bytes_inside = inside * model.kv_bytes(context)
    step = llm.decode_step(model, device, batch, context)
    return Solution(
        parts={
            "From people to requests": (
                f"{USERS:,} people, a message every {PAUSE_S:g} s each: {say(rate, 'req/s')}. A "
                f"stream lasts {TTFT_S:g} s + {ANSWER_TOKENS - 1} × {say(TPOT_S, 's')} = "
                f"{say(stay, 's')}, so {say(inside, 'req')} are inside at once, not {USERS:,}: the "
                f"others read and type. Tokens out: {say(rate * ANSWER_TOKENS, 'tok/s')}."
            ),
            "From requests to memory": (
                f"{model.name}, {model.kv_bytes_per_token() / 1024:g} KiB a token, on average "
                f"{context:,.0f} tokens each: {say(bytes_inside, 'B')} of cache in use. An "
                f"{device.name} holds its weights and {batch} sequences within TPOT (a step takes "
                f"{say(step.time_s / REACHED, 's')} at {100 * REACHED:.0f} % of peak): "
                f"{decoders} GPUs for decoding."
            ),
            "The part that is forgotten": (
                f"Prompts: {say(rate * PROMPT_TOKENS, 'tok/s')} in, {say(prompt_s, 's')} of a GPU "
                f"each at MFU {100 * MFU:.0f} %: {prefills:.0f} GPUs more, if nothing is reused. "
                f"{100 * SHARED:.0f} % of a prompt is the conversation so far: cached, the prefill "
                f"needs {rate * cached:.0f}. That is worth routing for: the same conversation to "
                "the same replica, by prefix, with a bound on how much fuller it may be than the "
                "others."
            ),
            "Decision": (
                f"{total} GPUs of one kind with a fifth to spare, chunked prefill, routing by "
                f"prefix. The spare is for a lost zone ({ZONES - 1} of {ZONES} must carry it all), "
                "not for the peak: the busiest minute is in the rate already."
            ),
            "How I would know": (
                "Pages in use, TTFT and TPOT at the p99 per replica, hit rate in tokens, requests "
                "waiting for pages. If pages are half empty at the peak, the estimate of the stay "
                "or of the lengths is wrong."
            ),
        },
        follow_ups=(
            FollowUp(
                "The product adds documents: prompts of 6,000 tokens. What binds next?",
                f"The cache of a sequence grows to {say(model.kv_bytes(6150), 'B')}, so "
                f"{_decode_batch_at(model, device, 6000)} fit instead of {batch}: "
                f"{inside / _decode_batch_at(model, device, 6000):.0f} GPUs for decoding. Prefill "
                "alone needs "
                f"{rate * llm.prefill_time_s(model, device, 6000, flops_share=MFU):.0f} without "
                "reuse, and overtakes. Cache the documents, trim them, then split prefill off.",
            ),
            FollowUp(
                "The launch doubles the messages. Everything doubles?",
                "The work does. Waiting grows by more if you were above 85 %; the spare is gone "
                "first. Larger fleets pool better, so twice the traffic needs a little less than "
                "twice the machines.",
            ),
            FollowUp(
                "fp8 for weights and cache?",
                "Half the bytes: about twice the sequences per GPU, and the TPOT stays. Prefill "
                "gains only if the arithmetic is fp8 too. Quality on your own task decides.",
            ),
        ),
    )


def _decode_batch_at(model, device, prompt_tokens: int) -> int:
    return llm.max_sequences(model, device.memory_bytes, prompt_tokens + ANSWER_TOKENS)


PROMPT = Prompt(
    id="d2",
    title="A chat product for 100,000 people at once",
    topics=("B25", "C08", "D09", "P07", "Q01"),
    minutes=45,
    ask=(
        f"At the busiest minute {USERS:,} people have your chat open. Each sends a message about "
        f"every {PAUSE_S:g} s. Serve them with an open 8B model on H100s. How many GPUs, and what "
        "does the system around them look like?"
    ),
    clarifications=(
        Clarification(
            "How long are prompts, history included, and answers?",
            f"{PROMPT_TOKENS:,} and {ANSWER_TOKENS} tokens on average.",
            "the cache per sequence and the work of a prefill",
        ),
        Clarification(
            "What is promised?",
            f"First token within {TTFT_S:g} s, then {1e3 * TPOT_S:g} ms a token, at the p95.",
            "how long a stream lasts, and how large a batch may be",
        ),
        Clarification(
            "Do conversations come back to us with their history?",
            f"Yes, about {100 * SHARED:.0f} % of a prompt was in the message before.",
            "whether a prefix cache and routing pay",
        ),
        Clarification(
            "What may fail?",
            "One zone of six.",
            "how much spare is needed",
        ),
    ),
    must_hits=(
        "People → requests a second → streams inside (Little), not people = concurrency",
        "A token budget: prompt and output tokens per second, apart",
        "Cache bytes per sequence → sequences per GPU, checked against TPOT",
        "Prefill counted as GPUs of its own",
        "Replicas plus spare for a failure, headroom counted once",
        "Routing by prefix, with a bound on imbalance",
    ),
    solve=_solve,
    a_three={
        "clarify": "“100,000 open windows: how many of them wait for tokens right now?”",
        "estimate": "“1,700 a second × 13 s: about 22,000 inside.”",
        "limit": "“Prefill and decode need fleets of the same order; neither is a detail.”",
    },
)
