"""A canary: how long it runs before more failures show, and how many requests a p99 takes."""

from math import sqrt

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("P06 L18 L02", level=3, decision="estimate", minutes=3.5)
def canary_failures(draw: Draw) -> Drill:
    """Canary: how long until a higher rate of failures shows."""
    before = draw.one_of((0.001, 0.002, 0.003, 0.004, 0.005, 0.008, 0.01))
    after = round(before * draw.one_of((1.5, 2, 2.5, 3)), 4)
    part, rate = draw.one_of((0.01, 0.02, 0.05, 0.1)), draw.whole(20, 300)
    noise = before * (1 - before)
    needed = 9 * noise / (after - before) ** 2
    answer = needed / (part * rate)
    draw.require(180 < answer < 40_000)
    noise_of_the_new = 9 * after * (1 - after) / (after - before) ** 2 / (part * rate)
    return draw.drill(f"""
    {percent(before)} of the requests fail, and have for months. A new version gets {percent(part)}
    of the {quantity(rate, "req/s")}. Rule: it is rolled back when its failures exceed what the old
    rate would give by three standard deviations of that number. Requests fail independently of each
    other. Suppose that the new version fails {percent(after)} of its requests.
    ? How long does it take until its mean number of failures reaches that line?
    = {answer} s tolerance=0.05 telling=3
    - whole-traffic {needed / rate}: You count all requests. Which of them does the canary see?
    - one-deviation {answer / 9}: You stop at one standard deviation. Where does the line lie?
    - noise-of-the-new {noise_of_the_new}: You take the spread of the new version. Whose number does
      the rule speak of?
    - times-three {answer / 3}: The excess grows like n and the deviation like its root. What
      happens to the 3 when you solve for n?
    - excess-not-squared {9 * noise / (after - before) / (part * rate)}: Solve n × excess = 3 × √(n
      × …) for n once more: which power has the excess?
    - new-rate-alone {9 * (1 - after) / after / (part * rate)}: You look for failures against none.
      What fails today already?
    > After n requests: how many failures too many, and how large is the noise?
    > n × (p′ − p) = 3 √(n p (1 − p)); time = n ÷ (share × rate).
    > n = 9 × {before:g} × {1 - before:g} ÷ {after - before:.4g}²; ÷ ({part:g} × {rate}).
    * requests {needed} req: n = 9 × {before:g} × {1 - before:g} ÷ {after - before:.4g}² =
      {quantity(needed, "req")}
    * time {answer} s: The canary sees {part:g} × {rate} = {quantity(part * rate, "req/s")}:
      {quantity(answer, "s")}
    ~ By then the canary has seen {"dozens of" if needed * after > 24 else "some ten or twenty"}
      failures: with one or two of them nothing can be said.

    n grows with 1 ÷ (rise)²: half the rise takes four times the requests. So a canary finds large
    breaks in minutes and small ones never; and at the line itself half of the bad versions are
    still missed.
    """).then(_smallest_rise(draw, before=before, after=after, seen=part * rate, full=answer))


def _smallest_rise(draw: Draw, *, before, after, seen, full) -> Drill:
    minutes = draw.one_of((5, 10, 15, 20, 30))
    draw.require(60 * minutes < 0.6 * full)
    count = 60 * minutes * seen
    rise = 3 * sqrt(before * (1 - before) / count)
    answer = 100 * (before + rise)
    draw.require(count * before > 2 and answer < 30)
    in_proportion = 100 * (before + (after - before) * full / (60 * minutes))
    return draw.drill(f"""
    The release train gives a canary {minutes} minutes, with the same traffic.
    ? What is the lowest rate of failures, in percent, whose mean number reaches the line by then?
    = {answer} % tolerance=0.04 telling=3
    - rise-alone {100 * rise}: That is the rise. On top of what?
    - in-proportion {in_proportion}: You take the rise in proportion to the time. How does the noise
      shrink with the number of requests?
    - one-deviation {100 * (before + rise / 3)}: That is one standard deviation above. Where does
      the line lie?
    - the-same-rise {100 * after}: That one takes longer. What can be seen in less time?
    > How many requests are there now, and how large is the noise in their share?
    > p + 3 √(p (1 − p) ÷ n).
    > {before:g} + 3 × √({before:g} × {1 - before:g} ÷ {count:.4g}).
    * requests {count}: n = 60 × {minutes} × {seen:g} = {count:.4g}
    * rise {rise}: Rise: {percent(rise)}
    * rate {answer} %: {percent(before)} + {percent(rise)} = {quantity(answer, "%")}
    ~ More than {percent(after)}, for which there is too little time.

    A fixed time fixes what can be seen. Give the canary more traffic, more time, or admit what it
    cannot find and watch for it afterwards.
    """)


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
