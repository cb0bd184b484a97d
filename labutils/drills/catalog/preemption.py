"""A request that goes before others: what those that make room for it must do again."""

import math

from labutils.drills.catalog._serving import percent, telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_TIERS = (
    ("a summary for a paying customer", "batch jobs"),
    ("a request of the interactive tier", "evaluation runs"),
    ("an agent with a deadline", "bulk translations"),
)


@template(
    "preempted",
    "Preemption: what a higher priority costs in recomputing",
    level=2,
    decision=Decision.estimate,
    topics=("I04", "J02", "O01"),
)
def preempted(draw: Draw) -> Drill:
    who, others = draw.one_of(_TIERS)
    prompt, written = draw.whole(800, 6000), draw.whole(100, 1500)
    asks, output = draw.whole(5000, 40_000), draw.one_of((500, 800, 1000, 2000))
    rate = draw.whole(6000, 40_000)
    each, need = prompt + written, asks + output
    victims = math.ceil(need / each)
    draw.require(2 <= victims <= 12 and 0.1 < need / each % 1 < 0.9)
    draw.require(math.ceil(asks / each) == victims - 1)  # the output decides on one more
    answer = victims * each / rate
    mistakes = telling(
        answer,
        (
            Mistake(
                "prompts-alone",
                victims * prompt / rate,
                "You read their prompts. What else was in their caches?",
            ),
            Mistake(
                "one-of-them",
                each / rate,
                "That is one of them. How many must make room?",
            ),
            Mistake(
                "one-too-few",
                (victims - 1) * each / rate,
                "So many make room for less than prompt and output together. How many whole "
                "sequences must go?",
            ),
            Mistake(
                "just-the-room",
                need / rate,
                "You read as many tokens as the request needs. Does an engine drop part of a "
                "sequence?",
            ),
            Mistake(
                "the-new-prompt",
                (victims * each + asks) / rate,
                "You count the new prompt. Is that done a second time?",
            ),
        ),
        tolerance=0.03,
    )
    draw.require(len(mistakes) >= 4)
    return Drill(
        story=(
            f"An engine's memory is full of {others}, every one of them with a prompt of "
            f"{prompt:,} tokens and {written:,} tokens written so far. Then comes {who}, with a "
            f"higher priority: a prompt of {asks:,} tokens, and room for {output:,} tokens of "
            "output is reserved at once. The engine drops the caches of whole "
            "sequences, the latest first, until it fits; it counts tokens, not pages. Later each "
            "of those is read in again, with all that it had written, and goes on. Reading runs "
            f"at {say(rate, 'tok/s')}."
        ),
        question="How much time does the card spend on what it had done already?",
        answer=answer,
        unit="s",
        tolerance=0.03,
        mistakes=mistakes,
        hints=(
            "How many sequences must go, and how many tokens had each in its cache?",
            "⌈needed ÷ tokens of a sequence⌉ × tokens of a sequence ÷ reading rate.",
            f"⌈{need:,} ÷ {each:,}⌉ × {each:,} ÷ {say(rate, 'tok/s')}.",
        ),
        steps=(
            Step(f"Needed: {asks:,} + {output:,} = {need:,} tokens", "needed", need),
            Step(f"÷ {each:,}, rounded up: {victims} sequences go", "sequences", victims),
            Step(
                f"{victims} × {each:,} ÷ {say(rate, 'tok/s')} = {say(answer, 's')}",
                "time",
                answer,
                "s",
            ),
        ),
        sanity=f"At least the {say(need / rate, 's')} that the needed tokens alone would take.",
        moral=(
            "A preempted sequence loses its cache and pays prompt and output again, by prefill. "
            "That is far cheaper than decoding it again, but not free: it comes out of the "
            "throughput of the lower class."
        ),
        follow_up=_often(draw, answer, victims, each),
    )


def _often(draw: Draw, cost: float, victims: int, each: int) -> Drill:
    part = draw.one_of((0.05, 0.08, 0.1, 0.15, 0.2))
    answer = 3600 * part / cost
    return Drill(
        story=(
            "And now such requests keep coming, and each of them drops as many. At most "
            f"{percent(part)} of the card's time may go to what was done already."
        ),
        question="How many such requests may come per hour, at most? It need not be whole.",
        answer=answer,
        tolerance=0.03,
        mistakes=telling(
            answer,
            (
                Mistake("per-second", answer / 3600, "That is per second. What was asked for?"),
                Mistake(
                    "whole-card",
                    3600 / cost,
                    "You spend all of the card's time. Which part of it may go there?",
                ),
                Mistake(
                    "one-of-them",
                    answer * victims,
                    "Each request drops several sequences. How many?",
                ),
                Mistake(
                    "the-other-part",
                    3600 * (1 - part) / cost,
                    "You spend the part that is left for the rest.",
                ),
            ),
            tolerance=0.03,
        ),
        hints=(
            "How much time may go there in an hour, and how much does one request cost?",
            "3600 s × part ÷ cost of one.",
            f"3600 s × {part:g} ÷ {say(cost, 's')}.",
        ),
        steps=(
            Step(
                f"In an hour {part:g} × 3600 s = {3600 * part:g} s",
                "time",
                3600 * part,
                "s",
            ),
            Step(f"÷ {say(cost, 's')} = {answer:.4g}", "requests", answer),
        ),
        sanity=f"One a minute takes {percent(cost / 60)} of the card's time.",
        moral=(
            "Memory no longer decides who runs; arithmetic pays for it. Beyond such a rate keep "
            "room free for the higher class, or admit less of the lower one, instead of dropping "
            "what runs."
        ),
    )
