"""Flaws in claims about products: streams, speech, traffic."""

import math

from labutils import llm
from labutils.drills.claim import FIRST, FLAW, in_order
from labutils.drills.draw import Draw
from labutils.drills.drill import Drill, Mistake, Step
from labutils.drills.template import Decision, Form, template
from labutils.units import format_quantity as say

FAULTS = {
    "whole_for_coherence": ("X85",),
    "captions_from_windows": ("X86",),
    "requests_of_a_large_service": ("X87",),
}


def _many(count: float) -> str:
    return f"{count / 1e9:g} billion" if count >= 1e9 else f"{count / 1e6:g} million"


@template(
    "whole_for_coherence",
    "Streaming sends the same tokens earlier",
    level=1,
    decision=Decision.commit,
    topics=("P02", "A16", "O09"),
    form=Form.flaw,
)
def whole_for_coherence(draw: Draw) -> Drill:
    first, gap, tokens = draw.number(0.2, 1.5), draw.number(0.015, 0.06), draw.whole(80, 700)
    where = draw.one_of(("a help desk", "a writing assistant", "an assistant for doctors"))
    whole = llm.stream_duration_s(first, gap, tokens)
    longer = whole - first
    draw.require(longer > 1.3 * first and abs(longer - whole) > 0.05 * longer)
    draw.require(longer < 0.7 * first or longer > 1.4 * first)
    return Drill(
        story=(
            f"In {where} the answers come as a stream: the first token after {say(first, 's')}, "
            f"the others {say(gap, 's')} apart, {tokens} in a typical answer. A meeting decides to "
            "send whole answers instead, 'because the text is more coherent that way'."
        ),
        question="How much longer does a user then look at an empty page?",
        options=draw.options(
            "Each answer must pass a moderation step as a whole.",
            {
                "A model that may finish first writes better sentences.": (
                    "Are other tokens drawn, or in another order, when somebody reads along?"
                ),
                "The model can go back and mend what it wrote.": (
                    "Each token is written once, behind those before it. Who would go back?"
                ),
                "The last token comes sooner without a stream.": (
                    "The same steps run. Which of them would be left out?"
                ),
            },
            question="Which reason to hold back an answer would stand?",
        ),
        answer=longer,
        unit="s",
        tolerance=0.02,
        mistakes=(
            Mistake(
                "until-the-end",
                whole,
                "That is how long the page is empty without a stream. How long was it with one?",
            ),
            Mistake(
                "first-token", first, "So long it was empty before. How much longer is it now?"
            ),
        ),
        hints=(
            "When does the page stop being empty, with the stream and without?",
            "Difference = last token - first token = (tokens - 1) × gap.",
            f"({tokens} - 1) × {say(gap, 's')}.",
        ),
        steps=(
            Step(f"Whole answer: {say(whole, 's')}", name="whole", value=whole, unit="s"),
            Step(
                f"Longer by {say(whole, 's')} - {say(first, 's')} = {say(longer, 's')}",
                name="longer",
                value=longer,
                unit="s",
            ),
        ),
        sanity="The page is empty for the whole answer, less the wait that there was before.",
        moral=(
            "Streaming changes when tokens are seen, not which. What forbids it: moderation of the "
            "whole, a schema that must be checked before anybody acts, a program as reader. Decide "
            "knowing the price in seconds."
        ),
    )


