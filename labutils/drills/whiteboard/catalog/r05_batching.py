"""R05: static, dynamic and continuous batching."""

from labutils.drills.whiteboard.prompt_writing import Page, page, prompt
from labutils.laws.batching.slots import exponential_slot_efficiency


@prompt("R05 E02 E03 E04 E05 E09", minutes=10)
def r05() -> Page:
    """Static, dynamic and continuous batching."""
    share = exponential_slot_efficiency(16)
    return page(f"""
    Explain static, dynamic and continuous batching. When is each the right one?

    ? One pass per request, or a loop of tokens? Both kinds. (It decides which of the three fits.)
    ? Online or offline? Online mostly. (It decides whether a window matters.)

    + Static: lasts as long as its longest; slot efficiency with a number
    + Dynamic: size or age of the oldest; for one-pass models
    + Continuous: admission at every step, no window
    + What limits it: ITL and KV memory
    + A claimed gain is named with its baseline

    — Static — Wait for N, run until the longest is done. With exponential lengths and 16 slots only
      {100 * share:.0f} % of slot-steps make a token (1/H₁₆). Right for offline work of equal
      lengths, and for models without a loop.
    — Dynamic — A batch starts when it is full or its oldest member has waited long enough. Right
      for one pass per request: classifiers, embeddings, rankers. It does not help an answer that
      takes 300 steps, since the batch still lasts as long as its longest member.
    — Continuous — Decide at every step: who is done leaves, who waits enters, prompts in chunks. No
      window. Its limits are the ITL of those who run and the memory for their cache.
    — Claims — “2 to 23 times faster” needs its baseline: the 23 is Anyscale's blog (2023), vLLM
      against naive static batching. Orca (OSDI 2022) reports 36.9 times the throughput of
      FasterTransformer at equal latency, GPT-3 175B. And “latency rises” and “latency falls” are
      both true: a step takes longer, but under load a request waits less.

    * schedule 3: “The window belongs to dynamic batching; continuous has none.”

    > All answers have exactly 200 tokens. Does continuous batching still help?
    < Less: a static batch has no empty slots any more. What stays is that a newcomer need not wait
      for a batch to end. With a full queue all the time the two are equal.
    > Batch 64 is almost as fast as batch 1, they say.
    < As long as a step mostly reads weights. It ends near the ridge, where arithmetic takes as
      long, or when the caches weigh as much as the weights.
    > TPOT rose after you doubled the sequence limit. At the same traffic.
    < More run at a time, so steps are longer; they wait less before. Look at TTFT and at goodput
      before calling it worse.
    """)
