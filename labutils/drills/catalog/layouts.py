"""Eight cards and one model: cut the matrices, deal the layers, or run copies."""

from dataclasses import dataclass

from labutils import llm
from labutils.drills.catalog._serving import billions, fits, gb, heads, percent, reaches
from labutils.drills.definition.writing import Draw, Drill, choice, quantity, template

_PAIRS = (
    ("Llama-3.1-70B", "H100 SXM"), ("Qwen2.5-72B", "H100 SXM"), ("Llama-3.1-70B", "A100 80 SXM"),
    ("Qwen2.5-72B", "H200 SXM"), ("Llama-3.1-70B", "H200 SXM"),
)  # fmt: skip
# Where the cards stand, and for 4 and for 8 of them the latency of an exchange in µs and the rate
# of its message in GB/s.
_HOUSES = (
    ("in one host, all linked to all", ((15, 200), (15, 200))),
    ("in one host, all linked to all", ((12, 250), (12, 250))),
    ("in two hosts of 4, with a network between the hosts", ((12, 250), (90, 25))),
    ("in two hosts of 4, with a network between the hosts", ((15, 200), (120, 20))),
)
_LAYOUTS = {
    8: "one copy, every matrix cut into 8",
    4: "two copies, each on 4 cards, every matrix cut into 4",
    2: "four copies, each on 2 cards, every matrix cut into 2",
    1: "one copy, whole layers dealt to the 8 cards, which a token passes one after another",
}


@dataclass(frozen=True)
class _Hall:
    """A model on eight cards, and the streams that share them."""

    spec: llm.ModelSpec
    card: llm.Accelerator
    streams: int
    context: int
    reached: float
    links: tuple[tuple[float, float], tuple[float, float]]

    @property
    def rate(self) -> float:
        return self.reached * self.card.bandwidth_bytes_per_s

    def link(self, cards: int) -> dict[str, float]:
        latency, rate = self.links[cards == 8]
        return {"latency_s": latency * 1e-6, "rate_bytes_per_s": rate * 1e9}

    def step(self, cards: int, *, streams: int | None = None, reached: float | None = None):
        """A step of one copy on ``cards`` cards, the streams dealt evenly to the copies."""
        return llm.tensor_parallel_step(
            self.spec,
            self.card,
            streams or self.streams * cards // 8,
            self.context,
            num_devices=cards,
            bandwidth_share=reached or self.reached,
            **self.link(cards),
        )

    def holds(self, cards: int) -> bool:
        cached = self.streams * cards // 8 * self.spec.kv_bytes(self.context)
        return fits(self.spec, self.card, cards, cached)


