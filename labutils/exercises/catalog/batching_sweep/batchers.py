"""The batchers of the repair exercise: the one that loses nobody, and those that do."""

from labutils.exercises.definition.sheet import says

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
        self.hand_out(results)

    def hand_out(self, results):
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


_ANY_OTHER_NUMBER = (
    "You look for one wrong number of results, too few or too many, and pass the other. What holds "
    "in both cases?"
)


class Wrong:
    class WindowFromTheLook(DynamicBatcher):
        """The window begins when somebody looks at the line. When did the oldest request begin to
        wait, and where is that written down?"""

        since_ms = None
        next_batch = HandedOut.next_batch

    class WindowFromTheNewest(DynamicBatcher):
        """Every newcomer prolongs the window. Whose patience is it?"""

        def due_ms(self):
            return self.waiting[-1][1] + self.window_ms

    class TheRestWaitsAgain(DynamicBatcher):
        """Whoever a full batch leaves behind waits a whole window once more. When did it begin to
        wait, and where is that written down?"""

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
        """Your batch goes although the window has not passed and there is room. (A good rule, as it
        happens. Here the window is a promise to the machine's owner.)"""

        def next_batch(self, now_ms):
            return self.take()

    class WaitsForFull(DynamicBatcher):
        """Your batcher waits for a full batch, however long that takes."""

        def next_batch(self, now_ms):
            return self.take() if len(self.waiting) >= self.max_batch else []

    class WaitsAlthoughFull(DynamicBatcher):
        """Your full batch waits for its window. For whom?"""

        def next_batch(self, now_ms):
            return self.take() if self.waiting and now_ms >= self.due_ms() else []

    class OneMoreThanFull(DynamicBatcher):
        """A batch of `max_batch` waits for one more. When is it full?"""

        def next_batch(self, now_ms):
            full = len(self.waiting) > self.max_batch
            return self.take() if full or (self.waiting and now_ms >= self.due_ms()) else []

    class JustFull(DynamicBatcher):
        """Your full batch goes at once, unless more are waiting than it holds. Is it less full
        then?"""

        def next_batch(self, now_ms):
            full = len(self.waiting) == self.max_batch
            return self.take() if full or (self.waiting and now_ms >= self.due_ms()) else []

    class EarlyByAMoment(DynamicBatcher):
        """Your batch goes a millisecond before its window has passed."""

        def due_ms(self):
            return super().due_ms() - 1

    class LateByAMoment(DynamicBatcher):
        """At the very millisecond at which the window has passed, your batcher still waits."""

        def next_batch(self, now_ms):
            full = len(self.waiting) >= self.max_batch
            return self.take() if full or (self.waiting and now_ms > self.due_ms()) else []

    class LeavesTheLast(DynamicBatcher):
        """Where the number of results is not that of the batch, `zip` pairs as many as it can: with
        one missing somebody is never answered, with one too many nobody knows whose they are. What
        do you compare first?"""

        def deliver(self, results):
            self.hand_out(results)

    @says(_ANY_OTHER_NUMBER)
    class TooManyAreFine(DynamicBatcher):
        def deliver(self, results):
            super().deliver(results[: len(self.running)])

    @says(_ANY_OTHER_NUMBER)
    class TooFewAreFine(DynamicBatcher):
        def deliver(self, results):
            (super().deliver if len(results) > len(self.running) else self.hand_out)(results)

    class GuessesWhose(DynamicBatcher):
        """The number of results is not that of the batch, and you hand them out all the same. How
        do you know which of them is whose?"""

        def deliver(self, results):
            missing = len(self.running) - len(results)
            self.hand_out([*results, *["failed"] * missing])

    class EmptyIsFailed(DynamicBatcher):
        """A result that is 0, "" or None is taken for a failure. What does the text compare before
        it fails anybody?"""

        def hand_out(self, results):
            super().hand_out([result or "failed" for result in results])

    class EmptyIsLeftOut(DynamicBatcher):
        """A result of None is not counted, and the whole batch fails for it. Has the model left
        anybody out?"""

        def deliver(self, results):
            super().deliver([result for result in results if result is not None])

    class StumblesOverTheGone(DynamicBatcher):
        """One caller has hung up, and your delivery ends there. What becomes of the rest of the
        batch?"""

        def hand_out(self, results):
            for name, result in zip(self.running, results):
                self.resolve(name, result)

    class FailsTheGoneToo(DynamicBatcher):
        """You look at who has hung up where the results fit, and not where the batch fails. Who
        gets an answer then?"""

        def deliver(self, results):
            if len(results) == len(self.running):
                self.hand_out(results)
            else:
                for name in self.running:
                    self.resolve(name, "failed")

    class StopsAtTheGone(DynamicBatcher):
        """Your delivery stops at the caller who has hung up. Who in the batch comes after?"""

        def hand_out(self, results):
            for name, result in zip(self.running, results):
                if name in self.gone:
                    break
                self.resolve(name, result)

    class ClosesTheGap(DynamicBatcher):
        """Results come by place in the batch. You leave out who has hung up, and the places behind
        move up: whose answer do they get?"""

        def hand_out(self, results):
            for name, result in zip([n for n in self.running if n not in self.gone], results):
                self.resolve(name, result)

    class AllForOne(DynamicBatcher):
        """One has hung up, and now the whole batch fails."""

        def deliver(self, results):
            if self.gone & set(self.running):
                results = []
            super().deliver(results)

    class TakesEverybody(DynamicBatcher):
        """The line grows without end. How many may wait?"""

        def submit(self, name, now_ms):
            self.waiting.append((name, now_ms))

    class SaysNothing(DynamicBatcher):
        """You leave out those for whom there is no room, and do not tell them. What does the caller
        wait for?"""

        def submit(self, name, now_ms):
            if len(self.waiting) < self.max_waiting:
                self.waiting.append((name, now_ms))

    class RefusedAndKept(DynamicBatcher):
        """Who is refused stands in the line all the same. What ends `submit` for them?"""

        def submit(self, name, now_ms):
            if len(self.waiting) >= self.max_waiting:
                self.resolve(name, "refused")
            self.waiting.append((name, now_ms))

    class DropsTheOldest(DynamicBatcher):
        """You turn away those who have waited longest. The text says who is refused."""

        def submit(self, name, now_ms):
            self.waiting.append((name, now_ms))
            while len(self.waiting) > self.max_waiting:
                self.resolve(self.waiting.pop(0)[0], "refused")

    class OneTooMany(DynamicBatcher):
        """One more waits than there is room for."""

        def submit(self, name, now_ms):
            if len(self.waiting) > self.max_waiting:
                self.resolve(name, "refused")
            else:
                self.waiting.append((name, now_ms))

    class CountsTheRunning(DynamicBatcher):
        """You count the batch in work. Does it take room in the line?"""

        def submit(self, name, now_ms):
            if len(self.waiting) + len(self.running) >= self.max_waiting:
                self.resolve(name, "refused")
            else:
                self.waiting.append((name, now_ms))
