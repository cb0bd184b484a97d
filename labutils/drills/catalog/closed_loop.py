"""Load tests that waited with the server, and the users who kept coming."""

import numpy as np

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.metrics.latency import corrected_for_omission, percentile


@template("L19 L12", level=3, decision="model", number=43, minutes=4)
def after_the_stall(draw: Draw) -> Drill:
    """Coordinated omission: the requests that the tester did not send."""
    q, stall = draw.one_of((0.95, 0.99)), draw.whole(4, 40)
    interval_ms = draw.one_of((20, 25, 40, 50, 100))
    fast_ms = draw.random.randint(2, 9)
    run = round(stall * draw.share(0.2, 0.75) / (1 - q) / 20) * 20
    sends = run * 1000 // interval_ms
    draw.require(500 <= sends <= 8_000 and run <= 1800)
    latencies = _log(run, stall, interval_ms=interval_ms, fast_ms=fast_ms)
    owed = corrected_for_omission(latencies, interval_ms / 1000)
    answer, reported = percentile(owed, q), percentile(latencies, q)
    draw.require(0.15 * stall < answer < 0.85 * stall and reported < 1)
    what, name = draw.one_of(("vendor", "colleague", "contractor")), f"p{100 * q:g}"
    return draw.drill(f"""
    A {what} presents a load test of {quantity(run, "s")}: one connection that is to send a request
    every {interval_ms} ms, but waits for each answer before it sends the next. Every answer took
    {fast_ms} ms, but once the server froze: that one answer took {stall} s, and then the test went
    on as before, without catching up. The report: {name} {fast_ms} ms, slowest {stall} s.
    ? Real users do not stop coming because the server is frozen. Which {name} would they have seen,
      with one request every {interval_ms} ms all through the test? (Take it that the server answers
      everything that has queued up the moment it is back.)
    = {answer} s tolerance=0.05
    - as-reported {reported}: That is the report's figure. How many requests did the tester not send
      while the server was frozen?
    - length-of-the-freeze {stall}: Only a request from its first moment waits for all of the
      freeze. How long do those wait that come later in it?
    - half-of-the-freeze {stall / 2}: That is how long those that come during the freeze wait on
      average. Which rank among all requests is asked for?
    > Put back those who would have come during the freeze. How long does each wait?
    > A request x seconds into a freeze of F seconds waits F - x. In a test of D seconds the slowest
      share 1 - q are those of the first (1 - q) D seconds of the freeze, and the last of them waits
      F - (1 - q) D.
    > {stall} s - {1 - q:.2g} × {run} s.
    * left_out {1000 * stall / interval_ms}: left out: {stall} s / {interval_ms} ms =
      {1000 * stall / interval_ms:,.0f} requests, about
    * slowest {(1 - q) * run} s: the slowest {100 * (1 - q):.2g} % of {run} s are the first
      {quantity((1 - q) * run, "s")} of the freeze
    * corrected {answer} s: {name} = {stall} s - {quantity((1 - q) * run, "s")} =
      {quantity(answer, "s")}
    ~ The freeze lasted {100 * stall / run:.2g} % of the time, more than {100 * (1 - q):.2g} %: the
      rank lies among those who met it.

    Coordinated omission (Tene): a closed loop stops asking when the server stops answering, and
    counts a freeze as one slow request. Measure from the intended send time, or put the omitted
    ones back; better, send on schedule.
    """).then(_mean(latencies, owed, stall, run))


def _log(run: int, stall: int, *, interval_ms: int, fast_ms: int) -> np.ndarray:
    """What the tester writes down: one answer per interval outside the freeze, and one slow one."""
    answered = (run - stall) * 1000 // interval_ms
    return np.append(np.full(answered, fast_ms / 1000), float(stall))


def _mean(latencies: np.ndarray, owed: np.ndarray, stall: int, run: int) -> Drill:
    """The mean of the same users."""
    answer, reported = float(owed.mean()), float(latencies.mean())
    fast = float(latencies[0])
    return drill(f"""
    “At least the mean is honest”, you hear: the report has it as {quantity(reported, "s")}.
    ? Which mean latency would the users have seen who come all through the test?
    = {answer} s tolerance=0.05
    - as-reported {reported}: That is the report's mean, which holds the freeze once. How many users
      met it?
    - everybody-waits-for-all-of-it {fast + stall * stall / run}: You let all who came during the
      freeze wait for the whole of it.
    - those-in-the-freeze {stall / 2}: That is the mean of those who came during the freeze. And the
      others?
    > Which share came during the freeze, and how long did they wait on average?
    > Mean = fast + (F / D) × F / 2.
    > {quantity(fast, "s")} + {stall}² s² / (2 × {run} s).
    * share {stall / run}: share in the freeze: {stall} / {run} = {quantity(stall / run, "1")}
    * mean {answer} s: {quantity(fast, "s")} + {quantity(stall / run, "1")} ×
      {quantity(stall / 2, "s")} = {quantity(fast + stall * stall / (2 * run), "s")}; summed request
      by request {quantity(answer, "s")}
    ~ Below {quantity(stall / 2, "s")}, what those in the freeze waited on average.

    The mean grows with the square of a freeze: when it lasts longer, more requests meet it and each
    waits longer. A closed loop counts it once, however many it held up.
    """)


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
