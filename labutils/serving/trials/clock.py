"""A clock for trials: it counts this program's own time, in the units of a yardstick."""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median

WINDOW = 3
"""Yardsticks whose median sets the clock: one that was interrupted does not."""


class TrialClock:
    """Seconds of ``source``, as long as a yardstick says that they are; pauses are skipped.

    By default the source is the processor time of this thread: what other programs take from it
    does not count. For a device with a time of its own take ``time.perf_counter``. ``skip`` lets a
    pause pass at once, so that a trial lasts only as long as its steps.

    A neighbour on the same core still slows each step, by up to a factor of two, and differently
    from moment to moment. So ``tick`` runs a fixed piece of work, the *yardstick*, whose own time
    does not count; a second is then what the yardstick's median of ``calibrate`` says. On a machine
    that is left alone this changes nothing. ``yards_s`` are all that were measured.
    """

    def __init__(
        self, yardstick: Callable[[], object], *, source: Callable[[], float] = time.thread_time
    ):
        self.yardstick, self.source = yardstick, source
        self.rate = self.scale = 1.0
        self.usual_s: float | None = None
        self.yards_s: list[float] = []
        self._last: deque[float] = deque(maxlen=WINDOW)
        self._base_s, self._before_s = source(), 0.0

    def __call__(self) -> float:
        return self._before_s + self.rate * (self.source() - self._base_s)

    def skip(self, seconds: float) -> None:
        """Let ``seconds`` pass without waiting for them."""
        self._before_s += max(0.0, seconds)

    def tick(self) -> None:
        """Measure the yardstick; the time until the next tick counts as it says."""
        self._before_s, begin_s = self(), self.source()
        self.yardstick()
        took_s = self.source() - begin_s
        self.yards_s.append(took_s)
        self._last.append(took_s)
        if self.usual_s is not None:
            self.rate = self.scale * self.usual_s / median(self._last)
        self._base_s = self.source()

    def calibrate(self) -> None:
        """From now on count seconds by the median of the yardsticks so far, the usual one."""
        self.usual_s = median(self.yards_s)


@contextmanager
def one_core() -> Iterator[int | None]:
    """Run the block on one core with one thread of torch's; all is given back, come what may.

    Of two threads, one that is interrupted keeps the other waiting; and a thread that moves leaves
    its cache behind. Yields the core, None where the system lets no program choose.
    """
    import torch

    threads, cores = torch.get_num_threads(), _cores()
    chosen = max(cores) if cores else None
    try:
        torch.set_num_threads(1)
        if cores:
            os.sched_setaffinity(0, {chosen})
        yield chosen
    finally:
        torch.set_num_threads(threads)
        if cores:
            os.sched_setaffinity(0, cores)


def _cores() -> set[int]:
    """The cores that this thread may use; empty where the system does not say."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
