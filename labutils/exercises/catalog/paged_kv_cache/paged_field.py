"""paged.bugs · Three bugs from the field, in four stories · 8 minutes

> Three tickets, three places: which keys are looked up, when the end is worked out, and what
  happens to the key of a page that gets new content.
> At least one token is computed, so the page of the last token is not looked up. A step ends where
  the prompt ends, whatever was found. And both books must forget a page that is given out anew.
> known_pages(keys[: (tokens - 1) // self.page_tokens]); return the cached count and `tokens`; in
  `new_page`: self.page_of.pop(self.key_of.pop(page, None), None).

All three were reported against real engines (the sources name them), and each sits on the border
between two parts that are right by themselves. The fully cached prompt: the cache is right, and
forgets that a step without a query yields no token. The stale plan: scheduler and pool each count
right, at different moments; it takes a preemption and a hit together, so no test of either part
sees it. The stale key: content and name of a page are changed in two places. One invariant catches
each: new tokens are at least one; start + new tokens never exceed what is known; a key leads to a
page that holds it.
"""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.sheet import exercise, mistakes_in, says

from . import wrong_shelves as wrong
from .field_stories import STORIES
from .shelf import HandedOut, PageCache


class Wrong:
    gives_up_the_cache = says("""What is fully known is now computed from the first token on. How
        much of it has to be?""")(wrong.GivesUpTheCache)
    nothing_to_compute = says("""A prompt that is fully known leaves nothing to compute. Which
        token's output is needed in any case?""")(wrong.NothingToCompute)
    writes_where_others_read = says("""A token is left to compute now, and the step writes it into a
        page that others read at this moment. Who else has that page?""")(
        wrong.WritesWhereOthersRead
    )
    plans_too_early = says("""The end lies behind the last token: the length was worked out before
        the pages were found, from a count that no longer holds.""")(wrong.PlansTooEarly)
    cuts_the_end = says("""The start is right, and the end is that of a shorter prompt. From where
        are the tokens counted?""")(wrong.CutsTheEnd)
    stale_key = says("""A key leads to a page that holds something else by now. When does a key stop
        being true?""")(wrong.KeepsStaleKeys)
    one_book = says("""A key was forgotten that led to another page by then: `key_of` still had it
        for the old one. Which books have to forget together?""")(wrong.ForgetsInOneBook)
    finds_nothing = says("""Nothing is ever found. Which of the keys are to be looked up?""")(
        wrong.FindsNothing
    )
    last_key_left_out = says("""The last key is never looked up. Does its page always hold the last
        token?""")(wrong.LeavesOutTheLastKey)
    pages_without_keys_first = says("""Pages without a key are taken first, whenever they became
        free. Which of the free pages has been unused longest?""")(wrong.PagesWithoutKeysFirst)
    forgets_too_early = says("""Nobody is hurt, and nothing is found again after its owner has left.
        When does a key stop being true?""")(wrong.ForgetsWhenFreed)
    keeps_the_old_count = says("""A request that comes back still has the count of its first visit.
        What was found this time?""")(wrong.KeepsTheOldCount)
    newest_page = says("""New pages come from the end of the line. Which of the free pages has been
        unused longest?""")(wrong.NewestPage)


BUGS = exercise(
    __doc__,
    Stories(
        stories=STORIES, reference=PageCache, start=HandedOut, misconceptions=mistakes_in(Wrong)
    ),
)
