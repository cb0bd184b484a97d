"""pages.release · Who gives a page back · 3 minutes

> A page may stand in several tables, and `owners` counts them. So what does a request take away
  when it leaves: the page, or one of its owners?
> Go through `request.pages` from its end to its beginning. Count each page's owners down by one,
  and `drop` it where none is left. Then the request has no pages, no room, and nothing computed.
> for page in reversed(request.pages): self.owners[page] -= 1, and if that makes 0: self.drop(page).
  At the end request.pages, request.room, request.computed = [], 0, 0.

A page goes back with the last request that holds it: that is what the count is for. The order
matters only once pages stay findable: what is dropped first is evicted first, and a prompt is of
use from its beginning on. A preempted request comes through here as well, so it has to forget what
it had computed; its tokens, `known`, it keeps.
"""

from labutils.exercises.definition.sheet import exercise

from . import walks
from .pool_walk import piece_of_pool

_MISTAKES = """
lost-pages: The request forgets its pages, and nothing else learns of it: a leak. Each such request
    makes the server smaller, until it is started anew.
- for page in reversed(request.pages):
-     self.owners[page] -= 1
- ...

past-the-books: You put pages on `blank` yourself. Some of them still have a key, by which others
    would find what stood there. Which given method knows where a page goes?
- self.drop(page)
+ self.blank.append(page)

straight-to-blank: The table goes to `blank` as it is. Who else holds these pages, what do `owners`
    say, and which of them can still be found?
- for page in reversed(request.pages):
-     self.owners[page] -= 1
- ...
+ self.blank += request.pages

owners-stay: The page is free, and `owners` still counts this request.
- self.owners[page] -= 1
- if not self.owners[page]:
-     self.drop(page)
+ self.drop(page)

frees-for-all: A page was given back although another request still reads it. When is it free?
- self.owners[page] -= 1
+ self.owners[page] = 0

counts-or-drops: The last owner's page is dropped, and `owners` counts that owner for ever. Count
    down first, then look.
- self.owners[page] -= 1
- if not self.owners[page]:
-     self.drop(page)
+ if self.owners[page] == 1:
+     self.drop(page)
+ else:
+     self.owners[page] -= 1

never-free: The last request that held the page has gone, and the page is not free. What happens
    when its count comes to 0?
- if not self.owners[page]:
-     self.drop(page)

keeps-the-table: The pages are free, and the request still has them in its table: the next one gets
    them, and two requests write into one page.
- request.pages, request.room, request.computed = [], 0, 0
+ request.room, request.computed = 0, 0

keeps-the-room: A request without pages says that it has room. When it comes back it will write
    where nothing is.
- request.pages, request.room, request.computed = [], 0, 0
+ request.pages, request.computed = [], 0

keeps-what-it-computed: The memory is gone, and the request still counts its tokens as computed.
    What will it compute when it comes back?
- request.pages, request.room, request.computed = [], 0, 0
+ request.pages, request.room = [], 0

by-number: You drop the page with the highest number first. A table holds pages in any order: which
    of them holds the end of the prompt?
- reversed(request.pages)
+ sorted(request.pages, reverse=True)

forgets-the-hit: You reset `cached`, too. It is what was found when the request *first* started.
- request.pages, request.room, request.computed = [], 0, 0
+ request.pages, request.room, request.computed, request.cached = [], 0, 0, None

head-first: The head of the prompt was dropped before its tail, so it goes first when memory runs
    out. What can be used of a prompt whose first page is gone?
- reversed(request.pages)
+ request.pages
"""

RELEASE = exercise(
    __doc__,
    piece_of_pool(
        _MISTAKES, "release", through=(walks.one_of_two, walks.back_again, walks.where_it_begins)
    ),
)
