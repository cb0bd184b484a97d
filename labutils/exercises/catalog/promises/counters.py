"""promises.counters · Fair shares by token counters · 8 minutes, optional

> Two events charge a tenant: a request starts, and a step makes a token. One event lifts it: it has
  nothing in the queue, and a request of its own comes.
> The lift is max(its own counter, the lowest of the others'). A chunk makes a token if it reaches
  the last known one: `request.computed + new == request.known`.
> lowest = min(self.counters.get(one, 0) for one in others); self.counters[tenant] =
  max(self.counters.get(tenant, 0), lowest). charge_prompt: self.charge(request, self.prompt_price *
  request.prompt_tokens). commit: self.charge(request, self.answer_price) where a token comes.

Whoever was served least goes next, and served means tokens at their prices. It wastes nothing: a
tenant that waits alone has the whole server. The lift makes it fair over time: without it an idle
hour is credit. It only lifts, since a counter that falls would reward going away for a moment. (The
interview drill asks for another rule, in which a tenant is active while it waits *or runs*. That
one breaks the bound: a tenant with one long answer under way is never lifted, and comes back with
the counter of long ago.)
"""

import itertools

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Raises
from labutils.exercises.definition.sheet import exercise, made, mistakes_in

from .wrong_counters import Wrong, over_the_courses


def _walked(mistake=None):
    """A walk with the course's scheduler, or one with a mistake; errors are its outcome."""

    def drive_fair(rows, weights, places, token_budget, memory_tokens=None):
        from labutils.serving.promises.policies import TokenCounters
        from labutils.serving.walks import fair_walk

        kind = over_the_courses(mistake) if mistake else TokenCounters
        try:
            return fair_walk(kind, rows, weights, places, token_budget, memory_tokens)
        except (ValueError, TypeError, KeyError) as error:
            return Raises(type(error))

    return drive_fair


def _says(got, expected):
    """The first sentence that differs."""
    pairs = itertools.zip_longest(got, expected, fillvalue="it is over")
    mine, theirs = next(pair for pair in pairs if pair[0] != pair[1])
    return f"The first line that differs: expected {theirs!r}, got {mine!r}."


def _some_requests():
    """Up to seven requests of up to three tenants, in two bursts with a pause between them."""
    from hypothesis import strategies as st

    # Numbers that are taken apart: three draws for each request would take most of the time.
    numbers = st.lists(st.integers(0, 3 * 3 * 7 * 5 - 1), min_size=1, max_size=7)

    def story(drawn):
        codes, pause, weights, limits = drawn
        rows = []
        for at, code in enumerate(codes):
            come = 1 + code % 3 + (pause if at >= 3 else 0)
            tenant = "abc"[code // 3 % 3]
            rows.append((come, tenant, 1 + code // 9 % 7, 1 + code // 63 % 5))
        rows.sort(key=lambda row: row[0])
        named = [(name, tenant, come, prompt, answer)
                 for name, (come, tenant, prompt, answer) in zip("KFTBWRM", rows)]  # fmt: skip
        return named, dict(zip("abc", weights)), *limits

    weights = st.sampled_from([(1, 1, 1), (1, 2, 1), (4, 1, 2)])
    roomy = [(1, 4, None), (1, 20, None), (2, 3, None), (2, 6, None), (3, 20, None)]
    limits = st.sampled_from([*roomy, (2, 4, 13), (2, 20, 13)])
    return st.tuples(numbers, st.sampled_from([0, 3, 8, 25]), weights, limits).map(story)


_EQUAL = {"a": 1, "b": 1, "c": 1}
_COMES_BACK = (
    [("K", "a", 1, 7, 4), ("F", "b", 1, 2, 1), ("T", "b", 1, 3, 3), ("B", "a", 3, 5, 2),
     ("W", "c", 4, 2, 2), ("R", "b", 9, 1, 3), ("M", "a", 9, 3, 1)],
    _EQUAL, 1, 4, None,
)  # fmt: skip

_AFTER_THE_NIGHT = (
    [("K", "a", 1, 6, 3), ("F", "a", 1, 4, 2), ("T", "b", 30, 3, 2), ("B", "a", 30, 2, 2)],
    _EQUAL, 1, 20, None,
)  # fmt: skip

_RUNS_AND_COMES = (
    [("K", "a", 1, 2, 5), ("F", "b", 1, 6, 4), ("T", "b", 2, 5, 2), ("B", "c", 2, 7, 3),
     ("W", "a", 5, 3, 2), ("R", "c", 5, 2, 2), ("M", "b", 6, 1, 2)],
    _EQUAL, 2, 6, None,
)  # fmt: skip

_LOSES_ITS_MEMORY = (
    [("K", "a", 1, 5, 5), ("F", "b", 1, 4, 4), ("T", "a", 2, 2, 2)],
    _EQUAL, 2, 20, 13,
)  # fmt: skip

_COMPUTES_IT_AGAIN = ([("K", "a", 1, 6, 4), ("F", "b", 2, 3, 3)], _EQUAL, 2, 4, 13)

COUNTERS = exercise(
    __doc__,
    Function(
        _walked(),
        _some_requests,
        says=_says,
        always=(
            *(_COMES_BACK, _AFTER_THE_NIGHT, _RUNS_AND_COMES),
            *(_LOSES_ITS_MEMORY, _COMPUTES_IT_AGAIN),
        ),
        misconceptions=made(_walked, mistakes_in(Wrong)),
    ),
)
