"""What the weights of a checkpoint occupy."""

from labutils import llm
from labutils.drills.catalog._serving import GB, GIB, a, billions, gb, percent
from labutils.drills.definition.writing import Draw, Drill, template

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
