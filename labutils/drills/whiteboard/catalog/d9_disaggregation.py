"""D9: prefill and decode on machines of their own."""

import math
from itertools import count

from labutils import llm
from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.drills.whiteboard.sketches.pools import pools
from labutils.laws.queueing import least_servers_for_quantile

RATE, PROMPT_TOKENS, ANSWER = 12.0, 4000, 400
TTFT_S, TPOT_S, LOOSE_TPOT_S = 2.0, 0.04, 0.1
REACHED, MFU = 0.6, 0.5  # shares of peak bandwidth and of peak arithmetic
LINK, SLOW_LINK = 50e9, 1.25e9  # bytes per second, one direction: 400 and 10 Gbit/s
SHARED, PRICE = 0.7, 4.0  # of a prompt in a cache; dollars an hour


def _step_s(model, device, batch: int) -> float:
    context = PROMPT_TOKENS + ANSWER / 2
    return llm.decode_step(model, device, batch, context, bandwidth_share=REACHED).time_s


def _seats(model, device, tpot_s: float) -> int:
    """The most sequences that fit the memory and keep ``tpot_s`` where nothing else runs."""
    fits = llm.max_sequences(model, device.memory_bytes, PROMPT_TOKENS + ANSWER)
    return max(n for n in range(1, fits + 1) if _step_s(model, device, n) <= tpot_s)


def _decoders(model, device, tpot_s: float) -> int:
    seats = _seats(model, device, tpot_s)
    return math.ceil(RATE * (ANSWER - 1) * _step_s(model, device, seats) / seats)


def _prefillers(prefill_s: float, queue_s: float) -> int:
    """GPUs for prefill whose p95 of the wait, by M/M/c, stays within ``queue_s``."""
    return least_servers_for_quantile(RATE, prefill_s, queue_s, q=0.95, of="waiting_time")


def _shared_pool(model, device, prefill_s: float, tpot_s: float) -> int:
    """GPUs that do both in turn: a step waits for the share of time that goes into prompts.

    With n GPUs that share is rate · t_pre / n, and rate / n · (answer − 1) · TPOT sequences share
    a step, whose time is stretched by 1 / (1 − share).
    """
    for n in count(math.floor(RATE * prefill_s) + 1):
        inside = math.ceil(RATE / n * (ANSWER - 1) * tpot_s)
        busy = RATE * prefill_s / n
        fits = llm.max_sequences(model, device.memory_bytes, PROMPT_TOKENS + ANSWER)
        if inside <= fits and _step_s(model, device, inside) / (1 - busy) <= tpot_s:
            return n


