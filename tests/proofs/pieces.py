"""Pieces of the engine: stubs, planted functions beside the course's, functions that do nothing."""

import functools
import types
from collections.abc import Callable, Iterator

from labutils.exercises.checkers import Piece
from labutils.exercises.checkers.code.piece import planted
from labutils.ground.patches import Patch
from labutils.workspace.my_engine.texts.course_engine import course_sources
from labutils.workspace.my_engine.texts.load_pieces import load


def names_of(checker: Piece) -> list[str]:
    """The names of the functions that a learner writes, without file and class."""
    return [target.rpartition(":")[2].rpartition(".")[2] for target in checker.targets]


def handed_in(checker: Piece, given):
    """What a learner would hand in: ``given``, a function or a class with some of the methods.

    A function may bear another name; methods that a class lacks are the course's.
    """
    if not callable(given) and not isinstance(given, Patch):
        return given
    mine = planted(checker.targets, given)
    own = {target.rpartition(".")[2].rpartition(":")[2]: one for target, one in mine.items()}
    return _whole(checker, own)


def stub(checker: Piece):
    """The untouched stub, a function or a class of several."""

    def body(*arguments):
        raise NotImplementedError("replace this line by your code")

    return _whole(checker, dict.fromkeys(names_of(checker), body))


def idle(checker: Piece) -> Iterator[tuple[str, Callable]]:
    """Functions that compute nothing: all of them return the same, whatever they are given."""
    for value in (None, 0, 1, True, []):
        constant = _constant(value)
        yield f"always {value!r}", _whole(checker, dict.fromkeys(names_of(checker), constant))


def _constant(value) -> Callable:
    return lambda *arguments: value


def _whole(checker: Piece, own: dict[str, Callable]):
    """A function for one target, for several a class: ``own`` under their names, or the course's"""
    named = {
        name: _named(name, own.get(name) or _courses(target))
        for name, target in zip(names_of(checker), checker.targets)
    }
    return named.popitem()[1] if len(named) == 1 else type("Mine", (), named)


def _named(name: str, function):
    """``function`` under the name that it is asked for."""
    if not isinstance(function, types.FunctionType) or function.__name__ == name:
        return function
    parts = function.__globals__, name, function.__defaults__, function.__closure__
    copy = types.FunctionType(function.__code__, *parts)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _courses(target: str) -> Callable:
    file, name = target.split(":")
    return functools.reduce(getattr, name.split("."), getattr(load(course_sources()), file))
