"""Wrong answers of a semantic cache: how many a day, and what a clean sample proves."""

import math

from labutils.caching import clopper_pearson
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_MISS = 0.05  # the chance of a clean sample that a bound of 95 % leaves


def _largest_share(reviewed: int) -> float:
    """The share of wrong hits that so many right ones in a row leave possible, at 95 %."""
    return clopper_pearson(0, reviewed, confidence=1 - 2 * _MISS)[1]


@template("F02 F03 L18 B26", level=3, decision="estimate", minutes=3)
def wrong_hits(draw: Draw) -> Drill:
    """Wrong hits of a semantic cache: a day's count, and what no error in n proves."""
    asked, hits = 10_000 * draw.whole(20, 300), draw.share(0.12, 0.4)
    wrong = draw.share(0.004, 0.03, 3)
    answer = asked * hits * wrong
    return draw.drill(f"""
    A semantic cache stands before a model that is asked {asked:,} times a day. It answers
    {percent(hits)} of that with the answer to a similar question. People reviewed a large sample of
    these: {percent(wrong)} were not what the user had asked for.

    ? How many such answers are given a day?
    = {answer} tolerance=0.02 scale=off telling=0
    - of-all-requests {asked * wrong}: You let every request be answered by the cache. Of which ones
      was the sample?
    - all-hits {asked * hits}: Those are all that the cache answers. How many of them wrongly?
    - of-the-misses {asked * (1 - hits) * wrong}: You count requests that went to the model. Who can
      get another question's answer?
    > Of which requests was the share of wrong ones measured?
    > Requests × hit share × wrong share of the hits.
    > {asked:,} × {hits:g} × {wrong:g}.
    * hits {asked * hits}: Answered by the cache: {asked * hits:,.0f} a day
    * wrong {answer}: Of these {percent(wrong)}: {quantity(answer, "1")}
    ~ Below {asked * wrong:,.0f}, which would be so if the cache answered everything.

    A hit rate comes with an error rate, and both are set by one threshold. Quote the errors a day
    beside the dollars saved: at this volume a share that sounds small is a queue of complaints.
    """).then(_clean_sample(draw, asked=asked, before=hits))


def _clean_sample(draw: Draw, *, asked: int, before: float) -> Drill:
    hits, reviewed = draw.share(0.05, 0.3), draw.one_of((200, 250, 300, 400, 500, 600, 800))
    draw.require(hits < before)
    answer = asked * hits * _largest_share(reviewed)
    both_sides = asked * hits * clopper_pearson(0, reviewed)[1]
    first = draw.drill(f"""
    You raise the threshold, and the cache answers {percent(hits)} of the requests. {reviewed} of
    its answers, drawn at random, are reviewed: none is wrong. “So there are no wrong answers any
    more,” says the team.

    ? Up to how many wrong answers a day are still compatible with that sample, at 95 % confidence?
      (With more, a sample without any would have a chance below 5 %.)
    = {answer} tolerance=0.03 scale=off telling=0
    - one-in-the-sample {asked * hits / reviewed}: You allow one wrong in the sample's size. How
      often does a sample without any come at that share?
    - hit-rate-of-before {answer * before / hits}: That is the cache as it was. What share does it
      answer with the new threshold?
    - of-all-requests {answer / hits}: You let every request be answered by the cache. Which of them
      were sampled?
    - none 0: A sample without one is not a cache without one. At which share would such a sample be
      a surprise?
    > At which share of wrong ones do all in the sample come out right once in twenty times?
    > (1 − p)ⁿ = 0.05, so p ≈ 3 ÷ n (the rule of three).
    > 3 ÷ {reviewed}, of {asked:,} × {hits:g} answers.
    * share {_largest_share(reviewed)}: p = 1 − 0.05^(1/{reviewed}) =
      {100 * _largest_share(reviewed):.3g} %
    * a_day {answer}: Of {asked * hits:,.0f} a day: {quantity(answer, "1")}
    ~ More than {asked * hits / reviewed:,.0f}: one in the sample's size would often hide.

    No error among n bounds the share by 3 ÷ n, no better. What a sample proves is set by its size,
    not by how good the cache is.
    """)
    return first.also(
        accepts=((both_sides, "Yours is the two-sided bound: 3.7 ÷ n in the place of 3 ÷ n."),),
        follow_up=_how_many(draw, asked=asked, hits=hits),
    )


def _how_many(draw: Draw, *, asked: int, hits: float) -> Drill:
    most, daily = draw.one_of((5, 10, 20, 25, 50, 100, 200)), asked * hits
    share = most / daily
    answer = math.ceil(math.log(_MISS) / math.log1p(-share) - 1e-9)
    draw.require(300 < answer < 9_990)  # four digits print it whole
    return draw.drill(f"""
    The contract says: at most {most} wrong answers a day. You have a sample reviewed before you
    switch the cache on, and switch it on only if none is wrong.

    ? How large must the sample be at least, so that a cache that breaks the contract comes through
      with a chance of 5 % at most?
    = {answer} tolerance=0.01 absolute=1 unsafe=below scale=off
    - rounded-down {answer - 1}: You round down. Is the chance of a clean sample still within 5 %
      then?
    - one-expected {1 / share}: Then one wrong answer is expected in the sample. How often is there
      none all the same?
    - of-all-requests {math.log(_MISS) / math.log1p(-most / asked)}: You divide by all requests.
      Among which of them can a wrong answer be?
    - even-odds {math.log(2) / share}: That finds a bad cache every other time. How sure does the
      question want to be?
    > Which share of wrong answers does the contract allow, and how likely is a clean sample of n at
      that share?
    > n = ln 0.05 ÷ ln(1 − p), rounded up; about 3 ÷ p.
    > p = {most} ÷ {daily:,.0f}.
    * share {share}: p = {most} ÷ {daily:,.0f} = {100 * share:.3g} %
    * sample {answer}: ln 0.05 ÷ ln(1 − p), rounded up: {answer:,}
    ~ More than {1 / share:,.0f}, in which one is expected and often none is found.

    A promise of few errors is dear to prove: the sample grows as one over the share. Then go on
    sampling in production; the traffic that set the threshold changes.
    """)
