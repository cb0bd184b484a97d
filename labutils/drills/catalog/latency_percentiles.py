"""Percentiles of a handful of latencies, and how far a measured one is to be trusted."""

import math

import numpy as np

from labutils.drills.definition.writing import Draw, Drill, listing, quantity, template
from labutils.metrics.latency import percentile, percentile_of_all, rank_interval


@template("A12 L02", level=1, decision="estimate", number=6, rough=False)
def p95_of_a_list(draw: Draw) -> Drill:
    """Nearest rank, and the requests that the list leaves out."""
    n, what = draw.random.randint(20, 60), draw.one_of(("canary", "new region", "shadow copy"))
    latencies = _latencies(draw, n)
    ordered, rank = sorted(latencies), math.ceil(0.95 * n - 1e-9)
    answer = percentile(latencies, 0.95)
    draw.require(len(set(ordered[rank - 3 :])) == len(ordered[rank - 3 :]))
    above = n - rank
    return draw.drill(f"""
    The {what} has answered {n} requests. Its log, in ms, as they came:
    {listing(", ".join(map(str, latencies)))}
    ? What is their p95? The team uses the nearest rank: the smallest logged latency that at least
      95 % of the requests do not exceed.
    = {answer} ms tolerance=0
    - interpolated {float(np.percentile(latencies, 95))}: That lies between two latencies of the
      log, by interpolation (what numpy does unless told otherwise). The nearest rank is always a
      latency that occurred.
    - one-rank-low {ordered[rank - 2]}: Count how many requests yours holds: is that at least 95 %
      of them?
    - one-rank-high {ordered[rank] if above > 1 else None}: Yours holds more than it must. Does the
      latency before it hold 95 % of the requests, too?
    - in-order-of-arrival {latencies[rank - 1]}: You count along the log as it came. What must
      happen to it before a rank means anything?
    - slowest {ordered[-1]}: That is the slowest of all. How many may be slower than the p95?
    > Only the slow end matters. How many of the requests may be slower than the p95?
    > Sort; the p95 is the ⌈0.95 n⌉-th from below, so n - ⌈0.95 n⌉ are slower.
    > ⌈0.95 × {n}⌉ = {rank}: rank {rank} from below, with {above} above it.
    * rank {rank}: ⌈0.95 × {n}⌉ = {rank}
    * p95 {answer} ms: The slowest, in order: {", ".join(map(str, ordered[: rank - 2 : -1]))};
      {above} above, then {quantity(answer, "ms")}
    ~ At most {above} of the {n} are slower: it is among the largest of the list.

    By nearest rank the p95 is the ⌈0.95 n⌉-th smallest value (Hyndman & Fan 1996, definition 1).
    Definitions differ by a rank, and with few values a rank is a lot: say which you use, and that
    {above + 1} of {n} requests decided it.
    """).then(_timed_out(draw, what, latencies, answer))


def _latencies(draw: Draw, n: int) -> list[int]:
    """A right-skewed log in whole milliseconds."""
    median, spread = draw.number(60, 900), draw.share(0.4, 0.8)
    return [max(5, round(median * math.exp(draw.random.gauss(0, spread)))) for _ in range(n)]


def _timed_out(draw: Draw, what: str, latencies: list[int], before: float) -> Drill:
    """Requests that never finished belong to the percentile, and stand at its slow end."""
    n, ordered = len(latencies), sorted(latencies)
    lost = draw.random.randint(1, 2) if n >= 38 else 1
    answer = percentile_of_all(latencies, lost, 0.95)
    rank = math.ceil(0.95 * (n + lost) - 1e-9)
    requests = "1 more request" if lost == 1 else f"{lost} more requests"
    draw.require(math.isfinite(answer) and answer != before)
    slowest, fast = ordered[-1], ordered[max(rank - lost, 1) - 1]
    return draw.drill(f"""
    The client log shows {requests} to the {what}: never answered, and so never written to the
    server's list.
    ? What is the p95 of all {n + lost}, by nearest rank?
    = {answer} ms tolerance=0
    - counted-as-fast {None if fast in (answer, slowest, before) else fast}: You put those without
      an answer at the fast end, as a log that writes 0 for them would. How long have their users
      waited?
    - slowest-answer {None if slowest in (answer, before) else slowest}: That is the slowest answer.
      Count again from the slow end, and begin with those that have no answer.
    - survivors-only {before}: That is the p95 of the answered ones. Where in the sorted list do you
      put a request that never came back?
    > A request without an answer is later than every answer.
    > Put {lost} infinite latenc{"y" if lost == 1 else "ies"} at the slow end and take the ⌈0.95
      n⌉-th of all.
    > ⌈0.95 × {n + lost}⌉ = {rank}: rank {rank} from below, answered ones first.
    * rank {rank}: ⌈0.95 × {n + lost}⌉ = {rank}
    * p95 {answer} ms: Rank {rank} of the {n} answered ones, from below: {quantity(answer, "ms")}
    ~ No smaller than {quantity(before, "ms")}: what was added is slower than every answer.

    A percentile of the survivors flatters. Failures and timeouts stand at the slow end; from 5 % of
    them on, the p95 is infinite, however fast the rest.
    """)


