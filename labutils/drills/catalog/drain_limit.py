"""A server that ends: which answers are cut, how long it must wait, and whom one finds running."""

import math

from labutils.drills.definition.writing import Draw, Drill, positive, quantity, template, within


@template("P08 O06", level=3, decision="commit", minutes=5)
def drain_limit(draw: Draw) -> Drill:
    """A drain with a limit: the share that is cut, and the rest of those that one finds running."""
    longest, each = 100 * draw.whole(6, 60), draw.whole(15, 60)
    whole = longest * each / 1000
    grace, before = 10 * draw.whole(2, 12), draw.one_of((5, 8, 10, 15))
    limit = grace - before
    answer = 100 * (1 - limit / whole)
    draw.require(limit >= before and 12 < answer < 88 and abs(answer - 50) > 4)
    return draw.drill(f"""
    Every answer of a server has {longest:,} tokens, {each} ms each, however many run. Requests come
    evenly. The platform wants to end the server and gives it {grace} s in all; what runs then is
    cut. For the first {before} s of them the server takes requests as before, until the balancers
    have heard of it. After that nobody is let in, and those who run go on. The time of a prompt
    does not count.
    ? Which share of the answers that run when nobody is let in any more is cut? (In percent.)
    = {answer} % tolerance=0.02 telling=4
    - all-of-the-grace {positive(100 * (1 - grace / whole))}: You give them all of it. What happens
      in its first seconds?
    - those-who-end {positive(100 * limit / whole)}: That is the share that ends in time. Which was
      asked for?
    - mean-rest {positive(100 * (1 - 2 * limit / whole))}: You compare with the mean rest. How are
      the rests spread?
    - added {positive(100 * (1 - (grace + before) / whole))}: You add the first seconds to the time
      that they have. On which side are they?
    - the-first-seconds {positive(100 * before / whole)}: That is what those seconds alone cost. How
      long does the rest have?
    > How long do they have, and what may still be missing of an answer at that moment?
    > 1 − (time in all − first seconds) ÷ (tokens × time of a token).
    > 1 − ({grace} − {before}) s ÷ ({longest:,} × {each} ms).
    * have {limit} s: They have {grace} − {before} = {limit} s
    * longest_rest {whole} s: Their rests lie evenly between 0 and {longest:,} × {each} ms =
      {quantity(whole, "s")}
    * cut {answer} %: 1 − {limit} ÷ {quantity(whole, "s")} = {quantity(answer, "%")}
    ~ More than {100 * max(0, 1 - grace / whole):.3g} %, with all the time for them.

    A drain cuts whoever has more left than the limit. What a hook does before it is part of the
    same grace: Kubernetes counts preStop within terminationGracePeriodSeconds, 30 s unless set (its
    documentation, “Pod Lifecycle”).
    """).then(_least(draw, longest, each, grace, before))


def _least(draw: Draw, longest: int, each: int, grace: int, before: int) -> Drill:
    whole, most = longest * each / 1000, draw.one_of((2, 4, 5, 8))
    answer = before + (1 - most / 100) * whole
    cut = 100 * (1 - (grace - before) / whole)
    return draw.drill(f"""
    Of the answers that run at that moment at most {most} % may be cut.
    ? How many seconds must the platform give in all, at least?
    = {answer} s tolerance=0.01 telling=4
    - first-seconds-forgotten {(1 - most / 100) * whole}: So long must they go on. And the seconds
      in which all still come in?
    - nobody-cut {before + whole}: Then nobody is cut. How many may be?
    - the-share-itself {before + most / 100 * whole}: Then so many end in time. How many may be cut?
    - in-proportion {grace * cut / most}: You let the cut share fall as the time grows. Which share
      ends within a time?
    - share-of-all-of-it {(1 - most / 100) * (whole + before)}: You take a share of the first
      seconds as well. Which time do the rests fill?
    > Which rest must still end in time?
    > first seconds + (1 − share) × tokens × time of a token.
    > {before} s + {1 - most / 100:g} × {quantity(whole, "s")}.
    * drain {(1 - most / 100) * whole} s: {1 - most / 100:g} × {quantity(whole, "s")} =
      {quantity((1 - most / 100) * whole, "s")}
    * grace {answer} s: With the first {before} s: {quantity(answer, "s")}
    ~ A little less than {quantity(before + whole, "s")}, in which all of them end.

    For answers of one length a drain takes nearly an answer's time. Whoever cannot wait so long
    hands the rest over: a client resumes at another server, with an offset.
    """).then(_spread(draw, each, grace, before, longest))


def _spread(draw: Draw, each: int, grace: int, before: int, longest: int) -> Drill:
    top = 100 * round(longest * draw.one_of((1.4, 1.6, 1.8, 2, 2.2, 2.5)) / 100)
    whole, limit = top * each / 1000, grace - before
    over = 1 - limit / whole
    answer = 100 * over**2
    draw.require(8 < answer < 85)
    return draw.drill(f"""
    Another model on the same servers: the lengths of its answers lie evenly between nothing and
    {top:,} tokens, {each} ms each; requests come evenly. The platform gives {grace} s again, and
    the first {before} s pass as before.
    ? Which share of the answers that run when nobody is let in any more is cut? (In percent.)
    = {answer} % tolerance=0.02 telling=4
    - rests-as-lengths {within(0, 100 * over, 100)}: You spread the rests like the lengths. A
      running answer has written a part already: are long rests as frequent as short ones?
    - all-of-the-grace {within(0, 100 * max(0.0, 1 - grace / whole) ** 2, 100)}: You give them all
      of it. What happens in its first seconds?
    - those-who-end {within(0, 100 * (1 - over**2), 100)}: That is the share that ends in time.
      Which was asked for?
    - mean-length {within(0, 100 * (1 - 2 * limit / whole), 100)}: You let all be as long as the
      mean. Whom do you find running more often, long or short ones?
    - once-more {within(0, 100 * over**3, 100)}: Once too often. Long answers are found more often;
      does that shorten rests or lengthen them?
    - one-length {within(0, 100 * (1 - limit * 1000 / (longest * each)), 100)}: That was with
      answers of one length. How are the lengths spread now?
    > Of the answers with a given length, what is the chance to find one running, and how are their
      rests spread?
    > (1 − time that they have ÷ longest time)².
    > (1 − {limit} s ÷ {quantity(whole, "s")})².
    * longest {whole} s: The longest takes {quantity(whole, "s")}
    . One of length ℓ is found running for a time ℓ, and has more than t left for ℓ − t of it: the
      share is Σ(ℓ − t) ÷ Σℓ = (L − t)² ÷ L²
    * cut {answer} %: (1 − {limit} ÷ {quantity(whole, "s")})² = {math.sqrt(answer) / 10:.4g}² =
      {quantity(answer, "%")}
    ~ Less than {100 * over:.3g} %, as if rests were spread like lengths.

    Whom one finds running is no sample of those who start: long answers are met in proportion to
    their length, and then at any point (the inspection paradox). The share with a rest above t is
    the mean of (length − t)⁺ over the mean length.
    """)
