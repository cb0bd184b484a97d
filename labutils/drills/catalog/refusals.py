"""Refused requests: when a first token would come, and clients that come back."""

import math

from labutils.drills.catalog._serving import percent, times
from labutils.drills.definition.writing import Draw, Drill, positive, quantity, template


@template("I08 O04 I10", level=3, decision="limit", minutes=5)
def refused_again(draw: Draw) -> Drill:
    """A retry storm at a full server, and Retry-After with a spread."""
    takes, again = draw.whole(40, 600), draw.one_of((1, 2, 3, 4))
    new = float(f"{takes * draw.number(1.15, 2.2):.2g}")
    draw.require(new > 1.1 * takes)
    refused = (1 - takes / new) ** (1 / (again + 1))
    answer = takes / (1 - refused)
    first = 1 - takes / new
    tries = "once" if again == 1 else f"up to {again} times"
    chance_of_the_first_day = new * sum(first**tries for tries in range(again + 1))
    return draw.drill(f"""
    A server takes {quantity(takes, "req/s")} and refuses at once what is more, whoever it is: each
    attempt has the same chance. {quantity(new, "req/s")} are new. A client that is refused waits a
    second and tries again, {tries}; then it gives up. This has gone on for minutes.
    ? How many attempts a second reach the server, new ones and others together?
    = {answer} req/s tolerance=0.02 telling=4
    - everybody-every-time {new * (again + 1)}: You let everybody try as often as possible. Who
      stops sooner?
    - refused-by-capacity {new + again * (new - takes)}: You let so many be refused as are too many
      without second tries. With them, how many are?
    - chance-of-the-first-day {chance_of_the_first_day}: You refuse each with the chance that there
      was before anybody came back. What is it when they do?
    - one-second-try {2 * new - takes if again > 1 else None}: You let those that are too many come
      once more. How often does a client come, and how many are refused with second tries?
    - nobody-comes-back {new}: Those are the new ones. Who comes besides?
    - second-tries-alone {answer - new}: Those come again. Who comes for the first time?
    > Let q be the chance that an attempt is refused. Which share of clients gives up in the end,
      and who is taken?
    > new × (1 − q^(tries)) = capacity, and attempts × (1 − q) = capacity.
    > {new:g} × (1 − q^{again + 1}) = {takes}; attempts = {takes} ÷ (1 − q).
    * give_up {first}: {takes} of {new:g} are taken in the end, {quantity(first, "1")} give up
    * refused {refused}: q = {quantity(first, "1")}^(1/{again + 1}) = {quantity(refused, "1")}
    * attempts {answer} req/s: {takes} ÷ (1 − {quantity(refused, "1")}) =
      {quantity(answer, "req/s")}
    ~ Between {quantity(new, "req/s")} and {times(again + 1)} as much.

    Second tries add load when there is none to spare, and not one answer more: the server takes
    what it takes. Bound them: few tries, a budget of 10 % of the requests for each client, one
    layer that retries (Site Reliability Engineering, chapters 21 and 22).
    """).then(_spread(draw, takes))


def _spread(draw: Draw, takes: int) -> Drill:
    busy = draw.share(0.55, 0.85)
    rate = float(f"{takes * busy:.2g}")
    down, after = draw.whole(8, 60), draw.one_of((15, 30, 45, 60, 90))
    spare = takes - rate
    answer = rate * down / spare
    draw.require(down < after and 1.1 * down < answer and spare > 0.1 * takes)
    return draw.drill(f"""
    Another day: {quantity(rate, "req/s")} come evenly, and the server takes
    {quantity(takes, "req/s")}. For {down} s it refuses everybody, then it is well. Its refusals say
    when to come back: after {after} s and a random time on top, evenly between zero and a width.
    Every client does as it is told, once. The width is longer than the outage, and new requests go
    on to come.
    ? How wide must that be at least, so that none is refused a second time?
    = {answer} s tolerance=0.02 telling=4
    - whole-capacity {rate * down / takes}: You give those who return the whole server. Who comes
      besides?
    - as-long-as-the-outage {down}: Then they come back at the rate at which they came. Is there
      room for that?
    - already-spread {answer - down}: You take off the time over which they were refused. Where the
      two overlap, how many come in a second?
    - half-the-width {answer / 2}: That is half of it: to each side of a middle. How long is the
      whole?
    - the-pause-added {answer + after}: You add the time that all of them wait. Does that thin them
      out?
    > How many come back in all, and at which rate when most of them do?
    > new requests a second × outage ÷ (capacity − new requests a second).
    > {rate:g} × {down} ÷ ({takes} − {rate:g}).
    * refused {rate * down}: Refused: {rate:g} × {down} = {rate * down:,.4g}
    * spare {spare} req/s: To spare: {quantity(spare, "req/s")}
    * width {answer} s: {rate * down:,.4g} ÷ {spare:.4g} = {quantity(answer, "s")}: at the height of
      it they come back evenly over the width
    ~ More than the {down} s of the outage: less than half of the server is to spare.

    “Come back in 30 s” moves an outage's traffic 30 s on, in one piece. A spread thins it out:
    refused ÷ what is to spare. The server knows both, the client neither, so it belongs into
    Retry-After (jitter: Brooker, “Exponential backoff and jitter”, AWS 2015).
    """)


_IN, _OUT = "Let it in.", "Refuse it at once, and say when to come back."


