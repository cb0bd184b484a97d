"""Speculation in batches: where it stops to pay, and how many drafts must be kept."""

from labutils import llm
from labutils.drills.definition.writing import Draw, Drill, choice, quantity, template, within

_MODELS = (  # model and cards, ms of a step that reads weights, µs of arithmetic a position
    ("Llama-3.1-70B on 4 × H100 SXM", (14, 18), (40, 70)),
    ("Qwen3-32B on 2 × H100 SXM", (12, 16), (40, 70)),
    ("Llama-3.1-8B on an H100 SXM", (6, 8), (22, 35)),
    ("Qwen3-8B on an A100 80 SXM", (9, 12), (70, 110)),
)
# Drafts of a round, and tokens that it brings at least and at most.
_ROUNDS = ((2, 1.7, 2.3), (3, 1.9, 2.8), (4, 2.1, 3.1), (5, 2.2, 3.3))


@template("H14 O19 D11", level=4, decision="limit", minutes=4)
def speculation_batch(draw: Draw) -> Drill:
    """Speculative decoding over the batch: where it stops paying."""
    what, reads, takes = draw.one_of(_MODELS)
    drafts, least, most = draw.one_of(_ROUNDS)
    tokens = draw.number(least, most)
    read, one = draw.number(*reads) * 1e-3, draw.number(*takes) * 1e-6
    drafting = float(f"{read * draw.number(0.04, 0.25):.2g}")
    exact = (tokens * read - drafting) / ((drafts + 1) * one)
    draw.require(exact * one < 0.9 * read and 0.05 < exact % 1 < 0.95)
    answer = int(exact)
    free = _rounded_down(tokens * read / ((drafts + 1) * one))
    own_position_forgotten = _rounded_down((tokens * read - drafting) / (drafts * one))
    drafting_added = _rounded_down((tokens * read + drafting) / ((drafts + 1) * one))
    return draw.drill(f"""
    {what}. A step lasts as long as the longer of two: {quantity(read, "s")} to read the weights,
    and {quantity(one, "s")} of arithmetic for each position that it computes. Without drafts a
    stream has one position in a step and gets one token. With a draft head, a round first writes
    {drafts} drafts for every stream, {quantity(drafting, "s")} whatever the batch; then one step
    computes {drafts + 1} positions for each stream. Measured: a round brings {tokens:g} tokens for
    each stream, the model's own included. Contexts are short.
    ? Up to how many streams do drafts bring at least as many tokens a second as plain steps do?
    = {answer} tolerance=0 absolute=1 unsafe=above telling=4
    - until-arithmetic-binds {_rounded_down(read / ((drafts + 1) * one))}: From there on checking
      costs time. Does a round bring less than it costs at once?
    - batch-of-plain-steps {_rounded_down(read / one)}: That is where plain steps begin to wait for
      arithmetic. How many positions has a round?
    - drafts-are-free {free}:
      {("One too many: rounded up, or drafts that take no time. " * (free == answer + 1))}What does
      writing the drafts add to a round?
    - own-position-forgotten {own_position_forgotten}: You check the drafts alone. How many
      positions does the step compute for a stream?
    - drafting-added {drafting_added}: You add the time of the drafts to what may be spent. On which
      side does it stand?
    > How long does a round take at a batch of B, and how long would its tokens take in plain steps?
    > drafting + (drafts + 1) × B × arithmetic = tokens × reading.
    > B = ({tokens:g} × {quantity(read, "s")} − {quantity(drafting, "s")}) ÷ ({drafts + 1} ×
      {quantity(one, "s")}), and plain steps still wait for weights there.
    * plain {tokens * read} s: Plain, {tokens:g} tokens take {tokens:g} × {quantity(read, "s")} =
      {quantity(tokens * read, "s")}
    . A round: {quantity(drafting, "s")} + {drafts + 1} × {quantity(one, "s")} for each stream
    * streams {answer}: ({quantity(tokens * read, "s")} − {quantity(drafting, "s")}) ÷
      {quantity((drafts + 1) * one, "s")}, rounded down: {answer}; plain steps of so many positions
      compute for {quantity(answer * one, "s")}, less than they read
    ~ Fewer than the {int(read / one)} at which plain steps begin to wait for arithmetic: beyond it
      every rejected draft costs.

    Speculation spends arithmetic that lies idle. It pays while (k + 1) × B × arithmetic + drafting
    stays below E × reading; at larger batches rejected drafts take time from others. So engines
    shorten or stop the drafts by load.
    """).then(_long(draw, answer, drafts, tokens, read, one, drafting))


def _long(draw: Draw, limit: int, drafts, tokens, read, one, drafting) -> Drill:
    streams = max(2, round(draw.number(1.1, 1.5) * limit / 4) * 4)
    cache = float(f"{draw.number(0.7, 1.5) * one:.2g}")
    reading = read + streams * cache
    plain = max(reading, streams * one)
    check = max(reading, (drafts + 1) * streams * one)
    answer = tokens * plain / (drafting + check)
    short = tokens * max(read, streams * one) / (drafting + (drafts + 1) * streams * one)
    draw.require(not 0.94 < answer < 1.06 and short < 0.95)
    cache_for_each_position = (
        tokens
        * plain
        / (drafting + max(read + (drafts + 1) * streams * cache, (drafts + 1) * streams * one))
    )
    return draw.drill(f"""
    And now the contexts have grown, and {streams} streams run. A step reads their caches too:
    {quantity(cache, "s")} for each stream, once for all its positions, on top of the
    {quantity(read, "s")} for weights. The arithmetic for a position is as before.
    ? How many times as many tokens a second come with drafts as without, at this batch?
    = {answer} tolerance=0.01 telling=0
    - as-with-short-contexts {short}: That is the ratio with short contexts. What does a step read
      now, and for how many streams?
    - drafts-are-free {tokens * plain / check}: Your drafts take no time. What does writing them add
      to a round?
    - cache-for-each-position {cache_for_each_position}: You read a stream's cache for each
      position. How often is it read?
    - tokens-of-a-round {tokens}: Those are tokens of a round. How long is a round beside a plain
      step?
    - upside-down {1 / answer}: That is without over with. Which was asked for?
    > For both kinds of step: which is longer, reading or arithmetic?
    > tokens × plain step ÷ (drafting + checking step), each step the longer of reading and
      arithmetic.
    > Reading: {quantity(read, "s")} + {streams} × {quantity(cache, "s")}. Arithmetic: {streams} or
      {drafts + 1} × {streams} positions, {quantity(one, "s")} each.
    * reading {reading} s: Reading, either way: {quantity(reading, "s")}
    * checking_step {check} s: A plain step takes {quantity(plain, "s")}, a checking step
      {quantity(check, "s")}
    * ratio {answer}: {tokens:g} × {quantity(plain, "s")} ÷ ({quantity(drafting, "s")} +
      {quantity(check, "s")}) = {answer:.4g}
    ~ At most {tokens:g}, the tokens of a round.

    Long contexts make a step read again what checking can share: the cache is read once for all
    positions of a stream. So speculation pays at larger batches than with short contexts (MagicDec,
    2024). The batch alone does not decide.
    """)


def _rounded_down(value: float) -> float:
    return float(int(value))


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
