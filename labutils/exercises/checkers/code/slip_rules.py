"""Slips that turn a right result into a wrong one, whatever the exercise is about."""

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from labutils.exercises.checkers.numbers.scale import known_factors
from labutils.exercises.comparing.compare import is_number, is_sequence, plain


@dataclass(frozen=True)
class Case:
    """One trial as far as it matters: what came, what should have come, and from what."""

    got: Any
    expected: Any
    args: dict[str, Any]
    failed: bool


@dataclass(frozen=True)
class Rule:
    """``wrong(expected, args)`` is the result of a slip; ``says`` goes on from "Your result".

    One that is not ``everywhere`` need not hold where the learner's result is right.
    """

    name: str
    says: str
    wrong: Callable[[Any, dict], Any]
    everywhere: bool = True


def rules_for(failing: Sequence[Case]) -> Iterator[Rule]:
    """What to look for, the surest first."""
    first = failing[0]
    if is_sequence(first.expected):
        yield from _OF_ORDER
        yield from _OF_LENGTH
    yield from _OF_VALUE
    yield from (rule for factor in known_factors() for rule in _times(factor))
    yield from _of_arguments(failing)
    yield from _of_rounding()
    yield from _constant(first)


_OF_ORDER = (
    Rule("swapped", "has its two parts in the wrong order.", lambda e, _: _swapped(e)),
    Rule("reversed", "is the right one backwards.", lambda e, _: list(e)[::-1]),
)
_OF_LENGTH = (
    Rule("wrong-length", "lacks its last entry; the others are right.", lambda e, _: e[:-1]),
    Rule("wrong-length", "lacks its first entry; the others are right.", lambda e, _: e[1:]),
)
_OF_VALUE = (
    Rule(
        "wrong-sign", "has the right size and the wrong sign.", lambda e, _: _each(e, lambda x: -x)
    ),
    Rule(
        "complement",
        "is 1 minus the right one. Whose share is it?",
        lambda e, _: _each(e, lambda x: 1 - x),
    ),
    Rule(
        "upside-down",
        "is the right one upside down: 1 divided by it.",
        lambda e, _: _each(e, lambda x: 1 / x),
    ),
    Rule(
        "gain-in-percent",
        "says by how many percent more, where it should say how many times as much.",
        lambda e, _: _each(e, lambda x: 100 * (x - 1)),
    ),
    Rule(
        "one-less",
        "is too small by exactly 1, each time. Is one not counted, or is it how much *more*, where "
        "it should be how many times as much?",
        lambda e, _: _each(e, lambda x: x - 1),
    ),
    Rule(
        "one-more",
        "is too large by exactly 1, each time. What is counted that should not be?",
        lambda e, _: _each(e, lambda x: x + 1),
    ),
    Rule("opposite", "says the opposite, each time.", lambda e, _: _opposite(e)),
)


_WITH_ARGUMENT = {
    "times": operator.mul,
    "divided by": operator.truediv,
    "plus": operator.add,
    "minus": operator.sub,
}


def _times(factor: float) -> Iterator[Rule]:
    reads, question = known_factors()[factor]
    for way, size in (("large", factor), ("small", 1 / factor)):
        says = f"is {reads} times too {way}, each time. {question}"
        yield Rule("constant-factor", says, lambda e, _, k=size: _each(e, lambda x: k * x))


def _of_arguments(failing: Sequence[Case]) -> Iterator[Rule]:
    """A number that was handed in, or how many entries were: multiplied, divided, added."""
    for name in failing[0].args:
        if any(name not in case.args for case in failing):  # one that has a default
            continue
        for words, value in (
            (f"`{name}`", _number),
            (f"the number of entries of `{name}`", _count),
        ):
            if len({value(case.args[name]) for case in failing} - {None}) < 2:
                continue
            for how, make in _WITH_ARGUMENT.items():
                yield Rule(
                    "argument-too-many",
                    f"is the right one {how} {words}. Does that belong in it?",
                    lambda e, args, n=name, v=value, m=make: _each(e, lambda x: m(x, v(args[n]))),
                )
        for how, make in _WITH_ARGUMENT.items():
            yield Rule(
                "argument-too-many",
                f"is the right one {how} `{name}`, entry by entry. Does that belong in it?",
                lambda e, args, n=name, m=make: [m(x, a) for x, a in _pairs(e, args[n])],
            )


def _of_rounding() -> Iterator[Rule]:
    one = "wherever it is wrong. Is something rounded the wrong way, or the boundary left out?"
    yield Rule("one-too-few", f"is 1 too small {one}", lambda e, _: _whole(e) - 1, False)
    yield Rule("one-too-many", f"is 1 too large {one}", lambda e, _: _whole(e) + 1, False)
    ways = {"down": math.floor, "up": math.ceil, "to a whole number": round}
    for way, rounds in ways.items():
        says = f"is rounded {way}: give it as it is computed."
        yield Rule("rounded", says, lambda e, _, r=rounds: _each(e, r))
    for digits in range(1, 7):
        says = f"is rounded to {digits} decimals: give it as it is computed."
        yield Rule("rounded", says, lambda e, _, d=digits: _each(e, lambda x: round(x, d)))


def _constant(first: Case) -> Iterator[Rule]:
    """Any other factor, or any other distance, that is the same each time."""
    got, expected = _first_number(first.got), _first_number(first.expected)
    if got is None or not expected:
        return
    factor, distance = got / expected, got - expected
    if factor and math.isfinite(factor):
        says = "is the right one times the same number, each time. Which factor is it?"
        yield Rule("constant-factor", says, lambda e, _: _each(e, lambda x: factor * x))
    says = "is off by the same amount, each time. Which term is it?"
    yield Rule("constant-distance", says, lambda e, _: _each(e, lambda x: x + distance))


def _each(value, change: Callable[[Any], Any]):
    """``change`` of every number in a result; of a truth value or a text there is none."""
    if is_number(value) and not isinstance(value, bool):
        return change(value)
    if is_sequence(value):
        return [_each(one, change) for one in value]
    if isinstance(value, dict):
        return {key: _each(one, change) for key, one in value.items()}
    raise TypeError(value)


def _pairs(value, argument):
    return zip(value, plain(argument), strict=True)


def _swapped(value):
    first, second = value
    return [second, first]


def _opposite(value):
    if not isinstance(value, bool):
        raise TypeError(value)
    return not value


def _whole(value) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(value)
    return value


def _number(value) -> float | None:
    return value if is_number(value) and not isinstance(value, bool) else None


def _count(value) -> int | None:
    value = plain(value)
    return len(value) if is_sequence(value) else None


def _first_number(value) -> float | None:
    while is_sequence(value) and value:
        value = value[0]
    return _number(value)
