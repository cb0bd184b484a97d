"""Output that must fit a schema: masks that the processor makes while the GPU waits, or not."""

from labutils.drills.catalog._serving import telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_OPENINGS = (
    "An extraction service returns JSON that must fit a customer's schema.",
    "Agents call tools, and their arguments must fit the tools' schemas.",
    "A service turns questions into SQL that must follow a grammar.",
)


@template(
    "grammar_mask",
    "Structured output: the mask's time in every step",
    level=2,
    decision=Decision.limit,
    topics=("O15", "H07", "H13"),
)
def grammar_mask(draw: Draw) -> Drill:
    threads, rounds = draw.one_of((2, 4, 6, 8)), draw.one_of((2, 3, 4, 5, 6))
    masked, gpu = threads * rounds, draw.number(0.008, 0.03)
    streams, mask = masked + draw.one_of((4, 8, 12, 16)), draw.number(0.0004, 0.004)
    masks = rounds * mask
    answer = gpu + masks
    draw.require(0.15 * gpu < masks < 0.8 * gpu)
    mistakes = telling(
        answer,
        (
            Mistake(
                "one-after-another",
                gpu + masked * mask,
                "You make the masks one after another. How many threads are there?",
            ),
            Mistake(
                "all-at-once",
                gpu + mask,
                "You make all masks at the same time. How many threads are there?",
            ),
            Mistake(
                "gpu-alone",
                max(gpu, masks),
                "That is the GPU alone. When does this engine begin the masks, and for whose masks "
                "does it wait before it samples?",
            ),
            Mistake(
                "all-streams",
                gpu + streams * mask / threads,
                "You make a mask for every stream. How many of them need one?",
            ),
            Mistake(
                "mask-for-the-batch",
                gpu + mask / threads,
                "You make one mask. How many does a step need?",
            ),
        ),
        tolerance=0.03,
    )
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            f"{draw.one_of(_OPENINGS)} An engine decodes {streams} streams in one batch; the GPU "
            f"computes a step's logits in {say(gpu, 's')}. {masked} of the streams are bound to a "
            "grammar. For each of those the processor works out, anew in every step, which of "
            f"150,000 tokens the grammar allows: {say(mask, 's')} on one thread. There are "
            f"{threads} threads. The engine begins with it when the logits are there, and samples "
            "the next tokens of all streams when the last mask is done. Sampling itself takes no "
            "time."
        ),
        question="How long does a stream without a grammar wait for each token?",
        answer=answer,
        unit="s",
        tolerance=0.03,
        mistakes=mistakes,
        hints=(
            "For what does a batch wait before anybody gets a token?",
            "Step = GPU + masks ÷ threads × time of one.",
            f"{say(gpu, 's')} + {masked} ÷ {threads} × {say(mask, 's')}.",
        ),
        steps=(
            Step(
                f"Masks: {masked} ÷ {threads} × {say(mask, 's')} = {say(masks, 's')}",
                "masks",
                masks,
                "s",
            ),
            Step(f"{say(gpu, 's')} + {say(masks, 's')} = {say(answer, 's')}", "step", answer, "s"),
        ),
        sanity=f"More than the GPU's {say(gpu, 's')}: the whole batch waits for the masks.",
        moral=(
            "A batch samples together, so the masks of some streams lengthen the time per token "
            "of all. The card's own dashboard shows a GPU that idles."
        ),
        follow_up=_overlapped(draw, streams, masked, threads, gpu, mask),
    )


def _overlapped(draw: Draw, streams, masked, threads, gpu, mask) -> Drill:
    growth, factor = draw.share(0.1, 0.4), draw.one_of((2, 3, 4))
    longer = float(f"{gpu * (1 + growth):.2g}")
    masks = factor * masked / threads * mask
    answer = max(longer, masks)
    draw.require(not 0.8 < masks / longer < 1.25)
    binds = {True: "The processor's threads", False: "The GPU"}
    right = binds[masks > longer]
    return Drill(
        story=(
            "A mask depends on the tokens so far, not on the logits. So it is now made while the "
            f"GPU computes. And the batch grows to {factor * streams} streams, {factor * masked} "
            f"of them with a grammar. The GPU then takes {say(longer, 's')} for a step's logits."
        ),
        question="How long does a stream wait for each token now?",
        answer=answer,
        unit="s",
        tolerance=0.03,
        options=draw.options(
            right,
            {
                binds[masks < longer]: "Work out both times of the larger batch. Which is longer?",
                "Both, one after the other": "When are the masks made now?",
            },
            question="What sets the time of a step now?",
        ),
        mistakes=telling(
            answer,
            (
                Mistake(
                    "added",
                    longer + masks,
                    "You add the two. Are the masks still made after the logits?",
                ),
                Mistake(
                    "the-shorter",
                    min(longer, masks),
                    "That is the shorter of the two. For which one does a step wait?",
                ),
                Mistake(
                    "as-many-masks",
                    masked / threads * mask,
                    "That is how long the masks took before. How many are there now?",
                ),
                Mistake(
                    "one-after-another",
                    factor * masked * mask,
                    "You make the masks one after another. How many threads are there?",
                ),
            ),
            tolerance=0.03,
        ),
        hints=(
            "Two things go on at the same time. Which of them ends later?",
            "max(GPU, masks ÷ threads × time of one).",
            f"Set {factor * masked} ÷ {threads} × {say(mask, 's')} beside the time of the GPU.",
        ),
        steps=(
            Step(
                f"Masks: {factor * masked} ÷ {threads} × {say(mask, 's')} = {say(masks, 's')}",
                "masks",
                masks,
                "s",
            ),
            Step(
                f"The longer of {say(longer, 's')} and {say(masks, 's')}: {say(answer, 's')}",
                "step",
                answer,
                "s",
            ),
        ),
        sanity="Not shorter than the GPU alone takes.",
        moral=(
            "Work on the processor hides behind a step until it is longer: its limit is masks = "
            "threads × step ÷ time of one. It grows with the batch, while a step that waits for "
            "weights hardly does. Compile the grammar, cache its masks, or add threads."
        ),
    )
