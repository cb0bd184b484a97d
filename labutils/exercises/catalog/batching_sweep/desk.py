"""What a batcher has before it decides anything: a line, a batch in work, answers."""

from asyncio import InvalidStateError


class Desk:
    """The desk of a batcher. Times are whole milliseconds on one clock, told by whoever calls.

    ``waiting`` holds (name, arrival in ms), oldest first; ``running`` the names of the batch in
    work; ``gone`` who has hung up; ``answers`` what was answered to whom.
    """

    def __init__(self, max_batch, window_ms, max_waiting):
        self.max_batch, self.window_ms, self.max_waiting = max_batch, window_ms, max_waiting
        self.waiting, self.running, self.gone, self.answers = [], [], set(), {}

    def take(self):
        """Move the oldest, ``max_batch`` at most, from the line into work; return their names."""
        self.running = [name for name, _ in self.waiting[: self.max_batch]]
        self.waiting = self.waiting[self.max_batch :]
        return list(self.running)

    def cancel(self, name):
        """The caller hangs up: out of the line, or out of the batch when it is done."""
        self.gone.add(name)
        self.waiting = [entry for entry in self.waiting if entry[0] != name]

    def resolve(self, name, answer):
        """Answer one caller; raises ``InvalidStateError`` for one who has hung up, as asyncio."""
        if name in self.gone:
            raise InvalidStateError(f"{name} has hung up")
        self.answers[name] = answer

    def answer(self, name):
        """What this caller was told so far."""
        return self.answers.get(name, "no answer")
