"""D7: interactive and batch work on the same machines."""

import math

from labutils import llm
from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.llm.steps.chunks import prefill_chunk_tokens

ITL_S, REACHED, MFU = 0.03, 0.6, 0.5
CHATS, CHAT_CONTEXT = 48, 2000
DOCUMENTS, JOB_PROMPT, JOB_ANSWER, BUSY_DAY = 1_000_000, 6000, 300, 0.45


@prompt("I01 I02 I04 P09 Q07", minutes=45)
def d7() -> Page:
    """Interactive and batch work on the same machines."""
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    alone = llm.decode_step(model, device, CHATS, CHAT_CONTEXT).time_s / REACHED
    room = ITL_S * device.bandwidth_bytes_per_s * REACHED
    left = room - model.weight_bytes() - CHATS * model.kv_bytes(CHAT_CONTEXT)
    guests = math.floor(left / model.kv_bytes(JOB_PROMPT + JOB_ANSWER / 2))
    free = 0.9 * device.memory_bytes - model.weight_bytes() - CHATS * model.kv_bytes(CHAT_CONTEXT)
    in_memory = math.floor(free / model.kv_bytes(JOB_PROMPT + JOB_ANSWER))
    doubled = llm.decode_step(model, device, CHATS, 2 * CHAT_CONTEXT).time_s / REACHED
    chunk = prefill_chunk_tokens(model, device, itl_s=ITL_S, decode_step_s=alone, flops_share=MFU)
    unchunked = llm.prefill_time_s(model, device, JOB_PROMPT, flops_share=MFU)
    again = llm.prefill_time_s(model, device, JOB_PROMPT + JOB_ANSWER, flops_share=MFU)
    idle_h = (1 - BUSY_DAY) * 24
    batch = llm.max_sequences(model, device.memory_bytes, JOB_PROMPT + JOB_ANSWER)
    step = llm.decode_step(model, device, batch, JOB_PROMPT + JOB_ANSWER // 2).time_s / REACHED
    document_s = unchunked + JOB_ANSWER * step / batch  # of a device where nothing else runs
    job_h = DOCUMENTS * document_s / 3600
    doubled_chunk = prefill_chunk_tokens(
        model, device, itl_s=ITL_S, decode_step_s=doubled, flops_share=MFU
    )
    return page(f"""
    Your chat fleet is busy {100 * BUSY_DAY:.0f} % of the day. Legal wants to summarise a million
    documents ({JOB_PROMPT:,} tokens in, {JOB_ANSWER} out) on what is idle. Chat promises
    {1e3 * ITL_S:.0f} ms between tokens at the p99. Together or apart, and how?

    ? By when? Within a month; no single document is urgent. (It decides whether the job can wait
      for idle hours.)
    ? How full are the chat replicas? {CHATS} at a time at the peak, contexts of {CHAT_CONTEXT:,}.
      (It decides the room in a step.)
    ? May a document be computed twice? Yes. (It decides whether preemption is allowed.)

    + The size of the job in GPU-hours, against the idle hours
    + A prefill budget per step, in tokens, from the ITL promise
    + Guests' decodes lengthen steps too: a cap from bandwidth
    + The price of preemption, in seconds
    + Priority with a reserve of pages for the interactive class
    + A condition under which separate pools win
    + The price measured: ITL with and without guests

    — The size of the job — A document takes {quantity(document_s, "s")} of an idle GPU (prefill at
      MFU {100 * MFU:.0f} %, decode in a full batch at {100 * REACHED:.0f} % of peak bandwidth), so
      {DOCUMENTS:,} take {job_h:.0f} GPU-hours. A GPU is idle {idle_h:.1f} hours a day: one does it
      in {job_h / idle_h:.0f} days. Nobody buys machines for that, and there is no hurry.
    — What collides — {CHATS} chats make steps of {quantity(alone, "s")}; the promise is
      {quantity(ITL_S, "s")}. A document's prompt in one piece takes {quantity(unchunked, "s")}:
      every chat stops for that long.
    — A budget per step — A step has {quantity(ITL_S - alone, "s")} to give: about {chunk:,.0f}
      prompt tokens. The chats' own prompts take theirs first, documents get what is left, and never
      a step of their own while chats run.
    — Guests in the batch — Documents that decode (guests) lengthen every step too:
      {quantity(room, "B")} can be read in {quantity(ITL_S, "s")}; after weights and chats
      {quantity(left, "B")} remain, or {guests} guests. Memory would hold {in_memory}; the smaller
      counts. And prompts and guests share the same time: with {guests} guests decoding nothing is
      left for a chunk.
    — Preemption has a price — A guest thrown out near its end costs {quantity(again, "s")} of
      arithmetic to compute its cache again, or
      {quantity(model.kv_bytes(JOB_PROMPT + JOB_ANSWER), "B")} to the host's memory and back. So
      keep a reserve of pages for chats, admit a guest only beyond it, and throw out the youngest
      first.
    — When separate pools win — Apart nobody disturbs anybody, promises are simpler, and each pool
      pays for its own peak. That wins when the promise leaves a chunk below a few hundred tokens,
      when the documents have a deadline by day, or when both pools are large enough to be well
      filled.
    — Decision — Together: at night replicas without chats run documents alone, which may be all
      that is needed; by day only inside the step budget, with a cap on guests' pages, and in pieces
      that may be lost. Show the chats' ITL at the p99 with and without guests beside the documents
      done: that is the price and what it bought.

    * estimate 3: “A hundred GPU-hours: eight days of one idle GPU. Why are we mixing at all?”
    * limit 3: “The step's bandwidth stops the guests at 39; memory would hold 52.”
    * commit 3: “Together, until the chunk left falls under 300 tokens.”

    > 10,000 documents are left, due by six in the morning. It is four.
    < {quantity(10_000 * document_s, "s")} of a GPU in two hours: one idle replica does it. Were
      none idle, compare what is left with what guests get done beside chats; if that is too little,
      widen the chunk by a rule agreed with the chat team beforehand, or rent.
    > The chats' context doubles.
    < Steps take {quantity(doubled, "s")} instead of {quantity(alone, "s")}. The guests pay, since
      they live on what is left: a chunk of {doubled_chunk:,.0f} tokens instead of {chunk:,.0f}.
    > Could the scheduler of the operating system do it: two processes on one GPU?
    < The weights would be in memory twice, and the device would mix the two without knowing of
      steps or promises. One engine that sees both queues decides step by step.
    """)
