"""Refused clients that come back: what a full server is offered, and how to spread a return."""

from labutils.drills.catalog._serving import times
from labutils.drills.definition.writing import Draw, Drill, quantity, template


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
