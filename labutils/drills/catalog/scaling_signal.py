"""Which panel tells in time that another replica is needed."""

import math

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("I08 J05 L08 B01", level=3, decision="commit", minutes=3.5, rough=False)
def signal_in_time(draw: Draw) -> Drill:
    """Autoscaling: the signal that moves before the pool is full."""
    pool, held = 10_000 * draw.whole(20, 120), 100 * draw.whole(10, 60)
    stay, climb, start = draw.number(5, 30), draw.number(0.1, 2), 10 * draw.whole(9, 40)
    grown = climb / 60 * start * stay * held / pool
    now = draw.share(0.2, 0.4)
    exact, host = 100 * (1 - grown), draw.share(0.05, 0.15)
    answer = math.floor(exact)
    draw.require(0.12 < grown < 0.5 and now < 1 - grown - 0.1)
    draw.require(0.1 < exact - answer < 0.9)
    return draw.drill(f"""
    A replica's KV pool has room for {pool:,} tokens. A request holds {held:,} of them on average
    while it is inside, which takes {quantity(stay, "s")}. In the morning a replica's traffic climbs
    by {quantity(climb, "req/s")} each minute, steadily; until the pool is full, requests stay as
    long as now. A new replica serves {quantity(start, "s")} after the order, and takes its part of
    the traffic at once. The panels now: GPU activity at its top since half past seven, CPU of the
    host {percent(host)}, requests waiting 0, KV pool in use {percent(now)}.
    ? At how many percent of the pool in use (a whole number) must the order go out at the latest,
      so that the pool is not full before the new replica serves?
    = {answer} % tolerance=0 absolute=1 unsafe=above telling=3
    - what-grows {100 * grown}: So much fills while the replica starts. What must still be free when
      the order goes out, and what is in use then?
    - stay-forgotten {100 * (1 - grown / stay)}: Next to nothing fills in your sum. How many tokens
      does a request hold, and for how long?
    - a-minute {100 * (1 - grown * 60 / start)}: You count a minute of growth. How long does a start
      take?
    - from-now {100 * (now + grown)}: That is what is in use if the order goes out now. How late may
      it go out?
    - a-habit {80 if abs(answer - 80) > 2 else None}: 80 % is a habit. How much of the pool fills
      while a replica starts?
    ? Which panel should give the order?
    + KV pool in use
    x GPU activity
    ! It reads the same at one request and at a hundred. What would it have told you since half past
      seven?
    x CPU of the host
    ! Whose work does the host's CPU do? Not what fills here.
    x Requests waiting
    ! Nobody waits until the pool is full. How long after that would the replica come?
    > How much of the pool fills during a start?
    > 1 − climb per second × start × stay × tokens held ÷ pool, rounded down.
    > 1 − {climb:g} ÷ 60 × {start} × {quantity(stay, "s")} × {held:,} ÷ {pool:,}.
    * climb {climb * start / 60} req/s: During a start the traffic climbs by {climb:g} ÷ 60 ×
      {start} = {quantity(climb * start / 60, "req/s")}
    * inside {climb * start / 60 * stay} req: × {quantity(stay, "s")} =
      {quantity(climb * start / 60 * stay, "req")} more inside
    * fills {grown}: They hold {quantity(climb * start / 60 * stay * held, "tok")}: {percent(grown)}
      of the pool
    * order {answer} %: 100 % less that, rounded down: {answer} %
    ~ Above the {percent(now)} of now, below 100 %.

    Scale on what fills: requests in flight or KV in use. GPU activity is saturated at any batch,
    and a queue appears when it is too late by a whole start. The threshold is 1 − growth over the
    start, not a habit.
    """).then(_late_panel(draw, pool=pool, held=held, stay=stay, start=start, climb=climb))


def _late_panel(draw: Draw, *, pool, held, stay, start, climb) -> Drill:
    busy = draw.one_of((0.85, 0.88, 0.9, 0.92))
    answer = (1 - busy) * pool / held / stay / start * 60
    draw.require(answer < 0.85 * climb)
    return draw.drill(f"""
    To save GPUs, the order is to go out only at {percent(busy)} of the pool in use.
    ? By how much may a replica's traffic climb each minute at most, in requests a second, so that
      the pool still does not fill during a start?
    = {answer} req/s tolerance=0.02 telling=0
    - per-second {answer / 60}: That is the climb in a second. In what time was it asked for?
    - over-the-whole-start {answer * start / 60}: That is the climb over a whole start. What may it
      be each minute?
    - what-is-used {answer * busy / (1 - busy)}: You fill what is in use already. How much of the
      pool is still free?
    - stay-forgotten {answer * stay}: You let each request hold its tokens for a second. How long
      does it hold them?
    > How many more requests find room, and what climb brings so many inside?
    > (1 − share) × pool ÷ tokens held ÷ stay ÷ start × 60.
    > {1 - busy:.2g} × {pool:,} ÷ {held:,} ÷ {quantity(stay, "s")} ÷ {start} s × 60.
    * room {(1 - busy) * pool / held} req: Room for {1 - busy:.2g} × {pool:,} ÷ {held:,} =
      {quantity((1 - busy) * pool / held, "req")}
    * climb {(1 - busy) * pool / held / stay} req/s: So many more are inside after a climb of
      {quantity((1 - busy) * pool / held / stay, "req/s")}
    * minute {answer} req/s: It may take {start} s: {quantity(answer, "req/s")} a minute
    ~ Less than today's {quantity(climb, "req/s")}: the order goes out later.

    A later threshold is paid with slower growth or a faster start. When the climb is steeper than
    that, no reactive rule is early enough: order by the clock.
    """)
