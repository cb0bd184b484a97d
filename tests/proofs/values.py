"""Wrong values made from a right one, and functions that know their results by heart."""

import copy
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from labutils.exercises.checkers import Function, Number
from labutils.exercises.definition.exercise import Exercise, NeverReturns, Raises

FACTORS = {
    "a thousand times": 1000.0,
    "a thousandth": 1e-3,
    "sixty times": 60.0,
    "a sixtieth": 1 / 60,
    "twice": 2.0,
    "half": 0.5,
    "a hundred times": 100.0,
    "the negative": -1.0,
}


def wrong_numbers(checker: Number, value: float) -> Iterator[tuple[str, float]]:
    """Slips of unit and scale, the inverse, the complement, and values just outside the window.

    A slip that happens to land on the right value (the inverse of 1, say) is left out.
    """
    reach = max(checker.tolerance * abs(value), checker.absolute)
    slips = {name: factor * value for name, factor in FACTORS.items()}
    slips["the complement"] = 1 - value
    if value:
        slips["the inverse"] = 1 / value
    if reach:
        slips |= {"three tolerances above": value + 3 * reach, "below": value - 3 * reach}
    for name, slip in slips.items():
        if abs(slip - value) > reach:
            yield f"{name} ({slip:g})", slip


class Recorder:
    """A function that works and remembers every call and its result."""

    def __init__(self, function: Callable):
        self.function = function
        self.calls: list[tuple[tuple, Any]] = []

    def judged_by(self, exercise: Exercise):
        """The verdict on the function, while every call is noted."""

        def learners(*arguments):
            given = copy.deepcopy(arguments)
            result = self.function(*arguments)
            self.calls.append((given, copy.deepcopy(result)))
            return result

        return exercise.judge(as_if_called_like(self.function, learners))


def memorised_answers(calls: list[tuple[tuple, Any]]) -> Iterator[tuple[str, Callable]]:
    """Functions that compute nothing: a constant, or the results of an earlier check."""
    results = [result for _, result in calls]
    for name, result in (("first", results[0]), ("middle", results[len(results) // 2])):
        yield f"always its {name} result", lambda *_, result=result: copy.deepcopy(result)
    for constant in (0, 1, [], True):
        yield f"always {constant!r}", lambda *_, constant=constant: copy.deepcopy(constant)
    table = {repr(given): result for given, result in calls}

    def from_table(*arguments):
        return copy.deepcopy(table.get(repr(arguments), results[-1]))

    yield "the results of an earlier check", from_table


def as_if_called_like(function: Callable, stand_in: Callable) -> Callable:
    """``stand_in`` with the signature and name of ``function``."""
    return functools.wraps(function)(stand_in)


def really_endless(answer: Callable) -> Callable:
    """A wrong implementation that loops, or raises, where it says so."""
    if inspect.isclass(answer):
        return answer

    def looping(*arguments):
        try:
            result = answer(*arguments)
        except NeverReturns:
            while True:
                pass
        if isinstance(result, Raises):
            raise result.kind("planted")
        return result

    return as_if_called_like(answer, looping)


def stub_like(checker: Function) -> Callable:
    """The untouched stub of a function exercise."""

    def stub(*arguments):
        raise NotImplementedError("replace this line by your code")

    return as_if_called_like(checker.reference, stub)
