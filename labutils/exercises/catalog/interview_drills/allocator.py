"""interview.allocator · An allocator of shared pages · 25 minutes, optional

> Say the invariant first: a page is free, or its count says in how many tables it stands. Then make
  every method either keep it or refuse before the first change.
> In `grow`, count before you touch anything: pages for all tokens, less those in the table, plus
  one if the last page is only partly filled and has other readers. `free` and that copy give pages
  back in the same way: one owner less, free at zero.
> copies = 1 if tokens and held % page_tokens and owners[table[-1]] > 1 else 0; missing = -(-(held +
  tokens) // page_tokens) - len(table) + copies; refuse if missing exceeds the free pages. Then drop
  the copied page from the table (one owner less), and append the `missing` lowest free pages with
  one owner each. `fork` copies the *list* and adds an owner to each page.

One sentence carries the allocator: *a page is free, or its count says in how many tables it
stands*. Say it aloud before you write; it finds every bug that the stories hold.

A refusal comes before the first change, with the copy counted in: whoever takes first and finds out
later leaves pages with somebody who was told no. A second `free` changes nothing *and says so*: a
silent success hides the caller's bug, and a free list that holds a page twice gives it to two
people. Only the last page can be written, and only while it is partly filled; so a copy is needed
exactly there, exactly if somebody else reads it (copy on write).

*Then they ask:* what does it cost? (`grow` per token is O(1) but for the sorted free list: a heap,
or give up the order.) Who copies the bytes? (return pairs of source and target, so that the step
can do it on the device, all at once.) Two threads? (one lock: each of the five is short; or one
owner thread, as engines do.) What do you monitor? (free pages, refusals, and the sum of counts
against the sum of table lengths: the invariant as a gauge.)
"""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.sheet import exercise

from .allocator_stories import STORIES
from .page_pools import PagePool
from .wrong_pools import MISTAKES

ALLOCATOR = exercise(__doc__, Stories(stories=STORIES, reference=PagePool, misconceptions=MISTAKES))
