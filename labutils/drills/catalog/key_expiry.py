"""The hit rate of one key with a time to live: counted from the fill, or from the last hit."""

import math

from labutils.caching import ttl_hit_rate
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
