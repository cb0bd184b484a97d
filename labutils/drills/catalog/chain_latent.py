"""One compressed vector a token: what it weighs, and how eight cards should share it."""

from labutils import llm
from labutils.drills.catalog._decode_scene import USED
from labutils.drills.catalog._serving import gb
from labutils.drills.definition.writing import Draw, Drill, positive, template

_SHELVES = (
    ("DeepSeek-V3", "H200 SXM"), ("DeepSeek-V3", "B200"), ("DeepSeek-V3", "MI300X"),
    ("DeepSeek-V2", "H100 SXM"), ("DeepSeek-V2", "H200 SXM"),
)  # fmt: skip
_WIDTHS = {"bf16": 2, "fp8": 1}
CARDS = 8


@template("B22 D09 K01 K07", level=3, decision="limit", form="chain", minutes=6)
def chain_latent(draw: Draw) -> Drill:
    """Latent attention: bytes of a token, then what eight cards hold of it."""
    name, on = draw.one_of(_SHELVES)
    spec, card = llm.model(name), llm.accelerator(on)
    how, context = draw.one_of(list(_WIDTHS)), draw.whole(4000, 60000)
    latent, width = spec.latent, _WIDTHS[how]
    token = spec.kv_bytes_per_token(width)
    answer = context * token
    many = 2 * spec.num_heads * spec.head_dim * spec.layers * width * context
    rotated_key_forgotten = answer * latent.rank / (latent.rank + latent.rope_dim)
    return draw.drill(f"""
    {spec.name} has {spec.layers} layers and {spec.num_heads} attention heads with keys and values
    of {spec.head_dim} numbers. For each token a layer keeps one compressed vector of {latent.rank}
    numbers, from which it makes the keys and the values of all heads, and one rotated key of
    {latent.rope_dim} numbers, which all heads share. The cache is in {how}. A sequence has
    {context:,} tokens.
    ? How many bytes does its cache take?
    = {answer} B tolerance=0.02 telling=0
    - keys-and-values {2 * answer if how == "fp8" else None}: Twice too much: a key and a value
      each, or two bytes a number in fp8. From what are both made here, and how wide is a number?
    - keys-and-values {None if how == "fp8" else 2 * answer}: You count a key and a value. From what
      are both made here?
    - every-head {many}: You keep keys and values of every head. What is kept instead of them?
    - compressed-for-each-head {answer * spec.num_heads}: Every head has a vector of its own in your
      cache. How many are kept?
    - rotated-key-forgotten {rotated_key_forgotten}: You count the compressed vector alone. What is
      kept beside it?
    - one-layer {answer / spec.layers}: That is one layer. How many keep a cache?
    > What does one layer keep of one token?
    > Tokens × layers × (compressed + rotated) × bytes of a value.
    > {context:,} × {spec.layers} × ({latent.rank} + {latent.rope_dim}) × {width} B.
    * token {token} B: A token: {spec.layers} × ({latent.rank} + {latent.rope_dim}) × {width} B =
      {token:,.0f} B
    * cache {answer} B: {context:,} × {token:,.0f} B = {gb(answer)}
    ~ Far less than the {gb(many)} that keys and values of all heads would take.

    Multi-head latent attention (DeepSeek-V2, 2024) caches layers × (rank + rope) values a token,
    for any number of heads: {many / answer:.3g} times fewer here.
    """).then(_by_heads(draw, spec, card, context, answer))


def _floor(exact: float, draw: Draw) -> int:
    """Rounded down, where no rounding of the printed figures changes it."""
    draw.require(0.05 < exact % 1 < 0.95)
    return int(exact)


def _billions(count: float) -> float:
    return float(f"{count / 1e9:.4g}") * 1e9


