"""A few points less hit rate: what reaches the backend, and the rate that it was sized for."""

from labutils.caching import backend_load
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_CAUSES = (
    ("ranked passages", "A release adds the user's language to the key"),
    ("embeddings of questions", "A client begins to send a time stamp inside the question"),
    ("results of a search tool", "A second product, with other questions, uses the same cache"),
    ("safety verdicts", "The time to live is cut after a complaint about old verdicts"),
)


@template("F09 F07 O12", level=1, decision="limit")
def hit_rate_falls(draw: Draw) -> Drill:
    """A few points less hit rate: the load on the backend."""
    (what, cause), rate = draw.one_of(_CAUSES), 100 * draw.whole(8, 90)
    before = draw.share(0.9, 0.97)
    after = round(before - draw.share(0.02, 0.09), 2)
    draw.require(after < before)
    loads = [backend_load(rate, hits) for hits in (before, after)]
    answer = loads[1] / loads[0]
    return draw.drill(f"""
    A cache holds {what} and answers {percent(before)} of {quantity(rate, "req/s")}; a backend
    computes the rest. {cause}, and from then on the cache answers {percent(after)}. The traffic is
    as before.

    ? How many times the old load does the backend get now?
    = {answer} tolerance=0.02 scale=off telling=4
    - hits-compared {before / after}: You compare what the cache answers. What does the backend get
      of all requests?
    - growth-alone {answer - 1}: That is what has been added, in units of the old load. How large is
      the whole?
    - upside-down {1 / answer}: Your fraction is upside down. Has the backend more to do now, or
      less?
    - no-cache-at-all {1 / (1 - before)}: You send every request to the backend. How many does the
      cache still answer?
    > The backend never sees a hit. What does it see?
    > Load behind a cache = rate × (1 − hit share); the rate cancels.
    > (1 − {after:g}) ÷ (1 − {before:g}).
    * before {loads[0]} req/s: Before: {quantity(loads[0], "req/s")}
    * now {loads[1]} req/s: Now: {quantity(loads[1], "req/s")}
    * times {answer}: The ratio: {quantity(answer, "1")}
    ~ Above 1, and below {quantity(1 / (1 - before), "1")}, which an empty cache would give.

    What stands behind a cache sees 1 − h. Near h = 1 a few points less multiply its load, so watch
    the share of misses, on a scale on which a doubling is seen.
    """).then(_least_hits(draw, rate=rate, load=loads[0]))


def _least_hits(draw: Draw, *, rate: float, load: float) -> Drill:
    capacity = float(f"{load / draw.share(0.35, 0.7):.2g}")
    busy = draw.one_of((0.7, 0.75, 0.8, 0.85))
    draw.require(load < 0.9 * busy * capacity and capacity < 0.4 * rate)
    answer = 100 * (1 - busy * capacity / rate)
    return draw.drill(f"""
    The backend completes {quantity(capacity, "req/s")} when it works all the time. Your rule is
    that it may be {percent(busy)} busy and no more.

    ? At which hit rate, in percent, is that rule just kept?
    = {answer} % tolerance=0 absolute=0.2
    - no-headroom {100 * (1 - capacity / rate)}: You let the backend work all the time. How busy may
      it be?
    - headroom-divided {100 * (1 - capacity / busy / rate)}: You let through more than the backend
      completes. Which way does the rule move that?
    - share-of-misses {100 - answer}: So many requests may go through to the backend. Which share
      does the cache answer then?
    > How many requests a second may reach the backend, and what share of all is that?
    > h = 1 − busy share × capacity ÷ rate.
    > 1 − {busy:g} × {capacity:g} ÷ {rate:,}.
    * through {busy * capacity} req/s: May reach the backend: {busy:g} ×
      {quantity(capacity, "req/s")} = {quantity(busy * capacity, "req/s")}
    * hits {answer} %: Of {quantity(rate, "req/s")} that is {percent(busy * capacity / rate)}; the
      rest must hit: {answer:.4g} %
    ~ At least {100 * (1 - capacity / rate):.3g} %: below that the backend falls behind however busy
      it may be.

    A cache that saves machines becomes part of the capacity: its hit rate is then a promise, with a
    floor, an alarm above the floor, and a plan for the day it is empty.
    """)
