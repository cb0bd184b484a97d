"""D2: a hundred thousand people chatting at once."""

import math

from labutils import llm
from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.laws.queueing import MM1
from labutils.llm.steps.stream import stream_duration_s

USERS, PAUSE_S = 100_000, 60.0
PROMPT_TOKENS, ANSWER_TOKENS = 1500, 300
TTFT_S, TPOT_S = 1.0, 0.04
REACHED, MFU = 0.6, 0.5  # shares of peak bandwidth and of peak arithmetic
ZONES, HOST = 6, 8  # one zone may fail; the devices of a host stand and fall together
SHARED = 0.7  # of a prompt is the conversation so far
HOST_LINK = 25e9  # bytes per second between a device and its host's memory


def _fits(model, device, prompt_tokens: int = PROMPT_TOKENS, **bytes_per) -> int:
    """The most sequences that fit the memory."""
    return llm.max_sequences(model, device.memory_bytes, prompt_tokens + ANSWER_TOKENS, **bytes_per)


@prompt("B25 C08 D09 P07 Q01", minutes=45)
def d2() -> Page:
    """A chat product for 100,000 people at once."""
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    rate = USERS / PAUSE_S
    stay = stream_duration_s(TTFT_S, TPOT_S, ANSWER_TOKENS)
    inside = rate * stay
    context = PROMPT_TOKENS + ANSWER_TOKENS / 2
    budget = TPOT_S * device.bandwidth_bytes_per_s * REACHED - model.weight_bytes()
    batch = min(_fits(model, device), math.floor(budget / model.kv_bytes(context)))
    decoders = math.ceil(inside / batch)
    prompt_s = llm.prefill_time_s(model, device, PROMPT_TOKENS, flops_share=MFU)
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
    p95 = server.sojourn_time_quantile(0.95)
    ttft = p95 + lean + back
    kept = (USERS - inside) * model.kv_bytes(history)
    free = total * (0.9 * device.memory_bytes - model.weight_bytes()) - bytes_inside
    later = _fits(model, device, 6000)
    later_s = llm.prefill_time_s(model, device, 6000, flops_share=MFU)
    narrow = _fits(model, device, bytes_per_weight=1.0, bytes_per_value=1.0)
    return page(f"""
    At the busiest minute {USERS:,} people have your chat open. Each sends a message about every
    {PAUSE_S:g} s. Serve them with an open 8B model on H100s. How many GPUs, and what does the
    system around them look like?

    ? How long are prompts, history included, and answers? {PROMPT_TOKENS:,} and {ANSWER_TOKENS}
      tokens on average. (It decides the cache per sequence and the work of a prefill.)
    ? What is promised? First token within {TTFT_S:g} s, then {1e3 * TPOT_S:g} ms a token, at the
      p95. (It decides how long a stream lasts, and how large a batch may be.)
    ? Do conversations come back to us with their history? Yes, about {100 * SHARED:.0f} % of a
      prompt was in the message before. (It decides whether a prefix cache and routing pay.)
    ? What may fail? One zone of six. (It decides how much spare is needed.)

    + People → requests a second → streams inside (Little), not people = concurrency
    + A token budget: prompt and output tokens per second, apart
    + Cache bytes per sequence → sequences per GPU, checked against TPOT
    + Prefill counted as GPUs of its own
    + Replicas plus spare for a failure, headroom counted once
    + Routing by prefix, with a bound on imbalance, and where the histories are kept

    — From people to requests — {USERS:,} people, a message every {PAUSE_S:g} s each:
      {quantity(rate, "req/s")}. A stream lasts {TTFT_S:g} s + {ANSWER_TOKENS - 1} ×
      {quantity(TPOT_S, "s")} = {quantity(stay, "s")}, so {quantity(inside, "req")} are inside at
      once, not {USERS:,}: the others read and type. Tokens out:
      {quantity(rate * ANSWER_TOKENS, "tok/s")}.
    — From requests to memory — {model.name}, {model.kv_bytes_per_token() / 1024:g} KiB a token, on
      average {context:,.0f} tokens each: {quantity(bytes_inside, "B")} of cache in use. An
      {device.name} holds the weights and {batch} full-grown sequences, and keeps TPOT with them: a
      step takes {quantity(step.time_s / REACHED, "s")} at {100 * REACHED:.0f} % of peak bandwidth.
      So {decoders} GPUs for decoding.
    — The part that is forgotten — Prompts: {quantity(rate * PROMPT_TOKENS, "tok/s")} in,
      {quantity(prompt_s, "s")} of a GPU each at MFU {100 * MFU:.0f} %: {math.ceil(rate * prompt_s)}
      GPUs more, if nothing is reused. {100 * SHARED:.0f} % of a prompt is the conversation so far:
      with that cached, {math.ceil(rate * cached)}. It is worth routing for: a conversation goes
      back to the replica that holds it, unless that one is much fuller than the others.
    — Where the histories wait — Those who read and type have {quantity(kept, "B")} of history
      between them; beside what runs, the fleet has {quantity(free, "B")} free. So most of it waits
      in the hosts' memory: {quantity(back, "s")} back over {quantity(HOST_LINK, "B/s")}, against
      {quantity(prompt_s - cached, "s")} to compute it.
    — Decision — {total} GPUs that decode and prefill in chunks, routed by prefix: {hosts * ZONES}
      hosts of {HOST}, {hosts} in each of {ZONES} zones. {ZONES - 1} zones must carry what takes
      {decoders + rate * cached:.0f} GPUs: that is the spare, a fifth on top and whole hosts, and
      the only headroom, since the rate is that of the busiest minute. With a zone lost a GPU runs
      {math.ceil(inside / left)} streams, a step takes {quantity(lean, "s")}, prompts take
      {100 * busy:.0f} % of its time: {quantity(lean / (1 - busy), "s")} a token.
    — The first token — With a zone lost {quantity(rate / left, "req/s")} reach a GPU. Let each take
      a step of its own, {quantity(lean, "s")} + {quantity(cached, "s")} of prefill: the GPU is
      {100 * server.utilization:.0f} % taken, and even if steps varied as much as their mean, the
      p95 in that queue would be {quantity(p95, "s")}. With the step that was under way and the
      history's way back: {quantity(ttft, "s")}, where {quantity(TTFT_S, "s")} is promised. Chunks
      that hold several prompts make it shorter; a router that piles requests on one GPU makes it
      longer.
    — How I would know — Pages in use, TTFT and TPOT at the p99 per replica, hit rate in tokens,
      requests waiting for pages. If half of the pages are free at the peak, the estimate of the
      stay or of the lengths is wrong.

    * clarify 3: “100,000 open windows: how many of them wait for tokens right now?”
    * estimate 3: “1,700 a second × 13 s: about 22,000 inside.”
    * limit 3: “Decode is bound by KV memory, at 92 GPUs; prefill without reuse by arithmetic, at
      84. With longer prompts prefill leads.”

    > The product adds documents: prompts of 6,000 tokens. What binds next?
    < A sequence grows to {quantity(model.kv_bytes(6000 + ANSWER_TOKENS), "B")} of cache, so {later}
      fit instead of {batch}: {math.ceil(inside / later)} GPUs for decoding. Prefill without reuse
      needs {math.ceil(rate * later_s)} and overtakes. Cache the documents, trim them, then give
      prefill machines of its own.
    > The launch doubles the messages. Everything doubles?
    < The work does: {quantity(2 * inside, "req")} want to be inside, and {total} GPUs have room for
      {quantity(total * batch, "req")}. That is no slow service but an overload: refuse the rest
      until machines come. Of those you need nearly twice as many; only the spare for fluctuations
      grows more slowly.
    > fp8 for weights and cache?
    < Half the bytes: {narrow} sequences per GPU instead of {batch}, and a step reads as many bytes
      as before, so TPOT stays. Prefill gains only if the arithmetic is fp8 too. Quality on your own
      task decides.
    """)