@template("I08 O04 I10", level=3, decision="commit", form="verdict", minutes=4, rough=False)
def shed_or_not(draw: Draw) -> Drill:
    """Load shedding by a predicted TTFT, and the Retry-After of a refusal."""
    reads, taken = 1000 * draw.whole(6, 40), draw.share(0.15, 0.55)
    promise, prompt = draw.number(1.5, 9), 100 * draw.whole(10, 120)
    rate = reads * (1 - taken)
    fits = promise * rate  # tokens, its own included
    waiting = 100 * round((fits * draw.one_of((0.6, 0.75, 0.88, 1.12, 1.25, 1.4)) - prompt) / 100)
    draw.require(waiting > 2 * prompt)
    answer = (waiting + prompt) / rate
    is_in = answer <= promise
    draw.require(abs(answer / promise - 1) > 0.07)
    against = "Predict its first token, and compare that with the promise."
    return draw.drill(f"""
    An engine that does nothing else reads prompts at {quantity(reads, "tok/s")}. Now streams decode
    as well: they take {percent(taken)} of the time, and they go on. Prompts of {waiting:,} tokens
    together are still to be read, in the order in which they came. A request arrives with a prompt
    of {prompt:,} tokens; it was promised its first token within {quantity(promise, "s")}. Places
    and memory are free.
    ? How long after its arrival would its first token come?
    = {answer} s tolerance=0.02 telling=4
    - streams-forgotten {(waiting + prompt) / reads}: You give the prompts the whole step. Who takes
      a part of each?
    - own-prompt-forgotten {waiting / rate}: Then its turn comes. What has to be done until its
      first token?
    - the-streams-part {(waiting + prompt) / (reads * taken)}: You read prompts in the part of the
      streams. Which part is left?
    - own-prompt-alone {prompt / rate}: That is its own prompt. What stands before it?
    - part-added {(waiting + prompt) / reads * (1 + taken)}: You lengthen the time by that part. In
      a second of the clock, how much is read?
    ? What does the engine do with it?
    + {_IN if is_in else _OUT}
    x {_OUT if is_in else _IN}
    ! {against}
    x Let it wait until its promise is over, and refuse it then.
    ! What does anybody learn by that time that cannot be computed now?
    > How many prompt tokens are read in a second of the clock, and how many come first?
    > (tokens before it + its own) ÷ (reading rate × what the streams leave).
    > ({waiting:,} + {prompt:,}) ÷ ({reads:,} × {1 - taken:.2g}).
    * rate {rate} tok/s: Left for prompts: {reads:,} × {1 - taken:.2g} = {quantity(rate, "tok/s")}
    * first_token {answer} s: ({waiting:,} + {prompt:,}) ÷ {rate:,.0f} = {quantity(answer, "s")},
      where {quantity(promise, "s")} was promised
    ~ Longer than {quantity((waiting + prompt) / reads, "s")}, without any streams.

    Whoever knows the queue in tokens and the rate can predict a TTFT when a request arrives. Work
    on an answer that comes too late makes the next one late as well: refuse at the door, not at the
    deadline.
    """).then(_retry_after(draw, reads, taken, promise, prompt))


def _retry_after(draw: Draw, reads: int, taken: float, promise: float, prompt: int) -> Drill:
    rate = reads * (1 - taken)
    room = promise * rate - prompt
    waiting = 1000 * round(room * draw.number(1.3, 2.5) / 1000)
    coming = 100 * round(rate * draw.share(0.3, 0.8) / 100)
    exact = (waiting - room) / (rate - coming)
    draw.require(3 < exact < 200 and 0.08 < exact % 1 < 0.92)
    answer = math.ceil(exact)
    what_it_would_be_late_by = positive(math.ceil((waiting + prompt) / rate - promise))
    own_prompt_forgotten = positive(math.ceil((waiting - promise * rate) / (rate - coming)))
    streams_forgotten = positive(math.ceil((waiting + prompt - promise * reads) / (reads - coming)))
    return draw.drill(f"""
    A minute later {waiting:,} tokens are still to be read, and the same request would be late. From
    now on prompts are let in that bring {quantity(coming, "tok/s")} in all; the streams take as
    much as before. The refusal says after how many seconds to come back; with these numbers it has
    to be in time then.
    ? How many seconds are that at least? A whole number.
    = {answer} s tolerance=0 absolute=1 unsafe=below telling=4
    - nobody-else-comes {positive(math.ceil((waiting - room) / rate))}: You let the queue empty with
      nobody entering. What else is let in meanwhile?
    - until-it-is-empty {positive(math.ceil(waiting / (rate - coming)))}: You wait for an empty
      queue. How much may stand before it within its promise?
    - what-it-would-be-late-by {what_it_would_be_late_by}: That is by how much it would be late. How
      fast does the queue get shorter?
    - own-prompt-forgotten {own_prompt_forgotten}: You fill its promise with others. What has to be
      read for itself?
    - streams-forgotten {streams_forgotten}: You give the prompts the whole step. Who takes a part
      of each?
    - rounded-down {positive(answer - 1)}: A little too early: it would be refused again. Which way
      do you round?
    > How many tokens may stand before it, and how fast does the queue shrink to that?
    > ⌈(queue − (promise × rate − own prompt)) ÷ (rate − what comes)⌉.
    > ({waiting:,} − ({quantity(promise, "s")} × {rate:,.0f} − {prompt:,})) ÷ ({rate:,.0f} −
      {coming:,}).
    * room {room}: Before it there may be {quantity(promise, "s")} × {rate:,.0f} − {prompt:,} =
      {room:,.0f} tokens
    * shrinks {rate - coming}: The queue shrinks by {rate:,.0f} − {coming:,} = {rate - coming:,.0f}
      a second
    * seconds {answer} s: ({waiting:,} − {room:,.0f}) ÷ {rate - coming:,.0f}, rounded up: {answer} s
    ~ Less than {waiting / (rate - coming):.3g} s: the queue need not be empty.

    Retry-After = what is too much ÷ the rate at which it goes away. With a number that is too small
    the same clients come back to be refused again; spread it a little, so that not all of them come
    in one second.
    """)
