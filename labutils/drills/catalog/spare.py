"""Replicas that stand ready while new ones start, and cards given back when nobody asks."""

import math

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.capacity import spare_replicas


@template("O03 I08 P03 N04", level=2, decision="estimate", number=45)
def spare_while_starting(draw: Draw) -> Drill:
    """Autoscaling: headroom for a cold start."""
    per_minute, capacity = draw.number(2, 40), draw.number(1, 9)
    node, image = draw.one_of((40, 60, 90, 120)), draw.one_of((30, 45, 70, 100))
    weights, warm = draw.one_of((25, 50, 80, 110)), draw.one_of((15, 20, 30, 45))
    start = node + image + weights + warm
    growth = per_minute / 60
    spare = spare_replicas(growth, start, capacity)
    draw.require(6 <= spare <= 60)
    few = max(2, round(spare / draw.one_of((2, 2.5, 3))))
    longest = few * capacity / growth
    climb, each = quantity(per_minute, "req/s"), quantity(capacity, "req/s")
    asked = draw.drill(f"""
    Each weekday at eight the traffic climbs by {climb} every minute. A replica carries {each} at
    its planned load, and those in use are at that load. A new one takes {node} s for its node,
    {image} s to pull the image, {weights} s to load weights and {warm} s to warm up. The scaler
    reacts at once.
    ? How many replicas must stand ready beyond those in use, so that on average none is loaded
      beyond its plan while a new one starts?
    = {spare} tolerance=0 absolute=1 unsafe=below
    - rounded-down {spare - 1}: {spare - 1} absorb {quantity((spare - 1) * capacity, "req/s")} of
      growth. How much has come when the first new replica serves?
    - per-second {spare_replicas(per_minute, start, capacity)}: You take the growth as per second.
      What unit does the growth come in?
    - weights-only {spare_replicas(growth, weights, capacity)}: You count the loading of weights
      alone. When does a replica serve its first user?
    - warm-node {spare_replicas(growth, start - node, capacity)}: You leave out the node. Where does
      the image go before there is one?
    - one-minute {spare_replicas(growth, 60, capacity)}: You cover one minute of growth. For how
      long does the growth go on before help arrives?
    > By how much does the traffic grow before help arrives?
    > ⌈growth per second × whole start time ÷ what one replica carries⌉.
    > {climb} ÷ 60 s × ({node} + {image} + {weights} + {warm}) s ÷ {each}.
    * start {start} s: A start takes {node} + {image} + {weights} + {warm} = {start} s
    * growth {per_minute * start / 60} req/s: Meanwhile the traffic grows by {climb} × {start}/60 =
      {quantity(per_minute * start / 60, "req/s")}
    * spare {spare}: At {each} each, rounded up: {spare}
    ~ A minute of growth takes {quantity(per_minute / capacity, "1")} replicas, and a start takes
      {"more" if start > 60 else "less"} than a minute.

    Headroom = growth × cold start ÷ capacity of one. It assumes steady growth and a scaler that
    reacts at once: a delay of the metric belongs to the start time. A forecast or a timetable for
    eight o'clock replaces spares by starting earlier.
    """)
    further = draw.drill(f"""
    The budget pays for {few} replicas in reserve, and the climb stays as it is.
    ? How long may a start take at most?
    = {longest} s
    - per-second {few * capacity / per_minute}: You take the growth as per second. What unit does it
      come in?
    - unchanged {start}: That is today's start. For how long do the reserves last?
    > How much growth do the reserves absorb, and how soon has it come?
    > Start ≤ reserves × capacity of one ÷ growth per second.
    > {few} × {each} ÷ ({climb} ÷ 60 s).
    * absorbed {few * capacity} req/s: The reserves absorb {few} × {each} =
      {quantity(few * capacity, "req/s")}
    * start {longest} s: That growth takes {quantity(longest, "s")}
    ~ Fewer reserves than before, so the start must be shorter than today's.

    Seconds of cold start and idle replicas are one currency. Images and weights kept on the node,
    and graphs captured ahead, buy the same as reserves.
    """)
    return asked.then(further)


