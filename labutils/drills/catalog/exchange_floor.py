"""Matrices cut over 2 and over 8 cards: when a message counts, and what the floor of each costs."""

from labutils import llm
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template

_MODELS = ("Llama-3.1-70B", "Qwen2.5-72B", "Qwen3-32B", "Llama-3.1-8B")  # 8 KV heads


@template("K01 O14 K05", level=3, decision="estimate", minutes=4)
def exchange_floor(draw: Draw) -> Drill:
    """Tensor parallelism: the floor of an all-reduce, and its share of a step."""
    spec = llm.model(draw.one_of(_MODELS))
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
