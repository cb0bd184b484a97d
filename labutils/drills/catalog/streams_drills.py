"""One stream: how long an answer takes."""

from labutils import llm
from labutils.drills.catalog._serving import telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_ANSWERS = (
    "A code review has",
    "A chat answer has",
    "A summary has",
    "A translation has",
)


@template(
    "stream_duration",
    "How long a streamed answer takes",
    level=1,
    number=7,
    decision=Decision.model,
    topics=("A07", "D03"),
)
def stream_duration(draw: Draw) -> Drill:
    ttft, tpot = draw.number(0.08, 3), draw.number(0.006, 0.09)
    tokens, streams = draw.whole(4, 1500), draw.whole(4, 64)
    total = llm.stream_duration_s(ttft, tpot, tokens)
    per_gap = tpot / total
    draw.require(per_gap < 0.009 or per_gap > 0.022)
    mistakes = telling(total, _duration_mistakes(ttft, tpot, tokens, streams), tolerance=0.01)
    draw.require(len(mistakes) >= 2)
    return Drill(
        story=(
            f"{draw.one_of(_ANSWERS)} {tokens:,} tokens and is streamed. The dashboard reads: "
            f"{streams} streams at once, {say(streams / tpot, 'tok/s')} in all, first token after "
            f"{say(ttft, 's')}, then {say(tpot, 's')} from token to token."
        ),
        question="How long does its reader wait, from sending the request to the last token?",
        answer=total,
        unit="s",
        tolerance=0.01,
        mistakes=mistakes,
        hints=(
            "When is the first token there, and how many gaps follow it?",
            "TTFT + (n − 1) · TPOT.",
            f"{say(ttft, 's')} + {tokens - 1:,} × {say(tpot, 's')}.",
        ),
        steps=(
            Step(f"{tokens:,} tokens leave {tokens - 1:,} gaps.", "gaps", tokens - 1),
            Step(
                f"{tokens - 1:,} × {say(tpot, 's')} = {say((tokens - 1) * tpot, 's')}",
                "after the first token",
                (tokens - 1) * tpot,
                "s",
            ),
            Step(
                f"{say(ttft, 's')} + {say((tokens - 1) * tpot, 's')} = {say(total, 's')}",
                "in all",
                total,
                "s",
            ),
        ),
        sanity=f"Longer than the {say(ttft, 's')} to the first token.",
        moral=(
            "E2E = TTFT + (n − 1) · TPOT: the first token is inside TTFT. The rate of the whole "
            "server is nothing that one reader sees."
        ),
        follow_up=_needed_tpot(draw, ttft, tpot, total, tokens),
    )


def _duration_mistakes(ttft: float, tpot: float, tokens: int, streams: int):
    return (
        Mistake(
            "one-gap-too-many",
            ttft + tokens * tpot,
            "You pay for the first token twice. How many gaps lie between n tokens?",
        ),
        Mistake(
            "no-first-token",
            (tokens - 1) * tpot,
            "You start the clock at the first token. What has the reader waited until then?",
        ),
        Mistake(
            "everybodys-rate",
            ttft + (tokens - 1) * tpot / streams,
            "You let this reader have the tokens of all streams. Whose rate is on the dashboard?",
        ),
        Mistake(
            "first-token-each-time",
            tokens * ttft,
            "You make every token as slow as the first. What was there to do before the first?",
        ),
    )


def _needed_tpot(draw: Draw, ttft: float, tpot: float, total: float, tokens: int) -> Drill:
    target = float(f"{draw.share(0.45, 0.75) * (total - ttft) + ttft:.2g}")
    draw.require(ttft * 1.2 < target < 0.95 * total)
    needed = llm.tpot_for_duration_s(target, ttft, tokens)
    mistakes = telling(needed, _target_mistakes(ttft, tpot, total, tokens, target), tolerance=0.01)
    draw.require(len(mistakes) >= 2)
    return Drill(
        story=(
            f"Product wants the whole answer within {say(target, 's')}. TTFT stays at "
            f"{say(ttft, 's')}, the answer at {tokens:,} tokens."
        ),
        question="How long may a token take after the first one, at most?",
        answer=needed,
        unit="s",
        tolerance=0.01,
        mistakes=mistakes,
        hints=(
            "What is left once the first token is out?",
            "TPOT = (E2E − TTFT) / (n − 1).",
            f"({say(target, 's')} − {say(ttft, 's')}) / {tokens - 1:,}.",
        ),
        steps=(
            Step(
                f"Left: {say(target, 's')} − {say(ttft, 's')} = {say(target - ttft, 's')}",
                "left",
                target - ttft,
                "s",
            ),
            Step(
                f"{say(target - ttft, 's')} / {tokens - 1:,} = {say(needed, 's')}",
                "per token",
                needed,
                "s",
            ),
        ),
        sanity=f"Shorter than the {say(tpot, 's')} of today.",
        moral=(
            "A table of targets has to agree with itself: 500 tokens in 3 s leave 5 ms a token, "
            "not 30. Fewer tokens help as much as faster ones."
        ),
    )


def _target_mistakes(ttft: float, tpot: float, total: float, tokens: int, target: float):
    return (
        Mistake(
            "whole-time",
            target / tokens,
            "You spread the whole time over the tokens. How much of it is gone before the first "
            "one?",
        ),
        Mistake(
            "in-proportion",
            tpot * target / total,
            "You shrink TPOT as the whole shrinks. Does TTFT shrink with it?",
        ),
        Mistake(
            "one-gap-too-many",
            (target - ttft) / tokens,
            "You divide by tokens. How many gaps are there?",
        ),
        Mistake("today", tpot, "That is what a token takes today, and it is too long."),
    )