@template("P03 O03 N04", level=2, decision="commit", minutes=3)
def warm_or_zero(draw: Draw) -> Drill:
    """Scale to zero: up to how many sessions a day it is cheaper."""
    kept, hired = draw.number(1.6, 2.6), draw.number(2.8, 5)
    start, session, idle = draw.one_of((2, 3, 4, 6)), draw.whole(8, 40), draw.one_of((5, 10, 15))
    minutes = start + session + idle
    limit = 24 * 60 * kept / (hired * minutes)
    answer = math.floor(limit)
    draw.require(6 <= answer <= 32 and 0.1 < limit - answer < 0.9)
    no_start = math.floor(limit * minutes / (session + idle))
    no_idle = math.floor(limit * minutes / (start + session))
    alone = math.floor(limit * minutes / session)
    same, swapped = math.floor(24 * 60 / minutes), math.floor(24 * 60 * hired / (kept * minutes))
    draw.require(abs(no_start - no_idle) > 2)
    for other in (alone, same, swapped):
        draw.require(abs(no_start - other) > 1 and abs(no_idle - other) > 1)
    message = "One too many: rounded up, or the start left out. " if no_start == answer + 1 else ""
    return draw.drill(f"""
    A fine-tuned model serves an internal tool on a card of its own. Kept all year, day and night,
    the card costs {quantity(kept, "$/h")}. Instead it could be hired at {quantity(hired, "$/h")},
    paid by the minute from the order on: a cold start takes {start} minutes, the session then lasts
    {session} minutes on average, and after {idle} minutes more without a request the card is given
    back. No two sessions overlap, and each begins with a cold start.
    ? Up to how many sessions a day (a whole number) is hiring the cheaper way?
    = {answer} tolerance=0 absolute=1 unsafe=above telling=3
    - session-alone {alone}: You pay for the sessions alone. From
      when to when is the card hired?
    - no-start {no_start}: {message}From the order on the card is paid. What happens between the
      order and the session?
    - one-price {same}: You pay the same price for both. Compare the two
      prices of an hour.
    - prices-swapped {swapped}: Which price belongs to the
      card that runs all day?
    - no-idle {no_idle}: You give the card back when the
      session ends. Who pays while it waits for more?
    > What does a day cost the one way, and a session the other way?
    > ⌊24 h × price kept ÷ (price hired × hours of a session)⌋, start and idle included.
    > 24 × 60 × {kept:g} ÷ ({hired:g} × ({start} + {session} + {idle})).
    * day {24 * kept} $: A day kept: 24 × {kept:g} = {quantity(24 * kept, "$")}
    * session {hired * minutes / 60} $: A session hired: {minutes} min × {hired:g} ÷ 60 =
      {quantity(hired * minutes / 60, "$")}
    * sessions {answer}: The quotient, rounded down: {answer}
    ~ At most {24 * 60 // minutes}: more do not fit into a day.

    Scale to zero pays for start and idle time with every session, usually at a higher price: it is
    for models that rest most of the day. Put several small models on one warm card before you let
    each of them go cold.
    """).then(_promise(draw, minutes=start))


def _promise(draw: Draw, *, minutes: int) -> Drill:
    promised, requests = draw.one_of((0.95, 0.98, 0.99)), draw.one_of((6, 8, 9, 12, 15))
    answer = 100 / requests
    draw.require(answer > 115 * (1 - promised))
    need = round(1 / (1 - promised))
    return draw.drill(f"""
    The card is hired. A session is {requests} requests of one user, each sent when the answer
    before is there. The promise to users: {100 * promised:g} % of the requests see a first token
    within 2 s. On a warm card all of them do.
    ? What share of the requests, in percent, breaks the promise?
    = {answer} % tolerance=0.02 telling=0
    - all 100.0: You let every request wait for a start. Which ones of a session do?
    - the-allowance {100 * (1 - promised)}: So many may break it. How many do?
    - sessions-to-requests {100 / (requests + 1)}: Is the one that waits not among them? Count the
      requests again.
    ? What helps most here?
    + Begin the start when the user opens the tool, before the first request
    x Send a second copy of a request that is late
    ! Where would the copy run? No card is there yet.
    x Hire a faster card
    ! How much of the {minutes} minutes is arithmetic? What is it spent on?
    x State the promise for the mean time to the first token
    ! That changes the words, not the wait. And what does a wait of minutes do to a mean?
    > Who waits for the card, and who finds it there?
    > One of the requests of a session.
    > 100 ÷ {requests}.
    . One of {requests} requests meets the start
    * late {answer} %: 100 ÷ {requests} = {quantity(answer, "%")}
    ~ The promise allows {100 * (1 - promised):g} %.

    The bill was right and the promise was broken: with {100 * promised:g} % promised, a cold start
    must be rarer than one request in {need}. Money sets when to go cold, the promise whether you
    may.
    """)
