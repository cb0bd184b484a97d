"""What the weights of a checkpoint occupy, and what narrower ones take off a step."""

from labutils import llm
from labutils.drills.catalog._serving import (
    GB,
    GIB,
    a,
    billions,
    binary,
    cards,
    fits,
    gb,
    heads,
    percent,
    served,
)
from labutils.drills.definition.writing import Draw, Drill, piece, template

_MODELS = (
    "Llama-2-13B", "Llama-3.1-8B", "Llama-3.1-70B", "Llama-3.1-405B", "Llama-3.2-3B",
    "Qwen2.5-7B", "Qwen2.5-72B", "Qwen3-8B", "Qwen3-32B", "Phi-4", "Gemma-2-27B",
    "Mixtral-8x7B", "Qwen3-30B-A3B", "Qwen3-235B-A22B", "DeepSeek-V3",
)  # fmt: skip
# How a checkpoint stores a weight: bits, group of weights that share a scale, bits of the scale.
_FORMATS = {
    "bf16": (16, None, 16),
    "fp8, the scales not worth counting": (8, None, 16),
    "int4 with a 16-bit scale for every 128 weights": (4, 128, 16),
    "4-bit blocks of 32 weights with a 16-bit scale each": (4, 32, 16),
    "MXFP4, 4 bits and an 8-bit scale for every 32 weights": (4, 32, 8),
}
_CARDS = ("L4", "A100 40 SXM", "A100 80 SXM", "H100 SXM", "H200 SXM", "MI300X", "B200")


@template("G06 C20", level=1, decision="estimate", number=5)
def weight_memory(draw: Draw) -> Drill:
    """The memory of the weights, in GB and in GiB."""
    spec, kind = llm.model(draw.one_of(_MODELS)), draw.one_of(list(_FORMATS))
    bits, group, scale = _FORMATS[kind]
    width = llm.stored_bytes_per_weight(bits, group=group, scale_bits=scale)
    unit, size = draw.one_of((("GB (10⁹ bytes)", GB), ("GiB (2³⁰ bytes)", GIB)))
    answer = spec.weight_bytes(width)
    return draw.drill(f"""
    {_asked(draw, spec)} The checkpoint is {kind}; count every weight so.
    ? How much memory do the weights take, in {unit}? Write the unit.
    = {answer} B tolerance=0.01 telling=2
    - gb-gib {answer / GIB * GB if size == GIB else answer * (GIB / GB)}: Your figure is the right
      one in the other unit: 10⁹ and 2³⁰ differ by 7 %. Which of them stands behind your number?
    - active-only {answer * spec.active_parameters / spec.parameters}: You store what one token
      uses. Where do the experts wait that it does not use?
    - bits-as-bytes {8 * answer}: Eight times too much: are your bits bytes?
    - scales-forgotten {spec.weight_bytes(bits / 8)}: You count the weights without their scales.
      How many bits does a group store besides?
    - sixteen-bits {spec.weight_bytes(2)}: That is the checkpoint in 16 bits. In which format is
      this one stored?
    > How many weights have to lie in memory, and how many bytes is one?
    > parameters × bytes per weight; a group of weights shares one scale.
    > {spec.parameters / 1e9:.4g}e9 × {width:.6g} B, then divided by
      {"10⁹" if size == GB else "2³⁰"}.
    * bytes_a_weight {width} B: {_width_line(bits, group, scale, width)}
    * weights {answer} B: {billions(spec)} × {width:.6g} B = {answer / GB:.4g} GB =
      {answer / GIB:.4g} GiB
    ~ In 16 bits a billion parameters are 2 GB, in 8 bits 1 GB, in 4 bits half a GB.

    Weight memory = parameters · bytes per weight, and every parameter counts: experts that a token
    does not visit too. A GiB is 7 % more than a GB, so the figure in GiB is 7 % smaller; say which
    one you mean.
    """).then(_what_is_left(draw, spec, answer))


