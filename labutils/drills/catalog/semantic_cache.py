"""A semantic cache: what a check of its candidates costs, and how often it is wrong."""

import math

from labutils.caching import clopper_pearson, mean_latency
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("F03 F02 R08", level=2, decision="commit", minutes=3.5)
def checked_hits(draw: Draw) -> Drill:
    """A semantic cache pays for its look-ups and its checks: the break-even."""
    lookup, check = draw.whole(25, 90) / 1000, draw.whole(120, 450) / 1000
    generate = draw.number(1.2, 4)
    found, passed = draw.share(0.3, 0.6), draw.share(0.4, 0.8)
    hit = found * passed
    answer = mean_latency(
        hit,
        hit_s=lookup + check,
        lookup_s=lookup + check * found * (1 - passed) / (1 - hit),
        miss_s=generate,
    )
    draw.require(answer < 0.95 * generate)
    asked = draw.drill(f"""
    An answer is reused if a stored question is similar. To embed the question and to search takes
    {quantity(lookup, "s")}. {percent(found)} of the requests find a candidate, and a small model
    then checks it against the question, {quantity(check, "s")} more; {percent(passed)} of the
    candidates pass and are served. All other requests are generated, which takes
    {quantity(generate, "s")}.
    ? How long does a request take on average?
    = {answer} s tolerance=0.005 telling=0
    - candidates-are-hits {lookup + found * check + (1 - found) * generate}: You serve every
      candidate. What happens to those that fail the check?
    - rejected-unchecked {lookup + hit * check + (1 - hit) * generate}: You check the candidates
      that are served. How does anybody know that the others fail?
    - search-forgotten {found * check + (1 - hit) * generate}: You leave out the search. Which
      requests wait for it?
    - misses-pay-nothing {hit * (lookup + check) + (1 - hit) * generate}: Something is missing for
      the requests that are generated. What has been done before anybody knows that there is no
      answer for them?
    - check-forgotten {lookup + (1 - hit) * generate}: You leave out the check. Which requests wait
      for it?
    - everybody-checked {lookup + check + (1 - hit) * generate}: You check every request. For which
      of them is there something to check?
    > Three parts: who pays for the search, who for the check, who for the generation?
    > Search + share with a candidate × check + (1 − share served) × generation.
    > {quantity(lookup, "s")} + {found:g} × {quantity(check, "s")} + (1 − {found:g} × {passed:g}) ×
      {quantity(generate, "s")}.
    * served {hit}: Served: {found:g} × {passed:g} = {percent(hit)}
    * generation {(1 - hit) * generate} s: Generation: {1 - hit:.4g} × {quantity(generate, "s")} =
      {quantity((1 - hit) * generate, "s")}
    * check {found * check} s: Check: {found:g} × {quantity(check, "s")} =
      {quantity(found * check, "s")}
    * mean {answer} s: With the search: {quantity(answer, "s")}
    ~ More than {quantity((1 - hit) * generate, "s")}, the generation alone.

    “Times faster on a hit” says nothing of the mean: misses pay for the look-up, and rejected
    candidates for the check as well. The p99 is a miss, and became longer.
    """)
    names = {mistake.name for mistake in asked.mistakes}
    draw.require({"rejected-unchecked", "search-forgotten", "check-forgotten"} <= names)
    return asked.then(_break_even(draw, lookup=lookup, check=check, generate=generate))


def _break_even(draw: Draw, *, lookup: float, check: float, generate: float) -> Drill:
    found = draw.share(0.1, 0.28)
    answer = (lookup + found * check) / (found * generate)
    draw.require(answer < 0.85)
    return draw.drill(f"""
    In another product only {percent(found)} of the requests find a candidate. The three times are
    the same.
    ? Which share of the candidates must pass the check, so that the mean time is no longer than
      without the cache?
    = {answer} tolerance=0.02 telling=3
    - search-alone {lookup / (found * generate)}: You pay for the search alone. What does a
      candidate cost, whether it passes or not?
    - check-alone {check / generate}: You pay for the check alone. What does a request without a
      candidate cost?
    - of-all-requests {(lookup + found * check) / generate}: That is the share of all requests that
      must be served. What share of the candidates is it?
    - check-twice {(lookup + found * check) / (found * (generate - check))}: You take the check off
      what is saved, too. How often does a candidate pay for it?
    - one-candidate-pays {(lookup + check) / generate}: You let each candidate pay for its own
      search. Who pays for the searches that find none?
    > What does the cache add to an average request, and what does a served candidate save?
    > Share = (search + found × check) ÷ (found × generation).
    > ({quantity(lookup, "s")} + {found:g} × {quantity(check, "s")}) ÷ ({found:g} ×
      {quantity(generate, "s")}).
    * added {lookup + found * check} s: Added to an average request:
      {quantity(lookup + found * check, "s")}
    * saved {found * generate} s: Saved if all candidates passed: {quantity(found * generate, "s")}
    * passing {answer}: The ratio: {quantity(answer, "1")}
    ~ Above {quantity(check / generate, "1")}: the checks alone take that.

    Break-even: hit share × what a hit saves = what everybody pays. Do the same sum in dollars,
    where the search is cheap and the generation is not; latency and cost break even at different
    hit rates.
    """)


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
