"""Promises on both sides of a prompt's chunk: one bounds it from above, the other from below."""

import math

from labutils.drills.catalog._chunk_from_below import MeasuredSteps, from_below
from labutils.drills.catalog._serving import telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, Form, template
from labutils.units import format_quantity as say


@template(
    "chain_chunk",
    "What binds the prefill chunk: the time per token above, the first token below",
    level=3,
    decision=Decision.limit,
    topics=("H02", "D02", "A06"),
    form=Form.chain,
    minutes=7,
)
def chain_chunk(draw: Draw) -> Drill:
    steps = MeasuredSteps(
        fixed=1000 * draw.random.randint(4, 12),
        token=draw.one_of((25, 30, 40, 50, 60, 80)),
        context_ns=draw.one_of((40, 50, 60, 80)),
        streams=draw.one_of((24, 32, 48, 64)),
        context=1000 * draw.random.randint(1, 12),
    )
    promise = 1000 * round(steps.plain * draw.number(1.2, 2.6) / 1000)
    room = promise - steps.plain
    answer = int(room / steps.token)
    draw.require(140 <= answer <= 1800 and 0.1 < room / steps.token % 1 < 0.9)
    parts = {
        "the fixed part": steps.fixed,
        "reading the contexts": steps.contexts,
        "computing the streams' tokens": steps.streams * steps.token,
    }
    first, second, _ = sorted(parts, key=parts.get, reverse=True)
    draw.require(parts[first] > 1.25 * parts[second])
    against = {
        "the fixed part": "Set it beside streams × context × time of a token read.",
        "reading the contexts": "Streams × context × time of a token read: is that the most?",
        "computing the streams' tokens": "How many tokens do the streams compute in a step?",
    }
    mistakes = telling(answer, _above(steps, promise), absolute=1, unsafe="above")
    draw.require(len(mistakes) >= 4)
    return Drill(
        story=(
            f"Measured on an engine: a step takes {say(steps.fixed / 1e6, 's')}, and "
            f"{steps.token} µs more for each token that it computes, and {steps.context_ns} ns for "
            f"each token of context that its streams read. {steps.streams} streams decode, a token "
            f"each a step, with {steps.context:,} tokens of context each. There is always a prompt "
            "to be read, and every step computes a chunk of it as well; what a prompt reads of its "
            "own past is left out. Each stream was promised a token every "
            f"{say(promise / 1e6, 's')}."
        ),
        question="How many tokens may the chunk have at most? A whole number.",
        answer=answer,
        tolerance=0.0,
        absolute=1,
        unsafe="above",
        mistakes=mistakes,
        options=draw.options(
            first,
            {part: against[part] for part in parts if part != first},
            question="Without a chunk, which part of a step is the longest?",
        ),
        hints=(
            "What does a step of the streams take by itself, and what does the promise leave?",
            "⌊(promise − fixed − streams × token − streams × context × read) ÷ token⌋.",
            f"({promise:,} − {steps.fixed:,} − {steps.streams} × {steps.token} − "
            f"{steps.contexts:,.0f}) µs ÷ {steps.token} µs.",
        ),
        steps=(
            Step(
                f"The streams alone: {steps.fixed / 1000:g} + "
                f"{steps.streams * steps.token / 1000:g} + {steps.contexts / 1000:g} = "
                f"{steps.plain / 1000:.5g} ms",
                "streams",
                steps.plain / 1e6,
                "s",
            ),
            Step(
                f"Left: {room / 1000:.5g} ms, ÷ {steps.token} µs and rounded down: {answer}",
                "chunk",
                answer,
            ),
        ),
        sanity=f"Fewer than {promise // steps.token:,}, for which nothing else would be in a step.",
        moral=(
            "Chunk ≤ (TPOT promised − step of the streams) ÷ time of a token. The measured step "
            "is a line in its tokens; fit it once, and both promises become arithmetic."
        ),
        follow_up=_first_token(draw, steps, promise, answer),
    )


