"""R06: the KV cache and its impact on production."""

from labutils import llm
from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity


@prompt("R06 D04 B22 B23 C20", minutes=10)
def r06() -> Page:
    """The KV cache in production."""
    old, new = llm.model("Llama-2-7B"), llm.model("Llama-3.1-8B")
    gpu = llm.accelerator("A100 80 SXM")
    fit = [llm.max_sequences(spec, gpu.memory_bytes, 4096) for spec in (old, new)]
    double = llm.max_sequences(new, gpu.memory_bytes, 8192)
    equal = llm.kv_equals_weights_tokens(new)
    return page(f"""
    What is the KV cache, and what does it mean for a service in production?

    ? Which model? Llama-2-7B, then Llama-3.1-8B. (It decides the KV heads, and so the bytes per
      token.)
    ? Which contexts? 4,096 tokens. (It decides bytes per sequence.)

    + Bytes per token from KV heads, not query heads
    + How many sequences fit, weights counted
    + It is read at every step: bandwidth, not only memory
    + Pages, admission, preemption, sharing
    + What to watch: pages in use, waiting, preempted

    — What it is — The keys and values of all earlier tokens, kept in every layer. Without it each
      step would run the whole text through the model again; with it a step computes one token and
      reads what is kept.
    — What it weighs — 2 × layers × KV heads × head size × bytes: {old.name}
      {old.kv_bytes_per_token() / 1024:g} KiB a token, {quantity(old.kv_bytes(4096), "B")} at 4,096;
      {new.name} with 8 KV heads {new.kv_bytes_per_token() / 1024:g} KiB.
    — What it costs — Concurrency. 40 users of {old.name} at 4,096 tokens are
      {quantity(40 * old.kv_bytes(4096), "B")}, and the weights
      ({quantity(old.weight_bytes(), "B")}) come first: {fit[0]} fit an A100 with 80 GB at 90 %,
      {fit[1]} of {new.name}.
    — And bandwidth — Every step reads it. For {new.name} it weighs as much as the weights at
      {equal:,.0f} tokens in the whole batch; beyond, decode mostly waits for cache.
    — What follows in production — Pages instead of reservations (each sequence wastes less than a
      page), admission by free pages, preemption when they run out, shared prefixes, lower precision
      after a quality check. Watch pages in use, requests waiting for pages, preemptions, hit rate.

    * estimate 3: “Half a MiB a token, 2 GiB a user: 27, not 40.”

    > A tool reports a 7B model at 90 % of memory, idle. A leak?
    < No: engines reserve the cache pool at start. Look at pages in use, not at the device's memory.
    > The context doubles.
    < Half as many sequences, {double} instead of {fit[1]} for {new.name}; steps of the same batch
      get longer by the cache they read.
    > Does compaction help against fragmentation?
    < Not with equal pages and a page table: nothing has to be in one piece. What is lost is the end
      of each last page.
    """)
