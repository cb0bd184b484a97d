"""How the checks of lab 8 try an async method: on a clock of their own, within a second."""

import asyncio
from asyncio import events
from collections.abc import Callable, Coroutine
from functools import partial

from labutils.exercises.definition.exercise import Misconception, Raises
from labutils.exercises.definition.patched import patched
from labutils.exercises.definition.sheet import made
from labutils.exercises.running.outcome import caught
from labutils.exercises.running.own_thread import in_thread
from labutils.ground.stopwatch import Stopwatch
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
    call = partial(caught, partial(run_virtually, main, loop=loop), ())
    run = in_thread(call, Stopwatch(MOST_S))
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


def mistakes_of(adapter: Callable, method: Callable, sheet: str) -> tuple[Misconception, ...]:
    """The mistakes of a sheet of patches on ``method``: what ``adapter`` tells, errors included."""
    return made(lambda wrong: _with_errors(adapter(wrong)), patched(method, sheet))


def _with_errors(told: Callable) -> Callable:
    def answer(*args):
        try:
            return told(*args)
        except Exception as error:
            return Raises(type(error))

    return answer