@prompt("D12 A17 H02 K03", minutes=45)
def d9() -> Page:
    """Prefill and decode in pools of their own."""
    model, device = llm.model("Qwen3-32B"), llm.accelerator("H200 SXM")
    cache = model.kv_bytes(PROMPT_TOKENS)
    prefill = llm.prefill_time_s(model, device, PROMPT_TOKENS, flops_share=MFU)
    move, crawl = (llm.kv_transfer_time_s(model, PROMPT_TOKENS, x) for x in (LINK, SLOW_LINK))
    seats = _seats(model, device, TPOT_S)
    step = _step_s(model, device, seats)
    queue = TTFT_S - prefill - move - step
    workers = _prefillers(prefill, queue)
    decoders = _decoders(model, device, TPOT_S)
    split, shared = workers + decoders, _shared_pool(model, device, prefill, TPOT_S)
    loose = workers + _decoders(model, device, LOOSE_TPOT_S)
    loose_shared = _shared_pool(model, device, prefill, LOOSE_TPOT_S)
    warm = llm.prefill_time_s(
        model, device, PROMPT_TOKENS, cached_tokens=SHARED * PROMPT_TOKENS, flops_share=MFU
    )
    warm_split = _prefillers(warm, TTFT_S - warm - move - step) + decoders
    ratio = llm.prefill_workers_per_decode_worker(
        prefill_s=prefill, batch=seats, output_tokens=ANSWER, tpot_s=step
    )
    again = llm.prefill_time_s(model, device, PROMPT_TOKENS + ANSWER / 2, flops_share=MFU) * seats
    spare = workers + 1 - RATE * prefill
    double = llm.prefill_time_s(model, device, 2 * PROMPT_TOKENS, flops_share=MFU)
    held = llm.max_sequences(model, device.memory_bytes, PROMPT_TOKENS)
    cost = llm.cost_per_million_tokens(PRICE, RATE * ANSWER, num_devices=split + 2)
    return page(f"""
    An assistant on an open 32B model gets {RATE:g} requests a second, with prompts of
    {PROMPT_TOKENS:,} tokens and answers of {ANSWER}. On shared GPUs the gaps between tokens stutter
    whenever prompts come. Somebody proposes to run prefill and decode on machines of their own
    (H200). Design it: boxes, calls, sizes, and say when you would not do it.

    ? What is promised? First token within {TTFT_S:g} s at the p95, and {1e3 * TPOT_S:g} ms a token.
      (It decides the queue in front of prefill, and the batch in decode.)
    ? What connects the machines? 400 Gbit/s per GPU, 50 GB/s in one direction; an old row has 10
      Gbit/s. (It decides whether the cache can travel at all.)
    ? Do prompts share prefixes? Hardly now. A team promises {100 * SHARED:.0f} % for next year. (It
      decides whether there is a prefill worth a pool.)
    ? How steady is the mix of lengths? By day documents, by night chat. (It decides whether the
      ratio of the pools has to move.)

    + Two loads apart: prefill in GPU-seconds (arithmetic), decode in seats (bandwidth)
    + Pool sizes and their ratio, the TTFT's queue included
    + Bytes of a prompt's cache, seconds on the link, hidden layer by layer
    + A seat is reserved before prefill starts; leases that expire
    + Chunked prefill in one pool as the opponent, with its number
    + When not to: loose TPOT, warm prefixes, short prompts, slow link, few GPUs
    + A dead worker on either side, and what it costs to start again
    + A drawing with the order of calls, and their errors

    — Two loads — {quantity(RATE, "req/s")} × {quantity(prefill, "s")} of prefill (MFU
      {100 * MFU:.0f} %): {RATE * prefill:.1f} GPUs busy, bound by arithmetic. Decode: at
      {100 * REACHED:.0f} % of peak bandwidth {seats} sequences keep {quantity(TPOT_S, "s")} a
      token, each {quantity(model.kv_bytes(PROMPT_TOKENS + ANSWER), "B")} when grown: {decoders}
      GPUs, bound by bandwidth. {ratio:.1f} prefill GPUs keep one decode GPU full.
    — Sizes — TTFT {quantity(TTFT_S, "s")} at the p95, less prefill, transfer and one step, leaves
      {quantity(queue, "s")} of queue: {workers} prefill GPUs by M/M/c,
      {100 * RATE * prefill / workers:.0f} % busy. With {decoders} for decode that is {split}, and
      one spare in each pool: {split + 2}, or ${cost:.2f} a million output tokens at ${PRICE:g} an
      hour.
    — Against one pool — The opponent is a shared pool with chunked prefill. If prompts and steps
      take turns on a GPU, it needs {shared} GPUs for the same TPOT: every step waits for prompts,
      so batches stay small and weights are read for few. If chunks and steps overlapped perfectly,
      {math.ceil(RATE * prefill)} would do. The truth lies between: measure it first, and split only
      if it needs more than {split}.
    — The cache on its way — {quantity(cache, "B")} a prompt: {quantity(move, "s")} at
      {quantity(LINK, "B/s")}, and sent layer by layer only the last of {model.layers},
      {quantity(move / model.layers, "s")}, is not hidden. All together
      {quantity(RATE * cache, "B/s")}. Over 10 Gbit/s it would take {quantity(crawl, "s")}, longer
      than computing it. A seat is reserved before the prefill starts; else finished caches wait on
      prefill GPUs, {held} each at most.
    — When not to — A loose TPOT: at {quantity(LOOSE_TPOT_S, "s")} one pool needs {loose_shared},
      two need {loose}. Warm prefixes: with {100 * SHARED:.0f} % of each prompt cached, prefill is
      {quantity(warm, "s")}, one pool needs {_shared_pool(model, device, warm, TPOT_S)} and two need
      {warm_split}: what is saved hardly pays for a fabric and a second pool. Short prompts, under
      some 512 tokens; a slow link; or so few GPUs that {ratio:.1f} to 1 cannot be had.
    — What breaks — A decode GPU dies: {seats} streams need their prompts again,
      {quantity(again, "s")} of prefill; the pool with its spare has {spare:.1f} GPUs free, so it is
      behind for {again / spare:.0f} s. New requests go first, streams say that they wait. A prefill
      GPU dies: its prompt runs elsewhere under the same lease. A lease that nobody starts expires,
      or seats leak. The mix moves: the keeper changes roles, with a pause between changes, for a
      decode GPU takes a stream's length to drain.
    — How I would know — TTFT in its parts (queue, prefill, transfer, first step) and ITL at the
      p99; seats free, caches in transit, leases expired. Open loop with the real mix, at 50, 80 and
      110 % of the rate, against the shared pool on as many GPUs: goodput on both promises decides.

    * estimate 0: “Disaggregation is about twice as fast.”
    * estimate 1: “Prefill is compute-bound and decode memory-bound, so they want different
      machines.”
    * estimate 2: “0.56 s a prompt at 12 a second: 6.8 GPUs busy, 8 with the queue; decode needs 5.”
    * estimate 3: “… and 1 GB of cache a prompt, 21 ms at 50 GB/s, 0.3 ms if layers go as they are
      done. At 10 Gbit/s the transfer would outlast the prefill.”
    * commit 0: “It depends on the workload.”
    * commit 1: “I would split, that is what everybody does.”
    * commit 2: “13 GPUs against 21 that take turns, so I split at a TPOT of 40 ms.”
    * commit 3: “… and at 100 ms I would not: 12 against 12. Before I split I measure chunked
      prefill, since perfect overlap would need 7.”
    * failure 0: “We have replicas.”
    * failure 1: “If a decode worker dies we retry.”
    * failure 2: “45 streams start again from the prompt and what was sent; leases expire.”
    * failure 3: “… that is 27 s of prefill for a pool with 2.2 GPUs to spare: 12 s behind, and new
      requests go first.”

    > Prompts double, answers halve. What happens?
    < Prefill takes {quantity(double, "s")}, so {RATE * double:.1f} GPUs are busy and the {workers}
      fall behind; seats are held half as long. Decode GPUs change their role one by one, as their
      streams end; until then the queue is bounded by the TTFT and the rest is refused.
    > Where does the prefix cache live?
    < On prefill workers, since they need it; a conversation is routed to the one that holds it.
      What decode adds has to come back, or the next turn computes it again:
      {quantity(model.kv_bytes(ANSWER), "B")} an answer,
      {quantity(llm.kv_transfer_time_s(model, ANSWER, LINK), "s")} on the link. A store in host
      memory between both is the next step.
    > Different GPUs for the two pools?
    < Yes, that is a reason to split: prefill buys FLOP/s, decode bandwidth and memory. But then no
      GPU changes its role well, so the mix must be steady; and both sides must lay out pages, heads
      and precision alike, or the transfer converts them.
    """).sketched(pools(workers, decoders, seats, cache / 1e9))
