"""How long somebody's code has worked: on a busy machine less than the clock on the wall says."""

import time

ASLEEP = 0.02
"""Code that uses a smaller share of a processor is not kept from it: it sleeps, or waits."""
PATIENCE = 5.0
"""Seconds on the wall of which one counts in any case, however busy the machine is."""


class Stopwatch:
    """Counts from when it is made, until ``limit_s`` seconds of work are over; None for no limit.

    The same work takes as much processor time on a busy machine as on a quiet one, but longer on
    the wall. So the processor time of this process counts, a ``PATIENCE``-th of the wall's at
    least; never more than the wall's, which several threads would do; and all of the wall's for
    code that is ``ASLEEP``.
    """

    def __init__(self, limit_s: float | None):
        self.limit_s = limit_s
        self._began_s = time.perf_counter(), time.process_time()

    def spent_s(self) -> float:
        """Seconds that count, so far."""
        wall_s = time.perf_counter() - self._began_s[0]
        worked_s = time.process_time() - self._began_s[1]
        if worked_s < ASLEEP * wall_s:
            return wall_s
        return min(wall_s, max(worked_s, wall_s / PATIENCE))

    def is_up(self, *, grace_s: float = 0.0) -> bool:
        """Whether the limit, and ``grace_s`` more, are over."""
        return self.limit_s is not None and self.spent_s() >= self.limit_s + grace_s