def _by_heads(draw: Draw, spec, card, context: int, sequence: float) -> Drill:
    weights, usable = _billions(spec.parameters), USED * card.memory_bytes
    room = usable - weights / CARDS
    exact = room / sequence
    draw.require(exact > 5)
    answer = _floor(exact, draw)
    return draw.drill(f"""
    The model has {weights / 1e9:.4g} billion weights, in fp8. It runs on {CARDS} × {card.name},
    {card.memory_bytes / 1e9:g} GB of 10⁹ bytes each, 0.9 of that for weights and caches. All
    weights are cut evenly into {CARDS}, attention by heads: each card computes its own heads, for
    all sequences. So each card keeps the compressed vectors and rotated keys of every sequence.
    ? How many sequences of {context:,} tokens fit?
    = {answer} tolerance=0 absolute=1 unsafe=above telling=0
    - cache-cut-too {positive(int(CARDS * exact))}: You divide the caches by the cards. Which card
      can do without a sequence's vector?
    - weights-forgotten {positive(int(usable / sequence))}: You give all the memory to caches. What
      else lies on each card?
    - whole-card {positive(int((room + card.memory_bytes - usable) / sequence))}: You use the whole
      card. Which part of it is for weights and caches?
    - two-bytes-a-weight {positive(int((room - weights / CARDS) / sequence))}: Your weights have two
      bytes. Which format are they in?
    > Look at one card: what does it hold of the weights, and what of the caches?
    > ⌊(0.9 × memory − weights ÷ cards) ÷ cache of a sequence⌋: every card holds all.
    > ({gb(usable)} − {gb(weights)} ÷ {CARDS}) ÷ {gb(sequence)}.
    * room {room} B: Room on a card: {gb(usable)} − {gb(weights / CARDS)} = {gb(room)}
    * sequences {answer}: ÷ {gb(sequence)}, rounded down: {answer:,}
    ~ What one card holds of caches, all hold: seven of the eight copies bring nothing.

    A latent has no heads to deal out. Tensor parallelism copies it to each card, and the saving is
    lost again as often as there are cards.
    """).then(_by_sequences(draw, spec, weights, usable, context, sequence, answer))


def _by_sequences(draw: Draw, spec, weights, usable, context, sequence, before: int) -> Drill:
    experts = _billions(spec.expert_parameters)
    rest = weights - experts
    held = rest + experts / CARDS
    room = usable - held
    draw.require(room > 3 * sequence)
    answer = CARDS * _floor(room / sequence, draw)
    copies_for_nothing = float(CARDS * int((usable - weights / CARDS) / sequence))
    return draw.drill(f"""
    Somebody proposes another cut. {experts / 1e9:.4g} billion of the weights are in routed experts:
    those are dealt evenly to the {CARDS} cards. Each card gets a copy of everything else, and
    computes attention for sequences of its own, with all heads. So the cache of a sequence lies on
    one card alone.
    ? How many sequences of {context:,} tokens fit in all now?
    = {answer} tolerance=0 absolute=1 unsafe=above telling=0
    - one-card {answer / CARDS}: That is one card. How many of the {CARDS} hold caches of their own?
    - copies-for-nothing {copies_for_nothing}: You cut all weights by the cards. Which of them does
      each card hold whole?
    - cards-pooled {int(CARDS * room / sequence)}: You pool the room of all cards. Can a sequence
      lie on two of them?
    - unchanged {before}: As many as before? Where is a sequence now?
    > One card again: what does it hold of the weights now? And whose caches?
    > Cards × ⌊(0.9 × memory − rest − experts ÷ cards) ÷ cache of a sequence⌋.
    > {CARDS} × ⌊({gb(usable)} − {gb(rest)} − {gb(experts / CARDS)}) ÷ {gb(sequence)}⌋.
    * weights {held} B: Weights on a card: {gb(held)}
    * room {room} B: Room on a card: {gb(room)}
    * sequences {answer}: {CARDS} × {answer // CARDS} = {answer:,}
    ~ A card holds fewer than before, but each holds others.

    {answer:,} instead of {before:,}: attention in data parallel, experts in expert parallel. Copies
    of the attention cost less than copies of every cache. The price is an all-to-all in each layer,
    and cards whose sequences differ in length.
    """)
