"""One model on several cards: what a step wins, and what the exchange costs at least."""

from labutils import llm
from labutils.drills.catalog._serving import billions, fits, gb, heads, percent, speed_of
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template

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


_MODELS_AND_8B = (*_MODELS, "Llama-3.1-8B")


@template("K01 O14 K05", level=3, decision="estimate", minutes=4)
def exchange_floor(draw: Draw) -> Drill:
    """Tensor parallelism: the floor of an all-reduce, and its share of a step."""
    spec = llm.model(draw.one_of(_MODELS_AND_8B))
    floor, rate = draw.one_of((8, 9, 10, 12, 14, 16, 20)) * 1e-6, draw.one_of((60, 80, 100, 150))
    a_token = 2 * spec.hidden_size
    answer = floor * rate * 1e9 / a_token
    draw.require(answer >= 12)
    return draw.drill(f"""
    {spec.name} ({spec.layers} layers, hidden size {spec.hidden_size:,}) is cut over 8 cards: every
    matrix into eight. A layer ends its attention with an exchange among all cards, and its
    feed-forward with another. What is exchanged is the hidden vector of each token in the step, 2 B
    a value. Measured on these cards: an exchange takes {quantity(floor, "s")} however short its
    message is, plus the message at {rate} GB/s.
    ? How many tokens does a step have when the message takes as long as those
      {quantity(floor, "s")}?
    = {answer} tolerance=0.03 telling=3
    - one-byte {2 * answer}: You send one byte a value. How many has a value?
    - both-exchanges {answer / 2}: You add the messages of both exchanges of a layer. How often does
      each of them begin?
    - per-card {8 * answer}: You cut the message into eight. What does the rate count?
    - all-layers {answer / spec.layers}: You send the messages of all layers at once. How many
      exchanges begin?
    > How long does the message of one token take?
    > floor × rate ÷ (hidden size × bytes of a value).
    > {quantity(floor, "s")} × {rate} GB/s ÷ ({spec.hidden_size:,} × 2 B).
    * message {floor * rate * 1e9} B: In {quantity(floor, "s")} the links carry
      {quantity(floor * rate * 1e9, "B")}
    * one_token {a_token} B: A token has {spec.hidden_size:,} × 2 B = {quantity(a_token, "B")}
    * tokens {answer}: The quotient: {answer:.4g} tokens
    ~ The number of layers, and of exchanges in each, plays no part.

    An exchange of T tokens takes floor + T · hidden · 2 B ÷ rate. Below T = floor · rate ÷ (2 ·
    hidden) the floor decides: decode batches lie there, prefill chunks far beyond.
    """).then(_share(draw, spec, floor, rate, answer))


def _share(draw: Draw, spec, floor: float, rate: int, border: float) -> Drill:
    tokens = draw.one_of((8, 16, 24, 32, 48, 64))
    few = draw.one_of((4, 5, 6, 7)) * 1e-6
    faster = draw.one_of((100, 150, 200, 250))
    read = float(f"{draw.number(4e-3, 3e-2):.2g}")
    message = 2 * tokens * spec.hidden_size
    draw.require(tokens < 0.8 * border and few < floor and faster >= rate)
    once = {
        cards: llm.all_reduce_time_s(message, latency_s=start, rate_bytes_per_s=1e9 * carried)
        for cards, start, carried in ((8, floor, rate), (2, few, faster))
    }
    work = {2: read, 8: read / 4}
    swap = {cards: 2 * spec.layers * seconds for cards, seconds in once.items()}
    step = {cards: work[cards] + swap[cards] for cards in work}
    share = {cards: 100 * swap[cards] / step[cards] for cards in work}
    answer = share[8]
    draw.require(answer > 15 and step[8] < 0.8 * step[2])
    floor_forgotten = 100 / (1 + work[8] / (swap[8] - 2 * spec.layers * floor))
    return draw.drill(f"""
    {tokens} streams decode. On 2 cards of this kind a step works for {quantity(read, "s")} besides
    its exchanges, and 8 cards share that work evenly. Among 2 cards an exchange takes
    {quantity(few, "s")} plus the message at {faster} GB/s. Nothing else is done during an exchange.
    ? Which share of a step on 8 cards goes to exchanges?
    = {answer} % tolerance=0.03 telling=4
    - two-cards {share[2]}: That is the share on 2 cards. What becomes of work and of exchanges on
      8?
    - once-per-layer {100 / (1 + 2 * work[8] / swap[8])}: One exchange a layer: which two parts of a
      layer end with one?
    - over-the-work {100 * swap[8] / work[8]}: You divide by the work alone. What share of the step
      is asked?
    - work-undivided {100 * swap[8] / (read + swap[8])}: A card still does what it did on 2. How
      many do it now?
    - floor-forgotten {floor_forgotten}: Your exchanges begin at once. What do they take however
      short they are?
    - exchange-of-two {100 / (1 + work[8] / swap[2])}: You take the exchange among 2 cards. How long
      is one among 8?
    > How long are all exchanges of a step on 8 cards, and how long is the rest?
    > 2 × layers × (floor + message ÷ rate), over that plus a quarter of the work.
    > 2 × {spec.layers} × ({quantity(floor, "s")} + {quantity(message, "B")} ÷ {rate} GB/s);
      {quantity(read, "s")} ÷ 4.
    * one_exchange {once[8]} s: The message: {tokens} × {spec.hidden_size:,} × 2 B =
      {quantity(message, "B")}; an exchange {quantity(once[8], "s")}
    * exchanges {swap[8]} s: 2 × {spec.layers} of them: {quantity(swap[8], "s")}
    * share {answer} %: Beside {quantity(work[8], "s")} of work: {answer:.3g} %; on 2 cards it is
      {share[2]:.3g} %
    ~ More than the {share[2]:.3g} % on 2 cards: less work, and longer exchanges.

    Cutting divides the work and lengthens the exchange, so their share grows from both sides. With
    short messages faster links change little; fewer exchanges, or kernels that begin sooner, do.
    """).then(_paid(step))


def _paid(step: dict[int, float]) -> Drill:
    answer = 4 * step[8] / step[2]
    return drill(f"""
    Finance asks what a token costs, by the cards that it occupies.
    ? How many times as much card time does a step take on 8 cards as on 2?
    = {answer} tolerance=0.03 telling=0
    - four-times 4.0: Four times the cards; but for how long does each step have them?
    - the-same 1.0: The same? Which part of a step was not divided?
    - time-alone {step[8] / step[2]}: That compares the times of a step. How many cards does each of
      them hold?
    - upside-down {1 / answer}: You divide the 2 cards by the 8.
    > Card time of a step = cards × time.
    > 8 × step on 8 ÷ (2 × step on 2).
    > 8 × {quantity(step[8], "s")} ÷ (2 × {quantity(step[2], "s")}).
    * on_8 {8 * step[8]} s: On 8: 8 × {quantity(step[8], "s")}
    * on_2 {2 * step[2]} s: On 2: 2 × {quantity(step[2], "s")}
    * ratio {answer}: The ratio: {answer:.4g}
    ~ Between 1 and 4: the step on 8 cards is shorter, and not to a quarter.

    The step is {step[2] / step[8]:.3g} times as fast and takes {answer:.3g} times the card time.
    Cut as far as the promise on time per token asks for, and no farther; replicas bring the rest of
    the throughput.
    """)
