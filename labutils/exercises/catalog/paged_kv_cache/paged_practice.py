"""More practice of lab 5: what a page weighs, and what pools of one size cost."""

from labutils.exercises.checkers import Choice, Number
from labutils.exercises.definition.exercise import Exercise, Misconception

_LAYER_TOKEN = 2 * 2 * 64 * 2  # bytes: a key and a value of 2 KV heads, 64 wide, two bytes each

SIXTEEN_KB = Exercise(
    id="paged.sixteen_kb",
    title="A page of 16 KiB",
    minutes=3,
    optional=True,
    checker=Number(
        expected=lambda: 16 * 1024 / _LAYER_TOKEN,
        unit="1",
        tolerance=0.01,
        misconceptions=(
            Misconception(
                "keys-alone",
                lambda: 2 * 16 * 1024 / _LAYER_TOKEN,
                "Half of the bytes are missing. A key and a value, two bytes for each number: "
                "which of the "
                "two did you leave out?",
            ),
            Misconception(
                "kilobytes",
                lambda: 16 * 1000 / _LAYER_TOKEN,
                "You count 16 kB. How many bytes has a KiB?",
            ),
            Misconception(
                "query-heads",
                lambda: 16 * 1024 / (2 * 14 * 64 * 2),
                "Which heads have keys and values of their own?",
            ),
            Misconception(
                "query-heads-rounded",
                lambda: 16 * 1024 // (2 * 14 * 64 * 2),
                "Which heads have keys and values of their own?",
            ),
            Misconception(
                "one-number",
                lambda: 4 * 16 * 1024 / _LAYER_TOKEN,
                "A quarter of the bytes. A key and a value, of two heads, two bytes for each "
                "number: which two of these did you leave out?",
            ),
            Misconception(
                "bytes-of-a-token",
                lambda: _LAYER_TOKEN,
                "Those are the bytes of one token. How many tokens does the page hold?",
            ),
            Misconception(
                "all-layers",
                lambda: 16 * 1024 / _LAYER_TOKEN / 24,
                "This is a page that holds all layers. The question is about one of them.",
            ),
        ),
    ),
    hints=(
        "How many bytes does one token leave in one layer?",
        "A key and a value, for each KV head, with two bytes per number.",
        "16 · 1024 bytes over (2 · 2 · 64 · 2) bytes.",
    ),
    explanation=(
        "Eight times as many as for Llama-3.1-8B, in a page of the same bytes. Count pages in "
        "tokens, since what a block table has to find is a token; the bytes follow from the model, "
        "and differ by a factor of ten between models of one size."
    ),
)

POOLS = Exercise(
    id="paged.pools",
    title="Which fence is worth its price",
    minutes=4,
    optional=True,
    checker=Choice(
        options={
            "a": "A pool for short requests and one for long ones, of the same model.",
            "b": "A pool for the target model and one for its draft model.",
            "c": "A pool for each tenant, so that all have the same share on average.",
            "d": "Small pages for chat and large ones for documents, in two pools.",
            "e": "A pool for layers with a window of 1,024 tokens, and one for those without.",
        },
        correct=frozenset("be"),
        diagnoses={
            "a": "A page is a page, whoever holds it. What does each pool need at its own peak?",
            "c": "Equal shares on average can be had by admission. What does a fence cost when one "
            "tenant is away?",
            "d": "The waste of a large page is at most a page per request. What does the fence "
            "cost in return?",
        },
        omissions={
            "b": "In which other pair do the pages hold different bytes?",
            "e": "In which other pair does content die while the request lives?",
        },
    ),
    hints=(
        "A fence is needed where a page of one kind cannot serve the other.",
        "Two things decide what a page can serve: how many bytes it holds, and for how long its "
        "content is needed.",
        "Two of the five have pages of different bytes, or of different lives.",
    ),
    explanation=(
        "A page of another model has other bytes; a layer with a window needs its old pages no "
        "longer, so one table for all layers would keep them for nothing. Everything else is one "
        "kind of page, and one pool needs the peak of the sum, where fenced pools need the sum of "
        "the peaks."
    ),
)
