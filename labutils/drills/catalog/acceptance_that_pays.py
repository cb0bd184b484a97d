"""Drafts in a batch whose steps wait for arithmetic: how many must be kept to pay for the check."""

from labutils import llm
from labutils.drills.definition.writing import Draw, Drill, choice, template, within

_WHERE = ("A chat at its peak", "A code assistant in the morning", "A batch of agents")


@template("H14 O19 E01", level=4, decision="limit", minutes=5, rough=False)
def acceptance_that_pays(draw: Draw) -> Drill:
    """Speculative decoding: the acceptance at which it stops paying."""
    streams, drafts = draw.one_of((16, 24, 32, 48)), draw.one_of((2, 3, 4))
    plain = draw.random.randint(12, 30)
    slope = draw.share(0.06, 0.4)  # a further row of each stream, in plain steps
    one, checked = (round(plain * (1 + rows * slope), 1) for rows in (1, drafts))
    share = draw.one_of((0.04, 0.05, 0.06, 0.08, 0.1, 0.12))
    cost = checked / plain + drafts * share
    draw.require(1.45 < cost < 0.8 * (drafts + 1))
    answer = _acceptance(cost, drafts)
    draw.require(0.35 < answer < 0.9)
    return draw.drill(f"""
    {draw.one_of(_WHERE)}: {streams} streams decode together. A step of the large model over
    {streams} rows, a row for each stream, takes {plain} ms; one over {(drafts + 1) * streams} rows
    takes {checked:g} ms. With a small model a round goes so: it writes {drafts} drafts for each
    stream, one after another, and each of its {drafts} steps takes {share:g} of a plain step of the
    large one; then one step of the large model checks them, {drafts + 1} rows for each stream. A
    draft is kept with the same probability wherever it stands, if all before it were kept, and the
    large model adds one token of its own.

    ? With which probability must a draft be kept, so that tokens come exactly as fast as without
      the small model? To two decimals.
    = {answer} tolerance=0 absolute=0.01 telling=4
    - check-as-a-plain-step {within(0.01, _acceptance(1 + drafts * share, drafts), 0.99)}: Your
      check takes as long as a plain step. How many rows has it?
    - drafts-are-free {within(0.01, _acceptance((checked / plain), drafts), 0.99)}: You pay for the
      check alone. Who writes the drafts, and how often?
    - one-draft-step {within(0.01, _acceptance((checked / plain) + share, drafts), 0.99)}: You pay
      for one step of the small model. How many drafts does it write?
    - each-by-itself {within(0.01, (cost - 1) / drafts, 0.99)}: You keep drafts behind one that is
      not kept. What becomes of those?
    - drafts-without-end {within(0.01, 1 - 1 / cost, 0.99)}: You let a round go on until a draft is
      not kept. How many are written?
    - own-token-forgotten {within(0.01, _acceptance(cost + 1, drafts), 0.99)}: You count the drafts
      that are kept. Which token does the large model add?
    - all-or-nothing {within(0.01, ((cost - 1) / drafts) ** (1 / drafts), 0.99)}: You keep all
      drafts or none. What does a round bring in which some are kept?
    > How many plain steps does a round take? So many tokens must it bring.
    > 1 + α + … + αᵏ = check ÷ plain + k · r; try values of α.
    > 1 + α + … + α^{drafts} = {checked:g} ÷ {plain} + {drafts} × {share:g}.
    * steps {cost}: A round takes {checked:g} ÷ {plain} + {drafts} × {share:g} = {cost:.4g} plain
      steps
    * acceptance {answer}: It brings (1 − α^{drafts + 1}) ÷ (1 − α) tokens. At α = {answer:.2f} that
      is {llm.tokens_per_verification(round(answer, 2), drafts):.3g}
    ~ More than {(cost - 1) / drafts:.2g}, as if no draft fell with the one before it.

    Speculation pays where 1 + α + … + αᵏ exceeds v + k · r (Leviathan et al., 2023). While steps
    wait for memory, v is 1 and little is needed; once rows cost time, v grows with k and the border
    climbs.
    """).then(_fewer(draw, streams, drafts, plain, one, checked, share, answer))


def _acceptance(cost: float, drafts: int) -> float:
    """The probability at which a round brings ``cost`` tokens, by halving."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        short = llm.tokens_per_verification(middle, drafts) < cost
        low, high = (middle, high) if short else (low, middle)
    return low


def _fewer(draw: Draw, streams, drafts, plain, one, checked, share, border: float) -> Drill:
    measured = draw.share(0.15, 0.92)
    many = llm.tokens_per_verification(measured, drafts) / (checked / plain + drafts * share)
    single = (1 + measured) / (one / plain + share)
    gains = {"One draft": single, f"{drafts} drafts, as before": many, "No drafts": 1.0}
    draw.require(abs(measured - border) > 0.02 and not 0.97 < single < 1.03)
    best, second, _ = sorted(gains, key=gains.get, reverse=True)
    draw.require(gains[best] > 1.02 * gains[second])
    against = {
        "One draft": "Compute what a round with one draft takes, and what it brings.",
        "No drafts": "Compute a round with one draft: does it bring less than it takes?",
    }
    wrong = {
        text: against.get(text, f"Compare {measured:g} with the border that you have computed.")
        for text in gains
        if text != best
    }
    return draw.drill(f"""
    And now the measurement: a draft is kept with probability {measured:g}. A step of the large
    model over {2 * streams} rows takes {one:g} ms.

    ? How many times as fast as without the small model do tokens come with one draft a round?
    = {single} tolerance=0.01 telling=4
    - as-before {many}: That is the gain with {drafts} drafts. How long is a round with one?
    - drafts-are-free {(1 + measured) * plain / one}: You pay for the check alone. Who writes the
      draft?
    - check-as-a-plain-step {(1 + measured) / (1 + share)}: Your check takes as long as a plain
      step. How many rows has it?
    - old-check {(1 + measured) / (checked / plain + share)}: You check as many rows as with
      {drafts} drafts. How many are there now?
    - own-token-forgotten {measured / (one / plain + share)}: You count the draft alone. Which token
      does the large model add?
    ? What do you set?
    {choice(best, wrong)}
    > What does a round with one draft bring, and how many plain steps does it take?
    > (1 + α) ÷ (check of two rows a stream ÷ plain + r).
    > (1 + {measured:g}) ÷ ({one:g} ÷ {plain} + {share:g}).
    * steps {one / plain + share}: A round takes {one:g} ÷ {plain} + {share:g} =
      {one / plain + share:.4g} plain steps
    * factor {single}: (1 + {measured:g}) ÷ {one / plain + share:.4g} = {single:.4g}; with {drafts}
      drafts it is {many:.4g}
    ~ Less than {1 + measured:g}, the tokens of a round.

    A later draft is kept less often than an earlier one and costs as many rows. So as the batch
    grows, shorten the drafts first, and stop where even one loses: α < v + r − 1, with v the check
    of two rows a stream in plain steps.
    """)
