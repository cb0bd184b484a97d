"""Drills solved from the words that they print: a file each, found by its place and its name.

The file is called as the drill is. Its ``solve(drill)`` returns the answers of the drill and of
what follows on it, and the values to which some of its named mistakes lead.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules


def solvers() -> dict[str, Callable]:
    """Each solver by the id of its drill."""
    names = [file.name for file in iter_modules(__path__)]
    return {name: import_module(f"{__name__}.{name}").solve for name in names}
