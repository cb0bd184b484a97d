"""Experts on many cards: how tokens travel to them, and one that everybody wants."""

from labutils import llm
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
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


_SPREAD_OVER = (
    ("DeepSeek-V3", (16, 32)),
    ("Qwen3-235B-A22B", (8, 16, 32)),
    ("gpt-oss-120b", (8, 16)),
)


@template("K08 L16", level=3, decision="limit", minutes=3)
def hottest_card(draw: Draw) -> Drill:
    """A hot expert: the slowest card sets the step."""
    name, counts = draw.one_of(_SPREAD_OVER)
    cards, experts = draw.one_of(counts), llm.model(name).experts.num
    hot, each = draw.number(0.02, 0.12), experts // cards
    own, rest = draw.number(4, 20), draw.number(4, 20)  # ms
    popularity = layouts.one_hot_expert(experts, hot)
    shares, cold = layouts.device_shares(popularity, cards), popularity[-1]
    share, factor = max(shares), layouts.busiest_over_even(shares)
    own, rest = own * 1e-3, rest * 1e-3
    answer = rest + own * factor
    draw.require(1.3 < factor < 4)
    return draw.drill(f"""
    {name} runs with {experts} experts a layer, {each} on each of {cards} cards. The batches are
    large: a card's time for its experts grows in proportion to the picks that it gets, and a layer
    ends when the last card is done. With even picks a step takes {quantity(own, "s")} for the
    experts and {quantity(rest, "s")} for everything else. In this week's traffic, in every layer,
    one expert gets {100 * hot:.2g} % of all picks; the others share what is left evenly.
    ? How long is a step with this traffic?
    = {answer} s tolerance=0.02 telling=4
    - the-mean-card {rest + own}: That is a step with even picks. Which card does everybody wait
      for?
    - the-expert-alone {rest + own * experts * hot}: That is the hot expert over an even one. What
      do the other experts on its card get, and what is compared in a step: experts or cards?
    - neighbours-forgotten {rest + own * cards * hot}: Its card holds other experts as well. What do
      they bring?
    - on-top-of-even {rest + own * (1 + cards * hot)}: You put the hot share on top of an even one.
      How much do the other experts of its card still get?
    - whole-step {(rest + own) * factor}: You stretch the whole step. Which part of it do the picks
      stretch?
    > Which share of all picks goes to the busiest card, and which share was even?
    > Step = rest + time of experts × cards × (hot + (experts of a card − 1) × (1 − hot) ÷
      {experts - 1}).
    > {quantity(rest, "s")} + {quantity(own, "s")} × {cards} × ({hot:g} + {each - 1} × {1 - hot:.3g}
      ÷ {experts - 1}).
    * share {share}: The busiest card: {hot:g} + {each - 1} × {1 - hot:.3g} ÷ {experts - 1} =
      {share:.4g} of all picks
    * times_even {factor}: Evenly it were 1 ÷ {cards}: {factor:.4g} times as much
    * step {answer} s: {quantity(rest, "s")} + {factor:.4g} × {quantity(own, "s")} =
      {quantity(answer, "s")}
    ~ Longer than the {quantity(rest + own, "s")} of even picks.

    Experts in parallel wait for the busiest card: share of that card × number of cards. The mean
    load on the dashboard looks as it did. Watch the largest over the mean, per layer.
    """).then(_copied(cards, experts, each, hot, cold, own, rest, answer))


def _copied(cards, experts, each, hot, cold, own, rest, before) -> Drill:
    share = hot / 2 + each * cold
    answer = rest + own * cards * share
    return drill(f"""
    A second copy of the hot expert is put on another card, beside the {each} experts that are
    there. Its picks are split evenly between the two copies.
    ? How long is a step now?
    = {answer} s tolerance=0.02 telling=0
    - unchanged {before}: That is the step with one copy. What does the first card get now?
    - halved {rest + (before - rest) / 2}: You halve all that the card does. Which of its experts
      has a second copy?
    - as-if-even {rest + own}: You take the picks as even again. Compare half of the hot expert with
      another expert.
    - the-first-card {rest + own * cards * (hot / 2 + (each - 1) * cold)}: That is the card that had
      it from the start. Which card is the busiest now?
    - the-copy-alone {rest + own * cards * hot / 2}: You count the copy alone. What else is on its
      card?
    > Two cards have a copy. Which of them gets more picks?
    > Share = hot ÷ 2 + experts beside the copy × (1 − hot) ÷ {experts - 1}.
    > {quantity(rest, "s")} + {quantity(own, "s")} × {cards} × ({hot / 2:.4g} + {each} ×
      {1 - hot:.3g} ÷ {experts - 1}).
    * share {share}: The card with the new copy: {hot / 2:.4g} + {each} × {cold:.4g} = {share:.4g}
    * step {answer} s: {quantity(rest, "s")} + {cards} × {share:.4g} × {quantity(own, "s")} =
      {quantity(answer, "s")}
    ~ Between {quantity(rest + own, "s")} and {quantity(before, "s")}.

    A second copy halves what the hottest expert brings to a card, for the memory of one expert.
    Then the next busiest card sets the step. Balancers choose copies from the counts of the last
    minutes, since what is hot changes with the traffic.
    """)
