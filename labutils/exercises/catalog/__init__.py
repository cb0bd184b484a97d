"""The exercises and predictions of the whole course: a module or a package per chapter and lab.

A chapter defines ``PREDICTIONS`` (and, for tables of progress, ``TITLE``, ``ORDER``, its number in
the course, and ``MINUTES``, as its header states them). It is found by its place in this folder,
and an exercise by its place in a file of the chapter; nothing lists them. Ids are unique in the
whole course. To find one, only the chapter that its first part names ("mm1." ->
``mm1_explosion``), or else the one whose text has the id, is loaded, and of its files only the one
that has the id; none after an update under this kernel (``CourseUpdated``): it may not fit what is
loaded.
"""

import math
import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from labutils.exercises.definition.exercise import Exercise, Prediction
from labutils.ground.edition import require_one_edition

_MAKES_ONE = re.compile(r"\bExercise\(|· \d+ minutes?\b")  # a call, or the first line of a sheet


class UnknownIdError(ValueError):
    """An id that nothing has. A notebook shows the message alone: nothing in the stack helps."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def exercise(exercise_id: str) -> Exercise:
    """The exercise with this id; ``UnknownIdError`` naming close ids where there is none."""
    return _find("exercise_id", exercise_id, _exercises)


def prediction(prediction_id: str) -> Prediction:
    """The prediction with this id; ``UnknownIdError`` naming close ids where there is none."""
    return _find("prediction_id", prediction_id, lambda module, wanted: predictions_of(module))


def chapters() -> list[ModuleType]:
    """Every chapter's module, in course order. Raises ``ValueError`` where two share an id."""
    require_one_edition()
    modules = [_module(name) for name in sorted(_names())]
    seen: dict[str, str] = {}
    for module in modules:
        for item in [*exercises_of(module), *predictions_of(module)]:
            if item.id in seen:
                raise ValueError(f"id = {item.id!r}: is in {seen[item.id]} and {module.__name__}")
            seen[item.id] = module.__name__
    return sorted(modules, key=lambda module: (order_of(module), title_of(module)))


def exercises_of(module: ModuleType) -> tuple[Exercise, ...]:
    """The exercises of a chapter's module and its files, in the order of these."""
    found: dict[str, Exercise] = {}
    for item in _exercises(module):
        if found.setdefault(item.id, item) is not item:
            raise ValueError(f"id = {item.id!r}: two exercises of {module.__name__} have it")
    return tuple(found.values())


def predictions_of(module: ModuleType) -> tuple[Prediction, ...]:
    """The predictions that a chapter's module defines."""
    return tuple(getattr(module, "PREDICTIONS", ()))


def title_of(module: ModuleType) -> str:
    """The chapter's title, or its name in words."""
    words = module.__name__.rpartition(".")[2].replace("_", " ")
    return getattr(module, "TITLE", words.capitalize())


def order_of(module: ModuleType) -> float:
    """The chapter's number in the course; infinite where it gives none."""
    return getattr(module, "ORDER", math.inf)


def minutes_of(module: ModuleType) -> int:
    """The minutes that the chapter states, reading and exercises; 0 where it gives none."""
    return getattr(module, "MINUTES", 0)


def _exercises(module: ModuleType, wanted: str = "") -> Iterator[Exercise]:
    """The exercises of a chapter; a file is imported when its turn comes."""
    for file in _files_of(module, wanted):
        yield from (item for item in vars(file).values() if isinstance(item, Exercise))


def _files_of(module: ModuleType, wanted: str) -> Iterator[ModuleType]:
    """The chapter's module, then the files of its package that make an exercise.

    First come those whose text has ``wanted``. What only helps them is not loaded for itself.
    """
    yield module
    files: list[tuple[bool, tuple[str, ...]]] = []
    for place in map(Path, getattr(module, "__path__", ())):
        for file in place.rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            if _MAKES_ONE.search(text):
                path = file.relative_to(place).with_suffix("")
                files.append((wanted not in text, path.parts))
    for _, parts in sorted(files):
        yield import_module(".".join((module.__name__, *parts)))


def _find(argument: str, wanted: str, items_of: Callable):
    require_one_edition()
    wanted = str(wanted)
    items: dict[str, Exercise | Prediction] = {}
    for module in _likeliest_first(wanted):
        for item in items_of(module, wanted):
            if item.id == wanted:
                return item
            items[item.id] = item
        if other := _of_the_other_kind(wanted, module):
            raise UnknownIdError(f"{argument} = {wanted!r}: {other}")
    near = get_close_matches(wanted, items, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "no id resembles it"
    raise UnknownIdError(f"{argument} = {wanted!r}: {hint}")


def _of_the_other_kind(wanted: str, module: ModuleType) -> str:
    """What to do with an id that ``module`` defines; asked once it is not of the wanted kind."""
    if wanted in {item.id for item in predictions_of(module)}:
        return "this is a prediction; use `predict` and `outcome` with it"
    if wanted in {item.id for item in exercises_of(module)}:
        return "this is an exercise; use `check`, `hint` and `reveal` with it"
    return ""


def _likeliest_first(wanted: str) -> Iterator[ModuleType]:
    """Modules in the order of search; a module is imported when its turn comes."""
    prefix = wanted.partition(".")[0]
    named = {name for name in _names() if name.startswith(prefix)}
    for names in (named, {*_names()} - named):  # the others' texts are read if need be
        yield from map(_module, sorted(names, key=lambda name: (not _has(name, wanted), name)))


def _has(name: str, wanted: str) -> bool:
    """Whether a chapter's text has this id: quicker to read than to import."""
    places = [Path(place) / name for place in __path__]
    files = [file for at in places for file in (at.with_suffix(".py"), *at.rglob("*.py"))]
    texts = (file.read_text(encoding="utf-8") for file in files if file.is_file())
    return any(wanted in text for text in texts)


def _names() -> list[str]:
    return [found.name for found in iter_modules(__path__)]


def _module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name}")