@template("L02 A12", level=3, decision="limit", number=44, minutes=3.5, rough=False)
def percentile_ends(draw: Draw) -> Drill:
    """The interval around a percentile, by binomial ranks."""
    q, n = draw.one_of((0.9, 0.95, 0.99)), draw.whole(300, 50_000)
    spread = math.sqrt(n * q * (1 - q))
    draw.require(spread > 4)
    low, high = rank_interval(n, q)
    middle, name = math.ceil(n * q - 1e-9), f"p{100 * q:g}"
    side, sign, answer = draw.one_of(
        (("slower", "+", high - middle), ("faster", "−", middle - low))
    )
    draw.require(abs(answer - 1.96 * spread) < 0.9)  # the bell curve passes too
    number_in_the_list = middle + answer if side == "slower" else middle - answer
    return draw.drill(f"""
    A load test has measured {n:,} requests, far enough apart to be independent. Sorted from fastest
    to slowest, number {middle:,} is the report's {name}. Before anybody compares two releases by
    it, you want error bars: two of the measured latencies between which the service's true {name}
    lies with 95 % confidence. It may be missed with a chance of 2.5 % on either side.
    ? The {side} of the two is number {middle:,} {sign} k of the sorted list. What is k?
    = {answer} tolerance=0 absolute=1
    - one-deviation {spread}: You go out by one standard deviation. How many does 95 % need?
    - one-sided {1.645 * spread if answer - 1.645 * spread > 2 else None}: You leave 5 % out on one
      side. How much may be missed on either side?
    - root-of-n {1.96 * math.sqrt(n)}: You take the root of n for the spread. Each request is a toss
      of a coin that shows “below the true percentile” with a chance of q: what is its variance?
    - whole-width {high - low}: That is the distance from one of the two to the other. The question
      starts at the percentile.
    - number-in-the-list {number_in_the_list}: That is its own number in the list. How far is that
      from the number of the percentile?
    > How many of {n:,} requests lie below the true {name}? That varies from test to test. Which
      distribution does this number have?
    > Binomial: mean n q, standard deviation √(n q (1 - q)); 95 % lie within 1.96 of them, whatever
      the latencies look like.
    > 1.96 × √({n:,} × {q:g} × {1 - q:.2g}).
    * deviation {spread}: √({n:,} × {q:g} × {1 - q:.2g}) = {quantity(spread, "1")}
    * places {answer}: 1.96 × {quantity(spread, "1")} = {1.96 * spread:.1f}; exactly, by the
      binomial: {answer}
    ~ Only {n - middle:,} requests are slower than the measured {name}: fewer places than that.

    The number of values below the true quantile is binomial, for any distribution (David & Nagaraja
    2003, 7.1): read the latencies at ranks n q ± 1.96 √(n q (1-q)). Requests in one congested queue
    are not independent; their interval is wider.
    """).then(_narrower(draw, n, q, spread, name))


def _narrower(draw: Draw, n: int, q: float, spread: float, name: str) -> Drill:
    times = draw.one_of((2, 3, 4))
    return draw.drill(f"""
    The error bars run from the p{100 * (q - 1.96 * spread / n):.4g} to the
    p{100 * (q + 1.96 * spread / n):.4g} of the measured latencies. Two releases differ by less. You
    want that range {times} times as narrow, in percentiles.
    ? How many requests must the test measure?
    = {float(times**2 * n)} req tolerance=0.05
    - as-many-times {float(times * n)}: You let the range shrink in proportion to the number of
      requests. How does it shrink?
    - on-top {float((times**2 - 1) * n)}: That is how many more it takes. The question asks for the
      whole test.
    > In ranks the range grows with the root of n. And as a share of n?
    > Range in percentiles: 2 × 1.96 √(q (1 - q) / n).
    > {times} times as narrow: n grows by {times} × {times}.
    * requests {float(times**2 * n)} req: {times}² × {n:,} = {times**2 * n:,}
    ~ More than {times * n:,}: every further bit of precision costs more than the last.

    Width falls as 1/√n, for percentiles as for means. Decide how small a difference matters before
    the test, and compute n from it.
    """).then(_one_queue(draw, name))


def _one_queue(draw: Draw, name: str) -> Drill:
    """What dependence between neighbours does to the interval."""
    return draw.drill(f"""
    To measure that many in an afternoon, the test sends them close together, into a server that is
    90 % busy. Each waits in the queue behind the one before it.
    ? What becomes of the error bars that your ranks give?
    ? Which is it?
    + They are too narrow: the true uncertainty is larger than they say.
    x They are too wide: neighbours in a queue agree with each other.
    ! Neighbours agree, so each tells you less that is new. Is the number of independent
      observations larger or smaller than the number of requests?
    x They stay right: the ranks hold for any distribution of latencies.
    ! For any distribution, yes. What do the ranks assume about one request and the next?
    x They move towards faster requests, and keep their width.
    ! Dependence does not shift a rank to one side. What does it do to the number of independent
      observations?
    > A second request has waited in the queue behind the first. How much does it tell you that is
      new?
    > The binomial counts independent tosses.
    > If ten in a row are slow together, how many chances has the {name} had to vary?
    . Slow requests come in runs, so the sample holds fewer independent observations than requests,
      and the true range is wider: batch means or several separate runs show by how much.

    Correlation makes a sample smaller than it looks. Repeat the whole test and compare the runs:
    their spread does not assume that neighbours are independent.
    """)
