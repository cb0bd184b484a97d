"""A table of promises that contradicts itself: how many tokens fit?"""

import math

from labutils.exercises.checkers import Number
from labutils.exercises.definition.exercise import Exercise, Misconception

TTFT_MS, TPOT_MS, LIMIT_MS = 500, 30, 3000

TOKENS = Exercise(
    id="phases.tokens_in_time",
    title="How long an answer fits into three seconds?",
    minutes=3,
    checker=Number(
        expected=lambda: 1 + math.floor((LIMIT_MS - TTFT_MS) / TPOT_MS),
        unit="tok",
        tolerance=0.0,
        absolute=0.25,
        misconceptions=(
            Misconception(
                "first-token-forgotten",
                lambda: math.floor((LIMIT_MS - TTFT_MS) / TPOT_MS),
                "You count the gaps. Which token is there before the first gap?",
            ),
            Misconception(
                "gaps-not-rounded",
                lambda: (LIMIT_MS - TTFT_MS) / TPOT_MS,
                "You count the gaps, and a part of one. Which token is there before the first gap, "
                "and which ones are whole?",
            ),
            Misconception(
                "not-rounded",
                lambda: 1 + (LIMIT_MS - TTFT_MS) / TPOT_MS,
                "A part of a token is nothing to read. How many are there in time?",
            ),
            Misconception(
                "without-first-token-time",
                lambda: LIMIT_MS / TPOT_MS,
                "You let the tokens flow from the start. What happens in the first half second?",
            ),
            Misconception(
                "without-first-token-time-plus-one",
                lambda: 1 + LIMIT_MS / TPOT_MS,
                "You let the tokens flow from the start. What happens in the first half second?",
            ),
            Misconception(
                "first-token-time-added",
                lambda: (LIMIT_MS + TTFT_MS) / TPOT_MS,
                "You give the answer half a second more. What is the first half of a second spent "
                "on?",
            ),
            Misconception(
                "as-the-table-says",
                lambda: 500,
                "That is what the table promises. Compute what its other two rows allow.",
            ),
            Misconception(
                "rounded-up",
                lambda: 1 + math.ceil((LIMIT_MS - TTFT_MS) / TPOT_MS),
                "Your last token comes after the limit. Only whole tokens that are there count.",
            ),
        ),
    ),
    hints=(
        "When is the first token there? How much time is left then, and what does each further "
        "token cost?",
        "n tokens are complete after TTFT + (n - 1) · TPOT. The first one is part of the TTFT.",
        "500 + (n - 1) · 30 ≤ 3000: find the largest whole n.",
    ),
    explanation=(
        "$500 + (n-1)\\cdot 30 \\le 3000$ gives $n - 1 \\le 83.3$: 84 tokens, a sixth of what "
        "the table promises. Turned round: 500 tokens in 3 s need a TPOT of at most "
        "$2500/499 = 5.01$ ms, six times faster than its own row. The $n - 1$ is no pedantry: "
        "whoever multiplies by $n$ counts the first token twice, in the TTFT and as a gap."
    ),
)
