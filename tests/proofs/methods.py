"""Methods of an asyncio class that do nothing, for exercises that ask for one."""

import functools
from collections.abc import Callable, Iterator

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.running.guard import is_async


def stub(checker: Rehearsals) -> Callable:
    """The untouched stub, with the signature of the method that it stands for."""
    return _like(checker.reference_answer, _not_yet)


def idle(checker: Rehearsals) -> Iterator[tuple[str, Callable]]:
    """Methods that return at once whatever happens: nothing, True, an empty list."""
    for value in (None, True, []):
        yield f"always {value!r}", _like(checker.reference_answer, lambda value=value: value)


def _not_yet():
    raise NotImplementedError("replace this line by your code")


def _like(method: Callable, act: Callable) -> Callable:
    """A function that looks like ``method`` (a coroutine function if it is one), doing ``act``."""

    async def later(*args, **kwargs):
        return act()

    def now(*args, **kwargs):
        return act()

    return functools.wraps(method)(later if is_async(method) else now)
