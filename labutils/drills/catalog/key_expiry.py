"""Keys with a time to live: what one hits, and what many that expire at once cost."""

import math

from labutils.caching import expected_stampede, ttl_hit_rate
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_KEYS = (
    ("the opening hours of a shop", "a booking agent"),
    ("the price of a flight", "a travel agent"),
    ("the passages for a common question", "a help desk's assistant"),
)


@template("F09 T12 F07 F01", level=2, decision="model")
def key_expiry(draw: Draw) -> Drill:
    """Time to live: the hit rate of one key, fixed or renewed."""
    (what, who), gap = draw.one_of(_KEYS), draw.one_of((5, 6, 8, 10, 12, 15, 20, 30, 40))
    life = draw.one_of((30, 45, 60, 90, 120, 180))
    asked = life / gap
    draw.require(1.3 < asked < 4.6)
    answer = ttl_hit_rate(1 / gap, life)
    return draw.drill(f"""
    Calls of {who} ask for {what} at random moments (Poisson), every {gap} s on average. A call that
    does not find it fetches and stores it, in no time to speak of; {life} s after it was stored the
    entry is gone. Nothing else is ever evicted.
    ? Which share of the calls finds it stored?
    = {answer} tolerance=0.01 telling=3
    - renewed {ttl_hit_rate(1 / gap, life, renew=True)}: You let every request extend the life of
      the entry. When does it end here, whatever is asked?
    - fill-among-them {1 - 1 / asked}: You count the request that fills the entry among those within
      its life. When does that life begin?
    - share-of-misses {1 - answer}: That is the share that must be fetched. What share finds it?
    > Follow one entry from when it is stored: how many calls find it before it is gone?
    > One miss, then λT hits on average: λT ÷ (1 + λT).
    > λT is {life} ÷ {gap}.
    * hits_per_fill {asked}: Calls in the life of an entry: {quantity(asked, "1")}
    * share {answer}: {quantity(asked, "1")} ÷ {quantity(1 + asked, "1")} = {quantity(answer, "1")}
    ~ More than {percent(0.5)}: in the life of an entry more than one call comes.

    Fixed time to live: λT hits follow each miss, so h = λT ÷ (1 + λT). No entry is ever older than
    T, however popular.
    """).then(_renewed(draw, gap=gap, life=life))


def _renewed(draw: Draw, *, gap: int, life: int) -> Drill:
    answer = ttl_hit_rate(1 / gap, life, renew=True)
    fixed = ttl_hit_rate(1 / gap, life)
    return draw.drill(f"""
    Somebody raises the hit rate with a line of code: each call that finds the entry gives it
    another {life} s from then on.
    ? Which share of the calls finds it stored now?
    = {answer} tolerance=0.005
    - as-before {fixed}: That holds for a life that begins at the fill. Now it begins anew at each
      hit: what must happen for a call to miss?
    - share-of-misses {1 - answer}: That is the share of gaps that are too long. And the others?
    ? And how old can a value be that is served?
    + There is no limit: while it is asked for often enough it is never fetched again
    x {life} s, the time to live
    ! From when are these seconds counted now? Follow an entry that is asked for all day.
    x {2 * life} s: one life, and one renewal
    ! How often may it be renewed? Follow an entry that is asked for all day.
    x {life + gap} s: the time to live and a mean gap
    ! After a gap it is given a whole life again. What ends that chain?
    > A call finds it if the call before came not too long ago.
    > A gap of a Poisson process is shorter than T with probability 1 − exp(−λT).
    > 1 − exp(−{life} ÷ {gap}).
    * misses {1 - answer}: A gap longer than {life} s: exp(−{life / gap:.4g}) = {1 - answer:.3g}
    * hits {answer}: The others: {quantity(answer, "1")}
    ~ Above {percent(fixed)}: an entry now lives at least as long as before.

    Renewal buys hits with freshness: the most wanted keys become the oldest. Renew on a hit only
    what cannot change, or add a hard limit on the age.
    """).then(_longer(draw, gap=gap, fixed=fixed))


def _longer(draw: Draw, *, gap: int, fixed: float) -> Drill:
    wanted = draw.one_of((0.9, 0.92, 0.95, 0.96))
    answer = wanted / (1 - wanted) * gap
    draw.require(wanted > fixed + 0.02)
    return draw.drill(f"""
    The line is taken back: the life of an entry counts from when it is stored, as at first.
    {percent(wanted)} of the calls are to find it.
    ? How long must the time to live be?
    = {answer} s tolerance=0.015
    - renewed {-math.log(1 - wanted) * gap}: You use the gap between two calls. From when does the
      life count again?
    - fill-among-them {gap / (1 - wanted)}: You count the call that fills it among its hits. How
      many hits follow one miss?
    > How many hits must follow each miss?
    > T = h ÷ (1 − h) ÷ λ.
    > {wanted:g} ÷ {1 - wanted:.2g} × {gap} s.
    * hits_per_miss {wanted / (1 - wanted)}: Hits per miss: {wanted / (1 - wanted):.4g}
    * life {answer} s: Each takes {gap} s on average: {quantity(answer, "s")}
    ~ Many gaps long, so far above {gap} s.

    Every halving of the misses doubles the time to live, and with it the age of what is served. Ask
    what an old value costs before you ask for another point of hit rate.
    """)


