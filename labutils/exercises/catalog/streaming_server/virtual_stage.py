"""How the checks of lab 8 try an async method: on a clock of their own, within a second."""

import asyncio
import inspect
import sys
import textwrap
from asyncio import events
from collections.abc import Callable, Coroutine

from labutils.exercises.definition.exercise import Raises
from labutils.exercises.trials.outcome import caught
from labutils.exercises.trials.own_thread import in_thread
from labutils.serving.batcher.virtual_loop import VirtualLoop, run_virtually

HORIZON_S = 100.0
MOST_S = 5.0


def played(main: Coroutine):
    """The result of a coroutine on a virtual clock; its error is raised here.

    Where a loop runs already, as in a notebook, it has a thread of its own and ``MOST_S`` seconds.
    """
    loop = VirtualLoop(horizon_s=HORIZON_S, most_turns=2_000)
    if events._get_running_loop() is None:
        return run_virtually(main, loop=loop)
    run = in_thread(lambda: caught(lambda: run_virtually(main, loop=loop), ()), MOST_S)
    if run.timed_out:
        raise RuntimeError("it computes on the event loop and does not come back")
    if run.error:
        raise run.error
    return run.value


def now_ms() -> float:
    """The moment on the running loop's clock, in milliseconds."""
    return round(1e3 * asyncio.get_running_loop().time(), 3)


async def until_ms(moment: float) -> None:
    """Wait until then."""
    await asyncio.sleep(moment / 1e3 - asyncio.get_running_loop().time())


def changed(method: Callable, *changes: str) -> Callable:
    """``method`` as somebody might have written it: pairs of a text in its source and another."""
    source = textwrap.dedent(inspect.getsource(method))
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        if source.count(old) != 1:
            raise ValueError(f"old = {old!r}: expected once in {method.__qualname__}")
        source = source.replace(old, new)
    names: dict = {}
    code = compile(source, f"<another {method.__name__}>", "exec")
    exec(code, dict(vars(sys.modules[method.__module__])), names)
    return names[method.__name__]


def mistaken(adapter: Callable, method: Callable, *changes: str) -> Callable:
    """A misconception: what ``adapter`` tells of ``method`` with ``changes``, errors included."""
    told = adapter(changed(method, *changes))

    def answer(*args):
        try:
            return told(*args)
        except Exception as error:
            return Raises(type(error))

    return answer
