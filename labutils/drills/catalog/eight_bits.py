"""Weights and arithmetic in eight bits: what decode gains, and what prefill gains."""

from labutils import llm
from labutils.drills.catalog._serving import billions, binary, fits, gb, heads, reaches, served
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_PAIRS = (
    ("Llama-3.1-8B", "H100 SXM", 1), ("Llama-3.1-8B", "L4", 1), ("Qwen3-8B", "H100 SXM", 1),
    ("Phi-4", "H100 SXM", 1), ("Qwen3-32B", "H200 SXM", 1), ("Qwen3-32B", "MI300X", 1),
    ("Qwen3-32B", "B200", 1), ("Llama-3.1-70B", "B200", 1), ("Llama-3.1-70B", "MI325X", 1),
)  # fmt: skip


@template("D01 H04 D11", level=3, decision="limit", rough=False)
def eight_bit_phases(draw: Draw) -> Drill:
    """fp8 weights and arithmetic: decode against prefill."""
    spec, card, count = served(draw, _PAIRS)
    batch, context = draw.one_of((4, 8, 16, 24, 32)), draw.whole(1500, 9000)
    caches, weights = batch * spec.kv_bytes(context), spec.weight_bytes()
    draw.require(fits(spec, card, count, caches) and 0.15 * weights < caches < 1.5 * weights)
    step = llm.decode_step(
        spec, card, batch, context, bytes_per_weight=1.0, precision="fp8", flops_share=0.5
    )
    draw.require(step.binding == "bytes")
    answer = llm.decode_bytes_ratio(spec, batch, context, bytes_per_weight=1.0)
    return draw.drill(f"""
    {spec.name} ({billions(spec)}, {heads(spec)}) runs in bf16, cache included, on one {card.name}.
    A new checkpoint has all weights in fp8, and the products with them are computed in fp8 too, at
    twice the bf16 rate. Attention and the cache stay in bf16. {batch} streams decode with
    {context:,} tokens of context each, and steps wait for memory, before and after.

    ? How many times as fast as in bf16 is a decode step, at best?
    = {answer} tolerance=0.03 telling=4
    - as-the-arithmetic 2.0: About twice as fast would mean that nearly all bytes became half. Which
      did, and how many caches does a step read?
    - four-times 4.0: You count half the bytes and double the arithmetic. Does a step wait for both?
    - one-cache {(weights + caches / batch) / (weights / 2 + caches / batch)}: You read one cache.
      How many streams are in the step?
    - cache-halved {(weights + caches) / (weights + caches / 2)}: You halve the caches and leave the
      weights. Which of them is in fp8?
    - upside-down {1 / answer}: That is the new time over the old one. Which was asked?
    - nothing 1.0: No gain at all? Then no byte would be a weight.
    ? Where does the gain come from?
    + Fewer bytes of weights are read
    x Products take half the time
    ! Steps wait for memory. What did they wait for?
    x Fewer bytes of caches are read
    ! In which format does the cache stay?
    x Both, and the two gains multiply
    ! Reading and computing go on at the same time. Does a step wait for both?
    > What does a step wait for, and which part of that becomes less?
    > (weights + caches) ÷ (weights ÷ 2 + caches).
    > ({gb(weights)} + {gb(caches)}) ÷ ({gb(weights / 2)} + {gb(caches)}).
    * caches {caches} B: Caches: {batch} × {context:,} × {binary(spec.kv_bytes_per_token())} =
      {gb(caches)}, before and after
    * weights {weights / 2} B: Weights: {gb(weights)}, then {gb(weights / 2)}
    * gain {answer}: {gb(weights + caches)} ÷ {gb(weights / 2 + caches)} = {answer:.4g}
    ~ More than 1 and less than 2.

    Decode gains by the bytes: (W + caches) ÷ (W ÷ 2 + caches), less the longer the contexts. The
    doubled arithmetic brings it nothing while it waits for memory.
    """).then(_prefill(draw, spec, card, answer))


def _prefill(draw: Draw, spec, card, decode: float) -> Drill:
    prompt = draw.one_of((8000, 12000, 16000, 24000, 32000))
    usual = llm.prefill_time_s(spec, card, prompt, flops_share=0.5)
    took = float(f"{usual * draw.number(0.8, 1.2):.2g}")
    attention = round(llm.prefill_flops(spec, prompt).attention_share, 2)
    draw.require(reaches(spec, prompt) and attention >= 0.1)
    answer = took * (attention + (1 - attention) / 2)
    draw.require(abs(took / decode - answer) > 0.07 * answer)  # or either gain would do for both
    return draw.drill(f"""
    Now the first token. In bf16 the prefill of a prompt of {prompt:,} tokens takes
    {quantity(took, "s")}: {100 * attention:.0f} % of that is attention, the rest products with the
    weights. A prefill waits for arithmetic.

    ? How long does it take with the new checkpoint, at best?
    = {answer} s tolerance=0.03 telling=0
    - all-halved {took / 2}: You halve attention as well. In which format is it computed?
    - unchanged {took}: As if only storage were narrow. In which format are the products computed?
    - as-decode {took / decode}: That is the gain of decode. What does a prefill wait for?
    - attention-halved {took * (attention / 2 + 1 - attention)}: You halve the other part. Which of
      the two runs in fp8?
    > Which part of the prefill runs at twice the rate?
    > Old time × (attention + (1 − attention) ÷ 2).
    > {quantity(took, "s")} × ({attention:g} + {1 - attention:.3g} ÷ 2).
    * attention {took * attention} s: Attention stays: {quantity(took * attention, "s")}
    * products {took * (1 - attention) / 2} s: Products: {quantity(took * (1 - attention), "s")} ÷ 2
      = {quantity(took * (1 - attention) / 2, "s")}
    * prefill {answer} s: Together {quantity(answer, "s")}
    ~ Between {quantity(took / 2, "s")} and {quantity(took, "s")}.

    Prefill gains by the arithmetic, as far as it is narrow: Amdahl's law with attention as the part
    that stays. Storing in fp8 alone leaves prefill as it was; computing in fp8 alone leaves decode
    as it was.
    """)
