"""What became of one call of the learner's code, and what is raised in it when time is up."""

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from labutils.ground.alarm import TimeUp


@dataclass(frozen=True)
class Run:
    """What became of one call: a value, or an error, or neither because time was up.

    ``left_behind``: its thread did not stop when it was told to, and perhaps never will.
    """

    value: Any = None
    error: BaseException | None = None
    timed_out: bool = False
    printed: str = ""
    seconds: float = 0.0
    left_behind: bool = False


@contextlib.contextmanager
def time_up_unheard():
    """Keep Python quiet where ``TimeUp`` cannot be raised: in callbacks of the garbage collector
    and of weak references, in ``__del__``. It comes again a moment later."""
    before = sys.unraisablehook

    def hook(unraisable):
        if not issubclass(unraisable.exc_type, TimeUp):
            before(unraisable)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def caught(function: Callable, args: tuple) -> Run:
    try:
        return Run(value=function(*args))
    except (KeyboardInterrupt, TimeUp):
        raise
    except BaseException as error:
        return Run(error=error)
