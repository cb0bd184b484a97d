"""More practice: the optional exercises of the chapter."""

import math

from labutils.exercises.checkers import Choice, Number
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.latency import required_sample_size

REQUESTS_PER_USER = 20

USERS = Exercise(
    id="two.users",
    title="Requests are not users",
    minutes=3,
    optional=True,
    checker=Number(
        expected=lambda: 1 - 0.99**REQUESTS_PER_USER,
        unit="1",
        tolerance=0.02,  # 18 % is right
        misconceptions=(
            Misconception(
                "one-percent",
                lambda: 0.01,
                "That is the share of slow requests. A user sends more than one.",
            ),
            Misconception(
                "adds-up",
                lambda: 0.01 * REQUESTS_PER_USER,
                "You add the chances of the requests. A user who meets two slow ones is counted "
                "twice: what is the chance to meet none?",
            ),
            Misconception(
                "every-request-slow",
                lambda: 0.01**REQUESTS_PER_USER,
                "That is the share of users whose requests are *all* slow. One slow request is "
                "enough.",
            ),
            Misconception(
                "just-one",
                lambda: REQUESTS_PER_USER * 0.01 * 0.99 ** (REQUESTS_PER_USER - 1),
                "That is the share of users with exactly one slow request. What of those with two?",
            ),
            Misconception(
                "all-slow",
                lambda: 0.99**REQUESTS_PER_USER,
                "That is the share of users who meet no slow request.",
            ),
        ),
    ),
    hints=(
        "Ask for the opposite: which share of users meets no slow request at all?",
        "All of a user's requests must be fast: 0.99 to the power of their number.",
        "1 - 0.99 ** 20.",
    ),
    explanation=(
        "$1 - 0.99^{20} = 18\\,\\%$. “Only 1 % of requests are slow” and “almost one user in five "
        "meets a slow one” are the same fact. A hundred thousand slow requests are neither a "
        "hundred thousand users nor spread evenly: the heaviest users meet the tail most often. "
        "The independence of the requests is an assumption; pauses that come in bursts hit fewer "
        "users harder."
    ),
)

_enough = math.log(0.025) / math.log(0.999)  # before it is rounded up, as it has to be

ENOUGH = Exercise(
    id="two.enough",
    title="How many requests bound a p99.9?",
    minutes=3,
    optional=True,
    checker=Number(
        expected=lambda: required_sample_size(0.999),
        unit="1",
        tolerance=0.0,
        absolute=math.ceil(_enough) - _enough,
        misconceptions=(
            Misconception(
                "rounded-down",
                lambda: math.floor(_enough),
                "With so many the largest value still misses in more than 2.5 % of all samples. "
                "Which way do you round a number that has to suffice?",
            ),
            Misconception(
                "one-in-a-thousand",
                lambda: 1000,
                "In a thousand requests there is one slow one on average. How often is there none?",
            ),
            Misconception(
                "one-sided",
                lambda: math.ceil(math.log(0.05) / math.log(0.999)),
                "At that size the upper end misses with 5 %. Half of that is left for each side.",
            ),
            Misconception(
                "ten-of-p99",
                lambda: 10 * required_sample_size(0.99),
                "That is ten times the number for a p99: nearly right, and why only nearly? "
                "Compute it as for the p99.",
            ),
            Misconception(
                "one-per-cent-a-side",
                lambda: math.ceil(math.log(0.01) / math.log(0.999)),
                "That leaves 1 % on the side. Asked for is 95 % confidence: how much is that a "
                "side?",
            ),
            Misconception(
                "shared-out-again",
                lambda: math.ceil(math.log(0.0125) / math.log(0.999)),
                "You halved twice. 95 % leave 5 %, half of them on each side: which probability "
                "is that?",
            ),
            Misconception(
                "of-p99",
                lambda: required_sample_size(0.99),
                "That many bound a p99. The question asks for p99.9.",
            ),
        ),
    ),
    hints=(
        "When is there no upper bound? When not a single request lies above the true quantile.",
        "All n requests lie below it with probability 0.999 to the power n; that may be 2.5 %.",
        "log(0.025) / log(0.999), rounded up.",
    ),
    explanation=(
        "The largest value is an upper bound unless all $n$ requests lie below the true quantile, "
        "which happens with probability $q^n$. For $q = 0.999$ that falls to 2.5 % at "
        "$n = 3{,}688$. A bound is not yet a good estimate: to know p99.9 to lie between the "
        "p99.85 and the p99.95 takes about 19,000 requests."
    ),
)

WORKLOAD = Exercise(
    id="two.workload",
    title="Which of the two numbers does the work ask for?",
    minutes=3,
    optional=True,
    checker=Choice(
        options={
            "a": "Embed one billion documents by tomorrow morning.",
            "b": "Decide whether the object ahead of the car is a pedestrian.",
            "c": "Summarise last year's contracts over the weekend.",
            "d": "Complete the line that a programmer is typing.",
        },
        correct=frozenset({"b", "d"}),
        diagnoses={
            "a": "Nobody waits for a single document. How many are finished per second?",
            "c": "The weekend is one deadline for all of them together.",
        },
        omissions={
            "b": "In which of the others does somebody, or something, wait for this one answer?",
            "d": "Who else waits for a single answer, and would notice one second more?",
        },
    ),
    hints=(
        "For each: does somebody wait for the single answer, or for the last of all?",
        "If all requests took twice as long, but twice as many ran at once, who would notice?",
        "Two of the four are worthless when they come a second later.",
    ),
    explanation=(
        "A car or a typist waits for *this* answer: latency-bound, and each answer has a deadline "
        "of its own. A billion documents or last year's contracts wait for the *last* answer: "
        "throughput-bound, and a document may take a minute if enough are under way. One billion "
        "documents in ten hours are 27,800 a second. Larger batches serve the second kind and make "
        "the first kind wait; the same hardware is tuned in opposite directions."
    ),
)
