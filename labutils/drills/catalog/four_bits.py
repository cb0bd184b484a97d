"""Weights in four bits: what decode gains before arithmetic binds, and where that begins."""

from labutils import llm
from labutils.drills.catalog._serving import speed_of, telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_PAIRS = (
    ("Llama-3.1-70B", "B200"), ("Qwen3-32B", "B200"), ("Llama-3.1-70B", "GB200 GPU"),
    ("Llama-3.1-70B", "B300"), ("Llama-3.1-8B", "H100 SXM"), ("Qwen3-32B", "H200 SXM"),
    ("Qwen3-8B", "H100 SXM"), ("Llama-3.1-8B", "L4"),
)  # fmt: skip
_FORMATS = (
    ("4 bits and an 8-bit scale for every 16 weights (NVFP4)",
     llm.stored_bytes_per_weight(4, group=16, scale_bits=8)),
    ("4 bits and an 8-bit scale for every 32 weights (MXFP4)",
     llm.stored_bytes_per_weight(4, group=32, scale_bits=8)),
)  # fmt: skip
WIDE = 2.0  # bytes of a weight in bf16


@template(
    "four_bit_ridge",
    "4-bit weights: the gain in decode, and where the ridge moves",
    level=3,
    decision=Decision.limit,
    topics=("D11", "H04", "E06"),
    minutes=3,
)
def four_bit_ridge(draw: Draw) -> Drill:
    name, on = draw.one_of(_PAIRS)
    spec, card = llm.model(name), llm.accelerator(on)
    how, width = draw.one_of(_FORMATS)
    far, near = (llm.compute_ridge_batch(card, size) for size in (WIDE, width))
    batch = draw.whole(10, 260)
    draw.require(batch < 0.85 * far and not 0.85 < batch / near < 1.2)
    answer = min(WIDE / width, far / batch)  # reading before, over what the step waits for after
    binds = "arithmetic" if batch > near else "reading"
    weights, flops = spec.parameters, 2 * spec.parameters * batch
    peak, speed = card.peak("bf16"), card.bandwidth_bytes_per_s
    before, reading, computing = WIDE * weights / speed, width * weights / speed, flops / peak
    mistakes = telling(
        answer,
        (
            Mistake(
                "bytes-alone",
                WIDE / width,
                "So many times fewer bytes are read. What else does a step of this batch take?",
            ),
            Mistake(
                "scales-forgotten",
                min(4.0, far / batch),
                "You store four bits a weight. What is stored beside them?",
            ),
            Mistake(
                "arithmetic-alone",
                far / batch,
                "You compare with the arithmetic. Which of the two lasts longer now?",
            ),
            Mistake(
                "one-operation-per-weight",
                before / max(reading, computing / 2),
                "A weight meets each stream with a multiplication and an addition. How many "
                "operations is that?",
            ),
            Mistake(
                "added",
                (before + computing) / (reading + computing),
                "You add reading and arithmetic. Do they not go on at the same time?",
            ),
            Mistake("nothing", 1.0, "No gain at all? What does the step wait for in bf16?"),
        ),
        tolerance=0.03,
    )
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            f"{spec.name} decodes {batch} streams at a time on {speed_of(card)}, "
            f"{say(peak, 'FLOP/s')} dense in bf16. So far weights and arithmetic are in bf16. The "
            f"new checkpoint stores a weight in {how}; the products are still done in bf16. "
            "Reading and computing go on at the same time, both at their rated speed. Contexts "
            "are short: leave the caches out, and any arithmetic but that with weights."
        ),
        question="How many times as fast as now is a decode step then?",
        answer=answer,
        tolerance=0.03,
        mistakes=mistakes,
        options=draw.options(
            {"arithmetic": "For arithmetic", "reading": "For the reading of weights"}[binds],
            {
                {"reading": "For arithmetic", "arithmetic": "For the reading of weights"}[binds]: (
                    "Work out both for this batch. Which one lasts longer?"
                ),
                "For both alike": "Set the two times side by side. Are they near each other?",
            },
            question="What does a step wait for then?",
        ),
        hints=(
            "A step lasts as long as the longer of two things. How long is each, before and after?",
            "max(bytes ÷ bandwidth, 2 × weights × streams ÷ FLOP/s), before over after.",
            f"{WIDE:g} B ÷ {say(speed, 'B/s')} against the longer of {width:g} B ÷ "
            f"{say(speed, 'B/s')} and 2 × {batch} FLOP ÷ {say(peak, 'FLOP/s')}, for each weight.",
        ),
        steps=(
            Step(
                f"Before: reading, {say(before, 's')} (arithmetic {say(computing, 's')})",
                "before",
                before,
                "s",
            ),
            Step(f"Then reading takes {say(reading, 's')}", "reading", reading, "s"),
            Step(
                f"and arithmetic {say(computing, 's')}, as before: {answer:.4g} times as fast",
                "gain",
                answer,
            ),
        ),
        sanity="At most the factor by which the bytes of a weight shrink.",
        moral=(
            "Narrow weights move the batch at which arithmetic binds towards you, by the factor "
            "by which they shrink. At small batches the gain is that of the bytes; beyond the new "
            "ridge it is what arithmetic leaves."
        ),
        follow_up=_narrow_products(card, width, near, far),
    )


