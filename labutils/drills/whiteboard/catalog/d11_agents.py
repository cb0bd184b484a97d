"""D11: agents with an adapter for each customer, whose sessions wait for tools."""

import math

from labutils import llm
from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.drills.whiteboard.sketches.agents import agents

SESSIONS, ADAPTERS, RANK, SLOTS = 600, 300, 16, 32
CONTEXT, RESULT, ANSWER = 16_000, 500, 150  # tokens: of a session, of a tool's result, of a turn
TOOL_S, TPOT_S, REACHED, MFU = 8.0, 0.045, 0.6, 0.5
HOST_LINK = 25e9  # bytes per second between a device and its host's memory
ASIDE = 0.1  # of memory, for activations and graphs


def _adapter_bytes(model, rank: int) -> float:
    """A low-rank adapter in bf16 beside every matrix of each layer: rank · (in + out) weights.

    Hu et al., LoRA, 2022: the update of an in × out matrix is a product of two thin ones.
    """
    wide, narrow = model.num_heads * model.head_dim, model.num_kv_heads * model.head_dim
    hidden, inner = model.hidden_size, model.ffn_size
    sides = 2 * (hidden + wide) + 2 * (hidden + narrow) + 3 * (hidden + inner)
    return 2.0 * model.layers * rank * sides


