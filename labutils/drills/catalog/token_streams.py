"""One stream: how long an answer takes; many: whose tokens per second are quoted."""

from labutils import llm
from labutils.drills.catalog._serving import cards, fits, served
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template

_ANSWERS = ("A code review has", "A chat answer has", "A summary has", "A translation has")


@template("A07 D03", level=1, decision="model", number=7)
def stream_duration(draw: Draw) -> Drill:
    """How long a streamed answer takes."""
    ttft, tpot = draw.number(0.08, 3), draw.number(0.006, 0.09)
    tokens, streams = draw.whole(4, 1500), draw.whole(4, 64)
    total = llm.stream_duration_s(ttft, tpot, tokens)
    per_gap = tpot / total
    draw.require(per_gap < 0.009 or per_gap > 0.022)
    return draw.drill(f"""
    {draw.one_of(_ANSWERS)} {tokens:,} tokens and is streamed. The dashboard reads: {streams}
    streams at once, {quantity(streams / tpot, "tok/s")} in all, first token after
    {quantity(ttft, "s")}, then {quantity(tpot, "s")} from token to token.
    ? How long does its reader wait, from sending the request to the last token?
    = {total} s tolerance=0.01 telling=2
    - one-gap-too-many {ttft + tokens * tpot}: You pay for the first token twice. How many gaps lie
      between n tokens?
    - no-first-token {(tokens - 1) * tpot}: You start the clock at the first token. What has the
      reader waited until then?
    - everybodys-rate {ttft + (tokens - 1) * tpot / streams}: You let this reader have the tokens of
      all streams. Whose rate is on the dashboard?
    - first-token-each-time {tokens * ttft}: You make every token as slow as the first. What was
      there to do before the first?
    > When is the first token there, and how many gaps follow it?
    > TTFT + (n − 1) · TPOT.
    > {quantity(ttft, "s")} + {tokens - 1:,} × {quantity(tpot, "s")}.
    * gaps {tokens - 1}: {tokens:,} tokens leave {tokens - 1:,} gaps.
    * after_the_first_token {(tokens - 1) * tpot} s: {tokens - 1:,} × {quantity(tpot, "s")} =
      {quantity((tokens - 1) * tpot, "s")}
    * in_all {total} s: {quantity(ttft, "s")} + {quantity((tokens - 1) * tpot, "s")} =
      {quantity(total, "s")}
    ~ Longer than the {quantity(ttft, "s")} to the first token.

    E2E = TTFT + (n − 1) · TPOT: the first token is inside TTFT. The rate of the whole server is
    nothing that one reader sees.
    """).then(_needed_tpot(draw, ttft, tpot, total, tokens))


def _needed_tpot(draw: Draw, ttft: float, tpot: float, total: float, tokens: int) -> Drill:
    target = float(f"{draw.share(0.45, 0.75) * (total - ttft) + ttft:.2g}")
    draw.require(ttft * 1.2 < target < 0.95 * total)
    needed = llm.tpot_for_duration_s(target, ttft, tokens)
    return draw.drill(f"""
    Product wants the whole answer within {quantity(target, "s")}. TTFT stays at
    {quantity(ttft, "s")}, the answer at {tokens:,} tokens.
    ? How long may a token take after the first one, at most?
    = {needed} s tolerance=0.01 telling=2
    - whole-time {target / tokens}: You spread the whole time over the tokens. How much of it is
      gone before the first one?
    - in-proportion {tpot * target / total}: You shrink TPOT as the whole shrinks. Does TTFT shrink
      with it?
    - one-gap-too-many {(target - ttft) / tokens}: You divide by tokens. How many gaps are there?
    - today {tpot}: That is what a token takes today, and it is too long.
    > What is left once the first token is out?
    > TPOT = (E2E − TTFT) / (n − 1).
    > ({quantity(target, "s")} − {quantity(ttft, "s")}) / {tokens - 1:,}.
    * left {target - ttft} s: Left: {quantity(target, "s")} − {quantity(ttft, "s")} =
      {quantity(target - ttft, "s")}
    * per_token {needed} s: {quantity(target - ttft, "s")} / {tokens - 1:,} =
      {quantity(needed, "s")}
    ~ Shorter than the {quantity(tpot, "s")} of today.

    A table of targets has to agree with itself: 500 tokens in 3 s leave 5 ms a token, not 30. Fewer
    tokens help as much as faster ones.
    """)


_PLACES = ("Launch review of", "A vendor shows you", "Post-mortem of a benchmark:")


@template("A09 A10", level=1, decision="model", number=8)
def two_rates(draw: Draw) -> Drill:
    """The rate of the server and the rate of one reader."""
    (spec, card, count), batch = served(draw), draw.one_of((4, 6, 8, 12, 16, 24, 32, 48))
    context, reached = draw.one_of((512, 1000, 2000)), draw.share(0.55, 0.85)
    draw.require(fits(spec, card, count, 2 * batch * spec.kv_bytes(context)))
    tpot, later = (_step(spec, card, size, context, reached) for size in (batch, 2 * batch))
    rate = float(f"{batch / tpot:.3g}")
    story = f"{draw.one_of(_PLACES)} {spec.name} on {cards(card, count)}. "
    ask = draw.one_of((_whole_rate, _readers_rate, _readers))
    return ask(story, batch, tpot, rate, _twice_the_batch(batch, tpot, later))


