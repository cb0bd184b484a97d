"""The largest batch that keeps a promise on time per token, and that the memory holds."""

from labutils import llm
from labutils.drills.catalog._serving import (
    as_printed,
    billions,
    binary,
    full_head_kv,
    gb,
    heads,
    percent,
    served,
    telling,
)
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_OPENINGS = (
    "You set max_num_seqs before tonight's release.",
    "The interactive tier gets a promise in its contract, and you set the cap on the batch.",
    "Somebody asks why the cap on the batch is what it is; you recompute it.",
)


@template(
    "batch_under_tpot",
    "The largest batch under a TPOT target",
    level=3,
    number=31,
    decision=Decision.limit,
    topics=("E06", "D09"),
    minutes=4,
    rough=False,
)
def batch_under_tpot(draw: Draw) -> Drill:
    spec, card, _ = served(draw)
    context, reached = draw.one_of((800, 1500, 2000, 3000, 4000, 6000)), draw.share(0.5, 0.9)
    overhead = draw.one_of((1e9, 2e9))
    given = {"overhead_bytes": overhead, "bandwidth_share": reached, "flops_share": 0.6}
    target = _target(draw, spec, card, context, given)
    limits = llm.batch_limits(spec, card, context, target, **given)
    answer = limits.batch
    draw.require(6 <= answer <= 500 and limits.by_flops > 1.3 * answer)
    draw.require(abs(limits.by_bytes - limits.by_memory) > 0.15 * answer + 2)
    rate, one = reached * card.bandwidth_bytes_per_s, spec.kv_bytes(context)
    left = 0.9 * card.memory_bytes - spec.weight_bytes() - overhead
    weights = 2 * as_printed(spec.parameters)  # as the story has them
    draw.require((target * rate - weights) // one == limits.by_bytes)
    draw.require((left + spec.weight_bytes() - weights) // one == limits.by_memory)
    wrong = _mistakes(spec, card, context, target, reached, limits)
    mistakes = telling(answer, wrong, absolute=1, unsafe="above")
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            f"{draw.one_of(_OPENINGS)} {spec.name} ({billions(spec)}, {heads(spec)}) in bf16, "
            f"cache included, {context:,} tokens of context per sequence. {card.name}: "
            f"{card.memory_bytes / 1e9:g} GB (10⁹ bytes), of which 90 % may be used and "
            f"{gb(overhead)} go to activations; {say(card.bandwidth_bytes_per_s, 'B/s')}, of which "
            f"kernels reach {percent(reached)}. Each token after the first may take "
            f"{say(target, 's')}."
        ),
        question="How many sequences may decode together at most? A whole number.",
        answer=answer,
        unit="1",
        tolerance=0,
        absolute=1,
        unsafe="above",
        mistakes=mistakes,
        options=_options(draw, limits),
        hints=(
            "Two limits hold at once: how much can a step read in its time, and how much does the "
            "memory hold?",
            "min of ⌊(T · BW · share − W) / (C · kv)⌋ and ⌊(0.9 · M − overhead − W) / (C · kv)⌋.",
            f"({say(target, 's')} × {say(rate, 'B/s')} − {gb(spec.weight_bytes())}) / {gb(one)}; "
            f"({gb(0.9 * card.memory_bytes)} − {gb(overhead)} − {gb(spec.weight_bytes())}) / "
            f"{gb(one)}.",
        ),
        steps=(
            Step(
                f"Weights {gb(spec.weight_bytes())}; one sequence {context:,} × "
                f"{binary(spec.kv_bytes_per_token())} = {gb(one)}",
                "one sequence",
                one,
                "B",
            ),
            Step(
                f"In {say(target, 's')} the card reads {gb(target * rate)}: "
                f"⌊({gb(target * rate)} − {gb(spec.weight_bytes())}) / {gb(one)}⌋ = "
                f"{limits.by_bytes:,}",
                "by time",
                limits.by_bytes,
            ),
            Step(
                f"Memory: ⌊{gb(left)} / {gb(one)}⌋ = {limits.by_memory:,}",
                "by memory",
                limits.by_memory,
            ),
            Step(
                f"The smaller one: {answer}. At 60 % of the peak the arithmetic would stop at "
                f"{limits.by_flops:,}: it does not bind.",
                "batch",
                answer,
            ),
        ),
        sanity=(
            f"Each limit alone is an upper bound: what {say(target, 's')} of reading allows, and "
            "what fits."
        ),
        moral=(
            "Largest batch = the smallest of what the time per token, the memory and the "
            "arithmetic allow. It is a cap for full contexts; shorter ones leave room, and "
            "prefills in between take time from it."
        ),
        follow_up=_tighter(draw, spec, card, context, target, given, limits),
    )


