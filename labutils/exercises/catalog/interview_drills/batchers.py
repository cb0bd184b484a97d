"""The batcher of the code drill, as the workbook writes it.

It decides and does nothing else: it reads no clock (it is told the time, in milliseconds), starts
no thread and computes nothing. Its decisions are small methods: a wrong batcher differs in one.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Ticket:
    """Who waits: ``idle_ms`` is how long the GPU had been idle when the request came."""

    name: str
    tokens: int
    came_ms: float
    idle_ms: float


class Batcher:
    """Decides who goes to the GPU when; a batch costs its size times its longest text.

    Invariant: whoever was let in is in ``line``, in one of ``halves``, in ``batch``, answered, or
    has hung up. ``done`` without a batch, or with as many results as nobody asked for, is a
    ``ValueError``: a story that was cut short in the wrong place.
    """

    def __init__(self, max_batch, window_ms, max_tokens, max_waiting):
        self.max_batch, self.window_ms = max_batch, window_ms
        self.max_tokens, self.max_waiting = max_tokens, max_waiting
        self.line, self.halves, self.batch, self.gone = [], [], [], set()
        self.busy_ms = self.left_ms = self.back_ms = 0.0
        self.wait_ms = self.company_ms = 0.0

    def submit(self, name, tokens, now_ms):
        """Let a request in, or refuse it: True or False."""
        if self.is_full() or tokens > self.max_tokens:
            return False
        self.line.append(Ticket(name, tokens, now_ms, self.idle_ms(now_ms)))
        return True

    def is_full(self):
        """Whether the line has no room."""
        return len(self.line) >= self.max_waiting

    def poll(self, now_ms):
        """The names that go to the GPU now; nobody while it is busy."""
        if self.batch:
            return []
        self.batch = self.next_half() or self.from_the_line(now_ms)
        self.left_ms = now_ms
        return list(self.batch)

    def next_half(self):
        """The next half of a batch that failed, without those who have hung up."""
        while self.halves:
            if half := [name for name in self.halves.pop() if name not in self.gone]:
                return half
        return []

    def from_the_line(self, now_ms):
        """The front of the line, if it should leave now."""
        size = self.fitting()
        if not self.line or not self.ready(size, now_ms):
            return []
        leaving, self.line = self.line[:size], self.line[size:]
        for ticket in leaving:
            self.note(ticket, now_ms)
        return [ticket.name for ticket in leaving]

    def fitting(self):
        """How many from the front of the line fit into one batch."""
        longest = 0
        for size, ticket in enumerate(self.line[: self.max_batch]):
            longest = max(longest, ticket.tokens)
            if (size + 1) * longest > self.max_tokens:
                return size
        return min(len(self.line), self.max_batch)

    def ready(self, size, now_ms):
        """Whether the front of the line is full, or its oldest has waited long enough."""
        full = size == self.max_batch or size < len(self.line)
        return full or now_ms >= self.line[0].came_ms + self.window_ms

    def done(self, results, now_ms):
        """Who hears what now that the GPU is back; ``results`` is None where the model raised."""
        batch, self.batch = self.batch, []
        if not batch or (results is not None and len(results) != len(batch)):
            raise ValueError(f"results = {results!r}: expected those of {batch}")
        self.busy_ms, self.back_ms = self.busy_ms + now_ms - self.left_ms, now_ms
        if results is None and len(batch) > 1:
            self.try_again(batch)
            return {}
        told = zip(batch, results or [None])
        return {name: result for name, result in told if name not in self.gone}

    def try_again(self, batch):
        """Put both halves before everybody who waits, the front half first."""
        half = len(batch) // 2
        self.halves += [batch[half:], batch[:half]]

    def cancel(self, name, now_ms):
        """Somebody does not want the answer any more."""
        for ticket in [ticket for ticket in self.line if ticket.name == name]:
            self.note(ticket, now_ms)
            self.line.remove(ticket)
        self.gone.add(name)

    def proof(self, now_ms):
        """The longest wait so far, and the longest while the GPU was idle, in ms.

        Whoever left, whoever hung up in the line and whoever stands in it counts.
        """
        for ticket in self.line:
            self.note(ticket, now_ms)
        return self.wait_ms, self.company_ms

    def note(self, ticket, now_ms):
        """Remember how long somebody has waited, on both clocks."""
        self.wait_ms = max(self.wait_ms, now_ms - ticket.came_ms)
        self.company_ms = max(self.company_ms, self.idle_ms(now_ms) - ticket.idle_ms)

    def idle_ms(self, now_ms):
        """A clock that stands still while the GPU works."""
        working_ms = now_ms - self.left_ms if self.batch else 0
        return now_ms - self.busy_ms - working_ms
