"""An engine with functions of the learner's in their places, and the course's for the rest."""

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from types import ModuleType

from .course_engine import course_sources
from .functions import put_in
from .load_pieces import load, strangers

Functions = Mapping[str, Callable]
"""Functions by target: ``"scheduler:Scheduler._decode"`` -> the learner's."""


class NotKept(ValueError):
    """Why a function that is right cannot be kept; the message says what to do."""


def with_functions(functions: Functions) -> ModuleType:
    """A fresh copy of the course's engine that runs ``functions`` as they are, notebook and all."""
    room = load(course_sources(), fresh=True)
    for target, function in functions.items():
        place(room, target, function)
    return room


def place(room: ModuleType, target: str, function: Callable) -> None:
    """Put ``function`` where ``target`` names it, in every module that uses it."""
    file, name = target.split(":")
    owner = getattr(room, file)
    *classes, last = name.split(".")
    for part in classes:
        owner = getattr(owner, part)
    old = vars(owner)[last]
    setattr(owner, last, function)
    if not classes:  # other modules imported it by name
        for module in [room, *vars(room).values()]:
            if isinstance(module, ModuleType) and vars(module).get(last) is old:
                setattr(module, last, function)


def sources(functions: Functions) -> dict[str, str]:
    """The source of each function, fit for a file of its own; ``NotKept`` where it is not."""
    room, found = load(course_sources()), {}
    for target, function in functions.items():
        name = target.rpartition(":")[2].rpartition(".")[2]
        if getattr(function, "__name__", name) != name:
            raise NotKept(f"it is called `{function.__name__}`; define it as `{name}`.")
        try:
            found[target] = textwrap.dedent(inspect.getsource(function))
        except (OSError, TypeError):
            raise NotKept(f"the source of `{name}` cannot be read; define it in a cell.") from None
        if foreign := re.search(r"^ *(?:from|import) +(labutils[\w.]*)", found[target], re.M):
            raise NotKept(
                f"`{name}` imports from `{foreign[1]}`: your engine stands alone. What its own "
                "file holds is there by name; leave the import out, and check again."
            )
        unknown = strangers(found[target], getattr(room, target.partition(":")[0]))
        if unknown:
            raise NotKept(
                f"`{name}` uses `{unknown[0]}`, which stands in another cell: move it inside, "
                "and check again."
            )
    return found


def from_sources(found: Mapping[str, str]) -> ModuleType:
    """The course's engine with these sources in it, executed in a namespace of its own."""
    texts = dict(course_sources())
    for target, source in found.items():
        file, name = target.split(":")
        texts[file] = put_in(texts[file], name, source, "yours")
    return load(texts)