_WANTED_BY_ALL = (
    "the list of today's top stories",
    "the system prompt's embedding",
    "the product catalogue",
)


@template("F07 O04 F01", level=2, decision="limit")
def expired_at_once(draw: Draw) -> Drill:
    """A stampede on one key, single flight, and expiry that is spread out."""
    rate, compute = draw.whole(8, 60), draw.number(0.3, 2.4)
    answer = expected_stampede(rate, compute)
    draw.require(7 < answer < 42 and abs(answer - round(answer)) < 0.42)
    return draw.drill(f"""
    A cache entry, {draw.one_of(_WANTED_BY_ALL)}, is asked for by {quantity(rate, "req/s")} at
    random moments. It takes {quantity(compute, "s")} to compute, however many do so at once. A
    request that does not find it computes it and stores it. Now it expires.
    ? How many computations of it are begun, on average, until the first of them is stored?
    = {answer} tolerance=0 absolute=0.45 scale=off telling=3
    - first-forgotten {rate * compute}: You count those who come while it is being computed. And the
      one who began?
    - one-second {rate}: That many come in a second. How long does the entry stay away?
    - somebody-else-does-it 1: You let the others wait for the first. Does anything in the story
      tell them that it is under way?
    > Who finds nothing? Begin with the first request after the expiry.
    > 1 + rate × time of a computation.
    > 1 + {rate} × {compute:g}.
    * others {rate * compute}: While it is computed {rate} × {compute:g} =
      {quantity(rate * compute, "1")} more come
    * begun {answer}: With the first: {quantity(answer, "1")}
    ~ At least one; and more, the longer a computation takes.

    A stampede has 1 + λS members. It grows with popularity and with the price of the value: the
    keys that you cache for good reason are the worst. And each computation slows the others, so S
    is longer than it was on a quiet day.
    """).then(_shared(draw, alone=answer))


def _shared(draw: Draw, *, alone: float) -> Drill:
    hosts, workers = draw.one_of((2, 3, 4, 5)), draw.one_of((2, 3, 4, 6))
    answer = hosts * workers
    draw.require(answer < 0.8 * alone and hosts != workers)
    return draw.drill(f"""
    A library now keeps one computation per key and process: whoever else in that process needs the
    key waits for it. The service runs on {hosts} hosts with {workers} processes each, and a
    balancer hands a request to any of them. The cache is one for all.
    ? How many computations can be under way for that key at the same time, at most?
    = {answer} tolerance=0 scale=off
    - one-for-all 1: You let all processes know of one computation. Where does the library keep it?
    - one-per-host {hosts}: You count hosts. Do the processes on a host share the library's memory?
    - processes-of-a-host {workers}: Those are on one host. How many hosts are there?
    > Within which walls is a computation shared?
    > One for each process.
    > {hosts} hosts of {workers}.
    * most {answer}: {hosts} × {workers} = {answer} processes
    ~ More than the {hosts} hosts, since a process sees only itself.

    Single flight in the process bounds a stampede by the number of processes, and autoscaling
    raises that bound. A lock or a lease in the shared cache makes it one; an old value served while
    one refreshes it makes nobody wait.
    """).then(_spread(draw))


def _spread(draw: Draw) -> Drill:
    entries, capacity = 1000 * draw.whole(20, 400), 10 * draw.whole(12, 90)
    busy, life = draw.one_of((0.5, 0.6, 0.7, 0.75)), draw.one_of((6, 8, 12, 24))
    spare = (1 - busy) * capacity
    answer = entries / spare
    draw.require(120 < answer < 0.6 * 3600 * life)
    return draw.drill(f"""
    At night a job stores {entries:,} entries within a few seconds, all for {life} hours, and in the
    morning all expire together. The backend computes {quantity(capacity, "req/s")} and is
    {percent(busy)} busy with other things. You subtract a random time from each life, evenly
    between zero and a width; each entry is asked for as soon as it is gone, and computed once.
    ? How wide must that be at least, so that the backend keeps up?
    = {answer} s tolerance=0.02 telling=3
    - all-of-the-backend {entries / capacity}: You give the refresh the whole backend. What does it
      do besides?
    - what-is-busy {entries / (busy * capacity)}: You take the part that is in use. Which part is
      free?
    - half-the-width {entries / spare / 2}: That is how far it may stray to each side of a middle.
      Over how long are the ends spread?
    > How many expire in a second, and how many may?
    > Width = entries ÷ what the backend has free.
    > {entries:,} ÷ ({1 - busy:.2g} × {capacity}).
    * free {spare} req/s: Free: {quantity(spare, "req/s")}
    * width {answer} s: {entries:,} ÷ {spare:.4g} = {quantity(answer, "s")}
    ~ More than {quantity(entries / capacity, "s")}, the whole backend's time for them.

    What is filled together expires together, again and again. Jitter on the life, as wide as the
    refill takes with what is spare, breaks the rhythm in one line.
    """)