@template(
    "captions_from_windows",
    "A model on windows does not stream by itself",
    level=3,
    decision=Decision.limit,
    topics=("Q03", "P02"),
    form=Form.flaw,
    rough=False,
)
def captions_from_windows(draw: Draw) -> Drill:
    hop, run = draw.one_of((1, 1.5, 2, 3, 4, 5)), draw.number(0.05, 0.6)
    exact = hop / run
    streams = math.floor(exact)
    draw.require(streams >= 4 and 0.03 < exact - streams < 0.97)
    late = hop + run
    return Drill(
        story=(
            "Live captions from Whisper, an encoder-decoder that reads 30 s of sound at a time and "
            f"pads what is shorter. Around it a loop takes the last 30 s every {hop:g} s and runs "
            f"the model, which takes {say(run, 's')} of a GPU, however little of the window is "
            "new. (One run after the other; no batching.) The plan has the lines below."
        ),
        question="How many live streams can one GPU keep up with?",
        options=in_order(
            FIRST,
            (
                f"On an idle GPU a word is seen {say(late, 's')} after it was spoken, at the "
                "latest.",
                "It waits for the next turn of the loop, and then for the run.",
            ),
            (
                f"Every {hop:g} s of sound cost {say(run, 's')} of the GPU, for each stream.",
                "The loop runs the model once a turn, and once for each stream.",
            ),
            (
                f"A window is 30 s, so one GPU carries {math.floor(30 / run)} streams.",
                FLAW,
            ),
            (
                "Halving the turn would double the work.",
                "Twice as many runs, each over a window of 30 s.",
            ),
        ),
        answer=streams,
        tolerance=0,
        absolute=0,
        mistakes=(
            Mistake(
                "one-run-a-window",
                math.floor(30 / run),
                "That counts one run for 30 s of sound. How often does the loop run the model?",
            ),
            Mistake(
                "rounded-up",
                streams + 1,
                "With that many a turn holds more work than time. Which way must you round?",
            ),
        ),
        hints=(
            "How much GPU time does one stream take per second of sound?",
            "Streams = turn / run, rounded down.",
            f"{hop:g} s / {say(run, 's')}.",
        ),
        steps=(
            Step(
                f"A stream takes {say(run, 's')} of every {hop:g} s: {100 * run / hop:.3g} % of "
                "the GPU",
                name="share",
                value=100 * run / hop,
                unit="%",
            ),
            Step(f"{exact:.2f}, rounded down: {streams}", name="streams", value=streams),
        ),
        sanity=f"Each second of sound is computed {30 / hop:g} times over: far fewer than the "
        "plan.",
        moral=(
            "Whisper (Radford and others, 2022) was trained on windows of 30 s; what streams is "
            "the "
            "loop built around it, and the price is overlap: 30 s read for every turn. Delay and "
            "cost trade against each other through the turn."
        ),
        scale=False,
    )


@template(
    "requests_of_a_large_service",
    "From a day's count to the peak second",
    level=1,
    decision=Decision.estimate,
    topics=("P07", "M11"),
    form=Form.flaw,
)
def requests_of_a_large_service(draw: Draw) -> Drill:
    daily, peak = draw.number(2e7, 2.5e9), draw.one_of((1.5, 2, 2.5, 3))
    mean = daily / 86_400
    answer = peak * mean
    return Drill(
        story=(
            f"'We must be ready for millions of requests a second', says the pitch. The service "
            f"had {_many(daily)} requests yesterday, and its busiest hour carried {peak:g} times "
            "the "
            "day's mean. The capacity estimate has the lines below."
        ),
        question="How many requests a second come in the busiest hour?",
        options=in_order(
            FIRST,
            ("A day has 24 × 60 × 60 = 86,400 seconds.", "Hours, minutes, seconds: it does."),
            (
                f"The mean of the day is {say(mean, 'req/s')}.",
                "The count of the day over its seconds.",
            ),
            (
                f"The busiest hour carries {peak:g} times the mean.",
                "It was measured, and the hour is what must be survived.",
            ),
            (
                "So we need a fleet for a million requests a second.",
                FLAW,
            ),
        ),
        answer=answer,
        unit="req/s",
        tolerance=0.03,
        mistakes=(
            Mistake("mean-alone", mean, "That is the mean of the day. And its busiest hour?"),
            Mistake(
                "over-an-hour",
                daily / 3600,
                "You squeeze the whole day into one hour. What share of it came then?",
            ),
            Mistake(
                "divided-by-the-peak",
                mean / peak,
                "You divide by the peak factor. Does the busiest hour see more than the mean?",
            ),
        ),
        hints=(
            "First the mean per second, then the peak.",
            "Peak rate = count / 86,400 s × peak factor.",
            f"{_many(daily)} / 86,400 s × {peak:g}.",
        ),
        steps=(
            Step(f"Mean: {say(mean, 'req/s')}", name="mean", value=mean, unit="req/s"),
            Step(
                f"Busiest hour: {peak:g} × that = {say(answer, 'req/s')}",
                name="peak",
                value=answer,
                unit="req/s",
            ),
        ),
        sanity=(
            "A day is about 10⁵ s: take five zeros off the count, and you have the order of the "
            "mean."
        ),
        moral=(
            "A million a second would be 86 billion a day. For scale: in July 2025 OpenAI told "
            "Axios of 2.5 billion prompts a day to ChatGPT, 28,900 a second on average. Do the "
            "division before you draw the architecture, and count tokens next."
        ),
    )
