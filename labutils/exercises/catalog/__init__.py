"""The exercises and predictions of the whole course: a module or a package per chapter and lab.

A chapter defines ``EXERCISES`` and ``PREDICTIONS`` (and ``TITLE``, for the progress table). It is
found by its place in this folder; nothing lists it. Ids are unique in the whole course. Only the
chapter that an id's first part names ("mm1." -> ``mm1_explosion``) is loaded to find it.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from labutils.exercises.exercise import Exercise, Prediction


def exercise(exercise_id: str) -> Exercise:
    """The exercise with this id; ``ValueError`` naming close ids where there is none."""
    return _find("exercise_id", exercise_id, "EXERCISES")


def prediction(prediction_id: str) -> Prediction:
    """The prediction with this id; ``ValueError`` naming close ids where there is none."""
    return _find("prediction_id", prediction_id, "PREDICTIONS")


def chapters() -> list[ModuleType]:
    """Every chapter's module, by name. Raises ``ValueError`` where two share an id."""
    modules = [_module(name) for name in sorted(_names())]
    seen: dict[str, str] = {}
    for module in modules:
        for item in [*exercises_of(module), *predictions_of(module)]:
            if item.id in seen:
                raise ValueError(f"id = {item.id!r}: is in {seen[item.id]} and {module.__name__}")
            seen[item.id] = module.__name__
    return modules


def exercises_of(module: ModuleType) -> tuple[Exercise, ...]:
    """The exercises that a chapter's module defines."""
    return tuple(getattr(module, "EXERCISES", ()))


def predictions_of(module: ModuleType) -> tuple[Prediction, ...]:
    """The predictions that a chapter's module defines."""
    return tuple(getattr(module, "PREDICTIONS", ()))


def title_of(module: ModuleType) -> str:
    """The chapter's title, or its name in words."""
    words = module.__name__.rpartition(".")[2].replace("_", " ")
    return getattr(module, "TITLE", words.capitalize())


def _find(argument: str, wanted: str, kind: str):
    wanted = str(wanted)
    items: dict[str, Exercise | Prediction] = {}
    for module in _likeliest_first(wanted):
        items |= {item.id: item for item in getattr(module, kind, ())}
        if wanted in items:
            return items[wanted]
    near = get_close_matches(wanted, items, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "no id resembles it"
    raise ValueError(f"{argument} = {wanted!r}: {hint}")


def _likeliest_first(wanted: str) -> Iterator[ModuleType]:
    """Modules in the order of search; a module is imported when its turn comes."""
    prefix = wanted.partition(".")[0]
    for name in sorted(_names(), key=lambda name: (not name.startswith(prefix), name)):
        yield _module(name)


def _names() -> list[str]:
    return [found.name for found in iter_modules(__path__)]


def _module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name}")
