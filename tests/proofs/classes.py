"""Classes that compute nothing, for exercises that ask for a class: stubs, and results by heart."""

import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any

from labutils.exercises.checkers import Read, Stories
from labutils.exercises.comparing.drawing import Draw
from labutils.exercises.definition.exercise import Exercise
from labutils.exercises.stories.script import Call

Notes = list[list[tuple[str, Any]]]
"""For each object in the order of making: every read as text, and its result."""


def stub_class(checker: Stories) -> type:
    """The untouched stub: every method that the stories call raises NotImplementedError."""

    def stub(self, *args, **kwargs):
        raise NotImplementedError("replace this line by your code")

    def made(self, *args, **kwargs):
        pass

    return type("Stub", (), {"__init__": made, **dict.fromkeys(_methods(checker, Call), stub)})


def noted(exercise: Exercise, answer: Callable) -> Notes:
    """What objects of ``answer`` return while the exercise judges it."""
    notes: Notes = []
    reads = _methods(exercise.checker, Read)

    @functools.wraps(answer, updated=())
    def make(*args, **kwargs):
        notes.append([])
        return _Noting(answer(*args, **kwargs), notes[-1], reads)

    exercise.judge(make)
    return notes


def memorised_answers(
    exercise: Exercise, answer: Callable, notes: Notes
) -> Iterator[tuple[str, Callable]]:
    """Makers of objects that compute nothing: a constant, or the results of an earlier check."""
    maker = functools.partial(_maker, answer, _methods(exercise.checker, Read))
    results = [result for reads in notes for _, result in reads]
    constants = {"its first result": results[0], "its last result": results[-1]}
    constants |= {repr(value): value for value in (0, 1, 0.5, float("nan"), [], True)}
    for name, value in constants.items():
        yield f"always {name}", maker(lambda *_, value=value: value)
    table = {text: result for reads in notes for text, result in reads}
    by_call = maker(lambda made, number, text: table.get(text, results[-1]))
    yield "the results of an earlier check for equal calls", by_call

    def in_order(made: int, number: int, text: str):
        reads = notes[made % len(notes)]
        return reads[number % len(reads)][1] if reads else None

    yield "the results of an earlier check in their order", maker(in_order)


def _maker(answer: Callable, reads: list[str], recall: Callable) -> Callable:
    """Makes objects whose reads return ``recall(object's number, read's number, read as text)``."""
    made: list[_Recalling] = []

    @functools.wraps(answer, updated=())
    def make(*args, **kwargs):
        made.append(_Recalling(len(made), reads, recall))
        return made[-1]

    return make


def _methods(checker: Stories, kind: type) -> list[str]:
    steps = [step for story in checker.stories for step in story.told(Draw(0))]
    return sorted({step.method for step in steps if isinstance(step, kind)})


def _as_text(name: str, args: tuple, kwargs: dict) -> str:
    return f"{name}{args!r}{sorted(kwargs.items())!r}"


class _Noting:
    """Passes calls on to an object and notes what the reads return."""

    def __init__(self, thing, notes: list, reads: list[str]):
        self._thing, self._notes, self._reads = thing, notes, reads

    def __getattr__(self, name: str):
        method = getattr(self._thing, name)

        def called(*args, **kwargs):
            text, result = _as_text(name, args, kwargs), method(*args, **kwargs)
            if name in self._reads:
                self._notes.append((text, copy.deepcopy(result)))
            return result

        return called


class _Recalling:
    """Recalls a result for every read; other calls do nothing."""

    def __init__(self, made: int, reads: list[str], recall: Callable):
        self._made, self._reads, self._recall, self._number = made, reads, recall, 0

    def __getattr__(self, name: str):
        def called(*args, **kwargs):
            if name not in self._reads:
                return None
            result = self._recall(self._made, self._number, _as_text(name, args, kwargs))
            self._number += 1
            return copy.deepcopy(result)

        return called
