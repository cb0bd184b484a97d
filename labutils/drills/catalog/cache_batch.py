"""From which batch on a step reads more cache than weights."""

from labutils import llm
from labutils.drills.catalog._serving import (
    NODES,
    SERVED,
    billions,
    binary,
    cards,
    fits,
    gb,
    heads,
    served,
)
from labutils.drills.definition.writing import Draw, Drill, drill, piece, template

_LARGE = (
    ("Llama-3.1-70B", "H100 SXM", 8), ("Llama-3.1-70B", "H200 SXM", 4),
    ("Qwen2.5-72B", "MI300X", 4), ("Qwen2.5-72B", "A100 80 SXM", 8),
    ("Qwen3-32B", "H100 SXM", 4), ("Phi-4", "A100 80 SXM", 2), ("Phi-4", "B200", 1),
    ("Qwen2.5-7B", "H200 SXM", 1), ("Qwen3-8B", "MI300X", 1),
)  # fmt: skip


@template("D11 H10", level=2, decision="limit", number=19)
def cache_batch(draw: Draw) -> Drill:
    """The batch at which caches outweigh the weights."""
    spec, card, count = served(draw, SERVED + NODES + _LARGE)
    context = draw.whole(600, 24000)
    weights, one = spec.weight_bytes(), spec.kv_bytes(context)
    answer = llm.kv_equals_weights_tokens(spec) / context
    draw.require(8 <= answer <= 200)
    room = [more for more in (1.5, 2, 3, 4) if fits(spec, card, count, more * weights)]
    draw.require(bool(room))
    more = draw.one_of(room)
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} {spec.name} ({billions(spec)}, {heads(spec)}) in bf16, cache included,
    on {cards(card, count)}; every sequence has {context:,} tokens of context.
    ? Above which batch does a decode step read more cache than weights?
    = {answer} tolerance=0.05 absolute=1 telling=3
    {_mistakes(spec, card, count, context, answer)}
    > What does one sequence add to the bytes of a step, and what is there at any batch?
    > B = weight bytes / (context × KV bytes per token).
    > {gb(weights)} / ({context:,} × {binary(spec.kv_bytes_per_token())}).
    * weights {weights} B: Weights: {gb(weights)}
    * one_sequence {one} B: One sequence: {context:,} × {binary(spec.kv_bytes_per_token())} =
      {gb(one)}
    * batch {answer}: {gb(weights)} / {gb(one)} = {answer:.4g}
    ~ Both kinds of bytes are read at the same bandwidth, so neither it nor the card matters.

    B · C = P · b / kv: the second knee. Well below it, another sequence in the batch is nearly
    free; beyond it, it costs its own bytes, and fewer KV heads or a narrower cache do more than
    narrower weights.
    """).then(_beyond(more, answer))


_OPENINGS = (
    "A colleague proposes an fp8 cache, another one int8 weights: which one first?",
    "Adding sequences to the batch used to be free; it no longer is.",
    "You are to explain why the same model scales worse on long documents.",
)


def _mistakes(spec, card, count: int, context: int, answer: float):
    shared = spec.num_heads / spec.num_kv_heads
    room = 0.9 * count * card.memory_bytes - spec.weight_bytes()
    return piece(f"""
    - query-heads {answer / shared}: Your cache has a key for every query head. How many KV heads
      are there?
    - keys-only {2 * answer}: Twice too much: does a token leave a key alone?
    - tokens {answer * context}: That is a number of cached tokens. How many of them does one
      sequence bring?
    - arithmetic {llm.compute_ridge_batch(card)}: That is where arithmetic overtakes the reading of
      weights. Which two things does the question compare?
    - memory {room / spec.kv_bytes(context)}: That is what fits into the memory. Which two kinds of
      bytes were to be equal?
    - bytes-forgotten {answer / 2}: Half of it. Do a weight and a cached value have the same number
      of bytes in your sum?
    """)


def _beyond(more: float, start: float) -> Drill:
    gain = 2 * more / (1 + more)
    return drill(f"""
    The batch grows from there to {more:g} times as many sequences, contexts unchanged. The step
    still waits for memory alone.
    ? By which factor does the number of tokens per second grow?
    = {gain} tolerance=0.03 telling=0
    - as-the-batch {more}: That is how much the batch has grown. Has the step stayed as short as it
      was?
    - none 1.0: Nothing gained? Which part of the bytes did not grow?
    - step {(1 + more) / 2}: That is how much longer a step takes. And how many tokens does it
      bring?
    > Half of the bytes are weights and stay; what happens to the other half?
    > batch factor / (½ + ½ · batch factor).
    > {more:g} / (0.5 + 0.5 × {more:g}).
    * step {(1 + more) / 2}: The step takes 0.5 + 0.5 × {more:g} = {(1 + more) / 2:g} times as long.
    * growth {gain}: {more:g} / {(1 + more) / 2:g} = {gain:.4g}
    ~ Never more than 2, however large the batch: at best the weights cost nothing.

    From the second knee on at most a factor of two is left in throughput, while every reader pays
    the longer step in full.
    """)
