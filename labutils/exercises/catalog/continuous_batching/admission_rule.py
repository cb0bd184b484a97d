"""continuous.admission · The admission rule · 6 minutes

> Two conditions, both needed: a place, and pages. Which pages does the prompt still need?
> Pages needed: the tokens that are not cached, divided by page_tokens, rounded up. After them, one
  page for each that runs must be left.
> view.running < view.max_sequences and needed + view.running <= view.free_pages, with needed =
  -(-(view.prompt_tokens - view.cached_tokens) // view.page_tokens).

The rule knows the prompt, and nothing about the answer. So it cannot promise that an admitted
request will find memory to its end; the reserve makes sure that the *next* step finds a page for
everybody, and no more. Whoever wants a promise has to set memory for the longest allowed answer
aside, as systems did before paging, and pays with concurrency. The alternative is preemption: admit
on the prompt, and take memory back from the newest when it runs out.
"""

import functools

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, made, mistakes_in
from labutils.exercises.definition.verdict import Verdict


def _pages(view, *, tokens=None, cached=True, up=True):
    tokens = view.prompt_tokens if tokens is None else tokens
    found = view.cached_tokens if cached else 0
    return (tokens - found + (view.page_tokens - 1) * up) // view.page_tokens


def _rule(view, *, pages=None, reserve=None, seat=None):
    pages = _pages(view) if pages is None else pages
    reserve = view.running if reserve is None else reserve
    seat = view.running < view.max_sequences if seat is None else seat
    return bool(seat and pages + reserve <= view.free_pages)


def _admit(view):
    return _rule(view)


def _each(rule):
    """The rule for each of several views: a single yes or no may be right by chance."""

    def admit_each(views):
        return [rule(view) for view in views]

    return admit_each


class _Views(tuple):
    """One server with more and more free pages, as a rule sees it; short to read in a message."""

    __slots__ = ()

    def __repr__(self):
        first, last = self[0], self[-1]
        free = first.free_pages if len(self) == 1 else "n"
        view = (
            f"AdmissionView(prompt_tokens={first.prompt_tokens}, "
            f"cached_tokens={first.cached_tokens}, free_pages={free}, "
            f"page_tokens={first.page_tokens}, running={first.running}, "
            f"max_sequences={first.max_sequences}, tokens_to_hold={first.tokens_to_hold})"
        )
        pages = f" for n in range({first.free_pages}, {last.free_pages + 1})"
        return f"[{view}{pages if len(self) > 1 else ''}]"


def _some_views():
    """Views of a server whose free pages begin to suffice; cached tokens are full pages.

    Six of them, since one answer out of two tells mistakes apart badly; the smallest case has one.
    """
    from hypothesis import strategies as st

    from labutils.serving.scheduling import AdmissionView

    def views(drawn):
        page, pages, rest, cached, running, places, below, number = drawn
        prompt = pages * page + min(rest, page - 1) + 1
        found = min(cached, pages) * page
        enough = -(-(prompt - found) // page) + running
        most = max(running + places, 1)
        free = range(max(0, enough - below), max(0, enough - below) + number)
        return (
            _Views(
                AdmissionView(prompt, found, pages_, page, running, most, prompt) for pages_ in free
            ),
        )

    return st.tuples(
        st.sampled_from([4, 8, 16]),
        st.integers(0, 6),
        st.integers(0, 15),
        st.integers(0, 3),
        st.integers(0, 5),
        st.sampled_from([0, 1, 3]),
        st.integers(0, 5),
        st.sampled_from([1, 6, 6, 6, 6]),
    ).map(views)


class _Truths(Function):
    """A ``Function`` that takes 1 and 0 for True and False."""

    def check(self, answer) -> Verdict:
        return super().check(_as_truths(answer) if callable(answer) else answer)


def _as_truths(answer):
    @functools.wraps(answer)
    def admit_each(*args):
        found = answer(*args)
        is_list = isinstance(found, list | tuple)
        return [bool(one) if isinstance(one, int) else one for one in found] if is_list else found

    return admit_each


class Wrong:
    def tokens_for_pages(view):
        """You compare tokens with pages. How many pages do the tokens take?"""
        return _rule(view, pages=view.prompt_tokens - view.cached_tokens)

    def tokens_and_no_reserve(view):
        """You compare tokens with pages: how many pages do the tokens take? And what is left then
        for those who run?"""
        return _rule(view, pages=view.prompt_tokens - view.cached_tokens, reserve=0)

    def admits_everybody(view):
        """Your rule admits everybody. Two conditions have to be met, and neither is asked."""
        return True

    def memory_forgotten(view):
        """Your rule looks at places alone. Is there a page for the prompt?"""
        return _rule(view, pages=0, reserve=0)

    def forgets_the_seats(view):
        """Your rule admits although every place is taken: how many may run at most?"""
        return _rule(view, seat=True)

    def reserve_for_all_seats(view):
        """You keep a page for every place, taken or not. Who can need one?"""
        return _rule(view, reserve=view.max_sequences)

    def no_reserve(view):
        """The prompt fits, and then nothing is left for those who run. Each of them may need a new
        page in the next step."""
        return _rule(view, reserve=0)

    def one_page_in_all(view):
        """You keep one page in reserve. How many may start a new page in the same step?"""
        return _rule(view, reserve=1)

    def forgets_the_cache(view):
        """You count pages for the cached tokens as well. They are in memory already."""
        return _rule(view, pages=_pages(view, cached=False))

    def rounds_down(view):
        """You round down. A last page that is filled in part is a page too."""
        return _rule(view, pages=_pages(view, up=False))

    def refuses_the_exact_fit(view):
        """A request that leaves one page for each that runs has to wait. May the reserve be all
        that is left, or do you keep a page for the newcomer as well?"""
        return _rule(view, reserve=view.running + 1)

    def rounds_to_the_nearest(view):
        """You round to the nearest page. A last page that is filled in part is a page too."""
        missing = view.prompt_tokens - view.cached_tokens
        return _rule(view, pages=round(missing / view.page_tokens))

    def keeps_a_place_free(view):
        """You keep the last place empty. When are all of them taken?"""
        return _rule(view, seat=view.running + 1 < view.max_sequences)

    def room_in_tokens(view):
        """You count room in tokens. Who else can use the rest of a page, and what does each that
        runs need next?"""
        needed = view.prompt_tokens - view.cached_tokens + view.running
        fits = needed <= view.free_pages * view.page_tokens
        return _rule(view, pages=0, reserve=0, seat=fits and view.running < view.max_sequences)

    def one_page_too_many(view):
        """You count one page more than the prompt fills where it ends with a page."""
        return _rule(view, pages=_pages(view, up=False) + 1)


ADMISSION = exercise(
    __doc__,
    _Truths(
        reference=_each(_admit), inputs=_some_views, misconceptions=made(_each, mistakes_in(Wrong))
    ),
)
