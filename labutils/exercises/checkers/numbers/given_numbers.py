"""Answers that come of the story's own numbers: one of them, or a few put together another way."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

_EXACT = 2e-3  # an answer of three digits
_MOST_FACTORS = 4
_MANY = 100  # below it too many ways round to the same whole number
_QUESTION = "Which numbers of the story belong in it, and which way round?"


def from_the_story(answer: float, story: Sequence[float], expected: float) -> str | None:
    """Say how ``answer`` comes of the numbers of the story, if it does; the simplest way first.

    A way that leads to ``expected``, or would but for a prefix, is passed over.
    """
    for words, value in _ways(story):
        if _near(answer, value) and not _but_for_a_prefix(expected, value):
            return words
        for how, rounded in (("up", math.ceil(value)), ("down", math.floor(value))):
            if answer == rounded != expected and value != rounded and abs(value) > _MANY:
                return f"{words} It is rounded {how}."
    return None


def _ways(story: Sequence[float]) -> Iterator[tuple[str, float]]:
    for one in story:
        yield f"{_text(one)} is a number of the story itself. What is asked for?", one
    for count in range(2, min(len(story), _MOST_FACTORS) + 1):
        for chosen in combinations(story, count):
            yield from _products(chosen)
            if count == 2:
                yield from _sums(chosen)


def _products(chosen: Sequence[float]) -> Iterator[tuple[str, float]]:
    """Every product of the chosen numbers, each of them as a factor or as a divisor."""
    for divides in product((False, True), repeat=len(chosen)):
        above = [x for x, below in zip(chosen, divides) if not below]
        below = [x for x, below in zip(chosen, divides) if below]
        if 0 in below:
            continue
        shown = " · ".join(map(_text, above)) or "1"
        shown += "".join(f" / {_text(x)}" for x in below)
        yield f"Your answer is {shown}. {_QUESTION}", math.prod(above) / math.prod(below)


def _sums(chosen: Sequence[float]) -> Iterator[tuple[str, float]]:
    first, second = chosen
    yield f"Your answer is {_text(first)} + {_text(second)}. {_QUESTION}", first + second
    for one, other in permutations(chosen):
        yield f"Your answer is {_text(one)} - {_text(other)}. {_QUESTION}", one - other


def _near(value: float, other: float) -> bool:
    return math.isclose(value, other, rel_tol=_EXACT)


def _but_for_a_prefix(value: float, other: float) -> bool:
    return any(_near(value, other * 1000.0**power) for power in range(-3, 4))


def _text(value: float) -> str:
    return f"{value:,.10g}"
