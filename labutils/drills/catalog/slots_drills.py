"""Slots of a static batch: how many of them work."""

import math

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.batching.slots import (
    exponential_mean_of_ratios,
    exponential_slot_efficiency,
    slot_efficiency,
)


@template("E02 E04 E05", level=3, decision="estimate", number=35, minutes=3)
def static_slots(draw: Draw) -> Drill:
    """Static batches: the share of slots that work."""
    batch, mean = draw.one_of((4, 6, 8, 10, 12, 16, 20, 24, 32, 48)), draw.whole(80, 700)
    share, trap = exponential_slot_efficiency(batch), exponential_mean_of_ratios(batch)
    harmonic = 1 / share
    shown = " + ".join(["1", "1/2", "1/3", "…", f"1/{batch}"] if batch > 4 else _fractions(batch))
    return draw.drill(f"""
    An old server takes {batch} prompts, writes all answers together, one token for each per step,
    and takes the next ones when the longest answer is done. Answers have {mean} tokens on average,
    and their lengths are exponentially distributed. The queue is never empty. Over a month you add
    up all slot-steps, and those in which the slot wrote a token.
    ? Which share of all slot-steps writes a token?
    = {share} tolerance=0.02
    - mean-of-batch-shares {trap}: You average the shares of single batches, each counted alike.
      Does a batch that runs twice as long count once or twice in the sum over the month?
    - one-in-the-batch {1 / batch}: You keep a single slot busy until the end. How long do the
      others work?
    - idle-share {1 - share}: That share of the slot-steps writes nothing. Which one is asked for?
    - logarithm-alone {1 / math.log(batch)}: You take the logarithm for the sum 1 + 1/2 + …, which
      is larger by some 0.58. For a batch of this size that counts.
    - half 0.5: Half is what lengths spread evenly up to a limit come to in a large batch. How does
      the longest of exponential lengths grow with their number?
    > A batch runs as long as its longest answer. How long is that, in mean lengths?
    > Share = E[length] ÷ E[longest]; of B exponentials the longest has 1 + 1/2 + … + 1/B means.
    > 1 ÷ ({shown}).
    * longest {harmonic}: Longest of {batch}: {shown} = {quantity(harmonic, "1")} means
    . A batch lasts {quantity(harmonic * mean, "tok")} of steps and holds {batch} slots; {batch} ×
      {mean} of its slot-steps write.
    * share {share}: 1 ÷ {quantity(harmonic, "1")} = {quantity(share, "1")}
    ~ Below 1/2 already with four slots, far above one slot's part; the mean length drops out.

    A static batch runs until its longest answer ends, and a slot works for as long as its own:
    share = E[length] ÷ E[longest]. Averages over time weigh a batch by how long it runs: a ratio of
    means, never the mean of ratios. One over this share is the most that refilling slots at each
    step can gain; what a step costs is another matter.
    """).then(_two_batches(draw, batch=draw.one_of((3, 4, 5))))


def _fractions(count: int) -> list[str]:
    return ["1"] + [f"1/{k}" for k in range(2, count + 1)]


def _two_batches(draw: Draw, *, batch: int) -> Drill:
    short = [draw.whole(4, 40) for _ in range(batch)]
    long = [draw.whole(40, 400) for _ in range(batch)]
    share = slot_efficiency(short + long, batch)
    each = slot_efficiency(short, batch), slot_efficiency(long, batch)
    total, steps = sum(short + long), max(short) + max(long)
    return draw.drill(f"""
    Another log, {batch} slots, two batches, lengths in tokens: first {", ".join(map(str, short))};
    then {", ".join(map(str, long))}.
    ? Which share of the slot-steps of both together writes a token?
    = {share} tolerance=0.01
    - mean-of-both-shares {sum(each) / 2}: You average two shares. Which batch runs longer, and so
      has more slot-steps?
    - one-batch {total / (2 * batch * max(long))}: You let both batches run as long as the longest
      answer of all. When does the first one end?
    > Tokens written, over slots times steps.
    > All tokens ÷ (slots × (longest of the first + longest of the second)).
    > {total} ÷ ({batch} × ({max(short)} + {max(long)})).
    * tokens {total} tok: Tokens written: {total}
    * slot_steps {batch * steps}: Slot-steps: {batch} × ({max(short)} + {max(long)}) =
      {batch * steps}
    * share {share}: {total} ÷ {batch * steps} = {quantity(share, "1")}
    ~ Between the shares of both batches, and nearer to that of the longer one.

    Add up numerators and denominators first, then divide: once.
    """)