def _asked(draw: Draw, spec) -> str:
    visited = f", of which a token uses {spec.active_parameters / 1e9:.4g} billion"
    facts = f"{spec.name} has {billions(spec)}{visited if spec.experts else ''}."
    return draw.one_of(
        (
            f"Procurement wants to know today which card to order. {facts}",
            f"A colleague asks in the corridor whether the model will load at all. {facts}",
            f"You write the sizing page for the next launch. {facts}",
        )
    )


def _width_line(bits, group, scale, width: float) -> str:
    if group is None:
        return f"{bits} bits a weight are {width:g} B"
    return f"({bits} + {scale}/{group}) bits a weight are {width:.6g} B"


def _what_is_left(draw: Draw, spec, weights: float) -> Drill:
    large = [c for c in map(llm.accelerator, _CARDS) if 0.9 * c.memory_bytes > 1.1 * weights]
    card = large[0] if large else llm.accelerator("B200")
    count = 1
    while 0.9 * count * card.memory_bytes < 1.1 * weights:
        count *= 2
    usable = draw.one_of((0.8, 0.85, 0.88, 0.9))
    memory = count * card.memory_bytes
    left = usable * memory - weights
    draw.require(left > 0.1 * weights)
    where = f"{count} × {card.name}, each of" if count > 1 else f"{a(card.name)} of"
    return draw.drill(f"""
    It goes on {where} {card.memory_bytes / GB:g} GB, of which the server may take
    {percent(usable)}. Weights and caches are all that it stores.
    ? How much memory is left for caches, in GB, all cards together?
    = {left} B tolerance=0.02 telling=5
    - all-of-it {memory - weights}: You use every byte of the card. What share may the server take?
    - share-of-the-rest {usable * (memory - weights)}: You take the share of what the weights leave.
      Of what does the server take its share?
    - weights-forgotten {usable * memory}: That is what the server may take. What has it taken
      already?
    - gib-card {usable * memory * GIB / GB - weights}: You count the memory in GiB and the weights
      in GB. In which unit is the card given?
    - gib-weights {usable * memory - weights * GB / GIB}: You take the weights in GiB from a memory
      in GB. In which unit is the card given?
    > What may be used, less what is used.
    > share × memory − weights.
    > {usable:g} × {gb(memory)} − {gb(weights)}.
    . May be used: {usable:g} × {gb(memory)} = {gb(usable * memory)}
    * left {left} B: Left: {gb(usable * memory)} − {gb(weights)} = {gb(left)}
    ~ Less than {gb(memory)} minus the weights: the server may not take all of it.

    What is left is a small difference of large numbers: a mistake of 7 % in the memory is a far
    larger one in the caches, and so in the batch.
    """)


# What people call it, bytes a weight.
_SCHEMES = (
    ("int8 (W8A16)", llm.stored_bytes_per_weight(8)),
    ("4 bits with a 16-bit scale for every 128 weights (W4A16)",
     llm.stored_bytes_per_weight(4, group=128)),
    ("4 bits with a 16-bit scale for every 32 weights (W4A16)",
     llm.stored_bytes_per_weight(4, group=32)),
)  # fmt: skip