def _narrow_products(card, width: float, near: float, far: float) -> Drill:
    how = "fp4" if "fp4" in card.peak_flops else "fp8"
    peak, speed = card.peak(how), card.bandwidth_bytes_per_s
    factor = peak / card.peak("bf16")
    answer = llm.compute_ridge_batch(card, width, how)
    return Drill(
        story=(
            f"Kernels that do the products in {how} arrive, at {say(peak, 'FLOP/s')} dense on this "
            "card. The weights are stored as before."
        ),
        question="From how many streams on does a step wait for arithmetic now?",
        answer=answer,
        tolerance=0.04,
        scale=False,
        mistakes=telling(
            answer,
            (
                Mistake(
                    "products-in-bf16",
                    near,
                    "That holds for products in bf16. At which rate are they done now?",
                ),
                Mistake(
                    "weights-in-bf16",
                    factor * far,
                    "That is FLOP/s over bandwidth, the batch for two bytes a weight. How many are "
                    "stored?",
                ),
                Mistake(
                    "one-operation-per-weight",
                    2 * answer,
                    "A weight meets each stream with a multiplication and an addition. How many "
                    "operations is that?",
                ),
                Mistake(
                    "as-in-the-old-days",
                    far,
                    "That is the batch of bf16 throughout"
                    + (", and of 8 bits throughout" if factor == 2 else "")
                    + ". What has changed on either side?",
                ),
                Mistake(
                    "scales-forgotten",
                    answer * 0.5 / width,
                    "You store four bits a weight. What is stored beside them?",
                ),
            ),
            tolerance=0.04,
        ),
        hints=(
            "At which batch do reading and arithmetic last equally long?",
            "Streams = FLOP/s × bytes of a weight ÷ (2 × bandwidth).",
            f"{say(peak, 'FLOP/s')} × {width:g} B ÷ (2 × {say(speed, 'B/s')}).",
        ),
        steps=(
            Step(
                f"A stream computes 2 FLOP for {width:g} B of weights, at {say(peak, 'FLOP/s')} "
                f"and {say(speed, 'B/s')}: {answer:.4g}",
                "streams",
                answer,
            ),
        ),
        sanity=f"{factor:.3g} times as many as with products in bf16.",
        moral=(
            "Streams at the ridge = FLOP/s × bytes ÷ (2 × bandwidth). Narrow storage moves it in, "
            "narrow arithmetic moves it out again. Whether answers stay good is measured, not "
            "assumed."
        ),
    )
