"""pages.fits · Would it get its pages now? · 4 minutes

> Pages for all known tokens, less those that are found: that many have to be free. But some of the
  free ones may be among those found.
> A found page that no request holds is idle, and it counts in `num_free`. Once this request holds
  it, it is free no more.
> found = self.find(request); idle = sum(not self.owners[page] for page in found); return
  self.pages_for(request.known) - len(found) <= self.num_free - idle. `hold`: owners up by one, and
  self.idle.pop(page, None).

The scheduler asks `fits` and then believes it, so `fits` has to agree with `start` to the last
page. A page that is found costs nothing if another request holds it; if it is idle it costs a free
page, since it was one. Forget that, and `start` refuses where `fits` agreed: once in a while, under
load, with a warm cache.
"""

from labutils.exercises.definition.sheet import exercise

from . import walks
from .pool_walk import piece_of_pool

_MISTAKES = """
room-for-the-next: You ask for room for one more token than is known. It comes later, and `grow`
    gives it a page.
- return self.pages_for(request.known) - len(found) <= self.num_free - idle
+ return self.pages_for(request.known + 1) - len(found) <= self.num_free - idle

keeps-one-back: The pages would suffice to the last one, and you say that they do not.
- <= self.num_free - idle
+ < self.num_free - idle

ignores-what-is-found: A request is sent away although its beginning is in memory, and the rest
    would fit. What does a found page cost if another request holds it?
- found = self.find(request)
+ found = []

counts-idle-twice: An idle page counts twice: as found, and as free for the rest. It can serve only
    once.
- self.num_free - idle
+ self.num_free

counts-the-prompt: A preempted request comes back with its prompt and the answer so far. How many
    tokens is that?
- self.pages_for(request.known)
+ self.pages_for(request.prompt_tokens)

blank-alone: You count blank pages. Which other pages are free?
- self.num_free - idle
+ len(self.blank)

the-longest-answer: You want room for the longest answer that is allowed: that is reservation, and
    the flaw with which this lab began.
- self.pages_for(request.known)
+ self.pages_for(request.most)

held-and-idle: A page that a request holds is still idle: it will be evicted under that request's
    hands.
- self.idle.pop(page, None)

walks-twice: `pages` is any iterable, a generator perhaps, and you walk through it twice. What is
    left of one for the second time?
- for page in pages:
-     self.owners[page] += 1
-     self.idle.pop(page, None)
+ for page in pages:
+     self.owners[page] += 1
+ for page in pages:
+     self.idle.pop(page, None)

looks-up-all-keys: You look up the keys yourself, and count a page that `start` will not find. Which
    pages does `find` leave out?
- found = self.find(request)
+ found = [self.page_of[key] for key in request.keys if key in self.page_of]

holds-to-ask: `fits` is a question, and with yours the idle pages that it found are the last to be
    evicted from then on. Can you count them without holding any?
- idle = sum(not self.owners[page] for page in found)
- return self.pages_for(request.known) - len(found) <= self.num_free - idle
+ self.hold(found)
+ enough = self.pages_for(request.known) - len(found) <= self.num_free
+ for page in found:
+     self.owners[page] -= 1
+     if not self.owners[page]:
+         self.drop(page)
+ return enough

one-owner: Two requests hold the page, and `owners` says one. What happens when the first of them
    leaves?
- self.owners[page] += 1
+ self.owners[page] = 1

no-owner: A request reads these pages, and `owners` does not count it.
- self.owners[page] += 1
"""

# The found page is idle and the one behind it is not: rarely does that decide whether it fits.
_AN_IDLE_PAGE = [
    *(("take", "c", 1), ("start", "a", 2, "x"), ("compute", "a", 99), ("end", "a")),
    *(("take", "b", 1), ("start", "a", 3, "x"), ("decode", "a"), ("take", "d", 1)),
]

FITS = exercise(
    __doc__,
    piece_of_pool(
        _MISTAKES,
        "hold",
        "fits",
        through=(
            walks.hardly_any_room,
            walks.from_idle_pages,
            walks.the_same_in_full_memory,
            walks.asked_and_refused,
            walks.one_of_two,
            walks.idle_and_then_shared,
            walks.back_to_little_room,
            walks.idle_pages_of_others,
        ),
        always=((4, 1, _AN_IDLE_PAGE),),
    ),
)
