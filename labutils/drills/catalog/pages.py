"""Cache memory in pages: what is taken, and what stands empty."""

from labutils import llm
from labutils.drills.catalog._serving import percent, telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template


@template(
    "paged_blocks",
    "Blocks of a paged cache, and their empty tails",
    level=2,
    number=16,
    decision=Decision.model,
    topics=("D08", "J01"),
    rough=False,
)
def paged_blocks(draw: Draw) -> Drill:
    block = draw.one_of((8, 16, 32, 64))
    lengths = [draw.whole(40, 3000, 4) for _ in range(draw.one_of((3, 4, 5)))]
    if draw.one_of((True, False)):
        lengths[0] = block * max(2, lengths[0] // block)  # one that fills its last block
    blocks = [llm.pages_for(length, block) for length in lengths]
    answer, tokens = sum(blocks), sum(lengths)
    mistakes = telling(
        answer,
        (
            Mistake(
                "together",
                llm.pages_for(tokens, block),
                "You put all tokens into one row of blocks. May two sequences share a block here?",
            ),
            Mistake(
                "rounded-down",
                sum(length // block for length in lengths),
                "You leave out the blocks that are not full. Where do their tokens stand?",
            ),
            Mistake(
                "one-more",
                sum(length // block + 1 for length in lengths),
                "You add a block for the rest of every sequence. Does every one leave a rest?",
            ),
            Mistake(
                "tokens",
                tokens,
                "That is tokens. How many of them share a block?",
            ),
        ),
        absolute=0.4,
    )
    draw.require(len(mistakes) >= 3)
    *first, last = (f"{length:,}" for length in lengths)
    return Drill(
        story=(
            f"{draw.one_of(_OPENINGS)} The cache comes in blocks of {block} tokens, none of them "
            f"shared. The sequences hold {', '.join(first)} and {last} tokens."
        ),
        question="How many blocks do they take in all? An exact count.",
        answer=answer,
        unit="1",
        tolerance=0,
        mistakes=mistakes,
        hints=(
            "Which block of a sequence may be partly empty?",
            "For each sequence ⌈tokens / block⌉, then the sum.",
            " + ".join(f"⌈{length:,} / {block}⌉" for length in lengths) + ".",
        ),
        steps=(
            Step(
                "; ".join(
                    f"⌈{length:,} / {block}⌉ = {count}" for length, count in zip(lengths, blocks)
                )
            ),
            Step(f"{' + '.join(map(str, blocks))} = {answer:,}", "blocks", answer),
        ),
        sanity=(
            f"At least the {llm.pages_for(tokens, block):,} that all tokens in one row would take, "
            f"and at most {len(lengths) - 1} more."
        ),
        moral=(
            "Blocks = Σ ⌈n / block⌉. Equal blocks and a table for each sequence: no gaps between "
            "sequences, nothing to compact; what is lost is less than one block for each sequence."
        ),
        follow_up=_empty(block, lengths, answer),
        scale=False,
    )


_OPENINGS = (
    "You read a memory dump of the server.",
    "An allocator is under review, and you check its count by hand.",
    "The server reports that cache memory runs short, and you check.",
)


def _empty(block: int, lengths: list[int], blocks: int) -> Drill:
    empty = sum(llm.empty_slots(length, block) for length in lengths)
    guessed = llm.mean_empty_slots(block) * len(lengths)
    return Drill(
        story=(
            f"So {blocks:,} blocks, with room for {block} tokens each, hold {sum(lengths):,} "
            "tokens."
        ),
        question="For how many more tokens is there room in them? An exact count.",
        answer=empty,
        unit="tok",
        tolerance=0,
        scale=False,
        mistakes=telling(
            empty,
            (
                Mistake(
                    "average",
                    guessed,
                    "That is what one expects of lengths at random. These lengths are known.",
                ),
                Mistake(
                    "remainders",
                    sum(length % block for length in lengths),
                    "Those are the tokens in the last blocks. How many places have these blocks "
                    "left?",
                ),
                Mistake(
                    "whole-blocks",
                    block * len(lengths),
                    "A whole block for each sequence? Something stands in its last one.",
                ),
            ),
            absolute=0.4,
        ),
        hints=(
            "Places in the blocks, less tokens.",
            "blocks × block − tokens.",
            f"{blocks:,} × {block} − {sum(lengths):,}.",
        ),
        steps=(
            Step(f"{blocks:,} × {block} = {blocks * block:,} places", "places", blocks * block),
            Step(f"{blocks * block:,} − {sum(lengths):,} = {empty:,}", "empty", empty, "tok"),
        ),
        sanity=f"Fewer than {len(lengths)} × {block}: each sequence has one last block.",
        moral=(
            f"That is {percent(empty / (blocks * block))} of the places. On average expect (block "
            "− 1) / 2 empty places a sequence. Larger blocks waste more and need shorter tables: "
            "both matter little until sequences are short."
        ),
    )
