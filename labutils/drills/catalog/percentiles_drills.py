"""Percentiles read from a handful of latencies."""

import math

import numpy as np

from labutils.drills.definition.writing import Draw, Drill, Mistake, listing, quantity, template
from labutils.latency import percentile, percentile_of_all


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
    scaled = tuple(
        Mistake(name, value, message)
        for name, value, message in (
            (
                "survivors-only",
                before,
                "That is the p95 of the answered ones. Where in the sorted list do you put a "
                "request that never came back?",
            ),
            (
                "slowest-answer",
                ordered[-1],
                "That is the slowest answer. Count again from the slow end, and begin with those "
                "that have no answer.",
            ),
            (
                "counted-as-fast",
                ordered[max(rank - lost, 1) - 1],
                "You put those without an answer at the fast end, as a log that writes 0 for them "
                "would. How long have their users waited?",
            ),
        )
        if value != answer
    )
    asked = draw.drill(f"""
    The client log shows {requests} to the {what}: never answered, and so never written to the
    server's list.

    ? What is the p95 of all {n + lost}, by nearest rank?
    = {answer} ms tolerance=0
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
    return asked.also(mistakes=tuple({item.value: item for item in reversed(scaled)}.values()))
