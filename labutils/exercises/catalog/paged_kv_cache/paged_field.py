"""The bug hunt: three faults of small engines, as they were reported, in one class."""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import wrong_shelves as wrong
from .field_stories import STORIES
from .shelf import HandedOut, PageCache

BUGS = Exercise(
    id="paged.bugs",
    title="Three bugs from the field, in four stories",
    minutes=8,
    checker=Stories(
        stories=STORIES,
        reference=PageCache,
        start=HandedOut,
        misconceptions=(
            Misconception(
                "gives-up-the-cache",
                wrong.GivesUpTheCache,
                "What is fully known is now computed from the first token on. How much of it has "
                "to be?",
            ),
            Misconception(
                "nothing-to-compute",
                wrong.NothingToCompute,
                "A prompt that is fully known leaves nothing to compute. Which token's output is "
                "needed in any case?",
            ),
            Misconception(
                "writes-where-others-read",
                wrong.WritesWhereOthersRead,
                "A token is left to compute now, and the step writes it into a page that others "
                "read at this moment. Who else has that page?",
            ),
            Misconception(
                "plans-too-early",
                wrong.PlansTooEarly,
                "The end lies behind the last token: the length was worked out before the pages "
                "were found, from a count that no longer holds.",
            ),
            Misconception(
                "cuts-the-end",
                wrong.CutsTheEnd,
                "The start is right, and the end is that of a shorter prompt. From where are the "
                "tokens counted?",
            ),
            Misconception(
                "stale-key",
                wrong.KeepsStaleKeys,
                "A key leads to a page that holds something else by now. When does a key stop "
                "being true?",
            ),
            Misconception(
                "one-book",
                wrong.ForgetsInOneBook,
                "A key was forgotten that led to another page by then: `key_of` still had it for "
                "the old one. Which books have to forget together?",
            ),
            Misconception(
                "finds-nothing",
                wrong.FindsNothing,
                "Nothing is ever found. Which of the keys are to be looked up?",
            ),
            Misconception(
                "last-key-left-out",
                wrong.LeavesOutTheLastKey,
                "The last key is never looked up. Does its page always hold the last token?",
            ),
            Misconception(
                "pages-without-keys-first",
                wrong.PagesWithoutKeysFirst,
                "Pages without a key are taken first, whenever they became free. Which of the free "
                "pages has been unused longest?",
            ),
            Misconception(
                "forgets-too-early",
                wrong.ForgetsWhenFreed,
                "Nobody is hurt, and nothing is found again after its owner has left. When does a "
                "key stop being true?",
            ),
            Misconception(
                "keeps-the-old-count",
                wrong.KeepsTheOldCount,
                "A request that comes back still has the count of its first visit. What was found "
                "this time?",
            ),
            Misconception(
                "newest-page",
                wrong.NewestPage,
                "New pages come from the end of the line. Which of the free pages has been unused "
                "longest?",
            ),
        ),
    ),
    hints=(
        "Three tickets, three places: which keys are looked up, when the end is worked out, and "
        "what happens to the key of a page that gets new content.",
        "At least one token is computed, so the page of the last token is not looked up. A step "
        "ends where the prompt ends, whatever was found. And both books must forget a page that is "
        "given out anew.",
        "known_pages(keys[: (tokens - 1) // self.page_tokens]); return the cached count and "
        "`tokens`; in `new_page`: self.page_of.pop(self.key_of.pop(page, None), None).",
    ),
    explanation=(
        "All three were reported against real engines (the sources name them), and each sits on "
        "the border between two parts that are right by themselves. The fully cached prompt: the "
        "cache is right, and forgets that a step without a query yields no token. The stale plan: "
        "scheduler and pool each count right, at different moments; it takes a preemption and a "
        "hit together, so no test of either part sees it. The stale key: content and name of a "
        "page are changed in two places. One invariant catches each: new tokens are at least one; "
        "start + new tokens never exceed what is known; a key leads to a page that holds it."
    ),
)
