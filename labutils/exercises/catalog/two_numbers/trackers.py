"""The trackers of the repair exercise: the one that survives, and those that do not."""

import math
from collections import Counter, deque

import numpy as np


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


class ZeroForNothing(LatencyTracker):
    def percentile(self, q, now_ms):
        return super().percentile(q, now_ms) if self.in_window(now_ms) else 0.0


class DropsFailures(LatencyTracker):
    def record(self, due_ms, sent_ms, done_ms, ok=True):
        if ok:
            super().record(due_ms, sent_ms, done_ms)


class FailuresAsAnswers(LatencyTracker):
    def latency(self, due_ms, sent_ms, done_ms, ok):
        return done_ms - due_ms


class CountsFromTheSend(LatencyTracker):
    def latency(self, due_ms, sent_ms, done_ms, ok):
        return done_ms - sent_ms if ok else math.inf


class CountsTheDelayAlone(LatencyTracker):
    def latency(self, due_ms, sent_ms, done_ms, ok):
        return sent_ms - due_ms if ok else math.inf


class Interpolates(LatencyTracker):
    """Percentiles as numpy computes them unless told otherwise."""

    def percentile(self, q, now_ms):
        ranked = self.in_window(now_ms)
        with np.errstate(invalid="ignore"):  # half of infinity less infinity
            return float(np.quantile(ranked, q)) if ranked else math.nan


class APlaceTooFar(LatencyTracker):
    def percentile(self, q, now_ms):
        ranked = self.in_window(now_ms)
        return ranked[min(int(q * len(ranked)), len(ranked) - 1)] if ranked else math.nan


class StillCounts(LatencyTracker):
    """Forgets in time, and in a rush too early."""

    def __init__(self, window_ms):
        super().__init__(window_ms)
        self.ended = deque(maxlen=100)


class WindowByDueTime(LatencyTracker):
    def record(self, due_ms, sent_ms, done_ms, ok=True):
        self.ended.append((due_ms, self.latency(due_ms, sent_ms, done_ms, ok)))


class NeverForgets(StillCounts):
    """The window of the handed-out class, after all repairs before it."""

    def percentile(self, q, now_ms):
        ranked = sorted(late for _, late in self.ended)
        return ranked[math.ceil(q * len(ranked)) - 1] if ranked else math.nan


class NeverEmptyAgain(LatencyTracker):
    def in_window(self, now_ms):
        return super().in_window(now_ms) or sorted(late for _, late in self.ended)


class ReportsPercentiles(LatencyTracker):
    def report(self, now_ms):
        return {q: self.percentile(q, now_ms) for q in (0.5, 0.95, 0.99)}


class ReportsAnswersOnly(LatencyTracker):
    def report(self, now_ms):
        return dict(Counter(late for late in self.in_window(now_ms) if late < math.inf))


class ReportsEverything(LatencyTracker):
    def report(self, now_ms):
        return dict(Counter(late for _, late in self.ended))
