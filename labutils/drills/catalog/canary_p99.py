"""How many requests a canary needs before a slower p99 shows."""

from math import sqrt

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("L02 P06 A12", level=4, decision="estimate", minutes=5)
def canary_p99(draw: Draw) -> Drill:
    """Canary: how many requests until a slower p99 shows."""
    p99, half = 10 * draw.whole(60, 200), draw.one_of((100, 120, 150, 180, 200, 250))
    slower = draw.one_of((0.05, 0.08, 0.1, 0.15, 0.2))
    base, limit = 0.01, p99 / (1 + slower)
    share = base * 2 ** ((p99 - limit) / half)
    draw.require(0.013 < share < 0.026)
    answer = _needed(base, share, 1)
    back = base * 2 ** (p99 * slower / half)
    spreads_in_quadrature = (9 * base * (1 - base) + 4 * share * (1 - share)) / (share - base) ** 2
    return draw.drill(f"""
    The p99 of the time to the first token is {p99:,} ms, and has been for months. In that region of
    the tail the share of slower requests halves with every {half} ms. A new version makes every
    request take {percent(slower)} longer. The canary counts its requests above {p99:,} ms; the
    alarm line lies three standard deviations above the number that the old version would have. The
    mean of a version this slow is to lie two of its own standard deviations above that line.
    (Independent requests; a count's variance is n p (1 − p).)

    ? How many requests must the canary see?
    = {answer} tolerance=0.04 telling=3
    - tail-unchanged {_needed(base, base * (1 + slower), 1)}: You let the share above the limit grow
      like the times. How fast does the tail fall there?
    - added-to-the-limit {_needed(base, back, 1)}: Which of the old times end exactly at the limit
      when they take longer? Divide, do not subtract.
    - line-alone {9 * base * (1 - base) / (share - base) ** 2}: At that number half of the slow
      versions are still below the line. What is asked of the canary's own spread?
    - five-of-the-old {25 * base * (1 - base) / (share - base) ** 2}: You give both spreads the old
      rate. How many are late in the new version?
    - spreads-in-quadrature {spreads_in_quadrature}: You add the squares. The line is one distance
      and the mean lies another above it: how do two distances add?
    - a-hundred 100.0: A hundred requests have one above the p99. Is a second one a rise?
    > First: which share of the new version's requests is above the old limit? Then let the distance
      of two shares exceed both spreads.
    > p′ = 0.01 × 2^((T − T/(1 + g)) ÷ h); n = ((3 √(p (1 − p)) + 2 √(p′ (1 − p′))) ÷ (p′ − p))².
    > p′ = 0.01 × 2^(({p99} − {limit:.4g}) ÷ {half}); p = 0.01.
    * limit {limit / 1e3} s: Late now are those that took {p99} ÷ {1 + slower:g} = {limit:.4g} ms
      before
    * late {share}: Their share: 1 % × 2^({p99 - limit:.4g} ÷ {half}) = {percent(share)}
    * requests {answer}: ((3 × √(0.01 × 0.99) + 2 × √({share:.4g} × {1 - share:.4g})) ÷
      {share - base:.4g})² = {quantity(answer, "1")}
    ~ More than a thousand: of a hundred requests one is above the p99 anyway.

    To compare p99s, count what lies above the old one: that is a share, with a known spread.
    Thousands of requests per arm; a p99 read off a few hundred is the word of a handful.
    """).then(_control(draw, base=base, share=share, alone=answer))


def _needed(base: float, share: float, arms: int) -> float:
    """Requests of the canary; with two arms the control's spread comes on top, on both sides."""
    line = 3 * sqrt(arms * base * (1 - base))
    own = 2 * sqrt(share * (1 - share) + (arms - 1) * base * (1 - base))
    return ((line + own) / (share - base)) ** 2


def _control(draw: Draw, *, base: float, share: float, alone: float) -> Drill:
    answer, rate = _needed(base, share, 2), draw.one_of((1, 2, 3, 4, 5, 8))
    time = answer / rate
    return draw.drill(f"""
    The canary's replicas are fresh, with empty caches; the fleet's are warm. So as many fresh
    replicas of the old version start with it, as a control, and get as much traffic:
    {quantity(rate, "req/s")} each. Take the shares above the limit as before. Now the alarm goes by
    the difference of the two counts: three standard deviations of what that difference would be if
    both were old, and two of its own above that. (Variances of independent counts add.)

    ? How long must both run?
    = {time} s tolerance=0.04 telling=3
    - no-control {alone / rate}: That is against a number known for certain. What does the control
      add?
    - twice-the-requests {2 * alone / rate}: You double the number. Do both spreads double when the
      control's is added?
    - both-together {time / 2}: You add up the traffic of both. Of which arm is that number?
    - four-times {4 * alone / rate}: You double the standard deviation. What doubles when two counts
      are subtracted?
    > Whose noise is in the difference?
    > n = ((3 √(2 p (1 − p)) + 2 √(p′ (1 − p′) + p (1 − p))) ÷ (p′ − p))²; time = n ÷ rate.
    > p = 0.01, p′ = {share:.4g}, rate {rate} a second.
    * requests {answer}: n = ((3 × √(2 × 0.0099) + 2 × √({share * (1 - share):.4g} + 0.0099)) ÷
      {share - base:.4g})² = {quantity(answer, "1")}
    * time {time} s: ÷ {quantity(rate, "req/s")} = {quantity(time, "s")}
    ~ Longer than {quantity(alone / rate, "s")}: the control is uncertain, too.

    A fair control costs about twice the requests, and spares you the false alarm of every release:
    cold caches against warm ones.
    """)