@template("H04 G06", level=3, decision="limit", number=38, rough=False)
def narrow_weights(draw: Draw) -> Drill:
    """Weight-only quantisation and the decode step."""
    spec, card, count = served(draw)
    batch, context = draw.one_of((1, 4, 8, 16, 24, 32, 48, 64)), draw.whole(500, 9000)
    how, width = draw.one_of(_SCHEMES)
    caches = batch * spec.kv_bytes(context)
    draw.require(fits(spec, card, count, caches) and caches > 0.12 * spec.weight_bytes())
    draw.require(_waits_for_memory(spec, card, batch, context, width))
    answer = llm.decode_bytes_ratio(spec, batch, context, bytes_per_weight=width)
    before, after = spec.weight_bytes(), spec.weight_bytes(width)
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} {spec.name} ({billions(spec)}, {heads(spec)}) on {cards(card, count)},
    so far all in bf16. Its weights are to be stored in {how}, {width:.6g} B a weight; the cache
    stays in bf16. {batch} {"sequences decode" if batch > 1 else "sequence decodes"} with
    {context:,} tokens of context. Steps wait for memory, now and after the change.
    ? How many times as fast as now is a decode step then, at best?
    = {answer} tolerance=0.05 telling=3
    {_mistakes(spec, batch, context, before, after)}
    > Which of the bytes of a step become fewer, and which stay?
    > (W + B · C · kv) before / (W′ + B · C · kv) after.
    > ({gb(before)} + {gb(caches)}) / ({gb(after)} + {gb(caches)}).
    * caches {caches} B: Caches: {batch} × {context:,} × {binary(spec.kv_bytes_per_token())} =
      {gb(caches)}, before and after
    * weights_after {after} B: Weights: {gb(before)} before, {gb(after)} after
    * gain {answer}: {gb(before + caches)} / {gb(after + caches)} = {answer:.4g}
    ~ Less than {before / after:.3g}, the factor by which the weights alone shrink.

    Weight-only quantisation divides the weight bytes and leaves the cache: the longer the contexts
    and the larger the batch, the smaller its gain. Unpacking is taken to be free, which it is only
    with good kernels.
    """).then(_prefill_too(draw, spec, answer, before / after))


_OPENINGS = (
    "A vendor promises that the smaller checkpoint will run as much faster as it is smaller.",
    "The quantised checkpoint has passed the quality gate, and product asks what it brings.",
    "Two levers are on the table, and you are to say what the first one is worth.",
)


def _waits_for_memory(spec, card, batch: int, context: int, width: float) -> bool:
    step = llm.decode_step(
        spec, card, batch, context, bytes_per_weight=width, bandwidth_share=0.8, flops_share=0.7
    )
    return step.binding == "bytes"


def _mistakes(spec, batch: int, context: int, before: float, after: float):
    caches, ratio = batch * spec.kv_bytes(context), before / after
    return piece(f"""
    - weights-alone {ratio}: That is how much the weights shrink. What else does a step read?
    - upside-down {(after + caches) / (before + caches)}: That is the new time over the old one.
      Which ratio was asked for?
    - caches-alone {(before + caches) / (before + caches / ratio)}: You shrink the cache and keep
      the weights. Which of them is stored in fewer bits?
    - one-cache {(before + caches / batch) / (after + caches / batch)}: You read one cache. How many
      sequences are in the step?
    - nothing 1.0: No gain at all? Then none of the bytes would be weights.
    """)


def _prefill_too(draw: Draw, spec, decode: float, shrunk: float) -> Drill:
    prompt = draw.one_of((3000, 4000, 6000, 8000))
    return draw.drill(f"""
    A slide claims the same gain for the time to first token. A prompt has {prompt:,} tokens.
    ? How many times as fast is its prefill with the narrow weights, at best?
    = 1.0 tolerance=0.05 scale=off telling=0
    - as-the-weights {shrunk}: That much fewer bytes are read. Is it bytes that a prefill waits for?
    - as-decode {decode}: That is the decode step's gain. What does a prefill wait for?
    ? Why?
    + the products are still done in bf16, and prefill waits for them
    x fewer bytes are to be read, and prefill reads all weights
    ! How often are the weights read for a prompt of thousands of tokens, and how long does that
      take beside the arithmetic?
    x attention is quadratic, and quantisation leaves it alone
    ! At this length attention is a small part. What is done with the weights, and in which
      precision?
    x narrow weights are multiplied at twice the rate or better
    ! A16 says in which precision the products are done. Which peak is that?
    > What binds a prefill of thousands of tokens, bytes or operations?
    > Operations over the peak of the precision in which products are done.
    > Operations before and after: the same. Peak before and after: bf16.
    . 2 × {spec.parameters / 1e9:.4g}e9 × {prompt:,} operations, before and after.
    * gain 1.0: In bf16 before and after: as fast as it was.
    ~ No operation is saved by storing a weight in fewer bits.

    Weight-only schemes are a lever for decode. Prefill gains where the arithmetic itself is narrow:
    W8A8 or fp8 on cards with a faster rate for them.
    """)
