"""pages.take · Pages for tokens as they come · 5 minutes

> Count first, touch afterwards: are there enough free pages, blank and idle together? Only then
  does anything move.
> `take`: compare `count` with `self.num_free`, and raise `OutOfPages`. Then, `count` times: a page
  from the end of `self.blank`, or the one that `self.evict()` returns where none is blank. Each of
  them has one owner now.
> `taken = [self.blank.pop() if self.blank else self.evict() for _ in range(count)]`, then
  `self.owners[page] = 1` for each, and return them. `grow`: `request.pages += self.take(1)`, and
  `request.room += self.page_tokens`.

One method hands out pages, and it refuses before it has changed anything. So whatever is built on
it refuses cleanly, too: in `grow` the pages come first and the room is noted afterwards. Blank
pages go first, since nothing is lost with them. The scheduler relies on all of this: it catches no
error, it asks `num_free` and `fits` before it acts.
"""

from labutils.exercises.definition.sheet import exercise

from . import walks
from .pool_walk import piece_of_pool

_MISTAKES = """
takes-what-there-is: A request that is refused keeps the pages that it got on the way: nothing holds
    them, and nothing gives them back. All or nothing: when do you know that the pages suffice?
- if count > self.num_free:
-     raise OutOfPages(f"{count} pages are wanted, {self.num_free} are free")
- taken = [self.blank.pop() if self.blank else self.evict() for _ in range(count)]
- for page in taken:
-     self.owners[page] = 1
+ taken = []
+ for _ in range(count):
+     if not self.num_free:
+         raise OutOfPages("no page is free")
+     taken.append(self.blank.pop() if self.blank else self.evict())
+     self.owners[taken[-1]] = 1

evicts-in-vain: A request was refused, and what was idle is gone all the same. What has to be
    certain before anything changes?
- if count > self.num_free:
+ while self.idle and len(self.blank) < count:
+     self.blank.insert(0, self.evict())
+ if count > self.num_free:

evicts-first: Something that could be found was evicted although blank pages were left.
- taken = [self.blank.pop() if self.blank else self.evict() for _ in range(count)]
+ for _ in range(min(count, len(self.idle))):
+     self.blank.append(self.evict())
+ taken = [self.blank.pop() for _ in range(count)]

still-found: An idle page was handed out, and its text still leads to it: the next request with that
    beginning reads what somebody else writes. `evict` forgets the page as well.
- taken = [self.blank.pop() if self.blank else self.evict() for _ in range(count)]
+ blank, idle = self.blank, self.idle
+ taken = [blank.pop() if blank else idle.popitem(last=False)[0] for _ in range(count)]

refuses-idle: A request is refused while pages are idle. An idle page is a free page: what makes it
    a blank one?
- if count > self.num_free:
+ if count > len(self.blank):

keeps-one-back: A request is refused although the free pages are as many as it asks for.
- if count > self.num_free:
+ if 0 < count >= self.num_free:

no-owner: A request has these pages, and `owners` says that nothing holds them. Who keeps that
    count?
- self.owners[page] = 1
+ self.owners[page] = 0

still-blank: The pages are handed out, and they are blank as before: the next request gets them,
    too. `pop` takes from a list what a slice only copies.
- return taken
+ self.blank += taken[::-1]
+ return taken

no-room: The request has one page more, and its `room` has not changed. The scheduler compares
    `known` with `room`: it will ask for another page at every token.
- request.room += self.page_tokens

pages-for-all: `grow` hands out pages for everything that the request knows. Which of them does it
    hold already?
- request.pages += self.take(1)
- request.room += self.page_tokens
+ request.pages += self.take(self.pages_for(request.known))
+ request.room = len(request.pages) * self.page_tokens

loses-the-table: After `grow` the request holds its new page alone. Where are the others?
- request.pages += self.take(1)
+ request.pages = self.take(1)

asks-nobody: You take pages without asking whether there are so many, and the request dies of
    another error. What does `num_free` say, and what is to be raised?
- if count > self.num_free:
-     raise OutOfPages(f"{count} pages are wanted, {self.num_free} are free")

refuses-in-silence: Where pages are missing you return a list without them, and whoever asked goes
    on. A refusal raises `OutOfPages`.
- raise OutOfPages(f"{count} pages are wanted, {self.num_free} are free")
+ return []

never-evicts: No page is blank, some are idle, and you take from the empty list. Which method gives
    you a page then?
- self.blank.pop() if self.blank else self.evict()
+ self.blank.pop()

new-page-in-front: The new page stands in front of the others. Token i lies in page i //
    page_tokens of the table: which tokens does it hold?
- request.pages += self.take(1)
+ request.pages = self.take(1) + request.pages

room-from-the-known: `room` is for as many tokens as the pages hold. You count it from the known
    ones, and one of these is the reason for the new page.
- request.room += self.page_tokens
+ request.room = request.known + self.page_tokens

room-by-one: One page more is room for one token with you. How many does a page hold?
- request.room += self.page_tokens
+ request.room += 1

room-before-pages: The request was refused a page, and its `room` has grown all the same: state
    changed before the refusal.
- request.pages += self.take(1)
- request.room += self.page_tokens
+ request.room += self.page_tokens
+ request.pages += self.take(1)
"""

TAKE = exercise(
    __doc__,
    piece_of_pool(
        _MISTAKES,
        "take",
        "grow",
        through=(
            walks.full_pages,
            walks.to_the_last_page,
            walks.too_many,
            walks.over_the_idle,
            walks.over_what_was_idle,
        ),
    ),
)
