"""A request starts: what is found is held first, the rest is taken."""

from labutils.engine import OutOfPages
from labutils.exercises.checkers import piece_of, slip
from labutils.exercises.definition.exercise import Exercise

from . import walks
from .pool_walk import says, walk_pool


def _begin(pool, request, pages, found) -> None:
    """Note the table, its room, and that ``found`` pages of tokens are computed."""
    request.pages, request.room = pages, len(pages) * pool.page_tokens
    request.computed = len(found) * pool.page_tokens
    request.cached = request.computed if request.cached is None else request.cached


def _must_fit(pool, request) -> None:
    if not pool.fits(request):
        raise OutOfPages("no pages")


def _fresh(pool, request, found) -> list[int]:
    return pool.take(pool.pages_for(request.known) - len(found))


def takes_before_it_holds(self, request):
    _must_fit(self, request)
    found = self.find(request)
    fresh = _fresh(self, request, found)
    self.hold(found)
    _begin(self, request, found + fresh, found)


def holds_what_is_refused(self, request):
    found = self.find(request)
    self.hold(found)
    _begin(self, request, found + _fresh(self, request, found), found)


def all_pages_fresh(self, request):
    found = self.find(request)
    if self.pages_for(request.known) > self.num_free:
        raise OutOfPages("no pages")
    self.hold(found)
    _begin(self, request, found + self.take(self.pages_for(request.known)), found)


def uncounted_reader(self, request):
    _must_fit(self, request)
    found = self.find(request)
    for page in found:
        self.idle.pop(page, None)
    _begin(self, request, found + _fresh(self, request, found), found)


def counts_pages(self, request):
    _must_fit(self, request)
    found = self.find(request)
    self.hold(found)
    _begin(self, request, found + _fresh(self, request, found), found)
    request.cached = len(found) if request.cached == request.computed else request.cached
    request.computed = len(found)


def computes_all_again(self, request):
    _must_fit(self, request)
    found = self.find(request)
    self.hold(found)
    _begin(self, request, found + _fresh(self, request, found), ())


def fresh_in_front(self, request):
    _must_fit(self, request)
    found = self.find(request)
    self.hold(found)
    _begin(self, request, _fresh(self, request, found) + found, found)


def finds_nothing(self, request):
    if self.pages_for(request.known) > self.num_free:
        raise OutOfPages("no pages")
    _begin(self, request, self.take(self.pages_for(request.known)), ())


def counts_every_start(self, request):
    request.cached = None
    _must_fit(self, request)
    found = self.find(request)
    self.hold(found)
    _begin(self, request, found + _fresh(self, request, found), found)


def room_for_known(self, request):
    _must_fit(self, request)
    found = self.find(request)
    self.hold(found)
    _begin(self, request, found + _fresh(self, request, found), found)
    request.room = request.known


START = Exercise(
    id="pages.start",
    title="Hold what is found, take the rest",
    minutes=9,
    checker=piece_of(
        "pages:PagePool.start",
        tried=walk_pool,
        says=says,
        inputs=walks.walks(
            walks.from_idle_pages,
            walks.hardly_any_room,
            walks.same_beginning,
            walks.back_again,
            walks.its_own_pages,
        ),
        mistakes=(
            (
                "fresh-for-all",
                slip(
                    "self.pages_for(request.known) - len(found))", "self.pages_for(request.known))"
                ),
                "You take fresh pages for all tokens, on top of those that were found.",
            ),
            (
                "prompt-alone",
                slip(
                    "self.pages_for(request.known) - len(found))",
                    "self.pages_for(request.prompt_tokens) - len(found))",
                ),
                "You take pages for the prompt alone. After a preemption the request comes back "
                "with its answer so far.",
            ),
            (
                "cached-in-pages",
                slip(
                    "request.computed if request.cached is None",
                    "len(found) if request.cached is None",
                ),
                "`cached` counts tokens, and yours counts pages.",
            ),
            (
                "evicts-what-it-found",
                takes_before_it_holds,
                "One request has the same page twice in its table: it was found, and it was given "
                "out as fresh. Until when is a page that you have found still idle?",
            ),
            (
                "held-and-refused",
                holds_what_is_refused,
                "The refusal came after the found pages had been counted: they have an owner now "
                "that does not run and will never leave. What must be certain before anything "
                "changes?",
            ),
            (
                "all-pages-fresh",
                all_pages_fresh,
                "The request got the shared pages, and fresh ones for the same tokens once more.",
            ),
            (
                "uncounted-reader",
                uncounted_reader,
                "A request reads pages that it found, and `owners` does not count it. What happens "
                "when the one that computed them leaves?",
            ),
            (
                "counts-pages",
                counts_pages,
                "`computed` counts *tokens*. With this number the next step would compute from the "
                "wrong place.",
            ),
            (
                "computes-all-again",
                computes_all_again,
                "The pages are shared, and their tokens are computed all the same, into pages that "
                "others read. What is `computed` when the request starts?",
            ),
            (
                "fresh-in-front",
                fresh_in_front,
                "The fresh pages stand in front of those that were found. Token i lies in page "
                "i // page_tokens of the table: which tokens are the found ones?",
            ),
            (
                "finds-nothing",
                finds_nothing,
                "The request takes fresh pages for what is in memory already.",
            ),
            (
                "counts-every-start",
                counts_every_start,
                "`cached` is what was found when the request *first* started. After a preemption "
                "it finds its own pages again, and that is no hit.",
            ),
            (
                "room-for-the-known",
                room_for_known,
                "`room` is for as many tokens as the pages hold, not for as many as are known.",
            ),
        ),
    ),
    hints=(
        "Five things in this order: does it fit at all; which pages are there; hold them; take the "
        "rest; note table, room, and what counts as computed.",
        "Refuse with `self.fits(request)` first. Hold the found pages *before* you take fresh "
        "ones: an idle page that was found might be evicted for the rest. `cached` is noted only "
        "while it is None.",
        "found = self.find(request); self.hold(found); request.pages = found + self.take("
        "self.pages_for(request.known) - len(found)); room is that many pages times page_tokens; "
        "computed is len(found) times page_tokens.",
    ),
    explanation=(
        "The order carries it. Nothing is counted before it is certain that all fits, or a refusal "
        "leaves an owner that will never leave. Found pages are held before fresh ones are taken, "
        "or `take` evicts what was just promised, and one page stands twice in one table. What is "
        "found counts as computed, so the request's first step begins behind it: a hit saves the "
        "arithmetic of the prompt, not the memory alone."
    ),
)
