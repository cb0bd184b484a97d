"""A key expires under load, then many at once: how much is computed twice, and what spreads it."""

from labutils.caching import expected_stampede
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_KEYS = (
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
    A cache entry, {draw.one_of(_KEYS)}, is asked for by {quantity(rate, "req/s")} at random
    moments. It takes {quantity(compute, "s")} to compute, however many do so at once. A request
    that does not find it computes it and stores it. Now it expires.

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
