"""The least time of a decode step, and what a longer context adds to it."""

from labutils import llm
from labutils.drills.catalog._serving import (
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
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_OPENINGS = (
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
    {draw.one_of(_OPENINGS)} {spec.name} ({billions(spec)}, {heads(spec)}) runs in bf16, cache
    included, on {speed_of(card)}; its kernels reach {percent(reached)} of that bandwidth. {batch}
    {"sequences decode" if batch > 1 else "sequence decodes"}, with {context:,} tokens of
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
