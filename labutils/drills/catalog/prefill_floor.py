"""The least time of a prefill, and what a longer prompt adds to it."""

from labutils import llm
from labutils.drills.catalog._serving import a, billions, percent, served
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
