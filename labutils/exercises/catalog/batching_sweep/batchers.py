"""The batchers of the repair exercise: the one that loses nobody, and those that do."""

from .desk import Desk


class DynamicBatcher(Desk):
    """Hands requests out in batches; it is told the time and never asks for it."""

    def submit(self, name, now_ms):
        if len(self.waiting) >= self.max_waiting:
            self.resolve(name, "refused")
        else:
            self.waiting.append((name, now_ms))

    def due_ms(self):
        """When the oldest in the line has waited long enough."""
        return self.waiting[0][1] + self.window_ms

    def next_batch(self, now_ms):
        full = len(self.waiting) >= self.max_batch
        late = self.waiting and now_ms >= self.due_ms()
        return self.take() if full or late else []

    def deliver(self, results):
        if len(results) != len(self.running):
            results = ["failed"] * len(self.running)
        for name, result in zip(self.running, results):
            if name not in self.gone:
                self.resolve(name, result)


class OneMachine(DynamicBatcher):
    """The batcher as one machine drives it: ``next_batch`` is called when that is idle.

    ``ValueError`` for a call in between: a story that was cut short in the wrong place.
    """

    def next_batch(self, now_ms):
        if self.running:
            raise ValueError(f"next_batch at {now_ms} ms: expected `deliver` for {self.running}")
        return super().next_batch(now_ms)

    def deliver(self, results):
        super().deliver(results)
        self.running = []


class HandedOut(Desk):
    """What the learner begins with; the chapter's stub shows the same lines."""

    since_ms = None

    def submit(self, name, now_ms):
        self.waiting.append((name, now_ms))

    def next_batch(self, now_ms):
        if self.waiting and self.since_ms is None:
            self.since_ms = now_ms
        young = self.since_ms is None or now_ms < self.since_ms + self.window_ms
        if young and len(self.waiting) < self.max_batch:
            return []
        self.since_ms = None
        return self.take()

    def deliver(self, results):
        for name, result in zip(self.running, results):
            self.resolve(name, result)


class WindowFromTheLook(DynamicBatcher):
    """The window begins when the loop first looks at the line."""

    since_ms = None
    next_batch = HandedOut.next_batch


class WindowFromTheNewest(DynamicBatcher):
    def due_ms(self):
        return self.waiting[-1][1] + self.window_ms


class TheRestWaitsAgain(DynamicBatcher):
    """Whoever a full batch leaves behind waits a whole window from then on."""

    since_ms = None

    def submit(self, name, now_ms):
        if not self.waiting:
            self.since_ms = now_ms
        super().submit(name, now_ms)

    def due_ms(self):
        return self.since_ms + self.window_ms

    def next_batch(self, now_ms):
        names = super().next_batch(now_ms)
        if names and self.waiting:
            self.since_ms = now_ms
        return names


class NeverWaits(DynamicBatcher):
    def next_batch(self, now_ms):
        return self.take()


class WaitsForFull(DynamicBatcher):
    def next_batch(self, now_ms):
        return self.take() if len(self.waiting) >= self.max_batch else []


class AlwaysWaits(DynamicBatcher):
    def next_batch(self, now_ms):
        return self.take() if self.waiting and now_ms >= self.due_ms() else []


class LateByAMoment(DynamicBatcher):
    def next_batch(self, now_ms):
        full = len(self.waiting) >= self.max_batch
        return self.take() if full or (self.waiting and now_ms > self.due_ms()) else []


class LeavesTheLast(DynamicBatcher):
    """``zip`` stops at the shorter of two lists."""

    def deliver(self, results):
        for name, result in zip(self.running, results):
            if name not in self.gone:
                self.resolve(name, result)


class GuessesWhose(DynamicBatcher):
    """Fails those without a result, and trusts the order for the others."""

    def deliver(self, results):
        missing = len(self.running) - len(results)
        for name, result in zip(self.running, [*results, *["failed"] * missing]):
            if name not in self.gone:
                self.resolve(name, result)


class StumblesOverTheGone(DynamicBatcher):
    def deliver(self, results):
        if len(results) != len(self.running):
            results = ["failed"] * len(self.running)
        for name, result in zip(self.running, results):
            self.resolve(name, result)


class StopsAtTheGone(DynamicBatcher):
    def deliver(self, results):
        if len(results) != len(self.running):
            results = ["failed"] * len(self.running)
        for name, result in zip(self.running, results):
            if name in self.gone:
                break
            self.resolve(name, result)


class ClosesTheGap(DynamicBatcher):
    """Leaves those who hung up out of the batch, and so moves the results of the others."""

    def deliver(self, results):
        if len(results) != len(self.running):
            results = ["failed"] * len(self.running)
        for name, result in zip([n for n in self.running if n not in self.gone], results):
            self.resolve(name, result)


class AllForOne(DynamicBatcher):
    def deliver(self, results):
        if self.gone & set(self.running):
            results = []
        super().deliver(results)


class TakesEverybody(DynamicBatcher):
    def submit(self, name, now_ms):
        self.waiting.append((name, now_ms))


class SaysNothing(DynamicBatcher):
    def submit(self, name, now_ms):
        if len(self.waiting) < self.max_waiting:
            self.waiting.append((name, now_ms))


class DropsTheOldest(DynamicBatcher):
    def submit(self, name, now_ms):
        self.waiting.append((name, now_ms))
        while len(self.waiting) > self.max_waiting:
            self.resolve(self.waiting.pop(0)[0], "refused")


class OneTooMany(DynamicBatcher):
    def submit(self, name, now_ms):
        if len(self.waiting) > self.max_waiting:
            self.resolve(name, "refused")
        else:
            self.waiting.append((name, now_ms))


class CountsTheRunning(DynamicBatcher):
    def submit(self, name, now_ms):
        if len(self.waiting) + len(self.running) >= self.max_waiting:
            self.resolve(name, "refused")
        else:
            self.waiting.append((name, now_ms))
