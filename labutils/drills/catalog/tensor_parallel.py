"""One model on several cards: what a decode step wins and what the exchange costs."""

from labutils import llm
from labutils.drills.catalog._serving import billions, fits, gb, heads, percent, speed_of
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_MODELS = ("Llama-3.1-70B", "Qwen2.5-72B", "Qwen3-32B")  # 8 KV heads: at most 8 cards
_CARDS = ("A100 80 SXM", "H100 SXM", "H200 SXM", "B200")


@template("K01 O14", level=3, decision="estimate", number=39, minutes=4)
def tensor_parallel(draw: Draw) -> Drill:
    """A decode step under tensor parallelism."""
    spec, card = llm.model(draw.one_of(_MODELS)), llm.accelerator(draw.one_of(_CARDS))
    devices, batch = draw.one_of((2, 4, 8)), draw.one_of((1, 4, 8, 16, 32, 64))
    context, reached = draw.one_of((1000, 2000, 4000)), draw.share(0.6, 0.85)
    caches = batch * spec.kv_bytes(context)
    draw.require(fits(spec, card, devices, caches))
    ring = llm.ring_rate(card.link_bytes_per_s / 2, devices)
    link = {
        "latency_s": draw.one_of((10e-6, 12e-6, 15e-6, 18e-6, 20e-6)),
        "rate_bytes_per_s": draw.one_of([x for x in (100e9, 150e9, 200e9, 250e9) if x < ring]),
    }
    given = {"bandwidth_share": reached, **link}
    step = llm.tensor_parallel_step(spec, card, batch, context, num_devices=devices, **given)
    answer, message = step.time_s, 2 * batch * spec.hidden_size
    once = llm.all_reduce_time_s(message, **link)
    rate = reached * card.bandwidth_bytes_per_s
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} {spec.name} ({billions(spec)}, {heads(spec)}, hidden size
    {spec.hidden_size:,}) in bf16, cache included; every matrix is cut into {devices}, one part on
    each {speed_of(card).split(" ", 1)[1]}, whose kernels reach {percent(reached)} of it. {batch}
    {"sequences decode" if batch > 1 else "sequence decodes"} with {context:,} tokens of
    context{" each" * (batch > 1)}. In every layer attention ends with an exchange, and so does
    feed-forward: the message is one hidden vector for each sequence, 2 B a value. An exchange takes
    {quantity(link["latency_s"], "s")} plus the time of its message at
    {quantity(link["rate_bytes_per_s"], "B/s")}.

    ? How long does a decode step take at least?
    = {answer} s tolerance=0.05 telling=2
    - exchange-forgotten {step.reading_s}: You let the cards work alone. What does each layer wait
      for?
    - one-card {devices * step.reading_s + step.reducing_s}: One card reads everything in your sum.
      How are the matrices cut?
    - data-sheet {step.reading_s * reached + step.reducing_s}: You take the whole bandwidth of the
      data sheet. What do the kernels reach?
    - once-per-layer {step.reading_s + step.reducing_s / 2}: One exchange a layer: which two parts
      of a layer end with one?
    - all-divided {(step.reading_s * devices + step.reducing_s) / devices}: You divide the exchanges
      by the cards as well. Do they get shorter with more cards?
    > What does one card read, and how often does it wait for the others?
    > (W + B · C · kv) / (t · BW · share) + 2 · layers · (latency + message / rate).
    > ({gb(spec.weight_bytes())} + {gb(caches)}) / ({devices} × {quantity(rate, "B/s")}) + 2 ×
      {spec.layers} × ({quantity(link["latency_s"], "s")} + {quantity(message, "B")} /
      {quantity(link["rate_bytes_per_s"], "B/s")}).
    * reading {step.reading_s} s: Reading: ({gb(spec.weight_bytes())} + {gb(caches)}) / ({devices} ×
      {quantity(rate, "B/s")}) = {quantity(step.reading_s, "s")}
    * one_exchange {once} s: One exchange: {batch} × {spec.hidden_size:,} × 2 B =
      {quantity(message, "B")}, {quantity(once, "s")}
    * exchanges {step.reducing_s} s: 2 × {spec.layers} of them: {quantity(step.reducing_s, "s")}
    * step {answer} s: Together {quantity(answer, "s")}
    ~ More than the {quantity(step.reading_s, "s")} in which a card reads its part.

    Step = bytes / (t · BW) + 2L · (α + message / β): reading shrinks with the cards, the exchanges
    do not. At the small messages of decoding they depend on the latency of the link more than on
    its bandwidth.
    """).then(_other_count(draw, spec, card, batch, context, devices, given, step))


_OPENINGS = (
    "One card is too slow for the interactive tier, or too small.",
    "The architecture review asks what the next server would bring.",
    "A vendor quotes a time per token for a node, and you ask what physics allows.",
)


def _other_count(
    draw: Draw, spec, card, batch: int, context: int, devices: int, given: dict, step
) -> Drill:
    wide = devices < spec.num_kv_heads
    other = 2 * devices if wide else devices // 2
    draw.require(fits(spec, card, other, batch * spec.kv_bytes(context)))
    after = llm.tensor_parallel_step(spec, card, batch, context, num_devices=other, **given)
    few, many = (step, after) if wide else (after, step)
    fewer, more = min(devices, other), max(devices, other)
    gain = few.time_s / many.time_s
    return draw.drill(f"""
    Somebody compares {fewer} cards with {more}. An exchange takes as long with either. With {fewer}
    a step takes {quantity(few.time_s, "s")}, {quantity(few.reducing_s, "s")} of it exchanges.

    ? How many times as fast is a step on {more} cards as on {fewer}?
    = {gain} tolerance=0.05 telling=0
    - all-halves {more / fewer}: Twice the cards, half of everything? What stays as long as it was?
    - nothing 1.0: No gain at all? Which part of a step becomes shorter?
    - upside-down {1 / gain}: You divide the new by the old.
    > Which part of the step halves?
    > (reading + exchanges) / (reading / 2 + exchanges).
    > {quantity(few.time_s, "s")} / ({quantity(few.reading_s, "s")} / 2 +
      {quantity(few.reducing_s, "s")}).
    * step {many.time_s} s: On {more}: {quantity(many.time_s, "s")}
    * gain {gain}: {quantity(few.time_s, "s")} / {quantity(many.time_s, "s")} = {gain:.4g}
    ~ Between 1 and 2.

    {gain:.3g} times as fast on twice the cards: each card delivers {percent(gain / 2)} of the
    tokens that it did. Cards in parallel buy latency; replicas buy throughput.
    """)
