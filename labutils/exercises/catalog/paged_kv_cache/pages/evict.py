"""What no request holds stays until its page is needed: the one idle longest goes first."""

from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.exercise import Exercise

from . import walks
from .pool_walk import says, walk_pool


def _evict(pool, page: int) -> int:
    """As it should be, for a page that others would not choose."""
    del pool.idle[page], pool.page_of[pool.key_of.pop(page)]
    return page


class NothingIsIdle:
    def drop(self, page):
        if page in self.key_of:
            del self.page_of[self.key_of.pop(page)]
        self.blank.append(page)


class AllIsIdle:
    def drop(self, page):
        self.idle[page] = None

    def evict(self):
        page, _ = self.idle.popitem(last=False)
        self.page_of.pop(self.key_of.pop(page, None), None)
        return page


class NewestFirst:
    def evict(self):
        return _evict(self, next(reversed(self.idle)))


class OldestPublished:
    def evict(self):
        return _evict(self, next(page for page in self.key_of if page in self.idle))


class LowestNumber:
    def evict(self):
        return _evict(self, min(self.idle))


class KeepsTheKey:
    def evict(self):
        return self.idle.popitem(last=False)[0]


class KeepsOneKey:
    def evict(self):
        page, _ = self.idle.popitem(last=False)
        del self.page_of[self.key_of[page]]
        return page


class BlankToo:
    def evict(self):
        page = _evict(self, next(iter(self.idle)))
        self.blank.append(page)
        return page


class StaysIdle:
    def evict(self):
        page = next(iter(self.idle))
        del self.page_of[self.key_of.pop(page)]
        return page


class LosesThePage:
    def drop(self, page):
        if page in self.key_of:
            self.idle[page] = None


class BlankAndIdle:
    def drop(self, page):
        if page in self.key_of:
            self.idle[page] = None
        self.blank.append(page)


class ForgetsWhenDropped:
    def drop(self, page):
        if page in self.key_of:
            del self.page_of[self.key_of.pop(page)]
            self.idle[page] = None
        else:
            self.blank.append(page)


EVICT = Exercise(
    id="pages.evict",
    title="Eviction, the page idle longest first",
    minutes=8,
    checker=piece_of(
        "pages:PagePool.drop",
        "pages:PagePool.evict",
        tried=walk_pool,
        says=says,
        inputs=walks.walks(
            walks.two_sessions,
            walks.used_again,
            walks.where_it_begins,
            walks.somebody_elses_words,
            walks.over_the_idle,
        ),
        mistakes=(
            (
                "nothing-is-idle",
                NothingIsIdle,
                "A session paused, and its prompt is computed again. Where does a page go that has "
                "a key and no owner?",
            ),
            (
                "all-is-idle",
                AllIsIdle,
                "Pages that nothing can find wait among those that somebody may come back for. "
                "Which of the two should go first?",
            ),
            (
                "newest-first",
                NewestFirst,
                "The page that became idle last is the first to go. Which session is likelier to "
                "come back: the one of a moment ago, or the one of an hour ago?",
            ),
            (
                "lowest-number",
                LowestNumber,
                "Which page goes depends on its number. What does the order of `self.idle` say?",
            ),
            (
                "first-in-first-out",
                OldestPublished,
                "You evict what was computed first. Idle *longest* is what counts: a session that "
                "was used again goes behind one that was not, and its tail before its head.",
            ),
            (
                "keeps-the-key",
                KeepsTheKey,
                "A page gets new content and is still found under its old key: somebody reads "
                "another's tokens. What has to go together with the content?",
            ),
            (
                "keeps-one-key",
                KeepsOneKey,
                "The key no longer leads to the page, and the page still has it. Both dicts have "
                "to forget.",
            ),
            (
                "handed-out-and-blank",
                BlankToo,
                "`evict` returns the page to whoever takes it, and puts it on `blank` as well: two "
                "requests will get it.",
            ),
            (
                "handed-out-and-idle",
                StaysIdle,
                "The page that `evict` returns still stands in `self.idle`, so it is handed out a "
                "second time. `popitem(last=False)` takes the first one out.",
            ),
            (
                "lost-pages",
                LosesThePage,
                "A page without a key goes nowhere: it is neither idle nor blank, and lost.",
            ),
            (
                "free-twice",
                BlankAndIdle,
                "A page is idle and blank at once: two requests will get it.",
            ),
            (
                "cannot-be-found",
                ForgetsWhenDropped,
                "The page is idle, and its key is gone: nothing can find it. Until when does a key "
                "stay true?",
            ),
        ),
    ),
    hints=(
        "Two questions: where does a page go when its last request leaves, and which page goes "
        "when memory runs out?",
        "`drop`: a page with a key becomes the newest in `self.idle`, any other is blank. `evict`: "
        "the oldest in `self.idle` is taken out, loses its key in both dicts, and is returned.",
        "`self.idle[page] = None` puts a page last, and `page, _ = self.idle.popitem(last=False)` "
        "takes the first one out. Then `del self.page_of[self.key_of.pop(page)]`; return the page.",
    ),
    explanation=(
        "An ordered dict is a queue from which any page can be taken out when it is held again: "
        "least recently used, in two lines. Idle pages are free pages; what they hold "
        "is no reason to refuse anybody. Since `release` goes through the table from its end, the "
        "tail of a session goes before its head. And content and key go together: a key that "
        "outlives its content is the one bug here that gives a user somebody else's words."
    ),
)
