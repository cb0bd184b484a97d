"""One expert that everybody wants: the slowest card sets the step."""

from labutils import llm
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.llm import layouts

_MODELS = (("DeepSeek-V3", (16, 32)), ("Qwen3-235B-A22B", (8, 16, 32)), ("gpt-oss-120b", (8, 16)))


@template("K08 L16", level=3, decision="limit", minutes=3)
def hottest_card(draw: Draw) -> Drill:
    """A hot expert: the slowest card sets the step."""
    name, counts = draw.one_of(_MODELS)
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
