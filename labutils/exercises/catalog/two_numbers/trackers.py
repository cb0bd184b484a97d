"""The trackers of the repair exercise: the one that survives, and those that do not."""

import math
from collections import Counter, deque

import numpy as np

from labutils.exercises.definition.sheet import says


class LatencyTracker:
    """Latencies of the requests that ended in the last ``window_ms`` milliseconds."""

    def __init__(self, window_ms):
        self.window_ms = window_ms
        self.ended = []

    def record(self, due_ms, sent_ms, done_ms, ok=True):
        self.ended.append((done_ms, self.latency(due_ms, sent_ms, done_ms, ok)))

    def latency(self, due_ms, sent_ms, done_ms, ok):
        return done_ms - due_ms if ok else math.inf

    def in_window(self, now_ms):
        return sorted(late for done_ms, late in self.ended if done_ms > now_ms - self.window_ms)

    def percentile(self, q, now_ms):
        ranked = self.in_window(now_ms)
        return ranked[math.ceil(q * len(ranked)) - 1] if ranked else math.nan

    def report(self, now_ms):
        return dict(Counter(self.in_window(now_ms)))


class HandedOut:
    """What the learner begins with; the chapter's stub shows the same lines."""

    def __init__(self, window_ms):
        self.window_ms = window_ms
        self.ended = deque(maxlen=100)

    def record(self, due_ms, sent_ms, done_ms, ok=True):
        if ok:
            self.ended.append((done_ms, done_ms - sent_ms))

    def in_window(self, now_ms):
        return sorted(late_ms for done_ms, late_ms in self.ended)

    def percentile(self, q, now_ms):
        ranked = self.in_window(now_ms)
        return ranked[math.ceil(q * len(ranked)) - 1] if ranked else 0.0

    def report(self, now_ms):
        return f"p99 {self.percentile(0.99, now_ms)} ms"


class _CountsRequests(LatencyTracker):
    """Keeps the last 100 requests, so in a rush it forgets what is still in the window."""

    def __init__(self, window_ms):
        super().__init__(window_ms)
        self.ended = deque(maxlen=100)


COUNTS = (
    "Old requests now go, and in a rush new ones go too: how many records does your list hold at "
    "most?"
)

_LONG_AGO = (
    "Requests of long ago still count. What would your class have to know about a request, to "
    "leave it out in time?"
)


class Wrong:
    class ZeroForNothing(LatencyTracker):
        """An empty window has no latency, and 0 ms is one. What stands for it here?"""

        def percentile(self, q, now_ms):
            return super().percentile(q, now_ms) if self.in_window(now_ms) else 0.0

    class InfinityForNothing(LatencyTracker):
        """An empty window holds no failure either. What stands for no measurement here?"""

        def percentile(self, q, now_ms):
            return super().percentile(q, now_ms) if self.in_window(now_ms) else math.inf

    class DropsFailures(LatencyTracker):
        """Requests that failed are left out, as if nobody had asked."""

        def record(self, due_ms, sent_ms, done_ms, ok=True):
            if ok:
                super().record(due_ms, sent_ms, done_ms)

    class FailuresAsQuickAnswers(LatencyTracker):
        """A failure now counts as an answer, and a quick one. How long does somebody wait for an
        answer that never comes?"""

        def latency(self, due_ms, sent_ms, done_ms, ok):
            return done_ms - due_ms

    class FromTheSend(LatencyTracker):
        """Your latency begins with the send. When did the user's wait begin?"""

        def latency(self, due_ms, sent_ms, done_ms, ok):
            return done_ms - sent_ms if ok else math.inf

    class TheDelayAlone(LatencyTracker):
        """You record how late a request was sent. The user waits longer than that: until when?"""

        def latency(self, due_ms, sent_ms, done_ms, ok):
            return sent_ms - due_ms if ok else math.inf

    class Interpolates(LatencyTracker):
        """Your percentile lies between two requests, as np.percentile and np.quantile compute it.
        Here it is a request: number ⌈q n⌉ of n, 1 for the fastest."""

        def percentile(self, q, now_ms):
            ranked = self.in_window(now_ms)
            with np.errstate(invalid="ignore"):  # half of infinity less infinity
                return float(np.quantile(ranked, q)) if ranked else math.nan

    class APlaceTooFar(LatencyTracker):
        """Your percentile stands one place too far where q n is a whole number. At which index does
        a list hold its number ⌈q n⌉?"""

        def percentile(self, q, now_ms):
            ranked = self.in_window(now_ms)
            return ranked[min(int(q * len(ranked)), len(ranked) - 1)] if ranked else math.nan

    @says(_LONG_AGO)
    class ForgetsNothing(LatencyTracker):
        def in_window(self, now_ms):
            return sorted(late for _, late in self.ended)

    @says(_LONG_AGO)
    class NeverForgets(_CountsRequests):
        def percentile(self, q, now_ms):
            ranked = sorted(late for _, late in self.ended)
            return ranked[math.ceil(q * len(ranked)) - 1] if ranked else math.nan

    @says(COUNTS)
    class StillACountWindow(_CountsRequests):
        pass

    class WindowNotByTheEnd(LatencyTracker):
        """A request that waited for longer than the window, and has just ended, is missing. Which
        of its three times says whether it belongs to the window?"""

        def record(self, due_ms, sent_ms, done_ms, ok=True):
            self.ended.append((due_ms, self.latency(due_ms, sent_ms, done_ms, ok)))

    class NeverEmptyAgain(LatencyTracker):
        """A window in which nothing ended is empty, whatever happened before it. What does your
        class say then?"""

        def in_window(self, now_ms):
            return super().in_window(now_ms) or sorted(late for _, late in self.ended)

    class ReportsPercentiles(LatencyTracker):
        """Your report holds percentiles. Those of two hosts cannot be combined: which numbers
        can?"""

        def report(self, now_ms):
            return {q: self.percentile(q, now_ms) for q in (0.5, 0.95, 0.99)}

    class ReportsAnswersOnly(LatencyTracker):
        """Your report leaves out the requests that failed. Which key says how late they are?"""

        def report(self, now_ms):
            return dict(Counter(late for late in self.in_window(now_ms) if late < math.inf))

    class ReportsEverything(LatencyTracker):
        """Your report counts requests that ended before the window."""

        def report(self, now_ms):
            return dict(Counter(late for _, late in self.ended))
