"""A cache in the process before a shared one: what reaches the backend, and what reaches Redis."""

from labutils.caching import backend_load, ttl_hit_rate
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("F01 F09 F10 T12", level=2, decision="estimate")
def two_tiers(draw: Draw) -> Drill:
    """Two levels of cache: hit rates multiply, and scaling out thins the inner one."""
    rate, inner, outer = 100 * draw.whole(8, 120), draw.share(0.3, 0.7), draw.share(0.55, 0.9)
    to_outer = backend_load(rate, inner)
    answer = backend_load(to_outer, outer)
    added = rate * abs(1 - inner - outer)
    averaged = rate * (1 - (inner + outer) / 2)
    others = rate * (1 - outer), to_outer, rate * (1 - inner * outer), averaged, to_outer * outer
    draw.require(added > 0.01 * rate)
    draw.apart(answer, added, *others, by=0.06)
    return draw.drill(f"""
    Embeddings are looked up at {quantity(rate, "req/s")}. Each process keeps some in its own
    memory, which answers {percent(inner)} of its look-ups; the others go to Redis, whose own
    dashboard shows that it answers {percent(outer)} of what it is asked. What is in neither is
    computed on a GPU.
    ? How many embeddings a second does the GPU compute?
    = {answer} req/s tolerance=0.02
    - inner-forgotten {rate * (1 - outer)}: You ask Redis for everything. How many requests does it
      never see?
    - outer-forgotten {to_outer}: Those get as far as Redis. What does it answer of them?
    - hits-multiplied {rate * (1 - inner * outer)}: You multiply the hit rates. Does a look-up have
      to hit at both levels?
    - hits-averaged {averaged}: You average two hit rates of different
      requests. Follow a request from one level to the next.
    - rates-added {added}: You add the hit rates. Of how many look-ups is each of them a share?
    - answered-by-redis {to_outer * outer}: Those are answered by Redis. What is left?
    > Follow the look-ups from level to level. What does Redis see?
    > Rate × (1 − h of the process) × (1 − h of Redis).
    > {rate:,} × {1 - inner:.2g} × {1 - outer:.2g}.
    * to_redis {to_outer} req/s: To Redis: {quantity(to_outer, "req/s")}
    * computed {answer} req/s: Not there: {1 - outer:.2g} of them, {quantity(answer, "req/s")}
    ~ Less than {quantity(to_outer, "req/s")}, which get as far as Redis.

    The hit rate of an outer level is conditional: it sees what the inner one missed, the rare keys.
    So it looks worse than the same Redis alone would, and neither dashboard shows the hit rate of
    the whole.
    """).then(_restarted(draw, inner=inner, outer=outer))


def _restarted(draw: Draw, *, inner: float, outer: float) -> Drill:
    answer = 1 / (1 - outer)
    return draw.drill(f"""
    Redis restarts empty. The processes run on, with what they have in memory.
    ? How many times as many embeddings does the GPU get to compute at first?
    = {answer} tolerance=0.02 scale=off telling=0
    - both-levels-empty {1 / ((1 - inner) * (1 - outer))}: You empty both levels. Which of them has
      restarted?
    - growth-alone {answer - 1}: That is what has been added, in units of the old load. How large is
      the whole?
    - inner-level-empty {1 / (1 - inner)}: You empty the processes. Which level has restarted?
    > What came through Redis before, and what comes now?
    > 1 ÷ (1 − h of Redis).
    > 1 ÷ {1 - outer:.2g}.
    * times {answer}: 1 ÷ {1 - outer:.2g} = {quantity(answer, "1")}
    ~ Below {quantity(1 / ((1 - inner) * (1 - outer)), "1")}, as with nothing cached at all.

    The inner level takes the edge off a flush of the outer one. A deployment that restarts all
    processes is the other case: then Redis gets every look-up.
    """).then(_scaled_out(draw))


def _scaled_out(draw: Draw) -> Drill:
    asked, life = draw.whole(20, 300), draw.one_of((5, 10, 15, 20, 30, 60))
    few, many = draw.one_of(((8, 24), (10, 40), (12, 48), (16, 64), (6, 30)))

    def misses(processes: int) -> float:
        """Of all processes together: each sees its part of the key's requests."""
        return backend_load(asked, ttl_hit_rate(asked / processes, life))

    answer = misses(many)
    draw.require(asked * life / many > 1)
    return draw.drill(f"""
    One popular text is looked up {asked} times a second at random moments, spread evenly over the
    processes. A process keeps it for {life} s from when it got it. Autoscaling goes from {few} to
    {many} processes; the traffic is the same.
    ? How many look-ups a second of that text reach Redis now?
    = {answer} req/s tolerance=0.02 telling=3
    - before-scaling {misses(few)}: Those are the old processes. How many run now?
    - of-one-process {answer / many}: That is what one process asks, or all if they shared a memory.
      How many ask, each for itself?
    - no-inner-level {asked}: You send every look-up to Redis. What does a process keep?
    - one-memory {misses(1)}: You let all processes share one memory. How many requests for the key
      does one process get?
    > What does one process see of the key, and how often does it miss?
    > Misses of a process: r ÷ (1 + rT), with r = rate ÷ processes; times the processes.
    > r = {asked} ÷ {many} a second, T = {life} s.
    * of_one_process {answer / many} req/s: A process sees {asked / many:.3g} a second and asks
      Redis for {answer / many:.3g} of them
    * to_redis {answer} req/s: All {many}: {quantity(answer, "req/s")}
    ~ At most {quantity(many / life, "req/s")}: a process asks once in {life} s, or less.

    Memory inside processes is cold in proportion to their number: a popular key is fetched once per
    process and life. Scaling out in a peak raises the load on the level behind, just then.
    """)
