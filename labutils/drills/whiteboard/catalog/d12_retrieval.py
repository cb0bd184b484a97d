"""D12: a retrieval service for 200 questions a second, with documents that change."""

import math

from labutils import llm
from labutils.caching import backend_load, clopper_pearson
from labutils.drills.whiteboard import retrieval_sizes as sizes
from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.drills.whiteboard.retrieval_sizes import ANSWER, TAKEN, TPOT_S
from labutils.drills.whiteboard.sketches.retrieval import retrieval
from labutils.laws.queueing import MD1

RATE, DAY_RATE = 200.0, 80.0  # questions a second: at the peak, on average
TENANTS, LARGEST = 120, 0.2  # the largest one's share of questions and passages
PASSAGES, DIM, LINKS = 40_000_000, 1024, 32  # links of a graph index, 4 bytes each
RAM, USABLE, COPIES = 64e9, 0.7, 2
ANSWERED, CACHE_NODES, EMBEDDED = 0.2, 4, 0.35  # hit rates of the answer and the embedding cache
LIMITS_MS = {"gateway and caches": 50, "embedding": 30, "searches": 60, "reranking": 120}
TTFT_S, P, PRICE = 1.0, 0.99, 3.0
FEW, MANY = 4, 20  # passages in a prompt: in need, and on request
CHANGED, EVENT_S, EMBED_QUEUE_S, SEGMENT_S, MERGE_S, STALE_S = 0.01, 2, 5, 10, 3600, 60
KEPT = 500_000  # answers in the cache
EXTRA_HITS, WRONG, FEWER = 0.15, 0.01, 100  # of a semantic cache on trial; wrong answers a day