@prompt("J02 F05 I07 B19", minutes=45)
def d11() -> Page:
    """A platform for agents with adapters."""
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    one = _adapter_bytes(model, RANK)
    weights = [1 / k for k in range(1, ADAPTERS + 1)]  # Zipf: the k-th has 1 / k of the first
    shares = [weight / sum(weights) for weight in weights]
    popular = sum(shares[:SLOTS])
    room = {"usable_share": 1 - ASIDE}
    seats, crowded = (
        llm.max_sequences(model, device.memory_bytes, CONTEXT, overhead_bytes=n * one, **room)
        for n in (SLOTS, ADAPTERS)
    )
    cache = model.kv_bytes(CONTEXT)
    met = sum(1 - (1 - share) ** seats for share in shares)
    base = llm.decode_step(model, device, seats, CONTEXT, bandwidth_share=REACHED).time_s
    step = base + met * one / (REACHED * device.bandwidth_bytes_per_s)
    new, whole = (
        llm.prefill_time_s(model, device, CONTEXT + RESULT, cached_tokens=cached, flops_share=MFU)
        for cached in (CONTEXT, 0)
    )
    turn = new + ANSWER * TPOT_S
    rate = SESSIONS / (turn + TOOL_S)
    inside = rate * turn
    keep_all, active = math.ceil(SESSIONS / seats), math.ceil(inside / seats)
    gpus = active + math.ceil(rate * new) + 1
    free = (gpus - 1) * seats - inside
    back = cache / HOST_LINK
    fresh = model.kv_bytes(RESULT + ANSWER)
    load = one / HOST_LINK
    worth = whole * seats
    lost = SESSIONS / gpus
    return page(f"""
    {ADAPTERS} customers run agents on your platform: one open 8B model on H100s, and each customer
    has an adapter of its own. At the peak {SESSIONS} sessions are open, with contexts of about
    {CONTEXT:,} tokens; after every short answer a tool is called, and the session waits for it.
    Design the platform: where adapters and caches live, who owns a session, what happens when
    something dies.

    ? How long do turns and tools take? {RESULT} tokens of result in, {ANSWER} out; a tool takes
      {TOOL_S:g} s on average, from 0.2 s to a minute. (It decides which share of the caches is
      idle.)
    ? How large are the adapters, and how is traffic spread? Rank {RANK}, on all matrices. The
      largest customer has sixteen times the traffic of the sixteenth. (It decides how many adapters
      must be on a device.)
    ? What is promised? {1e3 * TPOT_S:g} ms a token; a turn begins within half a second of a result.
      (It decides whether a cache may come back from the host.)
    ? May a session be lost? Never what was said and done; a second's delay is fine. (It decides
      what is the truth: the transcript, not the cache.)

    + Share of sessions inside the model, by Little's law; the rest hold idle caches
    + Bytes of an adapter; slots on the device, all in host memory; what a miss costs
    + One batch over many adapters, and what that adds to a step
    + Cache during a tool call: keep, move out, drop, each with its price; a rule
    + Transcript as the truth; a session has one owner; caches can be rebuilt
    + Adapter in the page's key; versions fixed for a session
    + Tools: deadlines, call ids, budgets against loops; limits per tenant
    + A drawing, and calls with fields, errors and what may come twice

    — What a session does — A turn: {quantity(new, "s")} of prefill for {RESULT} new tokens,
      {ANSWER} tokens at {quantity(TPOT_S, "s")}; then a tool works for {quantity(TOOL_S, "s")}. So
      {SESSIONS} sessions make {quantity(rate, "turns/s")}, and by Little's law {inside:.0f} are
      inside the model at once: {100 * inside / SESSIONS:.0f} %. The others hold
      {quantity(cache, "B")} of cache each and do nothing.
    — Adapters — Rank {RANK} on all matrices of an 8B model: {quantity(one, "B")}. {ADAPTERS} of
      them are {quantity(ADAPTERS * one, "B")}: on the device they take a batch from {seats}
      sequences to {crowded}. Merged into weights it would be {ADAPTERS} models of
      {quantity(model.weight_bytes(), "B")}. So {SLOTS} slots on the device, all in host memory: by
      Zipf the first {SLOTS} have {100 * popular:.0f} % of the traffic, a miss takes
      {quantity(load, "s")} of the link, less than the prefill it precedes.
    — What a mixed batch costs — {seats} sequences of one batch meet {met:.1f} adapters on average.
      Each is read once a step: {quantity(step - base, "s")} on {quantity(base, "s")},
      {100 * (step / base - 1):.0f} %. So a batch need not be sorted by customer; but put new
      sessions where their adapter already is, if load allows.
    — The cache during a tool call — Keep: {keep_all} GPUs, most of their memory idle. Drop:
      {quantity(whole, "s")} of prefill a turn, {math.ceil(rate * whole)} GPUs of nothing else. Out
      to the host and back: {quantity(back, "s")} before the turn goes on. Out go the new pages
      only, {quantity(fresh, "B")} a turn, for the rest lies there. So calls that are usually over
      within a second stay, in the {free:.0f} seats that are free; the others are parked. Against
      dropping, a seat pays for {quantity(worth, "s")} of waiting, if memory binds.
    — Sizes — {active} GPUs of {seats} seats, {rate * new:.2f} for prefill, so
      {math.ceil(rate * new)}, one spare: {gpus}. The link of each carries
      {quantity(rate * cache / gpus, "B/s")} inwards, {100 * rate * cache / gpus / HOST_LINK:.0f} %;
      the hosts hold {quantity(SESSIONS * cache, "B")} in all,
      {quantity(SESSIONS * cache / gpus, "B")} each. A step of a full batch takes
      {quantity(step, "s")}, and with {100 * rate * new / (gpus - 1):.0f} % of the time in prompts
      {quantity(step / (1 - rate * new / (gpus - 1)), "s")}.
    — What breaks — A replica: {lost:.0f} sessions lose their caches and nothing else; from the
      transcript {quantity(lost * whole, "s")} of prefill, spread over {gpus - 1},
      {quantity(lost * whole / (gpus - 1), "s")} each, as they come back. A tool that hangs: its
      deadline is a result that the model reads. A tool that is called twice: the call id. An agent
      in a loop: a budget of steps, tokens and seconds, and the customer's bucket. A bad adapter:
      versions, a trial before it serves, sessions keep the one they began with. A tenant of many
      sessions: caps on pages and slots.
    — How I would know — Time of a turn in its parts (queue, pages back, adapter, prefill, decode),
      pages by state (running, kept, host), back from host or computed again, slot misses, distinct
      adapters a step, budget stops by cause. Replay sessions with their real tool times; a mean of
      8 s hides calls of 0.2 and of 60.

    * estimate 0: “600 sessions need a lot of memory.”
    * estimate 1: “2 GB of cache each, so 1.3 TB: two dozen GPUs.”
    * estimate 2: “46 % are inside the model: 275 of 600. 25 to a GPU: 12 for decoding.”
    * estimate 3: “… and the others' caches wait in host memory, 84 ms away; kept on devices it
      would be 24 GPUs, computed again 28 more.”
    * limit 0: “LoRA is cheap.”
    * limit 1: “An adapter is small beside the model.”
    * limit 2: “84 MB each: all 300 on the device would take 11 of 25 seats.”
    * limit 3: “… so 32 slots; a miss is 3 ms on the link. A mixed batch reads 18.5 adapters a step,
      2 % more.”
    * failure 0: “We save the session.”
    * failure 1: “If a replica dies the session moves.”
    * failure 2: “The transcript is the truth; a cache is computed again from it, 0.7 s a session.”
    * failure 3: “… and a tool call has an id, so the move does not send the e-mail twice.”

    > All customers share one long system prompt. Can its cache be shared?
    < Not between adapters: the same tokens leave other keys and values in every layer, so the
      adapter belongs into a page's key. It is shared among the sessions of one customer. Across all
      only if the base model reads the prompt, and the adapter is switched on behind it; it has to
      be trained that way.
    > Tools become fast: 0.3 s instead of 8.
    < {SESSIONS / (turn + 0.3):.0f} turns a second, {SESSIONS * turn / (turn + 0.3):.0f} inside: the
      memory of all sessions is in use, {math.ceil(SESSIONS * turn / (turn + 0.3) / seats)} GPUs for
      decoding, and there is nothing to park. What binds is decode then; shorter contexts or an fp8
      cache help, and parking does not.
    > A customer asks for rank 256.
    < {quantity(_adapter_bytes(model, 256), "B")}: as much as {_adapter_bytes(model, 256) / one:.0f}
      of the others. Slots are of one size, so all {SLOTS} would grow with it, by
      {SLOTS * (_adapter_bytes(model, 256) - one) / cache:.0f} of the {seats} sequences. A pool of
      its own, a smaller rank, or a price.
    """).sketched(agents(gpus, seats, SLOTS, ADAPTERS))