@template("K01 K02 K06 O14", level=4, decision="commit", form="verdict", minutes=5, rough=False)
def layout_of_eight(draw: Draw) -> Drill:
    """Tensor parallelism, pipeline or replicas: which keeps the time per token."""
    where, links = draw.one_of(_HOUSES)
    name, on = draw.one_of(_PAIRS)
    hall = _Hall(
        spec=llm.model(name),
        card=llm.accelerator(on),
        streams=draw.one_of((64, 96, 128, 160)),
        context=draw.one_of((1500, 2000, 3000, 4000)),
        reached=draw.one_of((0.65, 0.7, 0.75, 0.8)),
        links=links,
    )
    spec, one = hall.spec, hall.spec.weight_bytes() / hall.rate
    draw.require(hall.holds(8) and hall.holds(4))
    steps = {cards: hall.step(cards) for cards in (8, 4)}
    best, other = sorted(steps, key=lambda cards: steps[cards].time_s)
    answer, loser = steps[best].time_s, steps[other].time_s
    pair = hall.step(2, streams=max(1, hall.streams // 4)).reading_s  # links only make it longer
    limit = float(f"{answer * draw.one_of((1.08, 1.12)):.2g}")
    draw.require(1.04 * answer < limit < 0.93 * min(loser, pair, one))
    used, message = steps[best], 2 * hall.streams * best // 8 * spec.hidden_size
    link = hall.link(best)
    step = hall.step(best)
    caches_forgotten = hall.spec.weight_bytes() / (best * hall.rate) + step.reducing_s
    return draw.drill(f"""
    8 × {hall.card.name} ({hall.card.memory_bytes / 1e9:g} GB of 10⁹ bytes and
    {hall.card.bandwidth_bytes_per_s / 1e12:g} TB/s each; 0.9 of the memory for weights and caches,
    kernels reach {percent(hall.reached)} of the bandwidth) stand {where}. They are to serve
    {spec.name} ({billions(spec)}, {heads(spec)}, hidden size {spec.hidden_size:,}) in bf16, cache
    included: {hall.streams} streams at once in all, {hall.context:,} tokens of context each, dealt
    evenly to the copies. No stream may wait longer than {quantity(limit, "s")} for its next token.
    {_words_for(links)} A layer ends attention with one exchange and feed-forward with another; the
    message is one hidden vector for each stream of the copy, 2 B a value. Steps wait for memory.
    ? How long is a decode step, at least, in the layout that keeps the promise?
    = {answer} s tolerance=0.03 telling=4
    - exchanges-forgotten {step.reading_s}: You let the cards work alone. What does each layer wait
      for?
    - once-per-layer {step.reading_s + step.reducing_s / 2}: One exchange a layer: which two parts
      of a layer end with one?
    - caches-forgotten {caches_forgotten}: You read the weights alone. What does each stream add to
      the reading?
    - data-sheet {hall.step(best, reached=1.0).time_s}: You take the whole bandwidth of the data
      sheet. What do the kernels reach?
    - all-streams-in-each-copy {hall.step(best, streams=hall.streams).time_s}: You give each copy
      all the streams. How are they dealt?
    - other-layout {loser}: That is a step of another layout, and it does not keep the promise.
    - one-card-reads {best * step.reading_s + step.reducing_s}: One card reads everything in your
      sum. How are the matrices cut?
    ? Which layout keeps the promise?
    {_choice(best)}
    > For each layout: what does a card read in a step, and how long are the exchanges?
    > Step = (W + streams of the copy × context × kv) ÷ (cards of the copy × rate) + 2 × layers ×
      (latency + message ÷ link).
    > ({gb(spec.weight_bytes())} + {hall.streams * best // 8} × {gb(spec.kv_bytes(hall.context))}) ÷
      ({best} × {quantity(hall.rate, "B/s")}) + 2 × {spec.layers} ×
      ({quantity(link["latency_s"], "s")} + {quantity(message, "B")} ÷
      {quantity(link["rate_bytes_per_s"], "B/s")}), if you chose {best} cards to a copy.
    . Dealt by layers, a token waits for all weights in turn: {quantity(one, "s")}; with 2 cards to
      a copy a step takes {quantity(pair, "s")} or more. Both are too slow.
    * reading {used.reading_s} s: {best} cards to a copy read for {quantity(used.reading_s, "s")}
    * exchanges {used.reducing_s} s: and exchange for {quantity(used.reducing_s, "s")}
    * step {answer} s: Together {quantity(answer, "s")}; with {other} cards to a copy
      {quantity(loser, "s")}
    ~ Less than {quantity(limit, "s")}, or it would not keep the promise.

    Cut matrices as far as the fast links reach: reading shrinks with the cards, an exchange over a
    slow link costs more than it saves. Beyond the links run copies. A pipeline adds room and
    throughput, never a shorter time per token.
    """).then(_longer(draw, hall, best, used))


def _words_for(links) -> str:
    (near, near_rate), (far, far_rate) = links
    if links[0] == links[1]:
        return (
            f"An exchange takes {near} µs plus the time of its message at {near_rate} GB/s, "
            "among any number of cards."
        )
    return (
        f"An exchange within a host takes {near} µs plus the time of its message at {near_rate} "
        f"GB/s; one among all 8 cards takes {far} µs plus the message at {far_rate} GB/s."
    )


def _choice(best: int) -> str:
    why_not = {
        8: "What does every exchange cost across the network, and how many has a step?",
        4: "Each copy reads all weights with 4 cards. How long, and could 8 cards share that?",
        2: "Weights and caches of a copy on 2 cards: do they fit, and how long is the reading?",
        1: "A token needs all layers, one after the other. How long does one card at a time read?",
    }
    wrong = {text: why_not[cards] for cards, text in _LAYOUTS.items() if cards != best}
    return choice(_LAYOUTS[best], wrong)


def _longer(draw: Draw, hall: _Hall, best: int, before) -> Drill:
    longer = _Hall(hall.spec, hall.card, hall.streams, 2 * hall.context, hall.reached, hall.links)
    draw.require(longer.holds(best) and reaches(hall.spec, longer.context))
    after, spec = longer.step(best), hall.spec
    streams = hall.streams * best // 8
    weights, caches = spec.weight_bytes(), streams * spec.kv_bytes(longer.context)
    parts = {
        "Reading the weights": weights / (best * hall.rate),
        "Reading the caches": caches / (best * hall.rate),
        "The exchanges": after.reducing_s,
    }
    first, second, _ = sorted(parts, key=parts.get, reverse=True)
    draw.require(parts[first] > 1.15 * parts[second])
    against = {
        "Reading the weights": "Set the bytes of the weights against those of all the caches.",
        "Reading the caches": "Streams × context × cache of a token: is that more than the rest?",
        "The exchanges": "Multiply it out: exchanges of a step times the time of one.",
    }
    answer = after.time_s
    return draw.drill(f"""
    And now the context doubles: {longer.context:,} tokens each, as many streams, in the layout with
    {best} cards to a copy.
    ? How long is a decode step now?
    = {answer} s tolerance=0.03 telling=0
    - all-doubles {2 * before.time_s}: Everything doubles in your answer. Do the weights, or the
      messages?
    - unchanged {before.time_s}: That is the old step. What has grown?
    - reading-doubles {2 * before.reading_s + before.reducing_s}: You double the whole reading.
      Which part of it are the weights?
    - exchanges-forgotten {after.reading_s}: You let the cards work alone. What does each layer wait
      for?
    ? Which part of a step is the longest now?
    {choice(first, {text: against[text] for text in parts if text != first})}
    > Of weights, caches and exchanges, which grow with the context?
    > The old step + the old caches once more ÷ (cards × rate).
    > {quantity(before.time_s, "s")} + {streams} × {gb(spec.kv_bytes(hall.context))} ÷ ({best} ×
      {quantity(hall.rate, "B/s")}).
    * caches {caches} B: Caches of a copy: {streams} × {gb(spec.kv_bytes(longer.context))} =
      {gb(caches)}
    * step {answer} s: ({gb(weights)} + {gb(caches)}) ÷ ({best} × {quantity(hall.rate, "B/s")}) +
      {quantity(after.reducing_s, "s")} = {quantity(answer, "s")}
    ~ Between {quantity(before.time_s, "s")} and twice that.

    Weights are read once for all streams of a copy, caches once for each, and messages do not know
    the context. What binds a layout at one context need not bind it at twice that.
    """)
