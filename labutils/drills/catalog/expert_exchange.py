"""Experts on many cards: the time in which tokens travel to them and back."""

from labutils import llm
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.llm import layouts

_MODELS = ("DeepSeek-V3", "DeepSeek-V2", "Qwen3-235B-A22B", "gpt-oss-120b")
HOST = 8  # cards
LINK = 50e9  # B/s: 400 Gbit/s


@template("K08 K05", level=3, decision="estimate", minutes=3)
def expert_exchange(draw: Draw) -> Drill:
    """Expert parallelism: the all-to-all of a decode step."""
    spec = llm.model(draw.one_of(_MODELS))
    layers, picks = spec.layers - spec.experts.dense_layers, spec.experts.per_token
    cards, tokens = draw.one_of((16, 32, 64)), draw.one_of((32, 48, 64, 96, 128, 192))
    reached, start = draw.share(0.6, 0.9), draw.one_of((15e-6, 20e-6, 25e-6, 30e-6, 40e-6))
    away, rate = (cards - HOST) / cards, reached * LINK
    one = tokens * picks * spec.hidden_size * 3 * away  # there in 1 B a value, back in 2 B
    sending = one / rate
    exchange = layouts.expert_exchange_s(
        tokens,
        picks=picks,
        hidden_size=spec.hidden_size,
        away_share=away,
        start_s=start,
        rate_bytes_per_s=rate,
    )
    answer = layers * exchange
    draw.require(sending > 0.6 * start and spec.experts.num % cards == 0)

    def made(share: float, starts: int = 2) -> float:
        """What a step takes with that share of the bytes and so many starts in each layer."""
        return layers * (starts * start + share * sending)

    return draw.drill(f"""
    {spec.name} decodes on {cards} cards, in hosts of {HOST}. Its {layers} layers with experts send
    each token to {picks} of {spec.experts.num} experts, which are spread evenly over all cards and
    picked uniformly. In a step every card brings {tokens} tokens. In each such layer a copy of a
    token's hidden vector, {spec.hidden_size:,} values in fp8, goes to each of its experts, and as
    many values come back from each in bf16. That is two exchanges. Copies within a host take no
    time. The others go over the card's own 400 Gbit/s network card, of which {percent(reached)} is
    reached; a card receives as much as it sends, at the same time. An exchange takes
    {quantity(start, "s")} plus the time of its bytes, and nothing else is done meanwhile.

    ? How long do the exchanges of one decode step take?
    = {answer} s tolerance=0.04 scale=off telling=5
    - one-way {made(1 / 3, 1)}: You send the tokens to the experts. How do the results come back?
    - both-ways-in-one-byte {made(2 / 3)}: Your way back has one byte a value. In which format do
      results travel?
    - one-copy-a-token {made(1 / picks)}: You send each token once. To how many experts does it go?
    - all-leave {made(1 / away) if away == 0.75 else None}: A third too many bytes: everything over
      the network, or both ways in bf16. Which experts are in the same host, and in which format
      does a token go?
    - all-leave {None if away == 0.75 else made(1 / away)}: You send everything over the network.
      Which experts are in the same host?
    - latency-forgotten {layers * sending}: You let the bytes travel without delay. What does an
      exchange take to begin?
    - whole-link {made(reached)}: You use all of the network card. What share of it is reached?
    - bits {made(1 / 8)}: Your link carries bits as if they were bytes.
    > How many bytes leave a card's host in one layer, there and back?
    > Layers × (2 × latency + tokens × picks × hidden × (1 + 2) B × share that leaves the host ÷
      rate).
    > {layers} × (2 × {quantity(start, "s")} + {tokens} × {picks} × {spec.hidden_size:,} × 3 B ×
      {away:g} ÷ {quantity(rate, "B/s")}).
    * bytes {one} B: A layer: {tokens} × {picks} × {spec.hidden_size:,} × 3 B × {away:g} =
      {quantity(one, "B")}
    * sending {sending} s: ÷ ({reached:g} × {quantity(LINK, "B/s")}) = {quantity(sending, "s")}
    * exchanges {answer} s: {layers} × (2 × {quantity(start, "s")} + {quantity(sending, "s")}) =
      {quantity(answer, "s")}
    ~ More than the {quantity(2 * layers * start, "s")} that it takes to begin them all.

    Expert parallelism ships tokens instead of weights: tokens × picks × hidden × (1 + 2) B a layer,
    mostly over the network. So dispatch goes in fp8, picks are bound to few hosts (DeepSeek-V3,
    2024), and the exchange hides behind computing.
    """).then(_hidden(draw, layers, start, sending, tokens))


def _hidden(draw: Draw, layers: int, start: float, sending: float, tokens: int) -> Drill:
    a_token = float(f"{sending / tokens:.3g}")
    computing = float(f"{layers * (4 * start + draw.number(1.2, 3) * sending):.2g}")
    answer = (computing / layers - 4 * start) / a_token
    draw.require(answer > 1.1 * tokens)
    return draw.drill(f"""
    The batch is now split in two halves: while one computes, the other exchanges. Both halves
    together compute for {quantity(computing, "s")} in a step, whatever the batch, since they wait
    for weights. Each half has its own two exchanges in each of the {layers} layers, of
    {quantity(start, "s")} plus the bytes; for every token that a card brings, the bytes of a layer
    take {quantity(a_token, "s")}.

    ? From how many tokens a card on do the exchanges outlast the computing?
    = {answer} tok tolerance=0.04 scale=off telling=2
    - latency-forgotten {computing / layers / a_token}: You give the bytes all of the time. What
      does an exchange take to begin?
    - latencies-of-one-half {(computing / layers - 2 * start) / a_token}: You begin two exchanges a
      layer. How many halves do that?
    - one-half {answer / 2}: That is what one half brings. What does “a card brings” count?
    - both-halves {2 * answer}: You double it for the halves. What does “a card brings” count?
    - latency-added {(computing / layers + 4 * start) / a_token}: The latency is part of the
      exchanges. Does it leave more time for bytes?
    > At which batch do the two take equally long?
    > (Computing ÷ layers − 2 × 2 × latency) ÷ time of a token.
    > ({quantity(computing, "s")} ÷ {layers} − 4 × {quantity(start, "s")}) ÷
      {quantity(a_token, "s")}.
    * layer {computing / layers} s: A layer computes for {quantity(computing / layers, "s")}
    * tokens {answer}: ({quantity(computing / layers, "s")} − 4 × {quantity(start, "s")}) ÷
      {quantity(a_token, "s")} = {answer:.4g}
    ~ More than the {tokens} of before: their exchanges end within this time.

    Decode computes at nearly constant time while it reads weights, and exchanges in proportion to
    the batch. Up to the batch where they meet the network is free; beyond it the network sets the
    step, and a faster GPU changes nothing.
    """)
