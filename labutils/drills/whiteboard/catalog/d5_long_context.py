"""D5: contexts of 128k tokens."""

import math

from labutils import llm
from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity

CONTEXT, ANSWER, A_DAY, LINK = 128_000, 500, 300, 50e9
MFU, REACHED = 0.5, 0.6  # shares of peak arithmetic and of peak bandwidth
CHUNK_ITL_S, DECODERS, SHORT = 0.1, 32, 2000  # of those who chat meanwhile


@prompt("B19 D09 H02 K03 D12", minutes=45)
def d5() -> Page:
    """Contexts of 128,000 tokens."""
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    cache, half = model.kv_bytes(CONTEXT), model.kv_bytes(CONTEXT, 1.0)
    fits = llm.max_sequences(model, device.memory_bytes, CONTEXT)
    flops = llm.prefill_flops(model, CONTEXT)
    prefill = llm.prefill_time_s(model, device, CONTEXT, flops_share=MFU)

    def step_s(sequences: int, context: int) -> float:
        return llm.decode_step(model, device, sequences, context).time_s / REACHED

    one_s, crowd_s, decode = step_s(1, CONTEXT), step_s(fits, CONTEXT), step_s(DECODERS, SHORT)
    first = next(  # a chunk attends to itself
        tokens
        for tokens in range(10_000, 0, -10)
        if llm.prefill_time_s(model, device, tokens, flops_share=MFU) <= CHUNK_ITL_S - decode
    )
    late = llm.prefill_time_s(model, device, CONTEXT, cached_tokens=CONTEXT - 500, flops_share=MFU)
    last = int(round(500 * (CHUNK_ITL_S - decode) / late, -1))
    steps = prefill / (CHUNK_ITL_S - decode)
    narrow = llm.max_sequences(model, device.memory_bytes, CONTEXT, bytes_per_value=1.0)
    request_s = prefill + ANSWER * one_s
    flops_twice = llm.prefill_flops(model, 2 * CONTEXT).total
    twice = step_s(1, 2 * CONTEXT)
    return page(f"""
    Legal wants to ask questions about whole contracts: prompts of 128,000 tokens, answers of 500, a
    few hundred a day, on the same H100s that serve your chat (8B model, short prompts). What breaks
    first, and what do you build?

    ? How long may the first token take? Half a minute is fine for them; chat users must not notice.
      (It decides whether the prefill may be slow, and where.)
    ? Are the same contracts asked about again? Often, within the hour. (It decides whether keeping
      the cache pays.)
    ? How many at the same time? Three or four at most. (It decides how much memory to set aside.)

    + Cache bytes of one request against the device's memory
    + Prefill time, with the attention term counted
    + Chunked prefill, and what it costs the long request
    + Decode at long context reads cache, not weights
    + Transfer of the cache over a link, in seconds
    + Separate pool, or a reason against it: the load counted

    — Memory — {quantity(cache, "B")} of cache for one request: {fits} of them fill an {device.name}
      beside the weights. In fp8: {quantity(half, "B")}, {narrow} fit.
    — Prefill — {quantity(flops.total, "FLOP")}, of which attention is
      {100 * flops.attention_share:.0f} %: at this length the term in n² has overtaken the one in n.
      {quantity(prefill, "s")} at MFU {100 * MFU:.0f} %: that is the TTFT, before any queue.
    — Decode — A step reads the weights and {quantity(cache, "B")} a request: {quantity(one_s, "s")}
      alone, {quantity(crowd_s, "s")} for {fits}, at {100 * REACHED:.0f} % of the peak bandwidth.
      With two or more it reads more cache than weights. The kernel must split one sequence's
      attention over the device (split-KV), or a few of its cores do all the reading.
    — Neighbours — In one piece the prefill stalls everybody's decodes for {quantity(prefill, "s")}.
      In chunks: if chat may wait {quantity(CHUNK_ITL_S, "s")} between tokens and {DECODERS} decodes
      take {quantity(decode, "s")} of a step, {quantity(CHUNK_ITL_S - decode, "s")} are left for the
      prompt. At first that is up to {first:,} tokens, at the end {last:,}, for attention grows:
      {math.ceil(steps)} steps, a TTFT of {quantity(steps * CHUNK_ITL_S, "s")}, and chat at the
      limit of its ITL all the while.
    — Moving the cache — Prefill elsewhere, then send {quantity(cache, "B")} over
      {quantity(LINK, "B/s")}: {quantity(cache / LINK, "s")}, less if each layer leaves when it is
      done. Little beside the prefill; much where a cached prefix has spared the prefill.
    — Decision — Count first: {A_DAY} a day × ({quantity(prefill, "s")} + {ANSWER} ×
      {quantity(one_s, "s")}) = {quantity(A_DAY * request_s, "s")},
      {100 * A_DAY * request_s / 86_400:.0f} % of one GPU's day. A pool of its own would idle, so:
      two marked replicas take all prompts above a limit (one holds three), and the router sends
      chat elsewhere while they are at it. Keep the cache of contracts asked about again; fp8 for
      it, if quality at long range holds. A pool with tensor parallelism, which shortens the prefill
      and adds memory, once these requests fill machines. And ask whether retrieval of 8,000 tokens
      would do.

    * estimate 3: “128 KiB a token: 17 GB. Three fit. That settles the batch size.”
    * limit 3: “For chat the stall binds; for legal the memory, and then the prefill.”
    * commit 3: “Seven per cent of a GPU is no pool. At ten times as many, it is.”

    > The same document is asked about ten times.
    < Kept, its {quantity(cache, "B")} save nine prefills of {quantity(prefill, "s")}. On the device
      that is room for one more request; in the host's memory it costs {quantity(cache / 25e9, "s")}
      to bring back over 25 GB/s. So: host memory, an hour.
    > Twice the context?
    < Twice the cache, {quantity(2 * cache, "B")}, so one fits. A step alone takes
      {quantity(twice, "s")} instead of {quantity(one_s, "s")}, since the weights stay. Prefill
      takes {flops_twice / flops.total:.1f} times as long. And this model was trained for 131,072
      positions: another model, or none.
    > A model with a window in most layers?
    < Those layers keep the window only: cache and bytes per step fall towards what the full layers
      need. What lies before the window is gone for them: test recall over the whole contract, not
      only perplexity.
    """)
