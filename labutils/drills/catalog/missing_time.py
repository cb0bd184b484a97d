"""One number is missing: how many inside, how long until a backlog is gone."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.queueing import Overload

_ASK = "You may ask for one number, and one only. Which question do you ask?"


@template("B01 A19 A07", level=1, decision="model", form="missing")
def missing_stay(draw: Draw) -> Drill:
    """Ask for the missing number: open connections."""
    rate, first, late = draw.number(20, 400), draw.number(0.2, 0.9), draw.number(1.5, 4)
    return draw.drill(f"""
    A gateway streams answers and holds one connection per request. {quantity(rate, "req/s")} come,
    and as many are answered. The first token takes {quantity(first, "s")} on average,
    {quantity(late, "s")} at the 99th percentile. “How many connections are open on average? We must
    set the limit of the gateway today.”
    ? {_ASK}
    + How long does an answer take on average, from request to last byte?
    x How long does an answer take at the 99th percentile, to its last byte?
    ! An average number inside follows from an average time. What would a percentile give?
    x How many tokens a second does the whole installation make?
    ! That counts the tokens of all requests at once. For how long does a single one hold its
      connection?
    x How many users have an account and could come at the same time?
    ! How many could come is a different matter. How many come is given.
    x How many GPUs stand behind the gateway, and of which kind?
    ! The gateway sees requests come and go, whatever serves them. What does it not know yet?
    > You have a count per second and want a count.
    > Open = rate × mean time that one is open.
    > The time to the first token is not when a connection closes.
    . Open = {quantity(rate, "req/s")} × mean time open (Little's law).
    . {quantity(first, "s")} is when the stream begins; a connection closes at its last byte, and
      nothing is said about that.
    ~ More than {quantity(rate * first, "req")}: those that wait for a first token alone.

    Little's law needs the time that belongs to the boundary: for a connection the whole stream, not
    the first token, and the mean, not a percentile.
    """).then(_open(draw, rate=rate, first=first, late=late))


def _open(draw: Draw, *, rate: float, first: float, late: float) -> Drill:
    tokens, gap = draw.whole(120, 700), draw.one_of((12, 15, 20, 25, 30, 40))
    stay = first + (tokens - 1) * gap / 1000
    return draw.drill(f"""
    “I only have this: an answer has {tokens} tokens on average, and after the first they come every
    {gap} ms.”
    ? How many connections are open on average?
    = {rate * stay} req tolerance=0.02
    - first-token-alone {rate * first}: Those are the requests that wait for their first token. When
      does a connection close?
    - percentile {rate * (late + (tokens - 1) * gap / 1000)}: You put a 99th percentile into an
      average. Which time belongs there?
    - stream-alone {rate * (tokens - 1) * gap / 1000}: You leave out the wait for the first token.
      Is the connection not open by then?
    > First how long one is open, then how many are.
    > Time = first token + (n − 1) × gap; open = rate × time.
    > {quantity(rate, "req/s")} × ({quantity(first, "s")} + {tokens - 1} × {gap} ms).
    * stay {stay} s: Open for {quantity(first, "s")} + {tokens - 1} × {gap} ms =
      {quantity(stay, "s")}
    * open {rate * stay} req: {quantity(rate, "req/s")} × {quantity(stay, "s")} =
      {quantity(rate * stay, "req")}
    ~ More than {quantity(rate, "req")}, as a stream lasts for more than a second.

    The limit needs room above this average: it is exceeded about half of the time.
    """)


@template("O04 C13 O12", level=2, decision="model", form="missing")
def missing_rate_after(draw: Draw) -> Drill:
    """Ask for the missing number: when a backlog is gone."""
    capacity, minutes = draw.number(40, 300), draw.one_of((5, 8, 12, 15, 20))
    during = float(f"{capacity * draw.number(1.1, 1.8):.2g}")
    draw.require(during > 1.05 * capacity)
    return draw.drill(f"""
    A mailing went out. For {minutes} minutes {quantity(during, "req/s")} came to a service that
    completes {quantity(capacity, "req/s")} and not more; nobody was turned away, and all of them
    will wait. Five seconds ago the rush ended. “When are we back to normal?” asks the incident
    lead.
    ? {_ASK}
    + How many requests a second arrive from now on?
    x How long does a single request take when the service is idle?
    ! That is in the rate that the service completes. What else sets how fast the queue shrinks?
    x How many requests are waiting at this moment?
    ! Can you not compute that from the rush and the capacity?
    x How long did the last request of the rush wait?
    ! That follows from the backlog and the capacity. What happens to the queue from now on?
    x How many replicas is the service made of?
    ! What they complete together is known. What comes to them next?
    > How long is the queue, and how fast does it shrink?
    > Time = backlog ÷ (capacity − arrivals from now on).
    > Backlog: ({quantity(during, "req/s")} − {quantity(capacity, "req/s")}) × {minutes} min.
    . Backlog: ({during:g} − {capacity:g})/s × {minutes * 60} s =
      {quantity((during - capacity) * minutes * 60, "req")}: known.
    . It shrinks by capacity less what arrives: that rate is not said.
    ~ If as many arrive as are completed, it never ends.

    A backlog drains at the spare capacity, μ − λ, not at μ. With little to spare a short rush is
    felt for hours.
    """).then(_drain(draw, during=during, capacity=capacity, seconds=60 * minutes))


def _drain(draw: Draw, *, during: float, capacity: float, seconds: int) -> Drill:
    after = float(f"{capacity * draw.share(0.6, 0.93):.2g}")
    draw.require(after < 0.96 * capacity)
    rush = Overload(during, capacity, seconds, after)
    backlog, spare = rush.backlog_at_end, capacity - after
    return draw.drill(f"""
    “{quantity(after, "req/s")}, as on any other day.”
    ? How long does it take from the end of the rush until nobody waits?
    = {rush.drain_s} s tolerance=0.02
    - all-capacity {backlog / capacity}: You let all servers work on the backlog. Who serves those
      that arrive meanwhile?
    - rush-included {rush.healthy_after_s}: You count from the beginning of the rush. From when is
      asked?
    - as-long-as-the-rush {seconds}: That is how long it took to build up. Does it drain at the pace
      at which it grew?
    > Backlog over the pace at which it shrinks.
    > (Rate in the rush − rate completed) × length of the rush ÷ (rate completed − rate now).
    > ({during:g} − {capacity:g}) × {seconds} s ÷ ({capacity:g} − {after:g}).
    * backlog {backlog} req: Backlog: ({during:g} − {capacity:g})/s × {seconds} s =
      {quantity(backlog, "req")}
    * spare {spare} req/s: It loses {capacity:g} − {after:g} = {quantity(spare, "req/s")}
    * drain {rush.drain_s} s: {quantity(backlog, "req")} ÷ {quantity(spare, "req/s")} =
      {quantity(rush.drain_s, "s")}
    ~ Longer than {quantity(backlog / capacity, "s")}: new requests take their part.

    Spare capacity is what ends a backlog. Shedding what has waited too long to matter, or capacity
    for an hour, ends it sooner; waiting users who ask again prolong it.
    """)
