"""The least time of a decode step, and what a longer context adds to it."""

from labutils import llm
from labutils.drills.catalog._serving import (
    billions,
    binary,
    fits,
    full_head_kv,
    gb,
    heads,
    percent,
    served,
    speed_of,
    telling,
    times,
)
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_OPENINGS = (
    "Before anybody profiles: what may you expect at best?",
    "A vendor promises a time per token, and you check whether physics allows it.",
    "Readers complain about slow text, and you ask how far from the limit the server is.",
)


@template(
    "decode_floor",
    "The least time of a decode step",
    level=2,
    number=13,
    decision=Decision.estimate,
    topics=("B21", "D11"),
)
def decode_floor(draw: Draw) -> Drill:
    spec, card, _ = served(draw)
    batch, context = draw.one_of((1, 2, 4, 8, 12, 16, 24, 32, 48, 64)), draw.whole(500, 12000)
    reached = draw.share(0.5, 0.9)
    draw.require(fits(spec, card, 1, batch * spec.kv_bytes(context)))
    step = llm.decode_step(spec, card, batch, context, bandwidth_share=reached)
    draw.require(step.binding == "bytes")
    answer, rate = step.time_s, reached * card.bandwidth_bytes_per_s
    keys_alone = (step.weight_bytes + step.kv_bytes / 2) / rate
    draw.require(abs(keys_alone / answer / reached - 1) > 0.06)  # not to be taken for each other
    mistakes = telling(answer, _mistakes(spec, step, context, reached, rate), tolerance=0.05)
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            f"{draw.one_of(_OPENINGS)} {spec.name} ({billions(spec)}, {heads(spec)}) runs in bf16, "
            f"cache included, on {speed_of(card)}; its kernels reach {percent(reached)} of that "
            f"bandwidth. {batch} {'sequences decode' if batch > 1 else 'sequence decodes'}, with "
            f"{context:,} tokens of context{' each' * (batch > 1)}."
        ),
        question="How long does one decode step take at least?",
        answer=answer,
        unit="s",
        tolerance=0.05,
        mistakes=mistakes,
        hints=(
            "Which bytes must come out of the memory before a step can end?",
            "(weights + batch × context × KV bytes per token) / (bandwidth × share).",
            f"({gb(step.weight_bytes)} + {batch} × {context:,} × "
            f"{binary(spec.kv_bytes_per_token())}) / ({reached:g} × "
            f"{say(card.bandwidth_bytes_per_s, 'B/s')}).",
        ),
        steps=(
            Step(f"Weights, once: {gb(step.weight_bytes)}", "weights", step.weight_bytes, "B"),
            Step(
                f"Caches: {batch} × {context:,} × {binary(spec.kv_bytes_per_token())} = "
                f"{gb(step.kv_bytes)}",
                "caches",
                step.kv_bytes,
                "B",
            ),
            Step(
                f"{gb(step.weight_bytes + step.kv_bytes)} / {say(rate, 'B/s')} = "
                f"{say(answer, 's')}",
                "step",
                answer,
                "s",
            ),
        ),
        sanity=(
            f"The weights alone take {say(step.weight_bytes / rate, 's')}: no step is shorter, "
            "however small the batch."
        ),
        moral=(
            "Step floor = (W + B · C · kv) / bandwidth. The arithmetic hides behind the reading "
            "at this batch; launches and sampling come on top. Check any quoted rate against "
            "bandwidth / weights first."
        ),
        follow_up=_longer(draw, spec, card, batch, context, reached, answer),
    )


def _mistakes(spec, step, context: int, reached: float, rate: float):
    moved = step.weight_bytes + step.kv_bytes
    return (
        Mistake(
            "weights-forgotten",
            step.kv_bytes / rate,
            "You read the caches alone. With what are they multiplied?",
        ),
        Mistake(
            "weights-for-each",
            (step.batch * step.weight_bytes + step.kv_bytes) / rate,
            "You read the weights once for every sequence. What is a batch for?",
        ),
        Mistake(
            "data-sheet",
            moved / rate * reached,
            "You take the whole bandwidth of the data sheet. What do the kernels reach?",
        ),
        Mistake(
            "keys-alone",
            (step.weight_bytes + step.kv_bytes / 2) / rate,
            "You read half of each cache. What does a token leave there beside its key?",
        ),
        Mistake(
            "caches-forgotten",
            step.weight_bytes / rate,
            "You read the weights alone. What does every sequence look up at each step?",
        ),
        Mistake(
            "query-heads",
            (step.weight_bytes + step.batch * context * full_head_kv(spec)) / rate,
            "Your caches have a key for every query head. How many KV heads are there?",
        ),
        Mistake(
            "one-cache",
            (step.weight_bytes + step.kv_bytes / step.batch) / rate,
            "You read one cache. How many sequences are in the step?",
        ),
    )


def _longer(draw: Draw, spec, card, batch: int, context: int, reached: float, now: float) -> Drill:
    factor = draw.one_of((2, 3, 4))
    draw.require(factor * context <= (spec.max_context or 0))
    draw.require(fits(spec, card, 1, batch * spec.kv_bytes(factor * context)))
    step = llm.decode_step(spec, card, batch, factor * context, bandwidth_share=reached)
    share = step.kv_bytes / (step.kv_bytes + step.weight_bytes)
    return Drill(
        story=(
            f"Users paste longer documents: contexts grow to {times(factor)} their length, the "
            f"batch stays at {batch}."
        ),
        question="How long does a step take now, at least?",
        answer=step.time_s,
        unit="s",
        tolerance=0.05,
        mistakes=telling(
            step.time_s,
            (
                Mistake(
                    "all-grows",
                    factor * now,
                    "You let the whole step grow. Do the weights get longer with the documents?",
                ),
                Mistake(
                    "unchanged",
                    now,
                    "As before? Which part of the bytes grows with the context?",
                ),
                Mistake(
                    "weights-forgotten",
                    step.kv_bytes / (reached * card.bandwidth_bytes_per_s),
                    "You read the caches alone. With what are they multiplied?",
                ),
            ),
            tolerance=0.05,
        ),
        hints=(
            "Which of the two kinds of bytes has grown?",
            "(weights + factor × caches) / bandwidth.",
            f"({gb(step.weight_bytes)} + {gb(step.kv_bytes)}) / "
            f"{say(reached * card.bandwidth_bytes_per_s, 'B/s')}.",
        ),
        steps=(
            Step(f"Caches now: {gb(step.kv_bytes)}", "caches", step.kv_bytes, "B"),
            Step(
                f"{gb(step.kv_bytes + step.weight_bytes)} / "
                f"{say(reached * card.bandwidth_bytes_per_s, 'B/s')} = {say(step.time_s, 's')}",
                "step",
                step.time_s,
                "s",
            ),
        ),
        sanity=f"Longer than {say(now, 's')}, and less than {times(factor)} that.",
        moral=(
            f"Caches are now {percent(share)} of the bytes: "
            + (
                "they bind, and a narrower cache or fewer KV heads would pay."
                if share > 0.5
                else "the weights still bind, and narrower weights would pay first."
            )
        ),
    )
