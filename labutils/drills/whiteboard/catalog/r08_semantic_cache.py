"""R08: is a semantic cache worth it?"""

from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity

HIT, EMBED_S, GENERATE_S, WRONG = 0.3, 0.02, 2.0, 0.02


@prompt("R08 F02 F03 F07", minutes=10)
def r08() -> Page:
    """Is a semantic cache worth it?"""
    mean_s = EMBED_S + (1 - HIT) * GENERATE_S  # everybody pays the lookup
    least = EMBED_S / GENERATE_S
    return page(f"""
    Somebody proposes a semantic cache in front of your model: answers are reused for similar
    questions. Embedding and lookup take {1e3 * EMBED_S:.0f} ms, a generation {GENERATE_S:g} s.
    Worth it?

    ? How repetitive are the questions? Perhaps {100 * HIT:.0f} %. (It decides the hit rate.)
    ? Do answers depend on the user? Some do. (It decides the key, and the risk.)
    ? What does a wrong answer cost? A complaint. (It decides the threshold.)

    + Break-even hit rate, computed
    + Mean and load fall, the p99 hardly
    + Wrong hits as a share of all answers
    + When not: personal, fresh, conversational
    + Keys, expiry, best match, a measure of wrongness

    — The arithmetic — Everybody pays the embedding and the lookup ({quantity(EMBED_S, "s")}), a
      share h saves the generation ({quantity(GENERATE_S, "s")}). The mean breaks even at h =
      {100 * least:.0f} %. At {100 * HIT:.0f} % the mean falls from {quantity(GENERATE_S, "s")} to
      {quantity(mean_s, "s")}, and {100 * HIT:.0f} % of the GPU work is gone. The p99 hardly moves:
      misses are still misses.
    — The risk — A hit is an answer to another question. If {100 * WRONG:.0f} % of hits are wrong,
      {100 * HIT * WRONG:.1f} % of all answers are, and fast. The threshold (0.92 to 0.98 in
      circulation) trades hits against that; only labelled pairs of your own traffic can set it.
    — When yes — Repetitive questions, answers that do not depend on the user or the minute, a price
      of generation that hurts. Support, documentation, search.
    — When no — Personal or fresh answers, conversations (the question depends on all before), code.
      There an exact or a prefix cache is safer: it changes no answer.
    — How — Key by model, prompt template and tenant; expiry by freshness; best match above the
      threshold, not the first; a limit on size; a share of hits answered again in the background
      and compared, as a running measure of wrongness.

    * commit 3: “For documentation questions yes, keyed by version; not for chat.”

    > A paper says 2 to 10 times faster.
    < On a hit (GPTCache, 2023). At a hit rate of {100 * HIT:.0f} % and a hit ten times as fast the
      mean is {1 / (1 - HIT + HIT / 10):.2f} times as fast: Amdahl. For “30 to 60 % cheaper in
      production” there is no study; compute it from your own hit rate.
    > The hit rate is 40 % in the test and 9 % in production. Why?
    < The test replays a log with its repeats close together, or one tenant. In production keys
      differ by tenant and template, entries expire, and the index is per replica.
    > The lookup scans a hundred thousand vectors in Python.
    < Then the lookup is the bottleneck: one matrix product, or an index. Its latency is paid by
      everybody, hit or miss.
    """)
