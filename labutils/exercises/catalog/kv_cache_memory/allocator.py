"""kv.allocator · An allocator that conserves its pages · 8 minutes

> Count in this order: tokens that the request will hold, pages for these, pages that are missing.
  Only then touch anything.
> Rounding up is -(-tokens // page_tokens). If more pages are missing than are free, return False
  before the first change; `release` undoes all that `grow` has done.
> held = self.tokens.get(request, 0) + tokens; table = self.pages.get(request, []); missing =
  -(-held // self.page_tokens) - len(table). Then `self.free.pop()` as often as missing, and store
  table and held. In `release`: self.free += self.pages.pop(request), and delete the tokens.

Every page is free or in one table, never both and never neither: that sentence is the allocator's
whole correctness, and `audit` checks it by counting. It breaks in two places. A *refusal* must come
before the first change, or it leaves pages with a request that nobody will release. A *release*
must give back exactly what was taken and forget the rest. `labutils.engine.PagePool` adds shared
pages: there a page may stand in several tables, and the count of its owners takes the place of
*once*.
"""

from labutils.exercises.checkers import Call, New, Read, Stories
from labutils.exercises.definition.sheet import exercise
from labutils.exercises.stories.story import stories_in

from .growing_pools import MISTAKES, Pool

AUDIT = Read("audit")


class Told:
    def full_pages(draw):
        """A prompt filled its pages to the last place, and afterwards the books of the pool did not
        add up."""
        # Tokens that fill their pages to the last place.
        page, count = draw.whole(3, 9), draw.whole(2, 5)
        yield New((draw.whole(12, 20), page))
        yield Read("grow", (draw.whole(1, 9), page * count))
        yield AUDIT

    def word_by_word(draw):
        """Answers grew by one token at a time, and the pool did not fill as the tokens did."""
        # A prompt, and an answer that grows by one token at a time, over the edge of a page.
        page, request = draw.whole(3, 9), draw.whole(1, 9)
        yield New((draw.whole(14, 20), page))
        yield Read("grow", (request, page * draw.whole(1, 3) + draw.whole(1, page - 1)))
        yield AUDIT
        for _ in range(page + 1):
            yield Read("grow", (request, 1))
            yield AUDIT

    def the_last_page(draw):
        """The pool was nearly full. One request was refused, and afterwards the others met a pool
        that was not the one from before."""
        # Somebody wants more than is left, somebody else all that is left, and then it is full.
        page, pages = draw.whole(4, 9), draw.whole(9, 14)
        first, second, third = draw.shuffled([1, 2, 3])
        left = draw.whole(2, 4)
        yield New((pages, page))
        yield Read("grow", (first, page * (pages - left) - 2))
        yield Read("grow", (second, page * left + draw.whole(1, 2 * page)))
        yield AUDIT
        yield Read("grow", (first, page * left + 3))
        yield Read("grow", (first, 1))
        yield AUDIT
        yield Read("grow", (third, page * left))
        yield Read("grow", (second, 1))
        yield AUDIT

    def the_same_name_again(draw):
        """A session ended and came back an hour later with a short question."""
        # Requests go, and one of the same name comes back, shorter than before.
        page, one, other = draw.whole(3, 9), *draw.shuffled([4, 7])
        yield New((draw.whole(15, 20), page))
        yield Read("grow", (one, page * draw.whole(3, 5) + 1))
        yield Read("grow", (other, page * draw.whole(2, 4) - 1))
        yield Call("release", (one,))
        yield AUDIT
        yield Read("grow", (one, draw.whole(1, page)))
        yield AUDIT

    def a_long_day(draw):
        """After some hours of traffic an idle server had fewer pages than in the morning, or two
        users read each other's answers."""
        # Requests come, grow, are refused and go; at night the pool is whole again.
        page, pages, inside = draw.whole(3, 6), draw.whole(10, 16), {}
        yield New((pages, page))
        for request in range(1, 15):
            tokens = draw.whole(1, 4 * page)
            needed = -(-tokens // page)
            if needed <= pages - sum(inside.values()):
                inside[request] = needed
            yield Read("grow", (request, tokens))
            if len(inside) > draw.whole(1, 3):
                gone = draw.pick(sorted(inside))
                del inside[gone]
                yield Call("release", (gone,))
        yield AUDIT
        for request in draw.shuffled(sorted(inside)):
            yield Call("release", (request,))
        yield AUDIT
        yield Read("grow", (99, page * pages))


STORIES = stories_in(Told)

ALLOCATOR = exercise(__doc__, Stories(stories=STORIES, reference=Pool, misconceptions=MISTAKES))
