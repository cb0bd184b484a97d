"""A handler that computes on the event loop: the gap in every stream, and parts that bound it."""

import math

from labutils.drills.definition.writing import Draw, Drill, quantity, template

_WORK = (
    "it cuts the prompt into tokens and checks it against a list",
    "it computes an embedding of the prompt",
    "it renders the pages of an attached document as text",
)


@template("P05 L16 A18", level=2, decision="limit", minutes=4.5)
def blocked_loop(draw: Draw) -> Drill:
    """A handler that blocks the event loop: everybody's gap, the mean delay, slices."""
    every, block = draw.whole(18, 80), 10 * draw.whole(15, 95)
    into, streams = draw.whole(3, 70), draw.whole(12, 90)
    draw.require(0.2 * every < into < 0.8 * every and (into + block) % every > 3)
    gap = into + block
    waiting = gap // every
    return draw.drill(f"""
    An engine in a thread of its own writes a token for each of {streams} streams every {every} ms.
    One event loop passes them on, the moment they are written and the loop is free; that takes no
    time. {into} ms after it has passed on a token for each stream, a request comes. In its handler
    {draw.one_of(_WORK)}: {block} ms on the loop, without an await. The engine goes on meanwhile.
    ? For how long does the reader of a stream get no token?
    = {gap / 1000} s tolerance=0.01 telling=4
    - handler-alone {block / 1000}: That is how long the handler computes. When was a token last
      passed on?
    - one-interval-more {(block + every) / 1000}: You add a whole interval. How long before the
      handler came was the last token?
    - from-the-next-token {(gap - every) / 1000}: That is how long the first held token waited.
      Since when has the reader had nothing?
    - other-part-of-the-interval {(block + every - into) / 1000}: You add what was left of the
      interval. Which part of it had passed?
    - whole-intervals {every * math.ceil(gap / every) / 1000}: You round to whole intervals. When
      are the held tokens passed on?
    > When did the last token come through, and when is the loop free again?
    > time since the last token + time of the handler.
    > {into} ms + {block} ms.
    * gap {gap / 1000} s: Nothing passes from the last token on: {into} + {block} ms =
      {quantity(gap / 1000, "s")}
    . Then {waiting} tokens come at once in each of {streams} streams: every {every} ms one was
      written
    ~ More than {block} ms, and by less than an interval of {every} ms.

    Whoever computes on the event loop stops everybody: one prompt makes a hole in every stream,
    although the engine never paused and its own step times look well. Compute in a thread or a
    process; alarm on the loop's lag.
    """).then(_on_average(draw, every, block, into))


def _on_average(draw: Draw, every: int, block: int, into: int) -> Drill:
    rate, block_s = draw.number(0.2, 2.5), block / 1000
    busy = rate * block_s
    draw.require(0.08 < busy < 0.6)
    answer = busy * block_s / 2
    return draw.drill(f"""
    Such requests come evenly, {rate:g} a second, each with {block} ms in its handler. Tokens are
    written at any moment alike.
    ? By how much is a token later on average than it would be without them?
    = {answer} s tolerance=0.02 telling=4
    - those-who-are-held {block_s / 2}: That is the mean of those that are held. Which share of all
      is held?
    - held-for-all-of-it {busy * block_s}: You hold each for the whole of it. How long does one wait
      that is written in its middle?
    - mean-gap {busy * (block_s + into / 1000) / 2}: You take half of the gap. Does a token wait
      that was passed on before?
    - share-that-passes {(1 - busy) * block_s / 2}: You weigh with the share that is not held. Which
      share is?
    - every-token {block_s}: You make each token late by all of it. Which share meets it at all?
    > Which share of the tokens is written while the loop computes, and how long do they wait?
    > requests a second × time × time ÷ 2.
    > {rate:g} × {quantity(block_s, "s")} × {quantity(block_s, "s")} ÷ 2.
    * held {busy}: Held: {rate:g} × {quantity(block_s, "s")} = {quantity(busy, "1")}
    * for {block_s / 2} s: For {quantity(block_s / 2, "s")} on average
    * later {answer} s: Their product: {quantity(answer, "s")}
    ~ Less than {quantity(block_s / 2, "s")}: that is how long those wait that are held.

    The mean hides it: λS²/2 is small beside the hole itself, and grows with the square of the
    handler's time. Read the longest gap, or a high percentile of gaps.
    """).then(_in_parts(draw, every, block))


def _in_parts(draw: Draw, every: int, block: int) -> Drill:
    promise = every + draw.whole(8, 60)
    part = promise - every
    exact = block / part
    answer = math.ceil(exact)
    draw.require(4 < exact < 60 and 0.08 < exact % 1 < 0.92)
    return draw.drill(f"""
    There is no second core for it. The handler is cut into equal parts, with an await between them
    in which the loop passes on whatever is there. Promised are at most {promise} ms from one token
    to the next, whenever a request comes, one at a time; a token is still written every {every} ms.
    ? Into how many parts must the {block} ms be cut at least?
    = {answer} tolerance=0 absolute=1 unsafe=below telling=4
    - promise-for-a-part {math.ceil(block / promise)}: You give a part the whole promise. How long
      was the wait for the next token anyway?
    - parts-of-an-interval {math.ceil(block / every)}: You make a part as long as an interval. What
      may come on top of the interval?
    - interval-added {math.ceil(block / (promise + every))}: You add the interval to the promise. On
      which side does it stand?
    - rounded-down {answer - 1}: A part too few: each would be longer than it may. Which way do you
      round?
    - two-parts-late {math.ceil(2 * exact)}: You let a token wait for two parts. For how many can it
      wait?
    > By how much may a token be late at most, if the one before was in time?
    > ⌈time of the handler ÷ (promise − interval)⌉.
    > ⌈{block} ÷ ({promise} − {every})⌉.
    * part {part / 1000} s: A part may take {promise} − {every} = {part} ms
    * parts {answer}: ⌈{block} ÷ {part}⌉ = {answer} parts
    ~ More than {block} ÷ {promise}: the interval itself needs some of the promise.

    Cut into parts, work on the loop delays a token by one part at most: promise ≥ interval + part.
    It is what chunked prefill does on the GPU, one floor higher.
    """)
