"""A second copy for a request that takes long, read off a table of latencies."""

import math

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.tails import Hedge


@template("I09 L16", level=2, decision="estimate", number=26, minutes=3.5)
def second_copy(draw: Draw) -> Drill:
    """Hedging: both copies late, and what the copies cost."""
    late = _table(draw)
    trigger, later, limit = list(late)[:3]
    hedge = Hedge(lambda t: late_at(late, t), trigger)
    answer, alone = 100 * hedge.tail(limit), 100 * late[limit]
    first, *others = (
        f"{quantity(100 * late[t], '%')}|longer than {quantity(t, 's')}" for t in sorted(late)
    )
    rows = ", ".join((first.replace("|", " of requests take "), *others)).replace("|", " ")
    what = draw.one_of(("feature store", "vector index", "embedding service", "session cache"))
    return draw.drill(f"""
    On one replica of the {what} {rows}. A client that has heard nothing after
    {quantity(trigger, "s")} asks a second replica, lets the first go on, and takes the answer that
    comes first. The replicas have nothing in common, and the extra load is too small to slow them.

    ? What share of requests, in percent, is still without an answer {quantity(limit, "s")} after
      the client began?
    = {answer} % tolerance=0.05
    - both-from-the-start {100 * late[limit] ** 2}: You give both copies the whole time. When does
      the second one start?
    - no-second-copy {alone}: That is the share for one replica alone. A second one has been working
      too.
    - first-one-given-up {100 * late[trigger] * late[later]}: You drop the first copy when the
      second is sent. It goes on: how long has it had by the end?
    - trigger-for-the-rest {100 * late[limit] * late[trigger]}: You let the second copy have
      {quantity(trigger, "s")}. How long has it had when the time is up?
    - added {alone + 100 * late[later]}: You add the two shares. Either answer is enough: what must
      happen to both copies if there is still none?
    > Two copies, each with a time of its own at that moment. How long has each been working?
    > Both late: S(t) × S(t - trigger), with the copies independent.
    > The first has had {quantity(limit, "s")}, the second {quantity(limit, "s")} -
      {quantity(trigger, "s")} = {quantity(later, "s")}: multiply the two shares of the table.
    * second_late {100 * late[later]} %: the second has had {quantity(limit, "s")} -
      {quantity(trigger, "s")} = {quantity(later, "s")}: late in {quantity(100 * late[later], "%")}
    * both_late {answer} %: {quantity(alone, "%")} × {quantity(100 * late[later], "%")} =
      {quantity(answer, "%")}
    ~ Below {quantity(alone, "%")}, what one replica alone leaves open.

    Hedging multiplies tails: S(t) S(t - trigger). It needs copies that are slow for reasons of
    their own; a request that is slow because of its input, or a pause that both share, gains
    nothing.
    """).then(_what_it_costs(draw, trigger, late[trigger]))


def late_at(late: dict[float, float], t: float) -> float:
    """The table's share at time ``t``, whose difference of two printed times carries rounding."""
    return late[min(late, key=lambda printed: abs(printed - t))]


def _table(draw: Draw) -> dict[float, float]:
    """Share later than: the trigger, the second copy's time at the limit, the limit, two more."""
    unit, spread = draw.one_of((0.005, 0.01, 0.02, 0.05)), draw.share(0.7, 1.1)
    trigger = unit * draw.random.randint(4, 8)
    later = unit * draw.random.randint(3, 12)
    draw.require(later != trigger)
    limit = trigger + later
    median = trigger / math.exp(spread * draw.one_of((1.28, 1.64, 2.05)))
    times = (trigger, later, limit, limit + 2 * unit, max(trigger, later) + unit)
    shares = [_lognormal_tail(t / median, spread) for t in times]
    draw.require(0.01 <= shares[0] <= 0.12 and 0.0004 < shares[2] < 0.6 * shares[0])
    draw.require(shares[1] < 0.4 and shares[1] * shares[2] > 1e-5)
    shares = [float(f"{share:.2g}") for share in shares]
    return dict(zip((round(t, 6) for t in times), shares))


def _lognormal_tail(ratio: float, spread: float) -> float:
    return math.erfc(math.log(ratio) / spread / math.sqrt(2)) / 2


def _what_it_costs(draw: Draw, trigger: float, sent_twice: float) -> Drill:
    """What the copies do to the servers on an ordinary day."""
    load = draw.share(0.55, 0.85)
    hedged = load * (1 + sent_twice)
    return draw.drill(f"""
    Without second copies the replicas are {quantity(100 * load, "%")} busy. A copy that has been
    sent cannot be called off and costs as much work as any request.
    {quantity(100 * sent_twice, "%")} of requests take longer than {quantity(trigger, "s")}.

    ? What share of their time are the replicas busy once second copies are sent?
    = {hedged} tolerance=0.003
    - added-points {load + sent_twice}: You add a share of the requests to a share of the time. How
      much of their time do the replicas spend on that share of requests?
    - one-for-each {2 * load}: You send a copy of every request. Which of them get one?
    > How many requests do the replicas get for each that a client makes?
    > New load = load × (1 + share sent twice).
    > {load:g} × (1 + {sent_twice:g}).
    * load {hedged}: {load:g} × (1 + {sent_twice:g}) = {quantity(hedged, "1")}
    ~ A little more than {load:g}.

    The price of a hedge is the share that passes the trigger: a trigger at p95 costs 5 % of the
    load. That price was read from a healthy day.
    """).then(_a_bad_minute(load, hedged))


def _a_bad_minute(load: float, hedged: float) -> Drill:
    """Everything passes the trigger: the price of a hedge is not a constant."""
    return drill(f"""
    A network hiccup holds everything up for a minute. Now every request waits long enough to be
    sent a second time, and nothing limits the number of copies.

    ? How much work do the clients send in that minute, as a share of what the replicas can do?
    = {2 * load} tolerance=0.01 scale=off
    - as-on-a-good-day {hedged}: That is the load of a healthy day. Which share is sent twice now?
    - one-plus-load {1 + load}: You add as much work as the replicas can do at most. There is one
      copy for each request: how much work is that?
    > Which share of the requests is sent twice?
    > Load × (1 + 1).
    > Twice {load:g}.
    * load {2 * load}: 2 × {load:g} = {quantity(2 * load, "1")}: more than the replicas can do, so
      the queues grow, every request stays late, and every request goes on being copied.
    ~ Above 1: more than they can do, so it goes on after its cause is gone.

    Above a load of 1/2 unlimited hedging has a second, collapsed state beside the healthy one, and
    an incident can move the fleet into it. A hard limit on copies, a few per cent of the requests,
    removes it. Calling off the copy that is no longer needed helps too, if it has not begun.
    """)
