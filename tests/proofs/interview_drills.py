"""Proofs of the first two code drills: candidates' mistakes, right answers of other styles.

Those of the others stand in ``code_drills``.
"""

from collections import Counter, deque

from labutils.exercises.definition.verdict import Status
from tests.proofs.code_drills import PROOFS as MORE
from tests.proofs.proof import Proof

# --- interview.batcher --------------------------------------------------------------------------


class UntilMinuteThirty:
    """The dealer before anybody asks for a proof."""

    def __init__(self, max_batch, window_ms, max_tokens, max_waiting):
        self.limits = max_batch, window_ms, max_tokens, max_waiting
        self.waiting, self.jobs, self.out = {}, deque(), None
        self.left, self.worked, self.most = set(), [], [0.0, 0.0]

    def submit(self, name, tokens, now_ms):
        _, _, max_tokens, max_waiting = self.limits
        welcome = len(self.waiting) < max_waiting and tokens <= max_tokens
        if welcome:
            self.waiting[name] = (tokens, now_ms)
        return welcome

    def poll(self, now_ms):
        if self.out:
            return []
        while self.jobs:
            job = [name for name in self.jobs.popleft() if name not in self.left]
            if job:
                return self.send(job, now_ms)
        front, full = self.front()
        due = front and now_ms - self.waiting[front[0]][1] >= self.limits[1]
        if not (due or full):
            return []
        for name in front:
            self.measure(now_ms, self.waiting.pop(name)[1])
        return self.send(front, now_ms)

    def send(self, job, now_ms):
        self.out = job
        self.worked.append([now_ms, None])
        return job[:]

    def front(self):
        front, longest = [], 0
        for name, (tokens, _) in self.waiting.items():
            longest = max(longest, tokens)
            if len(front) == self.limits[0] or longest * (len(front) + 1) > self.limits[2]:
                return front, True
            front.append(name)
        return front, len(front) == self.limits[0]

    def done(self, results, now_ms):
        job, self.out = self.out, None
        self.worked[-1][1] = now_ms
        if results is None:
            middle = len(job) // 2
            if middle:
                self.jobs.extendleft([job[middle:], job[:middle]])
                return {}
            results = [None]
        return {job[k]: results[k] for k in range(len(job)) if job[k] not in self.left}

    def cancel(self, name, now_ms):
        self.left.add(name)
        if name in self.waiting:
            self.measure(now_ms, self.waiting.pop(name)[1])

    def measure(self, now_ms, came_ms):
        busy = sum(
            max(0, min(now_ms, now_ms if end is None else end) - max(came_ms, start))
            for start, end in self.worked
        )
        waits = now_ms - came_ms, now_ms - came_ms - busy
        self.most = [max(pair) for pair in zip(self.most, waits)]


class Dealer(UntilMinuteThirty):
    """A right batcher of another style: a dict of those who wait, and a queue of jobs."""

    def proof(self, now_ms):
        for _, came_ms in self.waiting.values():
            self.measure(now_ms, came_ms)
        return self.most


class Slices(Dealer):
    """Sends the first `max_batch`, whatever they cost."""

    def front(self):
        front = list(self.waiting)[: self.limits[0]]
        return front, len(front) == self.limits[0]


class PaysForWhatIsSent(Dealer):
    def front(self):
        front, tokens = [], 0
        for name, (own, _) in self.waiting.items():
            tokens += own
            if len(front) == self.limits[0] or tokens > self.limits[2]:
                return front, True
            front.append(name)
        return front, len(front) == self.limits[0]


class OnlyTheClock(Dealer):
    def front(self):
        return super().front()[0], False


class SortsByLength(Dealer):
    """Less padding, and nobody asked."""

    def front(self):
        self.waiting = dict(sorted(self.waiting.items(), key=lambda item: item[1][0]))
        return super().front()


class EveryoneGetsTheError(Dealer):
    def done(self, results, now_ms):
        return super().done([None] * len(self.out) if results is None else results, now_ms)


