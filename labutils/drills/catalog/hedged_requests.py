"""A second copy of what takes long: of a request, and of a prompt before its first token."""

import math

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.laws.tails import Hedge


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


@template("I09 O05 O04", level=3, decision="estimate", minutes=4.5, rough=False)
def hedged_prefills(draw: Draw) -> Drill:
    """A hedging budget: a copy's work, the day when everybody is late, the cap."""
    trigger = draw.one_of((0.9, 0.93, 0.95, 0.97))
    reading, writing = draw.number(0.05, 0.4), draw.number(0.2, 1.2)
    part = reading / (reading + writing)
    answer = 100 * (1 - trigger) * part
    late = quantity(draw.one_of((0.6, 0.8, 1, 1.2, 1.5, 2)), "s")
    draw.require(0.12 < part < 0.45)
    name = f"p{100 * trigger:.0f}"
    return draw.drill(f"""
    A request takes {quantity(reading, "s")} of a GPU to read its prompt and
    {quantity(writing, "s")} to write the answer, on average. If {late} after a request no token has
    come, the router sends a copy to a second replica; whichever writes first goes on. The other one
    has then read its prompt as well, and is cancelled before it writes. {late} is the {name} of the
    time to the first token, with the copies as well.
    ? By how many percent does this raise the work of the GPUs?
    = {answer} % tolerance=0.03 telling=0
    - whole-copies {100 * (1 - trigger)}: You have every copy write its answer too. When is it
      cancelled?
    - all-twice {100 * part}: You copy each request. Which of them have no token by then?
    - reading-over-writing {100 * (1 - trigger) * reading / writing}: You compare reading with
      writing. With what is the raise to be compared?
    - those-in-time {100 * trigger * part}: That is what the others would cost. How many are later
      than the {name}?
    > How many copies are there, and how much of a request's work does one do?
    > (1 − share in time) × reading ÷ (reading + writing).
    > {1 - trigger:.2g} × {reading:g} ÷ ({reading:g} + {writing:g}).
    * part {part}: A copy does {reading:g} ÷ ({reading:g} + {writing:g}) = {part:.4g} of a request's
      work
    * raise {answer} %: × {1 - trigger:.2g}: {quantity(answer, "%")}
    ~ Less than {quantity(100 * (1 - trigger), "%")}: a copy does not write.

    A hedge on the first token costs a prefill, not an answer, if the loser is cancelled at once.
    That makes it cheap for short prompts, and dear for long ones.
    """).then(_afternoon(draw, part=part, name=name, late=late))


def _afternoon(draw: Draw, *, part: float, name: str, late: str) -> Drill:
    load, share = draw.share(0.8, 0.89), draw.share(0.3, 0.6)
    answer = load * (1 + share * part)
    most = draw.one_of((0.9, 0.91, 0.92))
    draw.require(max(most + 0.01, 1.05 * load) < answer < 1.08 and most > 1.015 * load)
    asked = draw.drill(f"""
    One afternoon the GPUs are {percent(load)} busy with requests alone, copies not counted.
    {percent(share)} of the requests have no token after {late}, and the rule stands.
    ? How busy do the copies make the GPUs? (Work that arrives over work they can do.)
    = {answer} tolerance=0.01 scale=off telling=3
    - whole-copies {load * (1 + share)}: You have every copy write its answer too. How much of a
      request does it do?
    - {f"still-the-{name}"} {load * (1 + (1 - int(name[1:]) / 100) * part)}: You send as many copies
      as on a good day. Is {late} still the {name}?
    - added {load + share * part}: You add a share of the requests to a share of the time. Of what
      work are the copies a share?
    - reading-over-writing {load * (1 + share * part / (1 - part))}: You compare reading with
      writing. Of what work is a copy a part?
    - no-copies {load}: That is without copies.
    - copies-alone {load * share * part}: That is what the copies add. What is there besides?
    ? What follows from that?
    + More wait, more copies are sent, and they make more wait
    x Each copy takes a waiting request off another queue, so the queues shorten
    ! The copied request still stands in its first queue. Did work go away?
    x It settles: copies are cancelled as soon as a token comes
    ! What have they done by then, and what if it is more than the GPUs can do?
    > How much work does a second of traffic bring now?
    > load × (1 + share that is late × part of a copy).
    > {load:g} × (1 + {share:g} × {part:.4g}).
    * added {share * part}: The copies add {share:g} × {part:.4g} = {percent(share * part)}
    * busy {answer}: {load:g} × that more: {answer:.4g}
    ~ More than {load:g}.

    A trigger fixed in seconds sends most copies when there is least room for them: a loop that
    feeds itself.
    """)
    draw.require("reading-over-writing" in {mistake.name for mistake in asked.mistakes})
    return asked.then(_cap(load=load, part=part, share=share, most=most))


def _cap(*, load: float, part: float, share: float, most: float) -> Drill:
    answer = 100 * (most / load - 1) / part
    return drill(f"""
    The GPUs may be {percent(most)} busy, even on such an afternoon. The router gets a budget: it
    sends copies of a fixed share of the requests at most.
    ? What share, in percent, may the budget be?
    = {answer} % tolerance=0.03 telling=0
    - whole-copies {answer * part}: You have every copy write its answer too. How much of a request
      does it do?
    - points {100 * (most - load) / part}: You divide by the whole capacity. Of what is a copy a
      part?
    - room-in-points {100 * (most - load)}: That is the room that is left. How many copies fit into
      it?
    - to-the-brim {100 * (1 / load - 1) / part}: You fill the GPUs completely. How busy may they be?
    - all-that-are-late {100 * share}: So many would like one. How many fit?
    > How much more work fits, as a part of the requests' own?
    > (most ÷ load − 1) ÷ part of a copy.
    > ({most:g} ÷ {load:g} − 1) ÷ {part:.4g}.
    * fits {most / load - 1}: {most:g} ÷ {load:g} − 1 = {percent(most / load - 1)} more work fits
    * budget {answer} %: ÷ {part:.4g} = {quantity(answer, "%")}
    ~ More than {quantity(answer * part, "%")}: a copy is less than a request.

    Cap hedges by a budget (a share of the requests), not by the trigger alone. On a good day the
    cap is never reached; on a bad day it is what keeps the fleet up.
    """)
