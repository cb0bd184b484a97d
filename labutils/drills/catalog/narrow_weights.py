"""What narrower weights take off a decode step, and off a prefill."""

from labutils import llm
from labutils.drills.catalog._serving import billions, binary, cards, fits, gb, heads, served
from labutils.drills.definition.writing import Draw, Drill, piece, template

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
