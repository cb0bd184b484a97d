"""Speculation as the batch grows: where it stops to pay, and what long contexts change."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template

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
