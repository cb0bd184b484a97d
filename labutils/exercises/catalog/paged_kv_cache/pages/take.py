"""Pages that nothing holds are taken, all or none; a request grows by one."""

from labutils.engine import OutOfPages
from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.exercise import Exercise

from . import walks
from .pool_walk import says, walk_pool


def _take(pool, count: int, *, room: int | None = None) -> list[int]:
    """As it should be, with ``room`` pages in the place of those that are free."""
    if count > (pool.num_free if room is None else room):
        raise OutOfPages("no pages")
    taken = [pool.blank.pop() if pool.blank else pool.evict() for _ in range(count)]
    for page in taken:
        pool.owners[page] = 1
    return taken


class TakesWhatThereIs:
    def take(self, count):
        taken = []
        for _ in range(count):
            taken += _take(self, 1)
        return taken


class EvictsInVain:
    def take(self, count):
        while self.idle and len(self.blank) < count:
            self.blank.insert(0, self.evict())
        return _take(self, count)


class EvictsFirst:
    def take(self, count):
        for _ in range(min(count, len(self.idle)) if count <= self.num_free else 0):
            self.blank.append(self.evict())
        return _take(self, count)


class RefusesIdle:
    def take(self, count):
        return _take(self, count, room=len(self.blank))


class KeepsOneBack:
    def take(self, count):
        if 0 < count == self.num_free:
            raise OutOfPages("the last page")
        return _take(self, count)


class CountsNoOwners:
    def take(self, count):
        taken = _take(self, count)
        for page in taken:
            self.owners[page] = 0
        return taken


class LeavesThemBlank:
    def take(self, count):
        taken = _take(self, count)
        self.blank += taken[::-1]
        return taken


class NoRoom:
    def grow(self, request):
        request.pages += self.take(1)


class PagesForAll:
    def grow(self, request):
        request.pages += self.take(self.pages_for(request.known))
        request.room = len(request.pages) * self.page_tokens


class ReplacesTheTable:
    def grow(self, request):
        request.pages = self.take(1)
        request.room += self.page_tokens


class RoomFirst:
    def grow(self, request):
        request.room += self.page_tokens
        request.pages += self.take(1)


TAKE = Exercise(
    id="pages.take",
    title="Pages for tokens as they come",
    minutes=9,
    checker=piece_of(
        "pages:PagePool.take",
        "pages:PagePool.grow",
        tried=walk_pool,
        says=says,
        inputs=walks.walks(
            walks.full_pages, walks.to_the_last_page, walks.too_many, walks.over_the_idle
        ),
        mistakes=(
            (
                "takes-what-there-is",
                TakesWhatThereIs,
                "A request that is refused keeps the pages that it got on the way: nothing holds "
                "them, and nothing gives them back. All or nothing: when do you know that the "
                "pages suffice?",
            ),
            (
                "evicts-in-vain",
                EvictsInVain,
                "A request was refused, and what was idle is gone all the same. What has to be "
                "certain before anything changes?",
            ),
            (
                "evicts-first",
                EvictsFirst,
                "Something that could be found was evicted although blank pages were left.",
            ),
            (
                "refuses-idle",
                RefusesIdle,
                "A request is refused while pages are idle. An idle page is a free page: what "
                "makes it a blank one?",
            ),
            (
                "keeps-one-back",
                KeepsOneBack,
                "A request is refused although the free pages are as many as it asks for.",
            ),
            (
                "no-owner",
                CountsNoOwners,
                "A request has these pages, and `owners` says that nothing holds them. Who keeps "
                "that count?",
            ),
            (
                "still-blank",
                LeavesThemBlank,
                "The pages are handed out, and they are blank as before: the next request gets "
                "them, too. `pop` takes from a list what a slice only copies.",
            ),
            (
                "no-room",
                NoRoom,
                "The request has one page more, and its `room` has not changed. The scheduler "
                "compares `known` with `room`: it will ask for another page at every token.",
            ),
            (
                "pages-for-all",
                PagesForAll,
                "`grow` hands out pages for everything that the request knows. Which of them does "
                "it hold already?",
            ),
            (
                "loses-the-table",
                ReplacesTheTable,
                "After `grow` the request holds its new page alone. Where are the others?",
            ),
            (
                "room-before-pages",
                RoomFirst,
                "The request was refused a page, and its `room` has grown all the same: state "
                "changed before the refusal.",
            ),
        ),
    ),
    hints=(
        "Count first, touch afterwards: are there enough free pages, blank and idle together? "
        "Only then does anything move.",
        "`take`: compare `count` with `self.num_free`, and raise `OutOfPages`. Then, `count` "
        "times: a page from the end of `self.blank`, or the one that `self.evict()` returns where "
        "none is blank. Each of them has one owner now.",
        "`taken = [self.blank.pop() if self.blank else self.evict() for _ in range(count)]`, then "
        "`self.owners[page] = 1` for each, and return them. `grow`: `request.pages += "
        "self.take(1)`, and `request.room += self.page_tokens`.",
    ),
    explanation=(
        "One method hands out pages, and it refuses before it has changed anything. So whatever "
        "is built on it refuses cleanly, too: in `grow` the pages come first and the room is noted "
        "afterwards. Blank pages go first, since nothing is lost with them. The scheduler relies "
        "on all of this: it catches no error, it asks `num_free` and `fits` before it acts."
    ),
)
