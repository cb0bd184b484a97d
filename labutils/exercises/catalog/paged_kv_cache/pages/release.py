"""A request gives its pages back: those that no other request holds."""

from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.exercise import Exercise

from . import walks
from .pool_walk import says, walk_pool


def _forget(request) -> None:
    request.pages, request.room, request.computed = [], 0, 0


def _release(pool, request, *, pages=None) -> None:
    """As it should be, for ``pages`` of its table in their order."""
    for page in reversed(request.pages) if pages is None else pages:
        pool.owners[page] -= 1
        if not pool.owners[page]:
            pool.drop(page)


def frees_for_all(self, request):
    for page in reversed(request.pages):
        self.owners[page] = 0
        self.drop(page)
    _forget(request)


def never_free(self, request):
    for page in reversed(request.pages):
        self.owners[page] -= 1
    _forget(request)


def leaks(self, request):
    _forget(request)


def past_the_books(self, request):
    for page in reversed(request.pages):
        self.owners[page] -= 1
        if not self.owners[page]:
            self.blank.append(page)
    _forget(request)


def straight_to_blank(self, request):
    self.blank += request.pages
    _forget(request)


def keeps_the_table(self, request):
    _release(self, request)
    request.room, request.computed = 0, 0


def keeps_the_room(self, request):
    _release(self, request)
    request.pages, request.computed = [], 0


def keeps_what_it_computed(self, request):
    _release(self, request)
    request.pages, request.room = [], 0


def head_first(self, request):
    _release(self, request, pages=request.pages)
    _forget(request)


def drops_without_counting(self, request):
    for page in reversed(request.pages):
        self.drop(page)
    _forget(request)


RELEASE = Exercise(
    id="pages.release",
    title="Who gives a page back",
    minutes=5,
    checker=piece_of(
        "pages:PagePool.release",
        tried=walk_pool,
        says=says,
        inputs=walks.walks(walks.one_of_two, walks.back_again, walks.where_it_begins),
        mistakes=(
            (
                "lost-pages",
                leaks,
                "The request forgets its pages, and nothing else learns of it: a leak. Each such "
                "request makes the server smaller, until it is started anew.",
            ),
            (
                "past-the-books",
                past_the_books,
                "You put pages on `blank` yourself. Some of them still have a key, by which others "
                "would find what stood there. Which given method knows where a page goes?",
            ),
            (
                "straight-to-blank",
                straight_to_blank,
                "The table goes to `blank` as it is. Who else holds these pages, what do `owners` "
                "say, and which of them can still be found?",
            ),
            (
                "owners-stay",
                drops_without_counting,
                "The page is free, and `owners` still counts this request.",
            ),
            (
                "frees-for-all",
                frees_for_all,
                "A page was given back although another request still reads it. When is it free?",
            ),
            (
                "never-free",
                never_free,
                "The last request that held the page has gone, and the page is not free. What "
                "happens when its count comes to 0?",
            ),
            (
                "keeps-the-table",
                keeps_the_table,
                "The pages are free, and the request still has them in its table: the next one "
                "gets them, and two requests write into one page.",
            ),
            (
                "keeps-the-room",
                keeps_the_room,
                "A request without pages says that it has room. When it comes back it will write "
                "where nothing is.",
            ),
            (
                "keeps-what-it-computed",
                keeps_what_it_computed,
                "The memory is gone, and the request still counts its tokens as computed. What "
                "will it compute when it comes back?",
            ),
            (
                "head-first",
                head_first,
                "The head of the prompt was dropped before its tail, so it goes first when memory "
                "runs out. What can be used of a prompt whose first page is gone?",
            ),
        ),
    ),
    hints=(
        "A page may stand in several tables, and `owners` counts them. So what does a request take "
        "away when it leaves: the page, or one of its owners?",
        "Go through `request.pages` from its end to its beginning. Count each page's owners down "
        "by one, and `drop` it where none is left. Then the request has no pages, no room, and "
        "nothing computed.",
        "for page in reversed(request.pages): self.owners[page] -= 1, and if that makes 0: "
        "self.drop(page). At the end request.pages, request.room, request.computed = [], 0, 0.",
    ),
    explanation=(
        "A page goes back with the last request that holds it: that is what the count is for. "
        "The order matters only once pages stay findable: what is dropped first is evicted first, "
        "and a prompt is of use from its beginning on. A preempted request comes through here as "
        "well, so it has to forget what it had computed; its tokens, `known`, it keeps."
    ),
)
