"""How many sequences a card holds beside the weights."""

from labutils import llm
from labutils.drills.catalog._serving import (
    GIB,
    NODES,
    SERVED,
    as_printed,
    billions,
    binary,
    full_head_kv,
    gb,
    heads,
    memory_of,
    percent,
    served,
    telling,
)
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template

_THINGS = ("conversations", "agent runs", "document chats")


@template(
    "resident_sequences",
    "How many sequences fit beside the weights",
    level=2,
    number=15,
    decision=Decision.limit,
    topics=("D09", "C20"),
)
def resident_sequences(draw: Draw) -> Drill:
    spec, card, count = served(draw, SERVED + NODES)
    context = draw.one_of((1024, 2048, 3000, 4096, 6000, 8192, 12000, 16384))
    things = draw.one_of(_THINGS)
    usable, overhead = draw.one_of((0.85, 0.9, 0.92, 0.95)), draw.one_of((1, 1.5, 2, 3))
    memory, one = count * card.memory_bytes, spec.kv_bytes(context)
    room = {"usable_share": usable, "overhead_bytes": count * overhead * 1e9}
    answer = llm.max_sequences(spec, memory, context, **room)
    draw.require(6 <= answer <= 900)
    left = usable * memory - spec.weight_bytes() - room["overhead_bytes"]
    draw.require((left - 2 * _rounding(spec)) // one == answer)
    wrong = _fit_mistakes(spec, memory, context, room, left)
    mistakes = telling(answer, wrong, absolute=1, unsafe="above")
    draw.require(len(mistakes) >= 4)
    per_card = " on each card" if count > 1 else ""
    return Drill(
        story=(
            f"{spec.name} ({billions(spec)}, {heads(spec)}) is served in bf16, cache in bf16 too, "
            f"on {memory_of(card, count)}. The server may take {percent(usable)} of it; graphs "
            f"and activations need {overhead:g} GB{per_card}. The {things} hold {context:,} "
            "tokens of context each."
        ),
        question=f"How many {things} can keep their cache on the hardware at once? A whole number.",
        answer=answer,
        unit="1",
        tolerance=0,
        absolute=1,
        unsafe="above",
        mistakes=mistakes,
        hints=(
            "What has to be in memory before the first token is read?",
            "⌊(usable share × memory − weights − overhead) / (context × KV bytes per token)⌋.",
            f"({usable:g} × {gb(memory)} − {gb(spec.weight_bytes())} − "
            f"{gb(room['overhead_bytes'])}) / ({context:,} × "
            f"{binary(spec.kv_bytes_per_token())}).",
        ),
        steps=(
            Step(
                f"Weights: {billions(spec)} × 2 B = {gb(spec.weight_bytes())}",
                "weights",
                spec.weight_bytes(),
                "B",
            ),
            Step(
                f"Left for caches: {usable:g} × {gb(memory)} − {gb(spec.weight_bytes())} − "
                f"{gb(room['overhead_bytes'])} = {gb(left)}",
                "left",
                left,
                "B",
            ),
            Step(
                f"One of them: {context:,} × {binary(spec.kv_bytes_per_token())} = {gb(one)}",
                "one of them",
                one,
                "B",
            ),
            Step(f"⌊{gb(left)} / {gb(one)}⌋ = {answer}", "how many", answer, "1"),
        ),
        sanity=(
            f"Without any weights at most {memory / one:,.0f} would fit: it must be fewer, "
            f"for the weights take {percent(spec.weight_bytes() / memory)} of the memory."
        ),
        moral=(
            "Resident sequences = (usable memory − weights − overhead) / (context · KV bytes per "
            "token). It assumes that all have the full context: paging lets shorter ones share. GB "
            "or GiB moves the memory by 7 %, and what is left by more."
        ),
        follow_up=_narrow_weights_fit(draw, spec, memory, context, room, answer),
    )


def _rounding(spec) -> float:
    """Parameters that the printed number of them has too many."""
    return as_printed(spec.parameters) - spec.parameters


def _fit_mistakes(spec, memory: float, context: int, room: dict, left: float):
    overhead = room["overhead_bytes"]
    shared = full_head_kv(spec) * context
    return (
        Mistake(
            "weights-forgotten",
            (room["usable_share"] * memory - overhead) // spec.kv_bytes(context),
            "You fill the whole card with caches. What else lies in its memory all the time?",
        ),
        Mistake(
            "query-heads",
            left // shared,
            "Your cache has a key for every query head. Which heads does the cache hold?",
        ),
        Mistake(
            "all-of-it",
            llm.max_sequences(spec, memory, context, usable_share=1, overhead_bytes=overhead),
            "You use the memory to the last byte. What share of it may the server take?",
        ),
        Mistake(
            "overhead-forgotten",
            llm.max_sequences(spec, memory, context, usable_share=room["usable_share"]),
            "Weights and caches are not alone on the card: what did the story reserve besides?",
        ),
        Mistake(
            "gib",
            llm.max_sequences(spec, memory / 1e9 * GIB, context, **room),
            "Your memory is some 7 % larger than the story's. Do you count it in GiB, or take a "
            "larger share of it?",
        ),
    )


def _narrow_weights_fit(
    draw: Draw, spec, memory: float, context: int, room: dict, before: int
) -> Drill:
    after = llm.max_sequences(spec, memory, context, bytes_per_weight=1, **room)
    left = room["usable_share"] * memory - spec.weight_bytes(1) - room["overhead_bytes"]
    draw.require((left - _rounding(spec)) // spec.kv_bytes(context) == after)
    freed = spec.weight_bytes() - spec.weight_bytes(1)
    return Drill(
        story=(
            "The weights are quantised to one byte each (scales left out); the cache stays in "
            f"bf16. So far {before} fit."
        ),
        question="How many fit now? A whole number.",
        answer=after,
        unit="1",
        tolerance=0,
        absolute=1,
        unsafe="above",
        mistakes=telling(
            after,
            (
                Mistake(
                    "doubled",
                    2 * before,
                    "You double what fitted. Is it the caches that take half the bytes now?",
                ),
                Mistake(
                    "unchanged",
                    before,
                    "The same as before. Where does the freed memory go?",
                ),
                Mistake(
                    "freed-alone",
                    freed // spec.kv_bytes(context),
                    "That is what fits into the freed memory alone. What fitted before stays.",
                ),
            ),
            absolute=1,
            unsafe="above",
        ),
        hints=(
            "How many bytes are freed, and how many caches is that?",
            "Same sum with one byte a weight.",
            f"Freed: {gb(freed)}; one cache takes {gb(spec.kv_bytes(context))}.",
        ),
        steps=(
            Step(f"Weights shrink by {gb(freed)}", "freed", freed, "B"),
            Step(
                f"⌊({gb(room['usable_share'] * memory)} − {gb(spec.weight_bytes(1))} − "
                f"{gb(room['overhead_bytes'])}) / {gb(spec.kv_bytes(context))}⌋ = {after}",
                "how many",
                after,
                "1",
            ),
        ),
        sanity=f"More than the {before} from before: {gb(freed)} more are free for caches.",
        moral=(
            f"From {before} to {after}: the same bytes are freed whatever the card, so a small "
            "card gains most, in proportion. A cache in 8 bits would double the count on any card."
        ),
    )
