"""Wrong answers of a semantic cache: how many a day, and what a clean sample proves."""

import math

from labutils.caching import clopper_pearson
from labutils.drills.catalog._serving import percent, telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_MISS = 0.05  # the chance of a clean sample that a bound of 95 % leaves


def _largest_share(reviewed: int) -> float:
    """The share of wrong hits that so many right ones in a row leave possible, at 95 %."""
    return clopper_pearson(0, reviewed, confidence=1 - 2 * _MISS)[1]


@template(
    "wrong_hits",
    "Wrong hits of a semantic cache: a day's count, and what no error in n proves",
    level=3,
    decision=Decision.estimate,
    topics=("F02", "F03", "L18", "B26"),
    minutes=3,
)
def wrong_hits(draw: Draw) -> Drill:
    asked, hits = 10_000 * draw.whole(20, 300), draw.share(0.12, 0.4)
    wrong = draw.share(0.004, 0.03, 3)
    answer = asked * hits * wrong
    return Drill(
        story=(
            f"A semantic cache stands before a model that is asked {asked:,} times a day. It "
            f"answers {percent(hits)} of that with the answer to a similar question. People "
            f"reviewed a large sample of these: {percent(wrong)} were not what the user had asked "
            "for."
        ),
        question="How many such answers are given a day?",
        answer=answer,
        scale=False,
        mistakes=telling(
            answer,
            (
                Mistake(
                    "of-all-requests",
                    asked * wrong,
                    "You let every request be answered by the cache. Of which ones was the sample?",
                ),
                Mistake(
                    "all-hits",
                    asked * hits,
                    "Those are all that the cache answers. How many of them wrongly?",
                ),
                Mistake(
                    "of-the-misses",
                    asked * (1 - hits) * wrong,
                    "You count requests that went to the model. Who can get another question's "
                    "answer?",
                ),
            ),
            tolerance=0.02,
        ),
        hints=(
            "Of which requests was the share of wrong ones measured?",
            "Requests × hit share × wrong share of the hits.",
            f"{asked:,} × {hits:g} × {wrong:g}.",
        ),
        steps=(
            Step(f"Answered by the cache: {asked * hits:,.0f} a day", "hits", asked * hits),
            Step(f"Of these {percent(wrong)}: {say(answer, '1')}", "wrong", answer),
        ),
        sanity=f"Below {asked * wrong:,.0f}, which would be so if the cache answered everything.",
        moral=(
            "A hit rate comes with an error rate, and both are set by one threshold. Quote the "
            "errors a day beside the dollars saved: at this volume a share that sounds small is a "
            "queue of complaints."
        ),
        follow_up=_clean_sample(draw, asked=asked, before=hits),
    )


def _clean_sample(draw: Draw, *, asked: int, before: float) -> Drill:
    hits, reviewed = draw.share(0.05, 0.3), draw.one_of((200, 250, 300, 400, 500, 600, 800))
    draw.require(hits < before)
    answer = asked * hits * _largest_share(reviewed)
    both_sides = asked * hits * clopper_pearson(0, reviewed)[1]
    return Drill(
        story=(
            f"You raise the threshold, and the cache answers {percent(hits)} of the requests. "
            f"{reviewed} of its answers, drawn at random, are reviewed: none is wrong. “So there "
            "are no wrong answers any more,” says the team."
        ),
        question=(
            "Up to how many wrong answers a day are still compatible with that sample, at 95 % "
            "confidence? (With more, a sample without any would have a chance below 5 %.)"
        ),
        answer=answer,
        tolerance=0.03,
        scale=False,
        accepts=((both_sides, "Yours is the two-sided bound: 3.7 ÷ n in the place of 3 ÷ n."),),
        mistakes=telling(
            answer,
            (
                Mistake(
                    "one-in-the-sample",
                    asked * hits / reviewed,
                    "You allow one wrong in the sample's size. How often does a sample without "
                    "any come at that share?",
                ),
                Mistake(
                    "hit-rate-of-before",
                    answer * before / hits,
                    "That is the cache as it was. What share does it answer with the new "
                    "threshold?",
                ),
                Mistake(
                    "of-all-requests",
                    answer / hits,
                    "You let every request be answered by the cache. Which of them were sampled?",
                ),
                Mistake(
                    "none",
                    0,
                    "A sample without one is not a cache without one. At which share would "
                    "such a sample be a surprise?",
                ),
            ),
            tolerance=0.03,
        ),
        hints=(
            "At which share of wrong ones do all in the sample come out right once in twenty "
            "times?",
            "(1 − p)ⁿ = 0.05, so p ≈ 3 ÷ n (the rule of three).",
            f"3 ÷ {reviewed}, of {asked:,} × {hits:g} answers.",
        ),
        steps=(
            Step(
                f"p = 1 − 0.05^(1/{reviewed}) = {100 * _largest_share(reviewed):.3g} %",
                name="share",
                value=_largest_share(reviewed),
            ),
            Step(f"Of {asked * hits:,.0f} a day: {say(answer, '1')}", name="a day", value=answer),
        ),
        sanity=f"More than {asked * hits / reviewed:,.0f}: one in the sample's size would often "
        "hide.",
        moral=(
            "No error among n bounds the share by 3 ÷ n, no better. What a sample proves is set by "
            "its size, not by how good the cache is."
        ),
        follow_up=_how_many(draw, asked=asked, hits=hits),
    )


def _how_many(draw: Draw, *, asked: int, hits: float) -> Drill:
    most, daily = draw.one_of((5, 10, 20, 25, 50, 100, 200)), asked * hits
    share = most / daily
    answer = math.ceil(math.log(_MISS) / math.log1p(-share) - 1e-9)
    draw.require(300 < answer < 9_990)  # four digits print it whole
    return Drill(
        story=(
            f"The contract says: at most {most} wrong answers a day. You have a sample reviewed "
            "before you switch the cache on, and switch it on only if none is wrong."
        ),
        question=(
            "How large must the sample be at least, so that a cache that breaks the contract comes "
            "through with a chance of 5 % at most?"
        ),
        answer=answer,
        tolerance=0.01,
        absolute=1,
        unsafe="below",
        scale=False,
        mistakes=(
            Mistake(
                "rounded-down",
                answer - 1,
                "You round down. Is the chance of a clean sample still within 5 % then?",
            ),
            Mistake(
                "one-expected",
                1 / share,
                "Then one wrong answer is expected in the sample. How often is there none all the "
                "same?",
            ),
            Mistake(
                "of-all-requests",
                math.log(_MISS) / math.log1p(-most / asked),
                "You divide by all requests. Among which of them can a wrong answer be?",
            ),
            Mistake(
                "even-odds",
                math.log(2) / share,
                "That finds a bad cache every other time. How sure does the question want to be?",
            ),
        ),
        hints=(
            "Which share of wrong answers does the contract allow, and how likely is a clean "
            "sample of n at that share?",
            "n = ln 0.05 ÷ ln(1 − p), rounded up; about 3 ÷ p.",
            f"p = {most} ÷ {daily:,.0f}.",
        ),
        steps=(
            Step(f"p = {most} ÷ {daily:,.0f} = {100 * share:.3g} %", "share", share),
            Step(f"ln 0.05 ÷ ln(1 − p), rounded up: {answer:,}", "sample", answer),
        ),
        sanity=f"More than {1 / share:,.0f}, in which one is expected and often none is found.",
        moral=(
            "A promise of few errors is dear to prove: the sample grows as one over the share. "
            "Then go on sampling in production; the traffic that set the threshold changes."
        ),
    )
