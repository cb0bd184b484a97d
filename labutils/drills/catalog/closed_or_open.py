"""A tester in a closed loop while the server freezes, and the users who kept coming."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("L12 L19 C13", level=3, decision="model", minutes=4.5)
def closed_or_open(draw: Draw) -> Drill:
    """Closed loop against open arrivals: requests never sent, and those who were late."""
    users, takes = draw.whole(8, 200), 10 * draw.whole(4, 90)
    stall, run = draw.whole(6, 45), 60 * draw.whole(5, 30)
    each = takes / 1000
    rate = users / each
    answer = rate * stall
    draw.require(20 < rate < 900 and stall > 5 * each)
    return draw.drill(f"""
    A load test plays {users} users for {run // 60} minutes. Each sends a request, waits for its
    answer, and sends the next one at once. An answer takes {takes} ms. Once, in the middle of the
    test, the server freezes for {stall} s: nothing is answered, and then it goes on where it was.

    ? How many fewer requests does the test send because of that than it would have sent otherwise?
    = {answer} tolerance=0.02 telling=4
    - those-in-flight {users}: Those were sent, and waited. How many would have followed them?
    - one-user {stall / each}: That is what one of them would have sent. How many are there?
    - one-a-second {users * stall}: You let each send one a second. How long does an answer take?
    - a-round-less {rate * stall - users}: You take off those in flight. They were sent before it:
      are they among those that were not sent?
    - whole-test {rate * (run - stall)}: So many were sent. How many were not?
    - mean-rate-of-the-log {rate * (run - stall) / run}: That is the mean rate that the report
      shows. How many are missing in all?
    > How many are sent in a second of the quiet test, and how many during the freeze?
    > users ÷ time of an answer × time of the freeze.
    > {users} ÷ {takes} ms × {stall} s.
    * rate {rate} req/s: {users} ÷ {takes} ms = {quantity(rate, "req/s")}
    * unsent {answer}: For {stall} s nobody sends: {rate:,.4g} × {stall} = {answer:,.0f}
    ~ Many more than the {users} that the freeze caught.

    A closed loop stops asking when the server stops answering. Its log holds one slow request for
    each user and misses the rate × the freeze: the worse the server, the fewer samples of it
    (Tene's coordinated omission; Schroeder, Wierman and Harchol-Balter, “Open versus closed”, NSDI
    2006).
    """).then(_late(draw, users, takes, stall, run))


def _late(draw: Draw, users: int, takes: int, stall: int, run: int) -> Drill:
    most = round(users * 1000 / takes * draw.number(1.2, 2.6))
    rate = float(f"{most * draw.share(0.4, 0.85):.2g}")
    limit = draw.one_of((1, 2, 3, 5))
    late = (stall - limit) / (1 - rate / most)
    answer = 100 * late / run
    draw.require(stall > 1.8 * limit and late < 0.4 * run and rate < 0.87 * most)
    logged = 100 * takes / 1000 / (run - stall)
    return draw.drill(f"""
    In production {quantity(rate, "req/s")} come evenly, frozen or not, for the same {run // 60}
    minutes with one such freeze of {stall} s. The server is first come, first served, and answers
    at most {quantity(most, "req/s")} afterwards. The test's log has {users} requests that waited.

    ? Which share of these requests waits for longer than {limit} s? (In percent; the time of the
      answer itself does not count.)
    = {answer} % tolerance=0.02 telling=4
    - as-the-test-logs {logged}: That is the test's log: one slow request for each user. Who else
      would have come?
    - all-is-answered-at-once {100 * (stall - limit) / run}: You answer all who waited in one
      moment. What happens behind the freeze?
    - whoever-waits {100 * stall / (1 - rate / most) / run}: You count all who wait at all. Which of
      them waits longer than the limit?
    - the-freeze {100 * stall / run}: That is the freeze itself. For how long after it do people
      still wait?
    - drain-at-full-speed {100 * (stall - limit) * (1 + rate / most) / run}: You let the queue
      shrink at full speed. Who comes while it does?
    > When is a request answered that comes x seconds after the freeze has begun?
    > (freeze − limit) ÷ (1 − arrivals ÷ capacity) ÷ length of the whole.
    > ({stall} − {limit}) s ÷ (1 − {rate:g} ÷ {most}) ÷ {run} s.
    . x seconds in, {rate:g} × x stand before it: it waits {stall} − x × (1 − {rate:g} ÷ {most}) s
    * late_arrivals {late} s: Longer than {limit} s for {stall - limit} ÷ {1 - rate / most:.4g} =
      {quantity(late, "s")} of arrivals
    * share {answer} %: Of {run} s: {quantity(answer, "%")}
    ~ More than {100 * (stall - limit) / run:.3g} %, as if all were answered at once; the test's log
      says {logged:.2g} %.

    Behind a freeze the queue drains at the spare rate alone, so people are late for freeze ÷ (1 −
    load). A test with open arrivals shows that; a closed loop has at most one slow request for each
    of its users, and its p99 may show nothing.
    """)