def _step(spec, card, batch: int, context: int, reached: float) -> float:
    step = llm.decode_step(spec, card, batch, context, bandwidth_share=reached)
    return float(f"{step.time_s:.3g}")


def _whole_rate(story: str, batch: int, tpot: float, rate: float, follow_up: Drill) -> Drill:
    value = batch / tpot
    return drill(f"""
    {story}Somebody reports: {batch} requests decode at once, and each of them gets a token every
    {quantity(tpot, "s")}.
    ? How many tokens per second leave the card?
    = {value} tok/s tolerance=0.01
    - one-reader {1 / tpot}: That is what one reader sees. How many tokens does one step bring?
    - shared-out {1 / tpot / batch}: You share one reader's rate out among all. Do they take turns,
      or do all get a token in the same step?
    > How many tokens come out of one step?
    > batch / TPOT.
    > {batch} tok / {quantity(tpot, "s")}.
    . One reader: 1 / {quantity(tpot, "s")} = {quantity(1 / tpot, "tok/s")}
    * all {value} tok/s: All: {batch} / {quantity(tpot, "s")} = {quantity(value, "tok/s")}
    ~ More than the {quantity(1 / tpot, "tok/s")} of a single reader.

    {_TWO}
    """).then(follow_up)


_TWO = (
    "The device's throughput is batch / TPOT, a reader's rate 1 / TPOT: equal at batch 1 alone. "
    "Ask of every quoted figure whose it is."
)


def _readers_rate(story: str, batch: int, tpot: float, rate: float, follow_up: Drill) -> Drill:
    value = rate / batch
    return drill(f"""
    {story}The slide says {quantity(rate, "tok/s")}. The footnote: one card, {batch} requests
    decoding at once.
    ? At what rate does the text appear in front of one reader?
    = {value} tok/s tolerance=0.01
    - the-slide {rate}: That is the slide's figure. Who receives all these tokens?
    - multiplied {rate * batch}: You multiply by the requests: is the slide's figure one request's?
    > Among how many readers do these tokens go round?
    > rate of the card / batch.
    > {quantity(rate, "tok/s")} / {batch}.
    * one {value} tok/s: {quantity(rate, "tok/s")} / {batch} = {quantity(value, "tok/s")}
    . That is a token every {quantity(1 / value, "s")}.
    ~ No reader gets more than the card delivers, and there is more than one of them.

    {_TWO}
    """).then(follow_up)


def _readers(story: str, batch: int, tpot: float, rate: float, follow_up: Drill) -> Drill:
    value = rate * tpot
    return drill(f"""
    {story}Two figures are on the page: {quantity(rate, "tok/s")} of output, and
    {quantity(tpot, "s")} per token. A reviewer says that they contradict each other: a token every
    {quantity(tpot, "s")} is {quantity(1 / tpot, "tok/s")}.
    ? How many requests were decoding at once, on average, if both are right?
    = {value} req tolerance=0.02
    - one 1: With one request the figures would contradict each other. With how many not?
    - upside-down {1 / value}: Upside down: how many tokens come out in the time that one request
      takes for one?
    > How many tokens come out in the time in which one request gets one?
    > rate × TPOT.
    > {quantity(rate, "tok/s")} × {quantity(tpot, "s")}.
    * at_once {value} req: {quantity(rate, "tok/s")} × {quantity(tpot, "s")} =
      {quantity(value, "req")}
    ~ More than one: the report's rate is many times that of the reviewer's single stream.

    {_TWO} It is Little's law for tokens: rate × time = how many at once.
    """).then(follow_up)


def _twice_the_batch(batch: int, tpot: float, later: float) -> Drill:
    gain = 2 * tpot / later
    return drill(f"""
    With {batch} at once a token took {quantity(tpot, "s")}. The batch is doubled to {2 * batch};
    now a token takes {quantity(later, "s")}.
    ? By which factor has the card's rate of tokens grown?
    = {gain} tolerance=0.02 telling=0
    - doubled 2.0: Twice the batch, but each step has become longer.
    - reader {tpot / later}: That is one reader's rate, which falls. How many readers are there now?
    - upside-down {1 / gain}: You divide the old by the new.
    > Tokens per step against time per step, now and before.
    > (2B / TPOT′) / (B / TPOT).
    > 2 × {quantity(tpot, "s")} / {quantity(later, "s")}.
    . Before {quantity(batch / tpot, "tok/s")}, now {quantity(2 * batch / later, "tok/s")}
    * growth {gain}: 2 × {quantity(tpot, "s")} / {quantity(later, "s")} = {gain:.4g}
    ~ Between 1 and 2: the step has become longer, but less than twice as long.

    The weights are read once however many share the step, the caches once for each. Throughput is
    bought with the reader's rate, and the price rises with the batch.
    """)
