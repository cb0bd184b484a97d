"""A load that is called constant: what latencies and the generator's log say of its gaps."""

import math

from labutils.drills.definition.writing import Draw, Drill, choice, quantity, template

_UNEVEN = "No: even gaps leave a stream more or less in a step, and no more."
_EVEN = "Nothing here speaks against it: even gaps may leave a stream more or less in a step."
_AGAINST = {
    _UNEVEN: "Is it more than one stream? With even gaps the number in flight lies between two "
    "neighbours.",
    _EVEN: "Is it one stream, or less? How could even gaps and equal requests bring more?",
    "Yes: the rate that was asked for has been reached.": "A mean rate says how many came. Does it "
    "say at which distance?",
    "No: with even gaps every request takes the same time to the last digit.": "The number in "
    "flight is seldom whole on average. What is it from step to step?",
}


@template("L12 A13 L13", level=3, decision="model", form="verdict", minutes=4, rough=False)
def even_in_name(draw: Draw) -> Drill:
    """“Constant” load: the company that the p90 had, and the gaps of the send log."""
    tokens, per_stream = draw.random.randint(130, 540), draw.whole(60, 240)  # µs a step
    fixed, streams = 1000 * draw.number(4, 14), draw.random.randint(23, 110)
    even = draw.one_of((True, False))
    extra = draw.share(0.3, 0.8) if even else streams * draw.share(0.09, 0.3)
    median = round(tokens * (fixed + per_stream * streams) / 1000)  # ms
    p90 = round(median + extra * tokens * per_stream / 1000)
    answer = 1000 * (p90 - median) / (tokens * per_stream)
    draw.require(answer > 2.5 or 0.25 < answer < 0.85)
    rate = float(f"{streams / median * 1000:.3g}")
    right = _EVEN if even else _UNEVEN
    inside = rate * median / 1000
    return draw.drill(f"""
    The configuration of a load test says `type: constant, rate: {rate:g}`. Its requests are all
    alike, their prompts lie in the cache, and each asks for {tokens} tokens exactly, one in each
    step of the engine. A step takes a fixed time, and {per_stream} µs more for each stream that is
    in it. Nothing queues and nothing else runs. The report: end to end {median:,} ms at the median,
    {p90:,} ms at the p90.
    ? How many more streams were in the steps of the request at the p90 than in those of the one at
      the median, on average?
    = {answer} tolerance=0.03 telling=3
    - as-if-all-grew {inside * (p90 / median - 1)}: You let the whole step grow with the streams.
      Which part of it is fixed?
    - the-whole-company {1000 * p90 / (tokens * per_stream)}: You divide the whole time. How much
      longer than at the median did it take?
    - a-single-step {1000 * (p90 - median) / per_stream}: You take the difference for that of one
      step. In how many steps did it arise?
    - in-flight {inside}: So many are in flight at the median. How many more were there?
    - from-the-ratio {100 * (p90 / median - 1)}: By that many per cent it is longer. How many
      streams make such a difference?
    ? Were the gaps between the requests even?
    {choice(right, {text: why for text, why in _AGAINST.items() if text != right})}
    > By how much was a step longer, and what does one stream add to a step?
    > (p90 − median) ÷ tokens ÷ time of a stream in a step.
    > ({p90:,} − {median:,}) ms ÷ {tokens} ÷ {per_stream} µs.
    * longer {(p90 - median) / 1000 / tokens} s: A step was longer by
      {quantity((p90 - median) / 1000 / tokens, "s")}
    * company {answer}: ÷ {per_stream} µs = {quantity(answer, "1")} streams
    . In flight at the median: {rate:g} × {quantity(median / 1000, "s")} = {quantity(inside, "1")};
      with even gaps it would be that, rounded up or down
    ~ {"Less than one" if even else "More than two"}: a stream more in every step adds
      {quantity(tokens * per_stream / 1e6, "s")}.

    With equal requests and even gaps all latencies are nearly equal, so a spread is a finding about
    the generator. Some draw exponential gaps and stretch them to the length of the test: the mean
    rate is then exact, and the load is as bursty as a Poisson stream.
    """).then(_gaps(draw, rate))


def _gaps(draw: Draw, rate: float) -> Drill:
    mean = 1000 / rate
    short = float(f"{mean * draw.share(0.2, 0.8):.2g}")
    answer = 100 * (1 - math.exp(-short / mean))
    return draw.drill(f"""
    You ask for the log of the generator, {rate:g} requests a second: when was each request sent?
    Its source says that the gaps are drawn from an exponential distribution.
    ? Which share of the gaps is shorter than {short:g} ms, if that is so? (In percent.)
    = {answer} % tolerance=0.02 telling=3
    - the-longer-ones {100 - answer}: Those are longer. Which were asked for?
    - in-proportion {100 * short / mean}: You let the share grow in proportion. Are all gaps up to
      the mean equally frequent, and none longer?
    - even-gaps 0: That is so with even gaps. What does chance do?
    - half-of-them 50: Half are shorter than the median gap. Is that the one asked for?
    - half-in-proportion {50 * short / mean}: You spread the gaps evenly from 0 to twice the mean.
      Which distribution do they have?
    > Set the {short:g} ms beside the mean gap.
    > 1 − e^(−rate × gap).
    > 1 − e^(−{rate:g} × {short / 1000:g}).
    * mean {mean / 1000} s: Mean gap: 1 ÷ {rate:g} = {quantity(mean / 1000, "s")}
    * share {answer} %: 1 − e^(−{short / mean:.4g}) = {quantity(answer, "%")}; with even gaps none
    ~ Less than {100 * short / mean:.3g} %, for 1 − e^(−x) is below x.

    The send log settles it in a line: even gaps have no short ones, exponential ones have many.
    Where a name in a configuration and a log disagree, simulate with the log.
    """)
