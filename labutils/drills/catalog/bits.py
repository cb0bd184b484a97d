"""Weights in eight and in four bits: what decode gains, and what prefill gains."""

from labutils import llm
from labutils.drills.catalog._serving import (
    billions,
    binary,
    fits,
    gb,
    heads,
    reaches,
    served,
    speed_of,
)
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template

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


_IN_FOUR_BITS = (
    ("Llama-3.1-70B", "B200"), ("Qwen3-32B", "B200"), ("Llama-3.1-70B", "GB200 GPU"),
    ("Llama-3.1-70B", "B300"), ("Llama-3.1-8B", "H100 SXM"), ("Qwen3-32B", "H200 SXM"),
    ("Qwen3-8B", "H100 SXM"), ("Llama-3.1-8B", "L4"),
)  # fmt: skip
_FORMATS = (
    ("4 bits and an 8-bit scale for every 16 weights (NVFP4)",
     llm.stored_bytes_per_weight(4, group=16, scale_bits=8)),
    ("4 bits and an 8-bit scale for every 32 weights (MXFP4)",
     llm.stored_bytes_per_weight(4, group=32, scale_bits=8)),
)  # fmt: skip
WIDE = 2.0  # bytes of a weight in bf16


@template("D11 H04 E06", level=3, decision="limit", minutes=3)
def four_bit_ridge(draw: Draw) -> Drill:
    """4-bit weights: the gain in decode, and where the ridge moves."""
    name, on = draw.one_of(_IN_FOUR_BITS)
    spec, card = llm.model(name), llm.accelerator(on)
    how, width = draw.one_of(_FORMATS)
    far, near = (llm.compute_ridge_batch(card, size) for size in (WIDE, width))
    batch = draw.whole(10, 260)
    draw.require(batch < 0.85 * far and not 0.85 < batch / near < 1.2)
    answer = min(WIDE / width, far / batch)  # reading before, over what the step waits for after
    binds = "arithmetic" if batch > near else "reading"
    weights, flops = spec.parameters, 2 * spec.parameters * batch
    peak, speed = card.peak("bf16"), card.bandwidth_bytes_per_s
    before, reading, computing = WIDE * weights / speed, width * weights / speed, flops / peak
    right = {"arithmetic": "For arithmetic", "reading": "For the reading of weights"}[binds]
    wrong = {"reading": "For arithmetic", "arithmetic": "For the reading of weights"}[binds]
    return draw.drill(f"""
    {spec.name} decodes {batch} streams at a time on {speed_of(card)}, {quantity(peak, "FLOP/s")}
    dense in bf16. So far weights and arithmetic are in bf16. The new checkpoint stores a weight in
    {how}; the products are still done in bf16. Reading and computing go on at the same time, both
    at their rated speed. Contexts are short: leave the caches out, and any arithmetic but that with
    weights.
    ? How many times as fast as now is a decode step then?
    = {answer} tolerance=0.03 telling=3
    - bytes-alone {WIDE / width}: So many times fewer bytes are read. What else does a step of this
      batch take?
    - scales-forgotten {min(4.0, far / batch)}: You store four bits a weight. What is stored beside
      them?
    - arithmetic-alone {far / batch}: You compare with the arithmetic. Which of the two lasts longer
      now?
    - one-operation-per-weight {before / max(reading, computing / 2)}: A weight meets each stream
      with a multiplication and an addition. How many operations is that?
    - added {(before + computing) / (reading + computing)}: You add reading and arithmetic. Do they
      not go on at the same time?
    - nothing 1.0: No gain at all? What does the step wait for in bf16?
    ? What does a step wait for then?
    + {right}
    x {wrong}
    ! Work out both for this batch. Which one lasts longer?
    x For both alike
    ! Set the two times side by side. Are they near each other?
    > A step lasts as long as the longer of two things. How long is each, before and after?
    > max(bytes ÷ bandwidth, 2 × weights × streams ÷ FLOP/s), before over after.
    > {WIDE:g} B ÷ {quantity(speed, "B/s")} against the longer of {width:g} B ÷
      {quantity(speed, "B/s")} and 2 × {batch} FLOP ÷ {quantity(peak, "FLOP/s")}, for each weight.
    * before {before} s: Before: reading, {quantity(before, "s")} (arithmetic
      {quantity(computing, "s")})
    * reading {reading} s: Then reading takes {quantity(reading, "s")}
    * gain {answer}: and arithmetic {quantity(computing, "s")}, as before: {answer:.4g} times as
      fast
    ~ At most the factor by which the bytes of a weight shrink.

    Narrow weights move the batch at which arithmetic binds towards you, by the factor by which they
    shrink. At small batches the gain is that of the bytes; beyond the new ridge it is what
    arithmetic leaves.
    """).then(_narrow_products(card, width, near, far))


def _narrow_products(card, width: float, near: float, far: float) -> Drill:
    how = "fp4" if "fp4" in card.peak_flops else "fp8"
    peak, speed = card.peak(how), card.bandwidth_bytes_per_s
    factor = peak / card.peak("bf16")
    answer = llm.compute_ridge_batch(card, width, how)
    return drill(f"""
    Kernels that do the products in {how} arrive, at {quantity(peak, "FLOP/s")} dense on this card.
    The weights are stored as before.
    ? From how many streams on does a step wait for arithmetic now?
    = {answer} tolerance=0.04 scale=off telling=0
    - products-in-bf16 {near}: That holds for products in bf16. At which rate are they done now?
    - weights-in-bf16 {factor * far}: That is FLOP/s over bandwidth, the batch for two bytes a
      weight. How many are stored?
    - one-operation-per-weight {2 * answer}: A weight meets each stream with a multiplication and an
      addition. How many operations is that?
    - as-in-the-old-days {far}: That is the batch of bf16
      throughout{", and of 8 bits throughout" if factor == 2 else ""}. What has changed on either
      side?
    - scales-forgotten {answer * 0.5 / width}: You store four bits a weight. What is stored beside
      them?
    > At which batch do reading and arithmetic last equally long?
    > Streams = FLOP/s × bytes of a weight ÷ (2 × bandwidth).
    > {quantity(peak, "FLOP/s")} × {width:g} B ÷ (2 × {quantity(speed, "B/s")}).
    * streams {answer}: A stream computes 2 FLOP for {width:g} B of weights, at
      {quantity(peak, "FLOP/s")} and {quantity(speed, "B/s")}: {answer:.4g}
    ~ {factor:.3g} times as many as with products in bf16.

    Streams at the ridge = FLOP/s × bytes ÷ (2 × bandwidth). Narrow storage moves it in, narrow
    arithmetic moves it out again. Whether answers stay good is measured, not assumed.
    """)
