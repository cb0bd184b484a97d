"""A cache that comes up empty, or hits a little less: what reaches the backend."""

from labutils.caching import backend_load
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("O04 F07 I08", level=2, decision="limit", minutes=3.5)
def cold_cache(draw: Draw) -> Drill:
    """A cold cache: the load on what stands behind it, and how to warm it."""
    hits, rate = draw.share(0.75, 0.96), 100 * draw.whole(5, 60)
    cards = draw.one_of((2, 3, 4, 5, 6, 8))
    each = draw.whole(40, 600)
    done = cards * each
    before, answer = (1 - hits) * rate / done, rate / done
    draw.require(0.35 < before < 0.75)
    what = draw.one_of(("embeddings of passages", "scores of a reranker", "safety verdicts"))
    return draw.drill(f"""
    A cache holds {what} and answers {percent(hits)} of {quantity(rate, "req/s")}. The rest is
    computed by {cards} GPUs that complete {quantity(each, "req/s")} each, and stored. A deployment
    restarts the cache, and it comes up empty. The traffic is as before.
    ? How busy are the GPUs in the first seconds? (Work that arrives over work they can do.)
    = {answer} tolerance=0.02 scale=off telling=3
    - as-before {before}: That is with a full cache. How many look-ups does an empty one answer?
    - ratio-of-the-misses {1 / (1 - hits)}: By so much the misses grow. How much of it can the GPUs
      do?
    - hits-come-on-top {hits * rate / done}: Those were answered by the cache. What else comes to
      the GPUs?
    - one-gpu {rate / each}: You set it against one GPU. How many are there?
    > What does an empty cache answer?
    > All requests ÷ what the GPUs complete.
    > {rate:,} ÷ ({cards} × {each}).
    * capacity {done}: The GPUs complete {cards} × {each} = {done:,} a second
    * busy {answer}: All requests miss: {rate:,} ÷ {done:,} = {answer:.4g}
    ~ They were {percent(before)} busy while the cache was full.

    What stands behind a cache is sized for its misses. The higher the hit share, the farther is the
    empty cache beyond that.
    """).then(_warming(draw, rate=rate, done=done, cards=cards, hits=hits, before=before))


def _warming(
    draw: Draw, *, rate: float, done: float, cards: int, hits: float, before: float
) -> Drill:
    entries = 1000 * draw.whole(100, 900)
    answer = entries / done
    patience = draw.one_of((2, 3, 5))
    draw.require(answer > 60)
    return draw.drill(f"""
    For the old hit share the cache needs its {entries:,} most wanted entries. You let in just as
    many misses as the GPUs complete and refuse the others at once; what is in the cache is answered
    as always. At best, every miss computed is one of these entries, and none is computed twice.
    ? And if you let in just as many as the GPUs complete: how long does it take at least until the
      cache holds those entries?
    = {answer} s tolerance=0.02 telling=4
    - all-of-the-traffic {entries / rate}: You fill an entry with each request. How many can be
      computed in a second?
    - misses-of-before {entries / ((1 - hits) * rate)}: You fill at the misses of a full cache.
      Nearly all miss now: what sets the pace?
    - spare-alone {entries / (done * (1 - before))}: You fill with what was idle before. What do the
      GPUs compute now that does not fill the cache?
    - one-gpu {entries / done * cards}: You let one GPU fill the cache. How many are there?
    ? Suppose that all misses are let in instead, callers leave after {patience} s and try again,
      and an answer to a caller who has left is thrown away. What follows?
    + It may stay down: GPUs work for callers who have left, and what they ask comes again
    x It recovers sooner: more misses are let in, so the cache fills faster
    ! How many are completed in a second, whatever is let in?
    x It recovers in the same time, with longer waits
    ! Callers leave after {patience} s and ask again. Whose answers do the GPUs compute then, and
      does each of them get stored in time?
    > What sets the pace at which entries come into being?
    > Entries ÷ what the GPUs complete.
    > {entries:,} ÷ {done:,} a second.
    * pace {done}: {done:,} entries a second at most
    * time {answer} s: {entries:,} ÷ {done:,} = {quantity(answer, "s")}
    ~ Longer than {quantity(entries / rate, "s")}: the GPUs cannot compute all that comes.

    An empty cache is a trigger, retries keep the outage up (Bronson et al. 2021). Warm up before
    taking traffic, restart one shard at a time, admit by what is behind the cache, compute each key
    once.
    """)


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