def _target(draw: Draw, spec, card, context: int, given: dict) -> float:
    """A time per token at which a step reads less, or more, than the memory holds."""
    held = llm.batch_limits(spec, card, context, 1.0, **given).by_memory
    batch = held * draw.one_of((0.35, 0.5, 0.7, 1.4, 1.8, 2.5))
    read = spec.weight_bytes() + batch * spec.kv_bytes(context)
    return float(f"{read / (given['bandwidth_share'] * card.bandwidth_bytes_per_s):.2g}")


def _options(draw: Draw, limits):
    texts = {
        "bytes": "the time that reading takes in a step",
        "memory": "the room that caches take in memory",
        "flops": "the arithmetic of a step",
    }
    against = {
        "bytes": "Compute both limits: does the memory fill up before the step gets too long?",
        "memory": "Compute both limits: is the step too long before the memory is full?",
        "flops": "How many sequences does it take before arithmetic outlasts reading here?",
    }
    wrong = {texts[key]: against[key] for key in texts if key != limits.binding}
    return draw.options(texts[limits.binding], wrong, question="What stops the batch first?")


def _mistakes(spec, card, context: int, target: float, reached: float, limits):
    weights, one, held = spec.weight_bytes(), spec.kv_bytes(context), limits.by_memory
    read = target * reached * card.bandwidth_bytes_per_s
    shared = full_head_kv(spec) * context
    return (
        Mistake(
            "other-limit",
            max(limits.by_bytes, held),
            "This batch keeps one of the two limits. Does it keep the other one as well?",
        ),
        Mistake(
            "weights-forgotten",
            min(read // one, held + weights // one),
            "You leave the weights out. Do they take no time to read, and no room in memory?",
        ),
        Mistake(
            "data-sheet",
            min((read / reached - weights) // one, held),
            "You take the bandwidth of the data sheet. What do the kernels reach?",
        ),
        Mistake(
            "query-heads",
            min((read - weights) // shared, held * spec.num_kv_heads // spec.num_heads),
            "Your caches have a key for every query head. How many KV heads are there?",
        ),
        Mistake(
            "weights-for-each",
            min(read // (weights + one), held),
            "You read the weights once for every sequence. What is a batch for?",
        ),
    )


def _tighter(draw: Draw, spec, card, context: int, target: float, given: dict, before) -> Drill:
    rate = given["bandwidth_share"] * card.bandwidth_bytes_per_s
    room = spec.weight_bytes() + 0.6 * before.batch * spec.kv_bytes(context)
    tight = float(f"{room / rate:.2g}")
    after = llm.batch_limits(spec, card, context, tight, **given)
    batch, weights = after.batch, 2 * as_printed(spec.parameters)
    draw.require((tight * rate - weights) // spec.kv_bytes(context) == after.by_bytes)
    lines = (
        Mistake("unchanged", before.batch, "As before? Compute what a step may read now."),
        Mistake(
            "in-proportion",
            round(before.batch * tight / target),
            "You shrink the batch in proportion to the target. Which part of a step's time does "
            "not shrink with the batch?",
        ),
        Mistake(
            "weights-forgotten",
            min(tight * rate // spec.kv_bytes(context), before.by_memory),
            "You let the step read caches alone. What else must it read?",
        ),
        Mistake(
            "data-sheet",
            min(
                (tight * card.bandwidth_bytes_per_s - weights) // spec.kv_bytes(context),
                before.by_memory,
            ),
            "You take the bandwidth of the data sheet. What do the kernels reach?",
        ),
    )
    return Drill(
        story=f"Sales promises a faster tier: {say(tight, 's')} per token, all else as it is.",
        question="How many sequences may decode together now, at most? A whole number.",
        answer=batch,
        unit="1",
        tolerance=0,
        absolute=1,
        unsafe="above",
        mistakes=telling(batch, lines, absolute=1, unsafe="above"),
        hints=(
            "How many bytes may a step read now, and how many of them are weights?",
            "⌊(T · BW · share − W) / (C · kv)⌋, if memory allows it.",
            f"({say(tight, 's')} × {say(rate, 'B/s')} − {gb(spec.weight_bytes())}) / "
            f"{gb(spec.kv_bytes(context))}.",
        ),
        steps=(
            Step(f"{say(tight, 's')} × {say(rate, 'B/s')} = {gb(tight * rate)}"),
            Step(
                f"⌊({gb(tight * rate)} − {gb(spec.weight_bytes())}) / "
                f"{gb(spec.kv_bytes(context))}⌋ = {batch}",
                "batch",
                batch,
            ),
        ),
        sanity=f"The weights alone take {say(spec.weight_bytes() / rate, 's')} of each step.",
        moral=(
            "Time per token buys batch only beyond what the weights take: near that floor a few "
            "milliseconds cost most of the throughput."
        ),
    )
