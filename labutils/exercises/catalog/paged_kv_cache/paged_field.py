"""paged.bugs · Three bugs from the field, in four stories · 5 minutes

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
from labutils.exercises.definition.sheet import exercise

from .field_stories import STORIES
from .shelf import HandedOut, PageCache
from .wrong_shelves import MISTAKES

BUGS = exercise(
    __doc__,
    Stories(
        stories=STORIES,
        reference=PageCache,
        start=HandedOut,
        misconceptions=MISTAKES,
    ),
)
