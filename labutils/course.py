"""The course's commands as functions of a notebook, under the words that a terminal knows.

>>> from labutils import course
>>> print(*course.__all__)
carry cloud drill engine envelope export home preflight progress recap reset

``course.reset("03")`` is ``labutils reset 03``, and so on; ``course.drill()`` returns a session of
:mod:`labutils.drills`, whose questions are answered in cells.
"""

from labutils.drills import drill
from labutils.exercises import progress
from labutils.home import home, recap
from labutils.workspace.preflight import run as preflight

__all__ = [
    "carry",
    "cloud",
    "drill",
    "engine",
    "envelope",
    "export",
    "home",
    "preflight",
    "progress",
    "recap",
    "reset",
]


def reset(*names: str) -> None:
    """Hand out fresh copies of chapters, such as ``"03"``; yours are kept in ``my/backups/``."""
    _command("reset", *names)


def carry(*names: str) -> None:
    """Bring what you wrote in chapters that have an update into the new edition."""
    _command("carry", *names)


def cloud(address: str = "", *, drive: bool = False, **options) -> None:
    """For instructors: a plan's notebooks for a whole class, ``plan=``, ``to=``, ``out=`` …"""
    _command("cloud", f"--address={address}", *["--drive"] * drive, *_named(options))


def export(file: str | None = None) -> None:
    """Write what a class may know of your progress to a file, and print exactly what it holds."""
    _command("export", *([file] if file else []))


def engine(*words: str) -> None:
    """Show whose lines your engine has; or ``engine("prove")``, ``"bench"``, ``"export", DIR``."""
    _command("engine", *words)


def envelope(file: str, **options) -> None:
    """Put a load test of your own engine beside its prediction: ``model="Llama-3.1-8B"`` …"""
    _command("envelope", file, *_named(options))


def _named(options: dict) -> list[str]:
    return [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]


def _command(*words) -> None:
    from labutils.__main__ import main

    main([str(word) for word in words])