@prompt("Q05 C05 F07 B18 P01", minutes=45)
def d12() -> Page:
    """A retrieval service for 200 questions a second."""
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    warm = backend_load(RATE, ANSWERED)
    planned = backend_load(RATE, ANSWERED * (1 - 1 / CACHE_NODES))
    prefill, short = (sizes.prefill_s(model, device, n) for n in (TAKEN, FEW))
    least, gpus, full = (sizes.gpus(model, device, rate) for rate in (warm, planned, RATE))
    tpot = sizes.tpot_s(model, device, planned, gpus, TAKEN)
    cold = sizes.tpot_s(model, device, RATE, gpus, TAKEN)
    saved = sizes.tpot_s(model, device, RATE, gpus, FEW)
    stage_q = 1 - (1 - P) / (len(LIMITS_MS) + 1)
    queue = MD1(planned / gpus, 1 / prefill).sojourn_time_quantile(stage_q) + tpot
    limits = ", ".join(f"{name} {ms} ms" for name, ms in LIMITS_MS.items())
    left = TTFT_S - sum(LIMITS_MS.values()) / 1e3
    vector, wide = DIM + 4 * LINKS, 4 * DIM + 4 * LINKS
    shards = math.ceil(2 * PASSAGES * vector / (USABLE * RAM))
    workers = sizes.stages(planned, embedded=EMBEDDED)
    sized = ", ".join(f"{stage.name} {n}" for stage, n in workers)
    empty = sizes.stages(RATE, embedded=0)[0]
    changes = CHANGED * PASSAGES / 86_400
    delta = changes * MERGE_S
    quoted = KEPT * TAKEN / PASSAGES
    age = EVENT_S + EMBED_QUEUE_S + SEGMENT_S
    hours = PASSAGES * sizes.EMBED_S / 3600
    streams = planned * (queue + (ANSWER - 1) * tpot)
    semantic = EXTRA_HITS * DAY_RATE * 86_400
    reviewed, share = range(100, 10**6, 100), FEWER / semantic
    clean = next(n for n in reviewed if clopper_pearson(0, n, confidence=0.9)[1] <= share)
    return page(f"""
    {TENANTS} companies ask questions about their own documents, {PASSAGES / 1e6:g} million passages
    in all, {RATE:g} questions a second at the peak. An open 8B model on H100s writes the answers
    from what is found. Design the service: boxes and their interfaces, a budget for the first
    token, how many of everything, the caches and the day they are empty, and what happens when a
    document changes.

    ? What is promised? First token within {TTFT_S:g} s at the p{100 * P:g}, {1e3 * TPOT_S:g} ms a
      token. (It decides the budget of the stages, and the number of GPUs.)
    ? How long are prompts and answers? {sizes.FIXED} tokens of instructions, {TAKEN} passages of
      {sizes.PASSAGE}; {ANSWER} tokens out. (It decides seconds of GPU for a question.)
    ? How soon must a change show, and how many are there? Within {STALE_S} s; {100 * CHANGED:.0f} %
      of the passages change a day. (It decides how the index takes changes, and how answers leave
      the cache.)
    ? How often are questions repeated? A trial: {100 * ANSWERED:.0f} % word for word within a
      company. (It decides what the caches are worth, and what stands behind them without.)
    ? How large is the largest company? {100 * LARGEST:.0f} % of passages and questions. (It decides
      shards by tenant, and its bucket.)

    + A budget by stage whose misses add up to the promise; p99s are not added
    + Workers of each stage: rate × visits × time over a busy share; what binds is named
    + GPUs from prefill and decode together, at the TPOT, with a spare
    + Bytes of the index, shards, copies, and room for a second index
    + Cache levels with hit rates, and the load behind them on a cold start; what gives way
    + A change: event, segment, tombstone, answers dropped by document; worst age in seconds
    + Tenants: in keys and filters, no shared cache, a bucket for each
    + A drawing, and calls with fields, errors, deadlines and what may be left out

    — What reaches what — {RATE:g} questions a second; an exact cache of answers has
      {100 * ANSWERED:.0f} %, so {warm:g} go on, with {sizes.SEARCHES:g} searches each. Plan for
      {planned:g}: the cache has {CACHE_NODES} nodes, and one may be empty. A prompt is
      {sizes.FIXED} tokens of instructions and {TAKEN} passages, {sizes.prompt_tokens(TAKEN):,} in
      all; by Little's law {streams:.0f} answers are being written at once.
    — A budget with a percentile — Stages before the model: {limits}; {quantity(left, "s")} of
      {quantity(TTFT_S, "s")} are left for queue, prefill and first step. p99s do not add, misses
      do: each of {len(LIMITS_MS) + 1} parts keeps its limit in {100 * stage_q:.1f} % of the
      questions, then {100 * P:.0f} % is certain. Prompts are equally long, so M/D/1:
      {quantity(queue, "s")} there. The two searches run side by side and cost the later one.
    — GPUs — Prefill {quantity(prefill, "s")} (instructions cached), decode of {ANSWER} tokens in
      turns with it. For {quantity(TPOT_S, "s")} a token: {least} H100 at {warm:g} a second, {gpus}
      at {planned:g} ({quantity(tpot, "s")}, {100 * planned * prefill / gpus:.0f} % of the time in
      prefill), {full} at {RATE:g}. The time per token binds, not the TTFT. So {gpus} and one spare,
      ${PRICE * (gpus + 1):g} an hour at ${PRICE:g} each: at the peak
      ${PRICE * (gpus + 1) / 3.6 / RATE:.3f} for a thousand questions.
    — Workers before the model — Workers = rate × visits × time ÷ {sizes.MOST_BUSY:g}: {sized}.
      Small, so none of it is the limit; each stage gets one more than that, in another zone.
      Reranking runs on small GPUs, the others on cores.
    — The index — {DIM} components in int8 and {LINKS} links: {vector:,} bytes a passage,
      {quantity(PASSAGES * vector, "B")} for {PASSAGES / 1e6:g} million (in fp32
      {quantity(PASSAGES * wide, "B")}). A new embedding model needs the old index and the new one
      at once: {shards} shards of {quantity(RAM, "B")} machines, {100 * USABLE:.0f} % used, {COPIES}
      copies, {shards * COPIES} machines. Sharded by tenant: the largest has
      {LARGEST * PASSAGES / 1e6:g} million and fits, so a question asks one shard and no fan-out
      makes the tail. To embed all again takes {hours:.0f} core-hours.
    — Caches, and the cold start — With the answers flushed {RATE:g} a second come,
      {RATE / warm:.2f} times: {gpus} GPUs would need {quantity(cold, "s")} a token, and embedding
      {empty[1]} cores instead of {workers[0][1]}. Then {FEW} passages instead of {TAKEN}: prefill
      {quantity(short, "s")}, {quantity(saved, "s")} a token; answers are a little poorer for
      minutes, and marked. Node by node in deployments; one computation per key over all processes,
      by a lease in the cache.
    — Documents that change — {100 * CHANGED:.0f} % a day are {changes:.1f} passages a second. Event
      ({EVENT_S} s), embedding queue ({EMBED_QUEUE_S} s), a small segment every {SEGMENT_S} s that
      is searched beside the index: {age} s at most, of {STALE_S}. It is merged hourly, at
      {delta:,.0f} vectors, {quantity(delta * DIM, "B")} to scan. The old version gets a tombstone
      with the event. Cached answers are listed by the documents that they quote: of {KEPT:,}
      answers a passage is in {quoted:.1f} on average, so {changes * quoted:.2f} are dropped a
      second, against {warm:g} made. No time to live would be as fresh and as cheap.
    — Tenants — {TENANTS} of them. The tenant is part of every key and a filter inside the search,
      not behind it: behind it the best passages may all be somebody else's. Its rights are checked
      again when passages are fetched. A bucket in tokens each: if the largest tripled,
      {RATE * (1 + 2 * LARGEST):g} a second would come. Timing of hits tells what others asked, so
      no cache is shared across tenants.
    — What breaks — A shard's copy: the other one, its load twice. The reranker: the fused order,
      marked. Embedding: keywords alone. Generation behind: fewer passages first, then 503 with
      Retry-After for what cannot start in time; the deadline travels with the call, so nobody works
      for a caller who has left, and retries have a budget. A bad index: the last one is kept, and a
      switch is one pointer.
    — How I would know — Spans by stage, time on the critical path over many traces; share of misses
      (not of hits) by cache and tenant; age of the newest passage searched, by a page that is
      changed every minute and asked for; recall on labelled questions at every build. Open loop at
      {RATE:g} a second with the answer cache off, for ten minutes, before launch.

    * estimate 0: “We need a vector database and some GPUs.”
    * estimate 1: “200 a second, 0.1 s of prefill each: twenty GPUs or so.”
    * estimate 2: “82.5 ms of prefill and 250 tokens of decode: 27 GPUs at 160 a second for 40 ms.”
    * estimate 3: “… and 29 with a quarter of the answer cache empty. The index is 46 GB in int8:
      six machines, with room for a second one.”
    * limit 0: “Vector search is the bottleneck.”
    * limit 1: “Generation takes most of the time.”
    * limit 2: “Before the model 17 workers do; the time per token needs 29 GPUs.”
    * limit 3: “… and the TTFT has 740 ms for 483. With 20 passages it would be 70 GPUs: the prompt
      is the lever, so the reranker earns its place.”
    * failure 0: “If the cache is down we go to the model.”
    * failure 1: “A cold cache means more load, so we warm it.”
    * failure 2: “Flushed, 200 instead of 160 come: 1.25 times, and 0.10 s a token on 29 GPUs.”
    * failure 3: “… so with an empty cache prompts get four passages, 16 ms a token, until it is
      filled; node by node it does not happen at all.”

    > The product wants a semantic cache for another 15 % of hits.
    < At {DAY_RATE:g} questions a second on average that is {quantity(semantic, "1")} answers a day;
      with {100 * WRONG:.0f} % wrong ones {WRONG * semantic:,.0f} wrong a day. To show fewer than
      {FEWER} takes {clean:,} reviewed hits without an error. Per tenant, for questions without a
      name or a date, perhaps; and invalidated by document as well.
    > Answers should rest on {MANY} passages instead of {TAKEN}.
    < Prefill {quantity(sizes.prefill_s(model, device, MANY), "s")}, and more cache to read at every
      step: {sizes.gpus(model, device, planned, MANY)} GPUs instead of {gpus}. A better reranker
      that lets you take {FEW} is the cheaper change; measure recall at {FEW}, {TAKEN} and {MANY}
      first.
    > A customer must delete a document at once, for legal reasons.
    < Tombstone with the event ({EVENT_S} s): no search returns it. Answers that quote it are
      dropped by the list. Then its vector at the next merge ({quantity(MERGE_S, "s")}), the text in
      the store, prefix caches by their age, and logs by their own rule. The receipt names each of
      them.
    """).sketched(retrieval(gpus, shards, COPIES, SEGMENT_S))