def _above(steps: MeasuredSteps, promise: int):
    token = steps.token
    return (
        Mistake(
            "streams-forgotten",
            int((promise - steps.fixed) / token),
            "You give the chunk all but the fixed part. Who else is in the step?",
        ),
        Mistake(
            "contexts-forgotten",
            int((promise - steps.fixed - steps.streams * token) / token),
            "Your streams read nothing. What does each of them look at?",
        ),
        Mistake(
            "one-stream",
            int((promise - steps.fixed - token - steps.contexts / steps.streams) / token),
            "You count one stream. How many decode?",
        ),
        Mistake(
            "own-tokens-forgotten",
            int((promise - steps.fixed - steps.contexts) / token),
            "You let the streams read and not compute. What is a token of theirs?",
        ),
        Mistake(
            "fixed-forgotten",
            int((promise - steps.plain + steps.fixed) / token),
            "You leave out what a step takes whatever is in it.",
        ),
        Mistake(
            "rounded-up",
            int((promise - steps.plain) / token) + 1,
            "Its step is longer than promised. Which way do you round?",
        ),
    )


def _first_token(draw: Draw, steps: MeasuredSteps, promise: int, most: int) -> Drill:
    chunk = max(size for size in (128, 192, 256, 384, 512, 768, 1024, 1536) if size <= most)
    prompt = 100 * draw.whole(40, 240)
    count, rest = math.ceil(prompt / chunk), prompt % chunk
    draw.require(count >= 6 and 0.1 * chunk < rest < 0.7 * chunk)
    answer = steps.first_token(prompt, chunk) / 1e6
    again, own = count * steps.plain, prompt * steps.token
    draw.require(max(again, own) > 1.15 * min(again, own))
    texts = ("the steps of the streams, once for each chunk", "the prompt's own tokens")
    right, wrong = texts if again > own else texts[::-1]
    mistakes = telling(
        answer,
        (
            Mistake(
                "alone",
                (steps.fixed + own) / 1e6,
                "That is the prompt in one step of its own. Who shares its steps?",
            ),
            Mistake(
                "streams-once",
                (steps.plain + own) / 1e6,
                "You let the streams have one step. In how many steps is the prompt read?",
            ),
            Mistake(
                "last-step-full",
                count * (steps.plain + chunk * steps.token) / 1e6,
                "Your last step is full. How many tokens are left for it?",
            ),
            Mistake(
                "promise-in-each",
                count * promise / 1e6,
                "You take the promise for the step. How long is a step with this chunk?",
            ),
            Mistake(
                "last-step-missing",
                (count - 1) * (steps.plain + chunk * steps.token) / 1e6,
                "A step is missing: the last chunk is not full, and its end gives the first token.",
            ),
            Mistake(
                "fixed-parts-alone",
                (count * steps.fixed + own) / 1e6,
                "You add the fixed part alone. Do the streams stop meanwhile?",
            ),
        ),
        tolerance=0.01,
    )
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            f"You set the chunk to {chunk:,} tokens. A prompt of {prompt:,} tokens comes and is "
            "next in line; the contexts of the streams stay as they are. A step is as long as its "
            "tokens make it."
        ),
        question="How long does its first token take?",
        answer=answer,
        unit="s",
        tolerance=0.01,
        mistakes=mistakes,
        options=draw.options(
            right,
            {wrong: "Write down both sums and compare: one grows with the number of chunks."},
            question="What takes most of that time?",
        ),
        hints=(
            "In how many steps is it read, and what do all these steps hold together?",
            "⌈prompt ÷ chunk⌉ × step of the streams + prompt × time of a token.",
            f"⌈{prompt:,} ÷ {chunk:,}⌉ × {steps.plain / 1000:.5g} ms + {prompt:,} × "
            f"{steps.token} µs.",
        ),
        steps=(
            Step(f"⌈{prompt:,} ÷ {chunk:,}⌉ = {count} steps", "steps", count),
            Step(
                f"{count} × {steps.plain / 1000:.5g} ms = {say(again / 1e6, 's')} of the streams",
                "streams",
                again / 1e6,
                "s",
            ),
            Step(
                f"Own tokens {say(own / 1e6, 's')}; together {say(answer, 's')}",
                "first token",
                answer,
                "s",
            ),
        ),
        sanity=f"More than the {say(own / 1e6, 's')} that its own tokens take.",
        moral=(
            "TTFT = chunks × step of the streams + prompt × time of a token. A smaller chunk adds "
            "steps of the streams and nothing else."
        ),
        follow_up=from_below(draw, steps, promise, prompt, chunk),
    )
