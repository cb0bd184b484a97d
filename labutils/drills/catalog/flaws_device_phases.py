"""Flaws in claims about the two phases: what narrow weights and chunks do to the first token."""

from labutils import llm
from labutils.drills.catalog._serving import whole_card
from labutils.drills.definition.writing import Draw, Drill, quantity, template

FAULTS = {"four_bits_everywhere": ("X51",), "chunks_for_the_first_token": ("X50",)}


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
