"""D2: a hundred thousand people chatting at once."""

import math

from labutils import llm
from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution
from labutils.llm.steps.stream import stream_duration_s
from labutils.queueing import MM1
from labutils.units import format_quantity as say

USERS, PAUSE_S = 100_000, 60.0
PROMPT_TOKENS, ANSWER_TOKENS = 1500, 300
TTFT_S, TPOT_S = 1.0, 0.04
REACHED = 0.6  # of peak bandwidth
MFU = 0.5
ZONES = 6  # one of them may fail
HOST = 8  # devices that stand and fall together
SHARED = 0.7  # of a prompt is the conversation so far
HOST_LINK = 25e9  # bytes per second between a device and its host's memory


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
    hosts = math.ceil((decoders + rate * cached) / (ZONES - 1) / HOST)  # in each zone
    total = hosts * ZONES * HOST
    bytes_inside = inside * model.kv_bytes(context)
    step = llm.decode_step(model, device, batch, context)
    left = hosts * (ZONES - 1) * HOST  # devices when a zone is gone
    lean = llm.decode_step(model, device, math.ceil(inside / left), context).time_s / REACHED
    busy = rate * cached / left  # share of their time that goes into prompts
    server = MM1(rate / left, 1 / (lean + cached))  # one prompt a step, and steps that vary
    history = SHARED * PROMPT_TOKENS
    back = model.kv_bytes(history) / HOST_LINK
    ttft = server.sojourn_time_quantile(0.95) + lean + back
    kept = (USERS - inside) * model.kv_bytes(history)
    free = total * (0.9 * device.memory_bytes - model.weight_bytes()) - bytes_inside
    later = _decode_batch_at(model, device, 6000)
    narrow = llm.max_sequences(
        model,
        device.memory_bytes,
        PROMPT_TOKENS + ANSWER_TOKENS,
        bytes_per_weight=1.0,
        bytes_per_value=1.0,
    )
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
                f"{device.name} holds the weights and {batch} full-grown sequences, and keeps TPOT "
                f"with them: a step takes {say(step.time_s / REACHED, 's')} at "
                f"{100 * REACHED:.0f} % of peak bandwidth. So {decoders} GPUs for decoding."
            ),
            "The part that is forgotten": (
                f"Prompts: {say(rate * PROMPT_TOKENS, 'tok/s')} in, {say(prompt_s, 's')} of a GPU "
                f"each at MFU {100 * MFU:.0f} %: {math.ceil(prefills)} GPUs more, if nothing is "
                f"reused. {100 * SHARED:.0f} % of a prompt is the conversation so far: with that "
                f"cached, {math.ceil(rate * cached)}. It is worth routing for: a conversation goes "
                "back to the replica that holds it, unless that one is much fuller than the others."
            ),
            "Where the histories wait": (
                f"Those who read and type have {say(kept, 'B')} of history between them; beside "
                f"what runs, the fleet has {say(free, 'B')} free. So most of it waits in the "
                f"hosts' memory: {say(back, 's')} back over "
                f"{say(HOST_LINK, 'B/s')}, against {say(prompt_s - cached, 's')} to compute it."
            ),
            "Decision": (
                f"{total} GPUs that decode and prefill in chunks, routed by prefix: "
                f"{hosts * ZONES} hosts of {HOST}, {hosts} in each of {ZONES} zones. {ZONES - 1} "
                f"zones must carry what takes {decoders + rate * cached:.0f} GPUs: that is the "
                "spare, a fifth on top and whole hosts, and the only headroom, since the rate is "
                "that of the busiest minute. With a zone lost a GPU runs "
                f"{math.ceil(inside / left)} streams, a step takes {say(lean, 's')}, prompts take "
                f"{100 * busy:.0f} % of its time: {say(lean / (1 - busy), 's')} a token."
            ),
            "The first token": (
                f"With a zone lost {say(rate / left, 'req/s')} reach a GPU. Let each take a step "
                f"of its own, {say(lean, 's')} + {say(cached, 's')} of prefill: the GPU is "
                f"{100 * server.utilization:.0f} % taken, and even if steps varied as much as "
                f"their mean, the p95 in that queue would be "
                f"{say(server.sojourn_time_quantile(0.95), 's')}. With the step that was under "
                f"way and the history's way back: {say(ttft, 's')}, where {say(TTFT_S, 's')} is "
                "promised. Chunks that hold several prompts make it shorter; a router that piles "
                "requests on one GPU makes it longer."
            ),
            "How I would know": (
                "Pages in use, TTFT and TPOT at the p99 per replica, hit rate in tokens, requests "
                "waiting for pages. If half of the pages are free at the peak, the estimate of "
                "the stay or of the lengths is wrong."
            ),
        },
        follow_ups=(
            FollowUp(
                "The product adds documents: prompts of 6,000 tokens. What binds next?",
                f"A sequence grows to {say(model.kv_bytes(6000 + ANSWER_TOKENS), 'B')} of cache, "
                f"so {later} fit instead of {batch}: {math.ceil(inside / later)} GPUs for "
                "decoding. Prefill without reuse needs "
                f"{math.ceil(rate * llm.prefill_time_s(model, device, 6000, flops_share=MFU))} and "
                "overtakes. Cache the documents, trim them, then give prefill machines of its own.",
            ),
            FollowUp(
                "The launch doubles the messages. Everything doubles?",
                f"The work does: {say(2 * inside, 'req')} want to be inside, and {total} GPUs "
                f"have room for {say(total * batch, 'req')}. That is no slow service but an "
                "overload: refuse the rest until machines come. Of those you need nearly twice as "
                "many; only the spare for fluctuations grows more slowly.",
            ),
            FollowUp(
                "fp8 for weights and cache?",
                f"Half the bytes: {narrow} sequences per GPU instead of {batch}, and a step reads "
                "as many bytes as before, so TPOT stays. Prefill gains only if the arithmetic is "
                "fp8 too. Quality on your own task decides.",
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
        "Routing by prefix, with a bound on imbalance, and where the histories are kept",
    ),
    solve=_solve,
    a_three={
        "clarify": "“100,000 open windows: how many of them wait for tokens right now?”",
        "estimate": "“1,700 a second × 13 s: about 22,000 inside.”",
        "limit": "“Decode is bound by KV memory, at 92 GPUs; prefill without reuse by arithmetic, "
        "at 84. With longer prompts prefill leads.”",
    },
)
