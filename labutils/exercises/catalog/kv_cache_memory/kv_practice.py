"""More practice: the bytes of a page, and the gauges that paging makes useless."""

from labutils.exercises.checkers import Choice, Number
from labutils.exercises.definition.exercise import Exercise, Misconception

_LAYER = 16 * 2 * 8 * 128 * 2  # bytes of 16 tokens in one layer of Llama-3.1-8B

PAGE = Exercise(
    id="kv.page",
    title="The bytes of a page",
    minutes=3,
    optional=True,
    checker=Number(
        expected=lambda: 32 * _LAYER,
        unit="B",
        tolerance=0.01,
        misconceptions=(
            Misconception(
                "one-layer",
                lambda: _LAYER,
                "That is one layer of it. A page number stands for a page in every layer.",
            ),
            Misconception(
                "one-layer-keys",
                lambda: _LAYER / 2,
                "Those are the keys of one layer.",
            ),
            Misconception(
                "keys-only",
                lambda: 16 * _LAYER,
                "Half of it. A key and a value are kept, and each number takes two bytes: which "
                "of the two "
                "did you leave out?",
            ),
            Misconception(
                "query-heads",
                lambda: 128 * _LAYER,
                "You count 32 query heads. How many heads are kept?",
            ),
            Misconception(
                "one-token",
                lambda: 2 * _LAYER,
                "That is a single token. The page holds sixteen.",
            ),
        ),
    ),
    hints=(
        "Start from one token: its bytes over all layers stand in the table of models.",
        "131,072 bytes a token, 16 tokens.",
        "16 × 2 × 32 × 8 × 128 × 2.",
    ),
    explanation=(
        "Sixteen tokens of Llama-3.1-8B are 64 KiB in each of 32 layers, 2 MiB in all. The advice "
        "to use *pages of 16 to 32 KB* would mean 4 to 8 tokens of a single layer, or an eighth to "
        "a quarter of one token over all layers. State a page in tokens: the bytes follow from the "
        "model."
    ),
)

GAUGES = Exercise(
    id="kv.gauges",
    title="Gauges that say nothing under paging",
    minutes=3,
    optional=True,
    checker=Choice(
        options={
            "a": "Pages that are free, counting shared ones that nobody uses at the moment.",
            "b": "The largest contiguous run of free pages.",
            "c": "Tokens held, divided by the tokens that the pages in use have room for.",
            "d": "Compaction debt: bytes that would have to be moved to close all gaps.",
            "e": "Preemptions per minute.",
            "f": "The share of prompt tokens found in shared pages.",
        },
        correct=frozenset({"b", "d"}),
        diagnoses={
            "a": "That is the number that admission looks at. What would you watch instead?",
            "c": "It tells how much the last, partly filled pages cost: with a large page that "
            "can be a lot.",
            "e": "It counts work that is thrown away because the pool was too small.",
            "f": "It tells what prefix sharing saves, and drops to zero when somebody puts the "
            "date in front of the prompt.",
        },
        omissions={
            "b": "Of the others, which asks where free pages lie?",
            "d": "Of the others, which asks where the pages in use lie?",
        },
    ),
    hints=(
        "Ask of each: which request is refused, or slowed down, when this number is bad?",
        "All pages are of one size, and a table says where they are. Two gauges ask where.",
        "One is about neighbouring free pages, the other about moving pages together. Name both "
        "letters.",
    ),
    explanation=(
        "With pages of one size and a table for each request, any free page is as good as any "
        "other. There is no external fragmentation, so nothing to compact, and a run of "
        "neighbours serves nobody. What paging leaves is in the last page of each sequence (c). "
        "The other three say how near the limit is and what it costs to hit it."
    ),
)
