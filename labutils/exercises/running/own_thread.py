"""A time limit for code in a thread of its own, which is told to stop until it does."""

import asyncio
import contextlib
import ctypes
import threading
from collections.abc import Callable
from itertools import cycle

from labutils.exercises.running.outcome import Run, time_up_unheard
from labutils.ground.alarm import TimeUp
from labutils.ground.stopwatch import Stopwatch


async def awaited(function: Callable, args: tuple, watch: Stopwatch) -> Run:
    """Await the coroutine; a timeout of the learner's own is an error like any other."""
    try:
        async with asyncio.timeout(None) as scope:
            _look_again(scope, watch)
            return Run(value=await function(*args))
    except (KeyboardInterrupt, TimeUp):
        raise
    except BaseException as error:
        if isinstance(error, TimeoutError) and scope.expired():
            return Run(timed_out=True)
        return Run(error=error)


def _look_again(scope: asyncio.Timeout, watch: Stopwatch) -> None:
    """End the scope when time is up; not by a task, which the learner's code could see."""
    loop = asyncio.get_running_loop()
    if watch.is_up():
        with contextlib.suppress(RuntimeError):  # it has ended in the meantime
            scope.reschedule(loop.time())
    else:
        loop.call_later(0.05, _look_again, scope, watch)


def in_thread(call: Callable[[], Run], watch: Stopwatch) -> Run:
    """Run ``call`` in a thread; where time is up before it has ended, stop the thread."""
    outcomes: list[Run | BaseException] = []
    # Not the thread's own join: Ctrl-C in its middle leaves is_alive() wrong in CPython 3.11.
    done = threading.Event()

    def work():
        try:
            outcomes.append(call())
        except BaseException as error:  # what caught lets through, carried to the waiting thread
            outcomes.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=work, daemon=True, name="learner's code")
    try:
        thread.start()
        _wait(done, watch)
    except BaseException:  # Ctrl-C, or a limit around this one
        _stop(thread, done)
        raise
    if not done.is_set():
        _stop(thread, done)
        return Run(timed_out=True, left_behind=not done.is_set())
    return _delivered(outcomes[0])


def _delivered(outcome: Run | BaseException) -> Run:
    if isinstance(outcome, TimeUp):
        return Run(timed_out=True)
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _wait(done: threading.Event, watch: Stopwatch) -> None:
    """Wait in small steps: on Windows a long wait cannot be interrupted from the keyboard.

    A coroutine sees its limit a moment earlier, so that its loop can close in order.
    """
    while not done.is_set() and not watch.is_up(grace_s=0.2):
        done.wait(0.05)


def _stop(thread: threading.Thread, done: threading.Event) -> None:
    """Raise ``TimeUp`` inside the thread, again and again if it is caught or lost there.

    Nobody hears it in ``__del__``, say, or while Python warns of a coroutine that nobody awaited. A
    thread that makes nothing else would go on for good, so a second one stays behind to repeat it.
    """
    for _ in range(5):
        if done.is_set():
            break
        _tell(thread.ident)
        done.wait(0.1)
    _take_back(thread.ident)
    if not done.is_set():
        watcher = threading.Thread(target=_tell_until, args=(thread, done), daemon=True)
        watcher.start()


def _tell(ident: int | None) -> None:
    _raise_in(ident, ctypes.py_object(TimeUp))


def _raise_in(ident: int | None, error) -> None:
    if ident is not None:  # a thread that could not start, or has not yet
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), error)


def _take_back(ident: int) -> None:
    """What a blocked thread has not heard is withdrawn.

    CPython 3.11 marks the whole process from the call until some thread has heard an error of this
    kind, and under that mark a profiler, a debugger or a tracer waits for ever at the next call of
    a function. So this thread tells itself, and hears it.
    """
    _raise_in(ident, None)
    with contextlib.suppress(TimeUp):
        _tell(threading.get_ident())
        for _ in range(100):  # heard at once; where it is not, here at the latest
            pass


def _tell_until(thread: threading.Thread, done: threading.Event) -> None:
    """At odd intervals, so that they do not keep step with a loop of the thread's; and withdrawn
    in between, so that the process goes on beside a thread that is blocked for good."""
    done.wait(0.05)  # until then the check that began it has put Python's hook back
    with time_up_unheard():
        for pause_s in cycle((0.031, 0.047, 0.067, 0.103)):
            if done.is_set() or not thread.is_alive():
                return
            _tell(thread.ident)
            done.wait(0.011)
            _take_back(thread.ident)
            done.wait(pause_s)
