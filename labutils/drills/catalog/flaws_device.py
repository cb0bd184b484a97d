"""Flaws in claims about one device: what fits, what a step reads, what a phase waits for."""

from labutils import llm
from labutils.drills.catalog._serving import as_printed, whole_card
from labutils.drills.definition.writing import Draw, Drill, quantity, template

FAULTS = {
    "users_on_a_card": ("X54",),
    "cache_is_all_we_read": ("X45", "X47"),
    "four_bits_everywhere": ("X51",),
    "chunks_for_the_first_token": ("X50",),
}


def _shape(model) -> str:
    return (
        f"{model.name} in 16 bits: {quantity(model.weight_bytes(), 'B')} of weights, "
        f"{quantity(model.kv_bytes_per_token(), 'B')} of KV cache a token"
    )


@template("C20 R06 D09", level=2, decision="limit", form="flaw")
def users_on_a_card(draw: Draw) -> Drill:
    """The cache gets what the weights leave."""
    model, card = whole_card(draw)
    context, share = draw.one_of((2048, 4096, 6144, 8192)), draw.one_of((0.85, 0.9, 0.92))
    each = model.kv_bytes(context)
    fit = llm.max_sequences(model, card.memory_bytes, context, usable_share=share)
    left = share * card.memory_bytes - as_printed(model.weight_bytes())
    both_ways = (as_printed(each), as_printed(model.kv_bytes_per_token()) * context)
    draw.require(all(left // one == fit for one in both_ways))
    bare = int(card.memory_bytes // each)
    usable = int(share * card.memory_bytes // each)
    whole = int((card.memory_bytes - model.weight_bytes()) // each)
    draw.require(fit >= 12 and min(whole, usable) - fit >= 3 and abs(whole - usable) >= 3)
    draw.require(bare - max(whole, usable) >= 3)
    narrow_weights = int((share * card.memory_bytes - model.weight_bytes() / 2) // each)
    return draw.drill(f"""
    A sales deck on {_shape(model)}. The card is one {card.name} with
    {quantity(card.memory_bytes, "B")}, of which the server may use {100 * share:.0f} %; the rest
    goes to activations and the driver. Every user holds {context:,} tokens. The lines of the deck
    stand below.
    ? How many users fit on the card at once?
    = {fit} tolerance=0 absolute=1 unsafe=above scale=off
    - nothing-but-cache {bare}: You give all of the memory to caches. What else must lie there
      before the first token can be computed?
    - weights-forgotten {usable}: You left room for activations. What else lies in memory, even when
      nobody asks anything?
    - all-usable {whole}: The weights are accounted for. May the server use the whole card?
    - narrow-weights {narrow_weights}: You store the weights in 8 bits. In which width does the deck
      have them?
    | A user's cache takes {quantity(each, "B")}.
    ! Tokens times bytes a token, in decimal prefixes. That can be checked.
    | {quantity(card.memory_bytes, "B")} / {quantity(each, "B")}: {bare} users fit.
    | With half the context, about twice as many would fit.
    ! True whatever the room for caches: each user takes half as much of it.
    | With the cache in 8 bits, about twice as many would fit.
    ! One byte in the place of two: true whatever room there is for caches.
    > Start from what the server may use, and take off what is always there.
    > Users = (usable memory - weights) / cache of one user, rounded down.
    > ({share:g} × {quantity(card.memory_bytes, "B")} - {quantity(model.weight_bytes(), "B")}) /
      {quantity(each, "B")}.
    * left {share * card.memory_bytes - model.weight_bytes()} B: Left for caches: {share:g} ×
      {quantity(card.memory_bytes, "B")} - {quantity(model.weight_bytes(), "B")} =
      {quantity(share * card.memory_bytes - model.weight_bytes(), "B")}
    * each {each} B: A user: {quantity(each, "B")}
    * users {fit}: Rounded down: {fit}
    ~ Fewer than the deck's {bare}: the weights alone take
      {100 * model.weight_bytes() / card.memory_bytes:.0f} % of the card.

    The cache gets what the weights and the overhead leave. The less that is, the more a few GB
    change: where weights take half of the card, a tenth more of them costs a tenth of the users or
    more. Say of each figure whether it is in GB or in GiB.
    """)


@template("B21 D11 D03", level=2, decision="limit", form="flaw")
def cache_is_all_we_read(draw: Draw) -> Drill:
    """A decode step reads the weights, whoever is there."""
    model, card = whole_card(draw)
    users, context = draw.one_of((1, 2, 3, 4, 6, 8)), 512 * draw.whole(2, 24)
    step = llm.decode_step(model, card, users, context)
    cache_alone = card.bandwidth_bytes_per_s / (model.kv_bytes(context) * users)
    draw.require(0.06 < step.kv_bytes / step.weight_bytes < 0.9)
    weights_alone = card.bandwidth_bytes_per_s / step.weight_bytes
    each = step.tokens_per_s_per_request
    crowd, apiece = ("one user", "") if users == 1 else (f"{users} users", " each")
    return draw.drill(f"""
    {_shape(model)}. It runs on one {card.name} ({quantity(card.bandwidth_bytes_per_s, "B/s")}) for
    {crowd} with {context:,} tokens of context{apiece}. A vendor's blog has the lines below.
    ? How many tokens a second does each user get at most?
    = {each} tok/s tolerance=0.03
    - cache-alone {cache_alone}: You read the cache and nothing else. What does the new token pass
      through?
    - weights-alone {weights_alone}: You read the weights and nothing else. What does attention look
      at?
    - all-users-together {step.tokens_per_s if users > 1 else None}: That is what the device writes
      for all of them. And one user?
    | While tokens are written, the device waits for memory, not for arithmetic.
    ! That holds for small batches: on this card arithmetic takes over at about
      {llm.compute_ridge_batch(card):.0f} users.
    | All that it must read for a step is the cache: {quantity(step.kv_bytes, "B")}.
    | At {quantity(card.bandwidth_bytes_per_s, "B/s")} that takes {quantity(1 / cache_alone, "s")}.
    ! Bytes over bandwidth: the division is right, for the bytes of the line before.
    | So each user gets {quantity(cache_alone, "tok/s")}.
    ! One step gives each user one token. It follows from the line before.
    > List everything that must come out of memory once for one step.
    > Step = (weights + users × context × KV per token) / bandwidth; a token per step each.
    > ({quantity(step.weight_bytes, "B")} + {quantity(step.kv_bytes, "B")}) /
      {quantity(card.bandwidth_bytes_per_s, "B/s")}.
    * bytes {step.weight_bytes + step.kv_bytes} B: Bytes: {quantity(step.weight_bytes, "B")} +
      {quantity(step.kv_bytes, "B")} = {quantity(step.weight_bytes + step.kv_bytes, "B")}
    * step {step.time_s} s: Step: {quantity(step.time_s, "s")}
    * each {each} tok/s: Each: {quantity(each, "tok/s")}
    ~ Bandwidth over weights is {quantity(weights_alone, "tok/s")}; nobody gets more than that.

    Bandwidth over weight bytes is a ceiling for the tokens a second of each user: check every claim
    against it first. The cache outweighs the weights once users × context exceeds about
    {round(llm.kv_equals_weights_tokens(model), -3):,.0f} tokens for this model.
    """)


@template("H04 D01 G02", level=3, decision="limit", form="flaw")
def four_bits_everywhere(draw: Draw) -> Drill:
    """Weight-only quantisation moves decode, not prefill."""
    model, card = whole_card(draw)
    prompt, answer, users = draw.one_of((2000, 4000, 8000)), draw.whole(150, 600), 4
    first = float(f"{llm.prefill_time_s(model, card, prompt):.3g}")
    before = llm.decode_step(model, card, users, prompt + answer / 2)
    after = llm.decode_step(model, card, users, prompt + answer / 2, bytes_per_weight=0.5)
    old, new = (float(f"{step.time_s:.3g}") for step in (before, after))
    whole_before = llm.stream_duration_s(first, old, answer)
    whole_after = llm.stream_duration_s(first, new, answer)
    claimed = whole_before / 4
    faster_prefill = llm.stream_duration_s(first / 4, new, answer)
    draw.require(whole_after / faster_prefill > 1.08)
    return draw.drill(f"""
    {model.name} on one {card.name}, {users} answers at a time, each {answer} tokens behind a prompt
    of {prompt:,}. Today, in 16 bits, the first token comes after {quantity(first, "s")} and the
    others {quantity(old, "s")} apart. With weights in 4 bits (turned into 16 on the chip, cache as
    before) the bytes of a step come down to a gap of {quantity(new, "s")}. The request for budget
    has the lines below.
    ? How long will an answer take, from the arrival of its request to its last token?
    = {whole_after} s tolerance=0.02
    - prefill-too {faster_prefill}: You speed up the first token as well. Does a prefill wait for
      bytes or for arithmetic, and in how many bits does that still run?
    - all-by-four {claimed}: You divide everything by four. Which parts of the time are bytes of
      weights?
    - nothing-changes {whole_before}: That is today's time. Which part changes?
    | Today an answer takes {quantity(whole_before, "s")}.
    ! First token, then one gap for each further one.
    | Each step reads a quarter of the bytes of weights.
    ! Four bits in the place of sixteen, scales left aside.
    | The caches of the running answers are as large as before.
    ! They keep their 16 bits: that is why the gap did not shrink to a quarter.
    | The first token needs a quarter of the time too: {quantity(first / 4, "s")}.
    | Together that makes {quantity(faster_prefill, "s")}.
    ! The addition is right, for the first token of the line before.
    > Two phases: ask for each what it waits for.
    > Answer = first token + (tokens - 1) × gap; the prefill multiplies in 16 bits still.
    > {quantity(first, "s")} + ({answer} - 1) × {quantity(new, "s")}.
    * first {first} s: First token: {quantity(first, "s")}, as before
    * rest {(answer - 1) * new} s: The rest: {answer - 1} × {quantity(new, "s")} =
      {quantity((answer - 1) * new, "s")}
    * whole {whole_after} s: Together {quantity(whole_after, "s")}
    ~ More than the {quantity(first, "s")} that the prompt takes, and less than today.

    Weight-only schemes (W4A16, W8A16) shrink bytes, and decode waits for bytes. Prefill waits for
    arithmetic, which still runs in 16 bits: it needs W8A8 or FP8. Assign each scheme to a phase
    before you promise a factor.
    """)


@template("H02 D02 I04", level=2, decision="commit", form="flaw")
def chunks_for_the_first_token(draw: Draw) -> Drill:
    """Chunked prefill protects the others."""
    chunk, count = draw.one_of((256, 512, 1024)), draw.whole(6, 30)
    step, per_token = draw.number(0.006, 0.02), draw.number(20e-6, 60e-6)
    prompt, piece = chunk * count, chunk * per_token
    draw.require(step > 0.15 * piece and prompt <= 20_000)
    alone = prompt * per_token
    chunked = llm.chunked_prefill_s(prompt, chunk, step + piece)
    readers = draw.one_of((12, 16, 24, 32))
    return draw.drill(f"""
    {readers} answers are being written; a step for them takes {quantity(step, "s")}. A prompt of
    {prompt:,} tokens arrives. Its prefill takes {quantity(per_token, "s")} a token and comes on top
    of a step; in one piece it takes {quantity(alone, "s")}. The proposal is to cut it into chunks
    of {chunk}, one per step, with the reasons below.
    ? With chunks, and with nobody in front of it: how long after the start of its first chunk does
      the long prompt's own first token come?
    = {chunked} s tolerance=0.02
    - first-chunk {step + piece}: That is when the first chunk is read. From which token of the
      prompt is the first answer token predicted?
    - one-chunk-short {(count - 1) * (step + piece)}: You stop before the last chunk. How many
      chunks of {chunk} has the prompt?
    - in-one-piece {alone + step}: That is the prompt in one piece. In how many steps is it read
      with chunks, and who else is served in each of them?
    - prefill-alone {alone}: That is the prompt's work alone. Whose tokens are written in the same
      steps?
    | A step with a chunk takes {quantity(step + piece, "s")}.
    ! The step of the others, and the chunk on top: as stated.
    | So the others' longest gap falls from {quantity(step + alone, "s")} to
      {quantity(step + piece, "s")}.
    ! They get a token with every step, and no step is longer than that.
    | The prompt's own first token comes after {quantity(step + piece, "s")}, too.
    | The prompt costs as much arithmetic as before.
    ! Each token still passes the whole model and attends to all before it.
    > The first token is predicted from the end of the prompt.
    > Time = number of chunks × (step + chunk).
    > {count} × ({quantity(step, "s")} + {chunk} × {quantity(per_token, "s")}).
    * chunks {count}: Chunks: {prompt:,} / {chunk} = {count}
    * step {step + piece} s: A step with a chunk: {quantity(step + piece, "s")}
    * first {chunked} s: {count} of them: {quantity(chunked, "s")}
    ~ Its own work takes {quantity(alone, "s")}, and each step does other work too: longer than
      that.

    Chunked prefill (Sarathi-Serve, OSDI 2024) bounds the inter-token latency of the other requests.
    The prompt's own first token needs the last chunk, and usually comes later than without chunks.
    Ask of every technique who gains and who pays.
    """)
