"""Whether a request would get its pages now; and one more request that holds some."""

from labutils.exercises.checkers import piece_of, slip
from labutils.exercises.definition.exercise import Exercise

from . import walks
from .pool_walk import says, walk_pool


def _fits(pool, request, *, known=None, found=None, lost: int | None = None) -> bool:
    """As it should be, with other numbers in the places that are given."""
    pages = pool.find(request)
    idle = sum(not pool.owners[page] for page in pages) if lost is None else lost
    have = len(pages) if found is None else found
    return pool.pages_for(request.known if known is None else known) - have <= pool.num_free - idle


class IgnoresWhatIsFound:
    def fits(self, request):
        return _fits(self, request, found=0, lost=0)


class CountsIdleTwice:
    def fits(self, request):
        return _fits(self, request, lost=0)


class KeepsOneBack:
    def fits(self, request):
        found = self.find(request)
        idle = sum(not self.owners[page] for page in found)
        return self.pages_for(request.known) - len(found) < self.num_free - idle


class PromptAlone:
    def fits(self, request):
        return _fits(self, request, known=request.prompt_tokens)


class BlankAlone:
    def fits(self, request):
        return self.pages_for(request.known) - len(self.find(request)) <= len(self.blank)


class LongestAnswer:
    def fits(self, request):
        return _fits(self, request, known=request.most)


class StaysIdle:
    def hold(self, pages):
        for page in pages:
            self.owners[page] += 1


class OneOwner:
    def hold(self, pages):
        for page in pages:
            self.owners[page] = 1
            self.idle.pop(page, None)


class NoOwner:
    def hold(self, pages):
        for page in pages:
            self.idle.pop(page, None)


FITS = Exercise(
    id="pages.fits",
    title="Would it get its pages now?",
    minutes=7,
    checker=piece_of(
        "pages:PagePool.hold",
        "pages:PagePool.fits",
        tried=walk_pool,
        says=says,
        inputs=walks.walks(
            walks.hardly_any_room,
            walks.from_idle_pages,
            walks.one_of_two,
            walks.idle_and_then_shared,
            walks.back_to_little_room,
            walks.idle_pages_of_others,
        ),
        mistakes=(
            (
                "room-for-the-next",
                slip("self.pages_for(request.known)", "self.pages_for(request.known + 1)"),
                "You ask for room for one more token than is known. It comes later, and `grow` "
                "gives it a page.",
            ),
            (
                "keeps-one-back",
                KeepsOneBack,
                "The pages would suffice to the last one, and you say that they do not.",
            ),
            (
                "ignores-what-is-found",
                IgnoresWhatIsFound,
                "A request is sent away although its beginning is in memory, and the rest would "
                "fit. What does a found page cost if another request holds it?",
            ),
            (
                "counts-idle-twice",
                CountsIdleTwice,
                "An idle page counts twice: as found, and as free for the rest. It can serve only "
                "once.",
            ),
            (
                "counts-the-prompt",
                PromptAlone,
                "A preempted request comes back with its prompt and the answer so far. How many "
                "tokens is that?",
            ),
            (
                "blank-alone",
                BlankAlone,
                "You count blank pages. Which other pages are free?",
            ),
            (
                "the-longest-answer",
                LongestAnswer,
                "You want room for the longest answer that is allowed: that is reservation, and "
                "the flaw with which this lab began.",
            ),
            (
                "held-and-idle",
                StaysIdle,
                "A page that a request holds is still idle: it will be evicted under that "
                "request's hands.",
            ),
            (
                "one-owner",
                OneOwner,
                "Two requests hold the page, and `owners` says one. What happens when the first "
                "of them leaves?",
            ),
            (
                "no-owner",
                NoOwner,
                "A request reads these pages, and `owners` does not count it.",
            ),
        ),
    ),
    hints=(
        "Pages for all known tokens, less those that are found: that many have to be free. But "
        "some of the free ones may be among those found.",
        "A found page that no request holds is idle, and it counts in `num_free`. Once this "
        "request holds it, it is free no more.",
        "found = self.find(request); idle = sum(not self.owners[page] for page in found); return "
        "self.pages_for(request.known) - len(found) <= self.num_free - idle. `hold`: owners up by "
        "one, and self.idle.pop(page, None).",
    ),
    explanation=(
        "The scheduler asks `fits` and then believes it, so `fits` has to agree with `start` to "
        "the last page. A page that is found costs nothing if another request holds it; if it is "
        "idle it costs a free page, since it was one. Forget that, and `start` refuses where "
        "`fits` agreed: once in a while, under load, with a warm cache."
    ),
)
