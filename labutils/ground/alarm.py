"""A time limit by an alarm signal, which interrupts the main thread where it stands (POSIX)."""

import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from .stopwatch import Stopwatch

Result = TypeVar("Result")


class TimeUp(SystemExit):
    """Raised where code stands when its time is up; no ``except Exception`` in it catches that.

    A ``SystemExit``, since an event loop lets nothing else through that is raised between two steps
    of a task: it would report it, forget the task, and wait for ever.
    """


def may_use_alarm() -> bool:
    """Whether a limit can interrupt what runs here."""
    in_main = threading.current_thread() is threading.main_thread()
    return in_main and hasattr(signal, "setitimer")


class _Alarm:
    """Rings, once time is up, until it is silenced.

    A bare ``except`` in a loop swallows every ring. From the second one on, therefore, the
    frame that it interrupts is traced, and ``TimeUp`` comes again inside the handler, where nothing
    catches it.
    """

    def __init__(self, watch: Stopwatch):
        self.watch = watch
        self.on = True
        self.rings = 0

    def ring(self, signum, frame):
        if not self.on or not self.watch.is_up():
            return
        self.rings += 1
        if self.rings > 1:
            sys.settrace(self._trace)
            frame.f_trace = self._trace
        raise TimeUp

    def _trace(self, frame, event, argument):
        if self.on and isinstance(sys.exc_info()[1], TimeUp):
            raise TimeUp
        return self._trace


def under_alarm(call: Callable[[], Result], watch: Stopwatch) -> Result:
    """What ``call()`` returns. ``TimeUp`` is raised in it as soon as ``watch``, which has a limit,
    says that time is up. For threads in which ``may_use_alarm``."""
    alarm, tracer, started = _Alarm(watch), sys.gettrace(), time.monotonic()
    before = signal.signal(signal.SIGALRM, alarm.ring)
    left, interval = signal.getitimer(signal.ITIMER_REAL)
    try:
        signal.setitimer(signal.ITIMER_REAL, watch.limit_s, 0.1)  # it may ring before it returns
        result = call()
        alarm.on = False
        return result
    finally:
        alarm.on = False
        if alarm.rings:
            sys.settrace(tracer)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)
        if left:  # somebody else's alarm was running: it goes on from where it would be now
            spent = time.monotonic() - started
            signal.setitimer(signal.ITIMER_REAL, max(left - spent, 0.001), interval)
