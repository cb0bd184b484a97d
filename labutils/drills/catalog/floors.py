"""The least time of a prefill and of a decode step, and what longer ones add to it."""

from labutils import llm
from labutils.drills.catalog._serving import (
    a,
    billions,
    binary,
    fits,
    full_head_kv,
    gb,
    heads,
    percent,
    served,
    speed_of,
    times,
)
from labutils.drills.definition.writing import Draw, Drill, drill, piece, quantity, template

_OPENINGS = (
    "A retrieval team wants to stuff more documents into the prompt and asks what it costs.",
    "An agent resends its whole history, and nothing of it is cached.",
    "The launch checklist asks for the time to first token on an idle card.",
)


@template("B19 D01", level=2, decision="estimate", number=14)
def prefill_floor(draw: Draw) -> Drill:
    """The least time of a prefill."""
    spec, card, _ = served(draw)
    prompt, reached = draw.whole(600, 60000), draw.share(0.35, 0.7)
    draw.require(2 * prompt <= spec.max_context)
    draw.require(spec.weight_bytes() + spec.kv_bytes(2 * prompt) < 0.85 * card.memory_bytes)
    flops = llm.prefill_flops(spec, prompt)
    answer = llm.prefill_time_s(spec, card, prompt, flops_share=reached)
    rate = reached * card.peak("bf16")
    width = spec.num_heads * spec.head_dim
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} {spec.name}: {billions(spec)}, {spec.layers} layers, {spec.num_heads}
    query heads of {spec.head_dim} ({width:,} in all). One prompt of {prompt:,} tokens on
    {a(card.name)}: {quantity(card.peak("bf16"), "FLOP/s")} dense in bf16, of which prefill reaches
    {percent(reached)}; {quantity(card.bandwidth_bytes_per_s, "B/s")}.
    ? How long does the prefill take at least? Nothing is cached, nobody else is served.
    = {answer} s tolerance=0.05 telling=3
    {_mistakes(spec, card, prompt, reached)}
    > How many operations does one prompt token cost in the weights, and how many pairs of tokens
      look at each other?
    > (2 · P · n + 2 · n² · width of all query heads · layers) / (F · share); half of the square,
      for a token sees only what is before it.
    > (2 × {spec.parameters / 1e9:.4g}e9 × {prompt:,} + 2 × {prompt:,}² × {width:,} × {spec.layers})
      / {quantity(rate, "FLOP/s")}.
    * weights {flops.linear} FLOP: Weights: 2 × {spec.parameters / 1e9:.4g}e9 × {prompt:,} =
      {quantity(flops.linear, "FLOP")}
    * attention {flops.attention} FLOP: Attention: 2 × {prompt:,}² × {width:,} × {spec.layers} =
      {quantity(flops.attention, "FLOP")}, {percent(flops.attention_share)} of the whole
    * prefill {answer} s: {quantity(flops.total, "FLOP")} / {quantity(rate, "FLOP/s")} =
      {quantity(answer, "s")}
    ~ At least what the weights alone cost at the full peak:
      {quantity(flops.linear / card.peak("bf16"), "s")}.

    Prefill = (2 · P · n + 2 · n² · d · L) / (F · MFU), bound by arithmetic from a few hundred
    tokens on. The square matters late: with an 8B model attention catches up near 61,000 tokens.
    """).then(_twice_the_prompt(spec, prompt))


def _mistakes(spec, card, prompt: int, reached: float):
    flops, rate = llm.prefill_flops(spec, prompt), reached * card.peak("bf16")
    token_by_token = prompt * spec.weight_bytes() / card.bandwidth_bytes_per_s
    return piece(f"""
    - half {(flops.linear / 2 + flops.attention) / rate}: One operation per weight. Is it multiplied
      only, or added as well?
    - sparse {flops.total / rate / 2}: Half of it. Did you take the sparse peak, or count a
      multiply-and-add as one?
    - peak {flops.total / card.peak("bf16")}: That is the peak of the data sheet. What share of it
      does prefill reach?
    - reading {spec.weight_bytes() / card.bandwidth_bytes_per_s}: You read the weights once: that
      bounds a decode step. What does a prompt of many tokens wait for?
    - attention-forgotten {flops.linear / rate}: You count the weights alone. At this length, what
      do the tokens do with each other?
    - full-square {(flops.linear + 2 * flops.attention) / rate}: Your tokens look at those behind
      them too. How many pairs does a causal mask leave?
    - token-by-token {token_by_token}: You read the weights once per prompt token. Does a prefill go
      token by token?
    """)


def _twice_the_prompt(spec, prompt: int) -> Drill:
    before, after = (llm.prefill_flops(spec, n) for n in (prompt, 2 * prompt))
    factor = after.total / before.total
    lesson = (
        "From here on the square rules, and sharing or shortening prompts pays twice."
        if after.attention_share > 0.5
        else "The square begins to count: at a few times this length it costs as much as "
        "the weights."
        if after.attention_share > 0.25
        else "Prompts of usual length cost nearly in proportion to their tokens."
    )
    return drill(f"""
    The prompt doubles to {2 * prompt:,} tokens. Somebody warns that attention is quadratic. At
    {prompt:,} tokens it took {percent(before.attention_share)} of the operations.
    ? How many times as long does the prefill take?
    = {factor} tolerance=0.02 telling=0
    - quadratic 4.0: Everything squared. Which part of the operations is quadratic?
    - linear 2.0: Everything in proportion. At this length, is the quadratic part too small to see?
    - unchanged 1.0: As long as before, for twice the tokens?
    > Which part doubles, and which one becomes fourfold?
    > 2 · (share of the weights) + 4 · (share of attention).
    > 2 × {1 - before.attention_share:.4g} + 4 × {before.attention_share:.4g}.
    * factor {factor}: 2 × {1 - before.attention_share:.4g} + 4 × {before.attention_share:.4g} =
      {factor:.4g}
    ~ Between 2 and 4, and nearer to 2 as long as attention is the smaller part.

    {factor:.3g} times, not 4; attention is {percent(after.attention_share)} of the operations now.
    {lesson}
    """)


_DECODE_OPENINGS = (
    "Before anybody profiles: what may you expect at best?",
    "A vendor promises a time per token, and you check whether physics allows it.",
    "Readers complain about slow text, and you ask how far from the limit the server is.",
)


@template("B21 D11", level=2, decision="estimate", number=13)
def decode_floor(draw: Draw) -> Drill:
    """The least time of a decode step."""
    spec, card, _ = served(draw)
    batch, context = draw.one_of((1, 2, 4, 8, 12, 16, 24, 32, 48, 64)), draw.whole(500, 12000)
    reached = draw.share(0.5, 0.9)
    draw.require(fits(spec, card, 1, batch * spec.kv_bytes(context)))
    step = llm.decode_step(spec, card, batch, context, bandwidth_share=reached)
    draw.require(step.binding == "bytes")
    answer, rate = step.time_s, reached * card.bandwidth_bytes_per_s
    keys_alone = (step.weight_bytes + step.kv_bytes / 2) / rate
    draw.require(abs(keys_alone / answer / reached - 1) > 0.06)  # not to be taken for each other
    moved = step.weight_bytes + step.kv_bytes
    weights_for_each = (step.batch * step.weight_bytes + step.kv_bytes) / rate
    query_heads = (step.weight_bytes + step.batch * context * full_head_kv(spec)) / rate
    return draw.drill(f"""
    {draw.one_of(_DECODE_OPENINGS)} {spec.name} ({billions(spec)}, {heads(spec)}) runs in bf16,
    cache included, on {speed_of(card)}; its kernels reach {percent(reached)} of that bandwidth.
    {batch} {"sequences decode" if batch > 1 else "sequence decodes"}, with {context:,} tokens of
    context{" each" * (batch > 1)}.
    ? How long does one decode step take at least?
    = {answer} s tolerance=0.05 telling=3
    - weights-forgotten {step.kv_bytes / rate}: You read the caches alone. With what are they
      multiplied?
    - weights-for-each {weights_for_each}: You read the weights once for every sequence. What is a
      batch for?
    - data-sheet {moved / rate * reached}: You take the whole bandwidth of the data sheet. What do
      the kernels reach?
    - keys-alone {(step.weight_bytes + step.kv_bytes / 2) / rate}: You read half of each cache. What
      does a token leave there beside its key?
    - caches-forgotten {step.weight_bytes / rate}: You read the weights alone. What does every
      sequence look up at each step?
    - query-heads {query_heads}: Your caches have a key for every query head. How many KV heads are
      there?
    - one-cache {(step.weight_bytes + step.kv_bytes / step.batch) / rate}: You read one cache. How
      many sequences are in the step?
    > Which bytes must come out of the memory before a step can end?
    > (weights + batch × context × KV bytes per token) / (bandwidth × share).
    > ({gb(step.weight_bytes)} + {batch} × {context:,} × {binary(spec.kv_bytes_per_token())}) /
      ({reached:g} × {quantity(card.bandwidth_bytes_per_s, "B/s")}).
    * weights {step.weight_bytes} B: Weights, once: {gb(step.weight_bytes)}
    * caches {step.kv_bytes} B: Caches: {batch} × {context:,} × {binary(spec.kv_bytes_per_token())}
      = {gb(step.kv_bytes)}
    * step {answer} s: {gb(step.weight_bytes + step.kv_bytes)} / {quantity(rate, "B/s")} =
      {quantity(answer, "s")}
    ~ The weights alone take {quantity(step.weight_bytes / rate, "s")}: no step is shorter, however
      small the batch.

    Step floor = (W + B · C · kv) / bandwidth. The arithmetic hides behind the reading at this
    batch; launches and sampling come on top. Check any quoted rate against bandwidth / weights
    first.
    """).then(_longer(draw, spec, card, batch, context, reached, answer))


def _longer(draw: Draw, spec, card, batch: int, context: int, reached: float, now: float) -> Drill:
    factor = draw.one_of((2, 3, 4))
    draw.require(factor * context <= (spec.max_context or 0))
    draw.require(fits(spec, card, 1, batch * spec.kv_bytes(factor * context)))
    step = llm.decode_step(spec, card, batch, factor * context, bandwidth_share=reached)
    share = step.kv_bytes / (step.kv_bytes + step.weight_bytes)
    weights_forgotten = step.kv_bytes / (reached * card.bandwidth_bytes_per_s)
    lesson = (
        "they bind, and a narrower cache or fewer KV heads would pay."
        if share > 0.5
        else "the weights still bind, and narrower weights would pay first."
    )
    return draw.drill(f"""
    Users paste longer documents: contexts grow to {times(factor)} their length, the batch stays at
    {batch}.
    ? How long does a step take now, at least?
    = {step.time_s} s tolerance=0.05 telling=0
    - all-grows {factor * now}: You let the whole step grow. Do the weights get longer with the
      documents?
    - unchanged {now}: As before? Which part of the bytes grows with the context?
    - weights-forgotten {weights_forgotten}: You read the caches alone. With what are they
      multiplied?
    > Which of the two kinds of bytes has grown?
    > (weights + factor × caches) / bandwidth.
    > ({gb(step.weight_bytes)} + {gb(step.kv_bytes)}) /
      {quantity(reached * card.bandwidth_bytes_per_s, "B/s")}.
    * caches {step.kv_bytes} B: Caches now: {gb(step.kv_bytes)}
    * step {step.time_s} s: {gb(step.kv_bytes + step.weight_bytes)} /
      {quantity(reached * card.bandwidth_bytes_per_s, "B/s")} = {quantity(step.time_s, "s")}
    ~ Longer than {quantity(now, "s")}, and less than {times(factor)} that.

    Caches are now {percent(share)} of the bytes: {lesson}
    """)
