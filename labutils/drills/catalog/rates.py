"""Many streams: whose tokens per second are quoted."""

from labutils import llm
from labutils.drills.catalog._serving import cards, fits, served
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template

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
