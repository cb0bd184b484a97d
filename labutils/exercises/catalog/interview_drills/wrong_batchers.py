"""Batchers that do not survive the stories of the code drill, each by one mistake."""

from .batchers import Batcher


class WaitsForFull(Batcher):
    def ready(self, size, now_ms):
        return size == self.max_batch or size < len(self.line)


class GoesAtOnce(Batcher):
    def ready(self, size, now_ms):
        return True


class WindowOfTheNewest(Batcher):
    """Every newcomer makes the others wait longer."""

    def ready(self, size, now_ms):
        full = size == self.max_batch or size < len(self.line)
        return full or now_ms >= self.line[-1].came_ms + self.window_ms


class LateByAMoment(Batcher):
    """Whoever has waited for exactly a window waits on."""

    def ready(self, size, now_ms):
        full = size == self.max_batch or size < len(self.line)
        return full or now_ms > self.line[0].came_ms + self.window_ms


class WaitsThoughFull(Batcher):
    """The window alone decides."""

    def ready(self, size, now_ms):
        return now_ms >= self.line[0].came_ms + self.window_ms


class WindowFromTheGpu(Batcher):
    """Whoever came while the GPU worked gets a fresh window when it is back."""

    def ready(self, size, now_ms):
        full = size == self.max_batch or size < len(self.line)
        return full or now_ms >= max(self.line[0].came_ms, self.back_ms) + self.window_ms


class TwoAtOnce(Batcher):
    """Hands out a batch while the GPU still works on another, which is forgotten."""

    def poll(self, now_ms):
        self.batch = self.next_half() or self.from_the_line(now_ms) or self.batch
        self.left_ms = now_ms
        return list(self.batch)


class AddsTokens(Batcher):
    """Counts the tokens that were sent, without the padding."""

    def fitting(self):
        tokens = 0
        for size, ticket in enumerate(self.line[: self.max_batch]):
            tokens += ticket.tokens
            if tokens > self.max_tokens:
                return size
        return min(len(self.line), self.max_batch)


class CountsHeadsOnly(Batcher):
    def fitting(self):
        return min(len(self.line), self.max_batch)


class WaitsForTheWrongOne(Batcher):
    """A batch into which the next does not fit waits for its window all the same."""

    def ready(self, size, now_ms):
        return size == self.max_batch or now_ms >= self.line[0].came_ms + self.window_ms


class LetsTheShortOvertake(Batcher):
    """Leaves out whoever does not fit and goes on behind them."""

    def from_the_line(self, now_ms):
        taken, rest = [], list(self.line)
        for ticket in self.line:
            longest = max([ticket.tokens, *(one.tokens for one in taken)])
            if len(taken) < self.max_batch and (len(taken) + 1) * longest <= self.max_tokens:
                taken.append(ticket)
                rest.remove(ticket)
        self.line, front = [*taken, *rest], self.line
        went = super().from_the_line(now_ms)
        self.line = rest if went else front
        return went


class TakesTheEssay(Batcher):
    """Lets in what fits into no batch."""

    def submit(self, name, tokens, now_ms):
        return super().submit(name, min(tokens, self.max_tokens), now_ms)


class FailsAsOne(Batcher):
    def done(self, results, now_ms):
        return super().done([None] * len(self.batch) if results is None else results, now_ms)


class OneByOne(Batcher):
    def try_again(self, batch):
        self.halves += [[name] for name in reversed(batch)]


class HalvesAtTheEnd(Batcher):
    """Whoever waits goes before the halves."""

    def poll(self, now_ms):
        if self.batch:
            return []
        self.batch = self.from_the_line(now_ms) or self.next_half()
        self.left_ms = now_ms
        return list(self.batch)


class BackHalfFirst(Batcher):
    def try_again(self, batch):
        half = len(batch) // 2
        self.halves += [batch[:half], batch[half:]]


class LevelByLevel(Batcher):
    """New halves queue behind those that are there, and a batch is tried again level by level."""

    def try_again(self, batch):
        half = len(batch) // 2
        self.halves = [batch[half:], batch[:half], *self.halves]


class TriesTheSameAgain(Batcher):
    """A batch that failed goes again as it is."""

    def try_again(self, batch):
        self.halves.append(batch)


class StaysInTheLine(Batcher):
    """Goes to the GPU although it has hung up."""

    def cancel(self, name, now_ms):
        self.gone.add(name)


class ForgetsTheBatch(Batcher):
    """A hang-up is heard in the line alone."""

    def cancel(self, name, now_ms):
        super().cancel(name, now_ms)
        self.gone.discard(name)


class ClosesTheGap(Batcher):
    """Strikes those who hung up off the batch before it pairs: the results move up."""

    def done(self, results, now_ms):
        batch = self.batch
        told = super().done(results, now_ms)
        if results is None:
            return told
        return dict(zip([name for name in batch if name not in self.gone], results))


class BlamesTheRest(Batcher):
    """Leaves out those who hung up, and whoever is left alone is to blame."""

    def done(self, results, now_ms):
        size, left = len(self.batch), [name for name in self.batch if name not in self.gone]
        told = super().done(results, now_ms)
        if results is None and size > 1 and len(left) == 1:
            self.halves = self.halves[:-2]
            return {left[0]: None}
        return told


class RetriesTheGone(Batcher):
    """Computes again for those who have hung up."""

    def next_half(self):
        return self.halves.pop() if self.halves else []


class TakesEverybody(Batcher):
    def is_full(self):
        return False


class CountsTheRunning(Batcher):
    def is_full(self):
        waiting = len(self.line) + len(self.batch) + sum(map(len, self.halves))
        return waiting >= self.max_waiting


class OneTooMany(Batcher):
    def is_full(self):
        return len(self.line) > self.max_waiting


class CountsThoseWhoLeft(Batcher):
    """Reads the waits off the batches: who hangs up and who still stands there is not seen."""

    def proof(self, now_ms):
        return self.wait_ms, self.company_ms

    def cancel(self, name, now_ms):
        self.line = [ticket for ticket in self.line if ticket.name != name]
        self.gone.add(name)


class ForgetsWhoGaveUp(Batcher):
    """Who hung up in the line is not measured."""

    def cancel(self, name, now_ms):
        self.line = [ticket for ticket in self.line if ticket.name != name]
        self.gone.add(name)


class ForgetsWhoWaits(Batcher):
    """Reads off those who have gone, either way, and not the line."""

    def proof(self, now_ms):
        return self.wait_ms, self.company_ms


class BlamesTheWindow(Batcher):
    """One clock: the time in which the GPU was busy counts as waiting for company."""

    def idle_ms(self, now_ms):
        return now_ms
