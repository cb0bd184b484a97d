"""A tape on which a story of the batcher is recorded while the workbook's own plays along."""

from labutils.exercises.checkers import Call, New, Read

from .batchers import Batcher

NAMES = [f"c{number}" for number in range(1, 10)]


class Tape:
    """The steps of a story; the workbook's own batcher plays along, so that the GPU knows whose
    results it returns. Whoever is in ``bad`` makes the model raise."""

    def __init__(self, draw, *, max_batch=4, window_ms=10.5, max_tokens=90_000, max_waiting=99):
        settings = (max_batch, window_ms, max_tokens, max_waiting)
        self.draw, self.own, self.bad = draw, Batcher(*settings), set()
        self.steps = [New(settings)]

    def submit(self, at_ms, name, tokens=None, *, look=False):
        """Somebody asks; with ``look`` the answer at the door is read."""
        tokens = self.draw.whole(20, 400) if tokens is None else tokens
        self.own.submit(name, tokens, at_ms)
        self.steps.append((Read if look else Call)("submit", (name, tokens, at_ms)))

    def poll(self, at_ms):
        self.own.poll(at_ms)
        self.steps.append(Read("poll", (at_ms,)))

    def done(self, at_ms):
        """The GPU is back, with results of its own for everybody in the batch, or none."""
        batch, results = self.own.batch, None
        if not self.bad & set(batch):
            results = self.draw.shuffled(range(100, 1000))[: len(batch)]
        self.own.done(results, at_ms)
        self.steps.append(Read("done", (results, at_ms)))

    def serve(self, at_ms, takes_ms):
        """A batch leaves, and comes back after ``takes_ms``; return when."""
        self.poll(at_ms)
        self.done(at_ms + takes_ms)
        return at_ms + takes_ms

    def cancel(self, at_ms, name):
        self.own.cancel(name, at_ms)
        self.steps.append(Call("cancel", (name, at_ms)))

    def proof(self, at_ms):
        self.steps.append(Read("proof", (at_ms,)))
        self.own.proof(at_ms)
