"""Small crowds of requests, and a scheduler walked through them, for the checks of four methods."""

import functools
from collections.abc import Callable
from random import Random

from labutils.exercises.definition.exercise import Misconception

PAGE_TOKENS = 2
_KINDS = ("any", "any", "any", "alike", "many")
NUM_INPUTS = 70
NAMES = ("r1", "r2", "r3", "r4", "r5", "r6")

# Too rare to be left to chance: a prompt that takes exactly the budget of a step in which places
# and pages are left, and places that those who write have filled when somebody comes.
_SPENT = [
    ([("r1", 1, budget, 3), ("r2", 1, 2, 2), ("r3", 2, 1, 3)], 3, budget, 12, True, False)
    for budget in (4, 5, 6)
]
_FULL = [
    ([("r1", 1, 1, 5), ("r2", 1, 1, last), ("r3", 3, 1, 2)], 2, 6, 12, True, False)
    for last in (4, 5, 6)
]


def once(walk: Callable) -> Callable:
    """``walk``, which needs each crowd only once: many answers are held against the same walks."""
    known = functools.cache(lambda requests, *limits: tuple(walk(list(requests), *limits)))

    @functools.wraps(walk)
    def remembered(requests, *limits):
        return list(known(tuple(requests), *limits))

    return remembered


def walked(make: Callable) -> Callable:
    """A function that walks a scheduler through requests; ``make()`` gives its class."""

    @once
    def walk_mine(requests, seats, budget, pages, chunked):
        from labutils.serving import BlockManager
        from labutils.serving.walk import walk

        memory = BlockManager(pages, PAGE_TOKENS)
        return walk(make()(seats, memory, token_budget=budget, chunked=chunked), requests)

    return walk_mine


def walked_by_rule(make: Callable) -> Callable:
    """The same with one more argument: whether the owner has set an admission rule."""

    @once
    def walk_mine(requests, seats, budget, pages, chunked, by_rule):
        from labutils.serving import BlockManager
        from labutils.serving.walk import a_page_to_spare, walk

        rule = a_page_to_spare if by_rule else None
        limits = {"token_budget": budget, "chunked": chunked, "admission": rule}
        return walk(make()(seats, BlockManager(pages, PAGE_TOKENS), **limits), requests)

    return walk_mine


def continuous():
    """The course's scheduler; a mistake changes one of its methods."""
    from labutils.serving import Continuous

    return Continuous


def mistake(name: str, message: str, walk: Callable = walked, **methods: Callable) -> Misconception:
    """A misconception: the course's scheduler with wrong ``methods``, walked by ``walk``."""

    def make():
        return type("Continuous", (continuous(),), methods)

    return Misconception(name, walk(make), message)


def crowds():
    """One to six requests, two to five places, budgets and pages so small that all run short."""
    from hypothesis import strategies as st

    # One number per request, taken apart: three draws each would take most of a check's time.
    numbers = st.integers(0, 3 * 6 * 6 - 1)
    lists = [st.lists(numbers, min_size=least, max_size=6) for least in (1, 4, 6)]

    def named(drawn):
        codes, more, pages, salt = drawn
        # Hypothesis likes to repeat itself; what decides between mistakes is mixed evenly.
        mixed = Random(salt)
        kind, chunked = mixed.choice(_KINDS), mixed.random() < 0.6
        seats = mixed.choice((2, 3, 5))
        rows = sorted((1 + code // 36, 1 + code % 6, 1 + code // 6 % 6) for code in codes)
        budget = seats + more if chunked else 1 + more
        if kind == "many":  # with memory and budget for all of them: places alone are scarce
            rows = [(1, 1 + code % 2, 2 + code // 6 % 6) for code in codes]
            seats, budget, pages, chunked = 2, 12, 30, True
        elif kind == "alike":  # all need a page in the same step: one victim is not enough
            rows = [(1, 2, 2 + code % 3) for code in codes]
            seats, budget, pages, chunked = 5, 5 + more, 3 + pages % 3, False
        requests = [(name, *row) for name, row in zip(NAMES, rows)]
        return requests, seats, budget, pages, chunked

    limits = st.integers(0, 4), st.integers(5, 12), st.integers(0, 2**16)
    return st.tuples(st.one_of(*lists), *limits).map(named)


def crowds_by_rule():
    """The same, every third time with a rule of the owner's; every fifth a case chosen by hand."""
    from hypothesis import strategies as st

    rule = st.sampled_from([False, False, True])

    def named(drawn):
        crowd, by_rule, salt = drawn
        mixed = Random(salt)
        return mixed.choice(_SPENT + _FULL) if mixed.random() < 0.2 else (*crowd, by_rule)

    return st.tuples(crowds(), rule, st.integers(0, 2**16)).map(named)