class OneAfterTheOther(Dealer):
    def done(self, results, now_ms):
        job = self.out
        told = super().done(results, now_ms)
        if results is None and len(job) > 1:
            self.jobs.popleft(), self.jobs.popleft()
            self.jobs.extendleft([[name] for name in reversed(job)])
        return told


class BackToTheLine(Dealer):
    """Halves stand behind whoever waits."""

    def poll(self, now_ms):
        jobs, self.jobs = self.jobs, deque()
        went = super().poll(now_ms)
        self.jobs = jobs
        return went or super().poll(now_ms)


class WholeAgain(Dealer):
    """Puts a failed batch back as it was."""

    def done(self, results, now_ms):
        job = self.out
        told = super().done(results, now_ms)
        if results is None and len(job) > 1:
            self.jobs.popleft(), self.jobs.popleft()
            self.jobs.appendleft(job)
        return told


class SwapsTheHalves(Dealer):
    def done(self, results, now_ms):
        job = self.out
        told = super().done(results, now_ms)
        if results is None and len(job) > 1:
            front, back = self.jobs.popleft(), self.jobs.popleft()
            self.jobs.extendleft([front, back])
        return told


class QueueOfHalves(Dealer):
    """The halves go to the end of the jobs."""

    def done(self, results, now_ms):
        job = self.out
        told = super().done(results, now_ms)
        if results is None and len(job) > 1:
            self.jobs.rotate(-2)
        return told


class LastOfTheFront(Dealer):
    """The window begins with the last one who fits."""

    def poll(self, now_ms):
        front, full = self.front()
        waits = front and not full and now_ms - self.waiting[front[-1]][1] < self.limits[1]
        return [] if waits and not self.jobs else super().poll(now_ms)


class LongerThanTheWindow(Dealer):
    """Asks whether somebody has waited for more than the window."""

    def poll(self, now_ms):
        front, full = self.front()
        waits = front and not full and now_ms - self.waiting[front[0]][1] <= self.limits[1]
        return [] if waits and not self.jobs else super().poll(now_ms)


class NobodyGaveUp(Dealer):
    """Who hangs up is not measured, those who stand in the line are."""

    def cancel(self, name, now_ms):
        self.left.add(name)
        self.waiting.pop(name, None)


class StrikesTheBatch(Dealer):
    """Takes whoever hangs up out of the batch in work: the results move up by a place."""

    def done(self, results, now_ms):
        kept = [name for name in self.out if name not in self.left]
        if results is not None:
            self.out, results = kept, results[: len(kept)]
        return super().done(results, now_ms)


class DeafToCancels(Dealer):
    def cancel(self, name, now_ms):
        pass


class AnswersAnyway(Dealer):
    def done(self, results, now_ms):
        left, self.left = self.left, set()
        told = super().done(results, now_ms)
        self.left = left
        return told


class NoDoor(Dealer):
    def submit(self, name, tokens, now_ms):
        self.limits = (*self.limits[:3], 10**9)
        return super().submit(name, tokens, now_ms)


class CountsAllInside(Dealer):
    def submit(self, name, tokens, now_ms):
        inside = len(self.waiting) + len(self.out or ())
        return inside < self.limits[3] and super().submit(name, tokens, now_ms)


class Survivors(Dealer):
    """Measures whoever a batch has taken."""

    def proof(self, now_ms):
        return self.most

    def cancel(self, name, now_ms):
        self.left.add(name)
        self.waiting.pop(name, None)


class OneStopwatch(Dealer):
    def measure(self, now_ms, came_ms):
        self.most = [max(self.most[0], now_ms - came_ms)] * 2


class RoundsTheProof(Dealer):
    """Rounds the waits to tens of milliseconds, as a histogram would."""

    def proof(self, now_ms):
        return [round(value, -1) for value in super().proof(now_ms)]


# --- interview.allocator ------------------------------------------------------------------------


