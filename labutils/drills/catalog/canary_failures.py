"""How long a canary runs before a higher rate of failures shows."""

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
