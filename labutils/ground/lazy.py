"""Names of a package that load when they are first used, so that importing it costs nothing."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(
    package: str, home: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` (PEP 562) of ``package``; ``home`` maps names to modules.

    Editors and type checkers do not run it: beside the table, the same names are imported under
    ``if TYPE_CHECKING``, and a test compares the two.

    >>> load, names = lazily("labutils.ground.units", {"named": "spellings"})
    >>> load("named").__module__
    'labutils.ground.units.spellings'
    """

    def load(name: str):
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f".{home[name]}", package), name)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home})

    return load, names