class Tables:
    """A right pool of another style: owners are counted from the tables whenever asked."""

    def __init__(self, num_pages, page_tokens):
        self.num_pages, self.size, self.entries = num_pages, page_tokens, {}

    def owners(self):
        return Counter(page for pages, _ in self.entries.values() for page in pages)

    def spare(self):
        owners = self.owners()
        return [page for page in range(self.num_pages) if page not in owners]

    def num_free(self):
        return len(self.spare())

    def table(self, name):
        return list(self.entries.get(name, ((), 0))[0])

    def shared(self, pages, held):
        return bool(held % self.size) and self.owners()[pages[-1]] > 1

    def grow(self, name, tokens):
        pages, held = self.entries.get(name, ((), 0))
        keep = pages[:-1] if tokens and self.shared(pages, held) else pages
        need, spare = (held + tokens + self.size - 1) // self.size - len(keep), self.spare()
        if need > len(spare):
            return False
        self.entries[name] = (*keep, *spare[:need]), held + tokens
        return True

    def free(self, name):
        return self.entries.pop(name, None) is not None

    def fork(self, name, new):
        if name in self.entries and new not in self.entries:
            self.entries[new] = self.entries[name]
            return True
        return False


class CopiesBeforeItCounts(Tables):
    """Whoever grows gets a last page of its own, with or without a token to write."""

    def grow(self, name, tokens):
        pages, held = self.entries.get(name, ((), 0))
        if tokens == 0 and self.shared(pages, held):
            if not self.spare():
                return False
            self.entries[name] = (*pages[:-1], self.spare()[0]), held
        return super().grow(name, tokens)


