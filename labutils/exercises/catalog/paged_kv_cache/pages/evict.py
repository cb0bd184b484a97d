"""pages.evict · Eviction, the page idle longest first · 5 minutes

> Two questions: where does a page go when its last request leaves, and which page goes when memory
  runs out?
> `drop`: a page with a key becomes the newest in `self.idle`, any other is blank. `evict`: the
  oldest in `self.idle` is taken out, loses its key in both dicts, and is returned.
> `self.idle[page] = None` puts a page last, and `page, _ = self.idle.popitem(last=False)` takes the
  first one out. Then `del self.page_of[self.key_of.pop(page)]`; return the page.

An ordered dict is a queue from which any page can be taken out when it is held again: least
recently used, in two lines. Idle pages are free pages; what they hold is no reason to refuse
anybody. Since `release` goes through the table from its end, the tail of a session goes before its
head. And content and key go together: a key that outlives its content is the one bug here that
gives a user somebody else's words.
"""

from labutils.exercises.definition.sheet import exercise

from . import walks
from .pool_walk import piece_of_pool

_MISTAKES = """
nothing-is-idle: A session paused, and its prompt is computed again. Where does a page go that has a
    key and no owner?
- if page in self.key_of:
- ...
+ if page in self.key_of:
+     del self.page_of[self.key_of.pop(page)]
+ self.blank.append(page)

all-is-idle: Pages that nothing can find wait among those that somebody may come back for. Which of
    the two should go first?
- if page in self.key_of:
- ...
+ self.idle[page] = None
- del self.page_of[self.key_of.pop(page)]
+ self.page_of.pop(self.key_of.pop(page, None), None)

newest-first: The page that became idle last is the first to go. Which session is likelier to come
    back: the one of a moment ago, or the one of an hour ago?
- last=False
+ last=True

lowest-number: Which page goes depends on its number. What does the order of `self.idle` say?
- page, _ = self.idle.popitem(last=False)
+ page = min(self.idle)
+ del self.idle[page]

first-in-first-out: You evict what was computed first. Idle *longest* is what counts: a session that
    was used again goes behind one that was not, and its tail before its head.
- page, _ = self.idle.popitem(last=False)
+ page = next(page for page in self.key_of if page in self.idle)
+ del self.idle[page]

keeps-the-key: A page gets new content and is still found under its old key: somebody reads
    another's tokens. What has to go together with the content?
- del self.page_of[self.key_of.pop(page)]

keeps-one-key: The key no longer leads to the page, and the page still has it. Both dicts have to
    forget.
- self.key_of.pop(page)
+ self.key_of[page]

handed-out-and-blank: `evict` returns the page to whoever takes it, and puts it on `blank` as well:
    two requests will get it.
- return page
+ self.blank.append(page)
+ return page

handed-out-and-idle: The page that `evict` returns still stands in `self.idle`, so it is handed out
    a second time. `popitem(last=False)` takes the first one out.
- page, _ = self.idle.popitem(last=False)
+ page = next(iter(self.idle))

lost-pages: A page without a key goes nowhere: it is neither idle nor blank, and lost.
- else:
-     self.blank.append(page)

free-twice: A page is idle and blank at once: two requests will get it.
- else:
-     self.blank.append(page)
+ self.blank.append(page)

cannot-be-found: The page is idle, and its key is gone: nothing can find it. Until when does a key
    stay true?
- self.idle[page] = None
+ del self.page_of[self.key_of.pop(page)]
+ self.idle[page] = None
"""

EVICT = exercise(
    __doc__,
    piece_of_pool(
        _MISTAKES,
        "drop",
        "evict",
        through=(
            walks.two_sessions,
            walks.used_again,
            walks.where_it_begins,
            walks.somebody_elses_words,
            walks.over_the_idle,
        ),
    ),
)
