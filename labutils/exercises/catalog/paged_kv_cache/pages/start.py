"""pages.start · Hold what is found, take the rest · 5 minutes

> Five things in this order: does it fit at all; which pages are there; hold them; take the rest;
  note table, room, and what counts as computed.
> Refuse with `self.fits(request)` first. Hold the found pages *before* you take fresh ones: an idle
  page that was found might be evicted for the rest. `cached` is noted only while it is None.
> found = self.find(request); self.hold(found); request.pages = found +
  self.take(self.pages_for(request.known) - len(found)); room is that many pages times page_tokens;
  computed is len(found) times page_tokens.

The order carries it. Nothing is counted before it is certain that all fits, or a refusal leaves an
owner that will never leave. Found pages are held before fresh ones are taken, or `take` evicts what
was just promised, and one page stands twice in one table. What is found counts as computed, so the
request's first step begins behind it: a hit saves the arithmetic of the prompt, not the memory
alone.
"""

from labutils.exercises.definition.sheet import exercise

from . import walks
from .pool_walk import piece_of_pool

_MISTAKES = """
fresh-for-all: You take fresh pages for all tokens, on top of those that were found.
- request.pages = found + self.take(self.pages_for(request.known) - len(found))
+ request.pages = found + self.take(self.pages_for(request.known))

prompt-alone: You take pages for the prompt alone. After a preemption the request comes back with
    its answer so far.
- request.pages = found + self.take(self.pages_for(request.known) - len(found))
+ request.pages = found + self.take(self.pages_for(request.prompt_tokens) - len(found))

cached-in-pages: `cached` counts tokens, and yours counts pages.
- request.cached = request.computed if request.cached is None else request.cached
+ request.cached = len(found) if request.cached is None else request.cached

evicts-what-it-found: One request has the same page twice in its table: it was found, and it was
    given out as fresh. Until when is a page that you have found still idle?
- self.hold(found)  # first, so that none of them is evicted for the others
- request.pages = found + self.take(self.pages_for(request.known) - len(found))
+ fresh = self.take(self.pages_for(request.known) - len(found))
+ self.hold(found)
+ request.pages = found + fresh

held-and-refused: The refusal came after the found pages had been counted: they have an owner now
    that does not run and will never leave. What must be certain before anything changes?
- if not self.fits(request):
-     raise OutOfPages(f"request {request.id!r} finds {self.num_free} free pages: too few")

all-pages-fresh: The request got the shared pages, and fresh ones for the same tokens once more.
- if not self.fits(request):
+ if self.pages_for(request.known) > self.num_free:
- self.take(self.pages_for(request.known) - len(found))
+ self.take(self.pages_for(request.known))

uncounted-reader: A request reads pages that it found, and `owners` does not count it. What happens
    when the one that computed them leaves?
- self.hold(found)  # first, so that none of them is evicted for the others
+ for page in found:
+     self.idle.pop(page, None)

room-for-all: You refuse where all pages are more than are free. Those that another request holds
    are in memory already: what does `fits` count?
- if not self.fits(request):
+ if self.pages_for(request.known) > self.num_free:

counts-pages: `computed` counts *tokens*. With this number the next step would compute from the
    wrong place.
- request.computed = len(found) * self.page_tokens
+ request.computed = len(found)

computes-all-again: The pages are shared, and their tokens are computed all the same, into pages
    that others read. What is `computed` when the request starts?
- request.computed = len(found) * self.page_tokens
+ request.computed = 0

fresh-in-front: The fresh pages stand in front of those that were found. Token i lies in page i //
    page_tokens of the table: which tokens are the found ones?
- found + self.take(self.pages_for(request.known) - len(found))
+ self.take(self.pages_for(request.known) - len(found)) + found

finds-nothing: The request takes fresh pages for what is in memory already.
- if not self.fits(request):
+ if self.pages_for(request.known) > self.num_free:
- found = self.find(request)
+ found = []

counts-every-start: `cached` is what was found when the request *first* started. After a preemption
    it finds its own pages again, and that is no hit.
- request.computed if request.cached is None else request.cached
+ request.computed

room-for-the-known: `room` is for as many tokens as the pages hold, not for as many as are known.
- request.room = len(request.pages) * self.page_tokens
+ request.room = request.known
"""

START = exercise(
    __doc__,
    piece_of_pool(
        _MISTAKES,
        "start",
        through=(
            walks.from_idle_pages,
            walks.hardly_any_room,
            walks.same_beginning,
            walks.back_again,
            walks.its_own_pages,
        ),
    ),
)