class RoundsUpTwice(Tables):
    def grow(self, name, tokens):
        return super().grow(name, -(-tokens // self.size) * self.size)


class NeverRefuses(Tables):
    """Takes what is there, and says yes."""

    def grow(self, name, tokens):
        pages, held = self.entries.get(name, ((), 0))
        keep = pages[:-1] if self.shared(pages, held) else pages
        need = (held + tokens + self.size - 1) // self.size - len(keep)
        self.entries[name] = (*keep, *self.spare()[:need]), held + tokens
        return True


class PartOfIt(Tables):
    """A refusal keeps what it got."""

    def grow(self, name, tokens):
        pages, held = self.entries.get(name, ((), 0))
        if super().grow(name, tokens):
            return True
        self.entries[name] = (*pages, *self.spare()), held
        return False


class AnyoneMayFree(Tables):
    def free(self, name):
        super().free(name)
        return True


class FreesByNumber(Tables):
    """Whoever leaves takes its pages out of everybody's table."""

    def free(self, name):
        gone = self.table(name)
        done = super().free(name)
        self.entries = {
            other: (tuple(page for page in pages if page not in gone), held)
            for other, (pages, held) in self.entries.items()
        }
        return done


class DeepCopies(Tables):
    def fork(self, name, new):
        free = name in self.entries and new not in self.entries
        return free and self.grow(new, self.entries[name][1])


class FromTheTop(Tables):
    def spare(self):
        return super().spare()[::-1]


class CopiesThemAll(Tables):
    """Whoever writes into a shared page gets pages of its own for everything."""

    def grow(self, name, tokens):
        pages, held = self.entries.get(name, ((), 0))
        keep = () if self.shared(pages, held) else pages
        need, spare = (held + tokens + self.size - 1) // self.size - len(keep), self.spare()
        if need > len(spare):
            return False
        self.entries[name] = (*keep, *spare[:need]), held + tokens
        return True


class OldestFirst(Tables):
    """Free pages in the order in which they became free."""

    def __init__(self, num_pages, page_tokens):
        super().__init__(num_pages, page_tokens)
        self.order = list(range(num_pages))

    def spare(self):
        free = super().spare()
        self.order = [page for page in self.order if page in free]
        self.order += [page for page in free if page not in self.order]
        return self.order[:]

    def grow(self, name, tokens):
        grown = super().grow(name, tokens)
        self.spare()  # what was taken is in the order no more
        return grown


class TwoPens(Tables):
    def shared(self, pages, held):
        return False


class CopiesAtTheEdge(Tables):
    def shared(self, pages, held):
        return bool(pages) and self.owners()[pages[-1]] > 1


class OverwritesAName(Tables):
    def fork(self, name, new):
        if name not in self.entries:
            return False
        self.entries[new] = self.entries[name]
        return True


class ChildOfNobody(Tables):
    def fork(self, name, new):
        if new in self.entries:
            return False
        self.entries[new] = self.entries.get(name, ([], 0))
        return True


class RaisesWithoutRoom(Tables):
    def grow(self, name, tokens):
        if not super().grow(name, tokens):
            raise MemoryError("no page is free")
        return True


class SharesTokensOnly(Tables):
    """Forgets the copy when it asks for room, and takes a page that is not there."""

    def grow(self, name, tokens):
        pages, held = self.entries.get(name, ((), 0))
        need, spare = (held + tokens + self.size - 1) // self.size - len(pages), self.spare()
        if need > len(spare):
            return False
        keep = pages[:-1] if self.shared(pages, held) else pages
        self.entries[name] = (*keep, *spare[: need + len(pages) - len(keep)]), held + tokens
        return True


PROOFS = {
    "interview.batcher": Proof(
        mistakes={
            "slices": (Slices, "heads-only"),
            "pays for what is sent": (PaysForWhatIsSent, "without-padding"),
            "only the clock": (OnlyTheClock, "waits-though-full"),
            "sorts by length": (SortsByLength, Status.wrong),
            "everyone gets the error": (EveryoneGetsTheError, "fails-as-one"),
            "one after the other": (OneAfterTheOther, "one-by-one"),
            "back to the line": (BackToTheLine, "halves-at-the-end"),
            "whole again": (WholeAgain, "the-same-again"),
            "swaps the halves": (SwapsTheHalves, "back-half-first"),
            "a queue of halves": (QueueOfHalves, "level-by-level"),
            "last of the front": (LastOfTheFront, "window-of-the-newest"),
            "longer than the window": (LongerThanTheWindow, "late-by-a-moment"),
            "nobody gave up": (NobodyGaveUp, "those-who-gave-up"),
            "until minute 30": (UntilMinuteThirty, Status.wrong),
            "strikes the batch": (StrikesTheBatch, "closes-the-gap"),
            "deaf to cancels": (DeafToCancels, "stays-in-the-line"),
            "answers anyway": (AnswersAnyway, "answers-the-gone"),
            "no door": (NoDoor, "takes-everybody"),
            "counts all inside": (CountsAllInside, "counts-the-running"),
            "survivors": (Survivors, "those-who-left"),
            "one stopwatch": (OneStopwatch, "one-clock"),
            "rounds the proof": (RoundsTheProof, Status.wrong),
            "an instance": (Dealer(4, 10.5, 900, 9), Status.unreadable),
        },
        alternatives={"jobs and a dict": Dealer},
    ),
    "interview.allocator": Proof(
        mistakes={
            "rounds up twice": (RoundsUpTwice, "pages-for-each-call"),
            "never refuses": (NeverRefuses, Status.wrong),
            "part of it": (PartOfIt, "takes-what-there-is"),
            "anyone may free": (AnyoneMayFree, "never-says-no"),
            "frees by number": (FreesByNumber, Status.wrong),
            "deep copies": (DeepCopies, "copies-everything"),
            "from the top": (FromTheTop, "the-highest-first"),
            "oldest first": (OldestFirst, "a-queue-of-pages"),
            "copies them all": (CopiesThemAll, "copies-the-table"),
            "two pens": (TwoPens, "writes-into-shared"),
            "copies before it counts": (CopiesBeforeItCounts, "copies-for-nothing"),
            "copies at the edge": (CopiesAtTheEdge, "copies-full-pages"),
            "overwrites a name": (OverwritesAName, Status.wrong),
            "a child of nobody": (ChildOfNobody, "forks-the-unknown"),
            "raises without room": (RaisesWithoutRoom, Status.raised),
            "asks for the tokens alone": (SharesTokensOnly, "forgets-the-copy"),
        },
        alternatives={"counted from the tables": Tables},
    ),
} | MORE
