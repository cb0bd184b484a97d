"""Running the learner's code: bounded in time, its prints kept, its errors caught.

On POSIX, in the main thread, an alarm signal interrupts the code where it stands. Elsewhere
(Windows, a worker thread) and for coroutines the code runs in a thread of its own, which is told
to stop when time is up, and told again until it does. What cannot be stopped: a C or numba loop
that never returns to Python, and a thread that sleeps or swallows every exception; such a thread is
left behind, and ``Run.left_behind`` says so.

Under a debugger there is no limit: whoever steps through code needs longer than five seconds.
"""

import asyncio
import contextlib
import ctypes
import inspect
import io
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any

MOST_PRINTED = 2000  # characters kept of what the learner's code prints


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


def run(function: Callable, *args, seconds: float, own_thread: bool = False) -> Run:
    """Call ``function(*args)`` within ``seconds``; a coroutine function runs in its own loop.

    ``own_thread`` asks for a fresh thread, as code needs that brings an event loop of its own.

    Whatever the code raises is in the result, ``SystemExit`` included. ``KeyboardInterrupt``
    passes through: that is the learner at the keyboard.
    """
    limit = None if under_debugger() else max(seconds, 0.01)
    printed, started = _Printed(), time.perf_counter()
    with contextlib.redirect_stdout(printed), _time_up_unheard():
        if is_async(function):
            outcome = _in_thread(lambda: asyncio.run(_awaited(function, args, limit)), limit)
        elif own_thread:
            outcome = _in_thread(lambda: _caught(function, args), limit)
        elif limit is None:
            outcome = _caught(function, args)
        elif _may_use_alarm():
            outcome = _under_alarm(function, args, limit)
        else:
            outcome = _in_thread(lambda: _caught(function, args), limit)
    spent = time.perf_counter() - started
    return replace(outcome, printed=printed.getvalue(), seconds=spent)


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


class _TimeUp(BaseException):
    """Raised inside the learner's code; no ``except Exception`` of theirs catches it."""


@contextlib.contextmanager
def _time_up_unheard():
    """Keep Python quiet where ``_TimeUp`` cannot be raised: in callbacks of the garbage collector
    and of weak references, in ``__del__``. It comes again a moment later."""
    before = sys.unraisablehook

    def hook(unraisable):
        if not issubclass(unraisable.exc_type, _TimeUp):
            before(unraisable)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


class _Printed(io.StringIO):
    """Keeps the first characters; an endless loop of prints must not fill the memory."""

    def write(self, text: str) -> int:
        room = MOST_PRINTED - self.tell()
        if room > 0:
            super().write(text[:room])
        return len(text)


def _caught(function: Callable, args: tuple) -> Run:
    try:
        return Run(value=function(*args))
    except (KeyboardInterrupt, _TimeUp):
        raise
    except BaseException as error:
        return Run(error=error)


# ---- the alarm ----------------------------------------------------------------------------------


def _may_use_alarm() -> bool:
    in_main = threading.current_thread() is threading.main_thread()
    return in_main and hasattr(signal, "setitimer")


class _Alarm:
    """Rings until it is silenced.

    A bare ``except`` in a loop swallows every ring. From the second one on, therefore, the
    learner's frame is traced, and ``_TimeUp`` comes again inside the handler, where nothing
    catches it.
    """

    def __init__(self):
        self.on = True
        self.rings = 0

    def ring(self, signum, frame):
        if not self.on:
            return
        self.rings += 1
        if self.rings > 1:
            sys.settrace(self._trace)
            frame.f_trace = self._trace
        raise _TimeUp

    def _trace(self, frame, event, argument):
        if self.on and isinstance(sys.exc_info()[1], _TimeUp):
            raise _TimeUp
        return self._trace


def _under_alarm(function: Callable, args: tuple, limit: float) -> Run:
    alarm, tracer, started = _Alarm(), sys.gettrace(), time.monotonic()
    before = signal.signal(signal.SIGALRM, alarm.ring)
    left, interval = signal.setitimer(signal.ITIMER_REAL, limit, 0.1)
    try:
        outcome = _caught(function, args)
        alarm.on = False
    except _TimeUp:
        alarm.on = False
        outcome = Run(timed_out=True)
    finally:
        alarm.on = False
        if alarm.rings:
            sys.settrace(tracer)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)
        if left:  # somebody else's alarm was running: it goes on from where it would be now
            spent = time.monotonic() - started
            signal.setitimer(signal.ITIMER_REAL, max(left - spent, 0.001), interval)
    return outcome


# ---- the thread ---------------------------------------------------------------------------------


async def _awaited(function: Callable, args: tuple, limit: float | None) -> Run:
    """Await the coroutine; a timeout of the learner's own is an error like any other."""
    try:
        async with asyncio.timeout(limit) as scope:
            return Run(value=await function(*args))
    except (KeyboardInterrupt, _TimeUp):
        raise
    except BaseException as error:
        if isinstance(error, TimeoutError) and scope.expired():
            return Run(timed_out=True)
        return Run(error=error)


def _in_thread(call: Callable[[], Run], limit: float | None) -> Run:
    """Run ``call`` in a thread; where it outlasts ``limit``, stop the thread."""
    outcomes: list[Run | BaseException] = []
    done = (
        threading.Event()
    )  # Ctrl-C in the middle of a join leaves is_alive() wrong in CPython 3.11

    def work():
        try:
            outcomes.append(call())
        except BaseException as error:  # what _caught lets through, carried to the waiting thread
            outcomes.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=work, daemon=True, name="learner's code")
    thread.start()
    try:
        # A coroutine sees its own limit first, so that its loop can close in order.
        _wait(done, None if limit is None else limit + 0.2)
    except KeyboardInterrupt:
        _stop(thread, done)
        raise
    if not done.is_set():
        _stop(thread, done)
        return Run(timed_out=True, left_behind=not done.is_set())
    return _delivered(outcomes[0])


def _delivered(outcome: Run | BaseException) -> Run:
    if isinstance(outcome, _TimeUp):
        return Run(timed_out=True)
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _wait(done: threading.Event, limit: float | None) -> None:
    """Wait in small steps: on Windows a long wait cannot be interrupted from the keyboard."""
    ends = None if limit is None else time.monotonic() + limit
    while not done.is_set() and (ends is None or time.monotonic() < ends):
        done.wait(0.05)


def _stop(thread: threading.Thread, done: threading.Event) -> None:
    """Raise ``_TimeUp`` inside the thread, again and again if it is caught or lost there.

    Nobody hears it in ``__del__``, say, or while Python warns of a coroutine that nobody awaited. A
    thread that makes nothing else would go on for good, so a second one stays behind to repeat it.
    """
    for _ in range(5):
        if done.is_set():
            return
        _tell(thread)
        done.wait(0.1)
    if not done.is_set():
        watcher = threading.Thread(target=_tell_until, args=(thread, done), daemon=True)
        watcher.start()


def _tell(thread: threading.Thread) -> None:
    ident = ctypes.c_ulong(thread.ident)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(_TimeUp))


def _tell_until(thread: threading.Thread, done: threading.Event) -> None:
    """At odd intervals, so that they do not keep step with a loop of the thread's."""
    done.wait(0.05)  # until then the check that began it has put Python's hook back
    with _time_up_unheard():
        for pause_s in cycle((0.011, 0.017, 0.029, 0.053)):
            if done.is_set() or not thread.is_alive():
                return
            _tell(thread)
            done.wait(pause_s)
