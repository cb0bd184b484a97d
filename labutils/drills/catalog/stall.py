"""A load test that waited with the server: what it left out of its percentiles."""

import numpy as np

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.latency import corrected_for_omission, percentile


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
