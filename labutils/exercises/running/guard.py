"""Running the learner's code: bounded in time, its prints kept, its errors caught.

On POSIX, in the main thread, an alarm signal interrupts the code where it stands. Elsewhere
(Windows, a worker thread) and for coroutines the code runs in a thread of its own, which is told
to stop when time is up, and told again until it does. What cannot be stopped: a C or numba loop
that never returns to Python, and a thread that sleeps or swallows every exception; such a thread is
left behind, and ``Run.left_behind`` says so.

Under a debugger there is no limit: whoever steps through code needs longer than five seconds.
"""

import asyncio
import inspect
import sys
from collections.abc import Callable
from dataclasses import replace

from labutils.exercises.running.outcome import Run, caught, time_up_unheard
from labutils.exercises.running.own_thread import awaited, in_thread
from labutils.exercises.running.surroundings import kept_off_the_page
from labutils.ground.alarm import TimeUp, may_use_alarm, under_alarm
from labutils.ground.stopwatch import Stopwatch


def run(function: Callable, *args, seconds: float, own_thread: bool = False) -> Run:
    """Call ``function(*args)`` within ``seconds``; a coroutine function runs in its own loop.

    Seconds are those of a ``Stopwatch``: what other programs take of the processor counts little.

    ``own_thread`` asks for a fresh thread, as code needs that brings an event loop of its own.

    Whatever the code raises is in the result, ``SystemExit`` included. ``KeyboardInterrupt``
    passes through: that is the learner at the keyboard.
    """
    watch = Stopwatch(None if under_debugger() else max(seconds, 0.01))
    with kept_off_the_page() as printed, time_up_unheard():
        if is_async(function):
            outcome = in_thread(lambda: asyncio.run(awaited(function, args, watch)), watch)
        elif own_thread:
            outcome = in_thread(lambda: caught(function, args), watch)
        elif watch.limit_s is None:
            outcome = caught(function, args)
        elif may_use_alarm():
            outcome = _interrupted(lambda: caught(function, args), watch)
        else:
            outcome = in_thread(lambda: caught(function, args), watch)
    return replace(outcome, printed=printed.getvalue(), seconds=watch.spent_s())


def _interrupted(call: Callable[[], Run], watch: Stopwatch) -> Run:
    try:
        return under_alarm(call, watch)
    except TimeUp:
        return Run(timed_out=True)


def is_async(function: Callable) -> bool:
    """Whether it is defined with ``async def``, as far as can be known."""
    try:
        return inspect.iscoroutinefunction(function)
    except Exception:  # a learner's own __getattr__
        return False


def under_debugger() -> bool:
    """Whether somebody is stepping through code here. A coverage tracer is not a debugger."""
    debugpy = sys.modules.get("debugpy")
    if debugpy is not None and getattr(debugpy, "is_client_connected", bool)():
        return True
    tracer = sys.gettrace()
    module = getattr(tracer, "__module__", None) or type(tracer).__module__
    return tracer is not None and not module.startswith("coverage")
