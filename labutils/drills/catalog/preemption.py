"""A request that goes before others: what those that make room for it must do again."""

import math

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_TIERS = (
    ("a summary for a paying customer", "batch jobs"),
    ("a request of the interactive tier", "evaluation runs"),
    ("an agent with a deadline", "bulk translations"),
)


@template("I04 J02 O01", level=2, decision="estimate")
def preempted(draw: Draw) -> Drill:
    """Preemption: what a higher priority costs in recomputing."""
    who, others = draw.one_of(_TIERS)
    prompt, written = draw.whole(800, 6000), draw.whole(100, 1500)
    asks, output = draw.whole(5000, 40_000), draw.one_of((500, 800, 1000, 2000))
    rate = draw.whole(6000, 40_000)
    each, need = prompt + written, asks + output
    victims = math.ceil(need / each)
    draw.require(2 <= victims <= 12 and 0.1 < need / each % 1 < 0.9)
    draw.require(math.ceil(asks / each) == victims - 1)  # the output decides on one more
    answer = victims * each / rate
    return draw.drill(f"""
    An engine's memory is full of {others}, every one of them with a prompt of {prompt:,} tokens and
    {written:,} tokens written so far. Then comes {who}, with a higher priority: a prompt of
    {asks:,} tokens, and room for {output:,} tokens of output is reserved at once. The engine drops
    the caches of whole sequences, the latest first, until it fits; it counts tokens, not pages.
    Later each of those is read in again, with all that it had written, and goes on. Reading runs at
    {quantity(rate, "tok/s")}.

    ? How much time does the card spend on what it had done already?
    = {answer} s tolerance=0.03 telling=4
    - prompts-alone {victims * prompt / rate}: You read their prompts. What else was in their
      caches?
    - one-of-them {each / rate}: That is one of them. How many must make room?
    - one-too-few {(victims - 1) * each / rate}: So many make room for less than prompt and output
      together. How many whole sequences must go?
    - just-the-room {need / rate}: You read as many tokens as the request needs. Does an engine drop
      part of a sequence?
    - the-new-prompt {(victims * each + asks) / rate}: You count the new prompt. Is that done a
      second time?
    > How many sequences must go, and how many tokens had each in its cache?
    > ⌈needed ÷ tokens of a sequence⌉ × tokens of a sequence ÷ reading rate.
    > ⌈{need:,} ÷ {each:,}⌉ × {each:,} ÷ {quantity(rate, "tok/s")}.
    * needed {need}: Needed: {asks:,} + {output:,} = {need:,} tokens
    * sequences {victims}: ÷ {each:,}, rounded up: {victims} sequences go
    * time {answer} s: {victims} × {each:,} ÷ {quantity(rate, "tok/s")} = {quantity(answer, "s")}
    ~ At least the {quantity(need / rate, "s")} that the needed tokens alone would take.

    A preempted sequence loses its cache and pays prompt and output again, by prefill. That is far
    cheaper than decoding it again, but not free: it comes out of the throughput of the lower class.
    """).then(_often(draw, answer, victims, each))


def _often(draw: Draw, cost: float, victims: int, each: int) -> Drill:
    part = draw.one_of((0.05, 0.08, 0.1, 0.15, 0.2))
    answer = 3600 * part / cost
    return draw.drill(f"""
    And now such requests keep coming, and each of them drops as many. At most {percent(part)} of
    the card's time may go to what was done already.

    ? How many such requests may come per hour, at most? It need not be whole.
    = {answer} tolerance=0.03 telling=0
    - per-second {answer / 3600}: That is per second. What was asked for?
    - whole-card {3600 / cost}: You spend all of the card's time. Which part of it may go there?
    - one-of-them {answer * victims}: Each request drops several sequences. How many?
    - the-other-part {3600 * (1 - part) / cost}: You spend the part that is left for the rest.
    > How much time may go there in an hour, and how much does one request cost?
    > 3600 s × part ÷ cost of one.
    > 3600 s × {part:g} ÷ {quantity(cost, "s")}.
    * time {3600 * part} s: In an hour {part:g} × 3600 s = {3600 * part:g} s
    * requests {answer}: ÷ {quantity(cost, "s")} = {answer:.4g}
    ~ One a minute takes {percent(cost / 60)} of the card's time.

    Memory no longer decides who runs; arithmetic pays for it. Beyond such a rate keep room free for
    the higher class, or admit less of the lower one, instead of dropping what runs.
    """)
