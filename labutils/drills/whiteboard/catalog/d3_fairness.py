"""D3: many tenants on one engine."""

from labutils import llm
from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity

BATCH, CONTEXT = 64, 2000
MFU, REACHED = 0.5, 0.6  # shares of peak arithmetic and of peak bandwidth
LONG, SHORT, ANSWER = 16_000, 400, 200


def _decode_token_s(model, device, context: float) -> float:
    """Device time of one token: its share of the weights in a batch, and its own cache."""
    read = model.weight_bytes() / BATCH + model.kv_bytes(context)
    return read / (device.bandwidth_bytes_per_s * REACHED)


def _request_s(model, device, prompt: int) -> float:
    prefill = llm.prefill_time_s(model, device, prompt, flops_share=MFU)
    return prefill + ANSWER * _decode_token_s(model, device, prompt + ANSWER / 2)


@prompt("I01 I04 I05 I06 I13", minutes=45)
def d3() -> Page:
    """Many tenants on one engine."""
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    prefill = llm.prefill_time_s(model, device, LONG, flops_share=MFU) / LONG
    decode = _decode_token_s(model, device, CONTEXT)
    far = _decode_token_s(model, device, LONG)
    long_s, short_s = (_request_s(model, device, prompt) for prompt in (LONG, SHORT))
    fits = llm.max_sequences(model, device.memory_bytes, LONG + ANSWER)
    pool = 0.9 * device.memory_bytes - model.weight_bytes()
    return page(f"""
    Twelve customers share one fleet that serves an 8B model. One of them sends documents of
    {LONG:,} tokens, the others short chats, and the chats have become slow. Make it fair, and say
    what fair means.

    ? Do contracts give shares, or rates? Shares of capacity; nobody bought a rate. (It decides
      weights in the scheduler, or limits at the door.)
    ? May idle capacity be used by anybody? Yes. (It decides work-conserving queueing instead of
      fixed slices.)
    ? Is the slowness in TTFT or between tokens? Both: TTFT at peaks, gaps whenever a document
      arrives. (It decides whether to repair the queue, the steps, or both.)

    + Fairness counted in tokens (or device time), not in requests
    + Prefill and decode tokens at different prices, with numbers
    + A limit on KV memory per tenant, beside the one on time
    + Work conserving; an idle tenant cannot save up credit
    + Chunked prefill for the gaps: a second problem
    + Limits at the door: token buckets, longest prompt, 429

    — What is shared — Two things: device time and KV memory. A tenant can starve the others with
      either, so each needs its own limit.
    — The unit of fairness — Not requests. A request of {LONG:,} + {ANSWER} tokens takes
      {quantity(long_s, "s")} of the device, one of {SHORT} + {ANSWER} takes
      {quantity(short_s, "s")}: {long_s / short_s:.0f} times as much (MFU {100 * MFU:.0f} %,
      {100 * REACHED:.0f} % of peak bandwidth, {BATCH} in a batch). A prompt token costs
      {quantity(prefill, "s")}; a token of the answer {quantity(decode, "s")} behind {CONTEXT:,}
      tokens of context, {quantity(far, "s")} behind {LONG:,}, for it reads them all. So charge at
      least two prices, about 1 : {decode / prefill:.0f}, and better the bytes read.
    — Policy — A counter per tenant holds what it was served, divided by its weight in the contract;
      the next request comes from the tenant with the lowest counter. A tenant that comes back from
      idle starts at the lowest active counter, or it could save up and take the machine for a
      minute. Work is conserved: the share of a tenant with nothing waiting goes to the others. (The
      virtual token counter of Sheng et al., OSDI 2024.)
    — Memory — The pool is {quantity(pool, "B")}; {fits} long requests of one tenant fill it. Cap
      the pages per tenant, softly: a tenant may borrow what is free, and is preempted first when
      others need it. Prefix caches count as the tenant's, and are not shared: a fast TTFT would
      tell one tenant what another asked.
    — Limits at the door — A bucket per tenant that refills by tokens per second and holds one
      burst; a longest prompt; beyond them a 429 with retry-after. Interactive and batch work in
      queues of their own.
    — How I would know — TTFT and ITL at the p99 per tenant, device time and pages per tenant, and
      one replay with the long documents left out: the others' p99 with and without their neighbour
      is the unfairness that is left.

    * schedule 3: “Lowest counter first; a tenant back from idle starts at the minimum.”
    * failure 3: “Forty long requests of one tenant fill the memory; the cap on pages saves us.”

    > One tenant sends 95 % of the traffic and pays for it. Fair?
    < Yes, up to its weight while others wait: the contract says what fair is. Watch the TTFT of the
      others at the p99, since fairness protects them.
    > Output lengths are unknown. How can you charge?
    < Charge the prompt at admission and each token of the answer when it is made: what was used,
      never what might be. The counter then decides who comes next.
    > A long prompt arrives while others decode.
    < In one piece it stalls every decode for {quantity(prefill * LONG, "s")}. Chunk it: choosing
      the next request fairly does nothing for a step that takes too long.
    """)
