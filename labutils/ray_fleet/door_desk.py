"""A learner's router, asked from the counts of the one who sends."""

import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from labutils.engine import page_keys
from labutils.server import ProtocolError
from labutils.server.protocol import prompt_of
from labutils.serving.replicas import Arrival, Views

SEEDED = 8  # bytes of a page's name that make its number


class Desk:
    """Asks ``router.choose(request, views)`` of whoever sends, and keeps the books for it.

    Replicas get numbers in the order in which they are seen, and keep them: one that takes the
    place of another is a new one, with an empty cache. ``in_flight`` are counted here. There are no
    reports: ``waiting``, ``running`` and ``kv_use`` are not known.

    Ray's threads choose while the door's own ends requests, so each step is one action of a
    dictionary.
    """

    def __init__(self, router, *, page_tokens: int, clock: Callable[[], float] = time.monotonic):
        self.router, self.page_tokens, self.clock = router, page_tokens, clock
        self.began_s, self.rows = clock(), itertools.count()
        self.numbers: dict[str, int] = {}  # of replicas, by the names that Ray gives them
        self.up: list[str] = []
        self.sent: dict[int, int] = {}  # rows that have not ended, and where they are

    def arrival(self, tokens: Sequence[int]) -> Arrival:
        """A request of this prompt, now."""
        names = page_keys(tokens, self.page_tokens)
        pages = tuple(int.from_bytes(name[:SEEDED], "big", signed=True) for name in names)
        return Arrival(next(self.rows), self.clock() - self.began_s, len(tokens), pages)

    def choose(self, arrival: Arrival, up: Sequence[str]) -> str:
        """The name of the replica that gets it, one of those ``up``. It counts until ``ended``."""
        self.saw(up)
        numbers = sorted(self.numbers[name] for name in up)
        now_s = self.clock() - self.began_s
        views = Views(len(self.numbers), up=numbers, now_s=now_s, _count=self.counts)
        number = self.router.choose(arrival, views)
        if number not in numbers:
            raise ValueError(f"choose returned {number!r}: expected one of {numbers}")
        self.sent[arrival.row] = int(number)
        return self.name(int(number))

    def ended(self, arrival: Arrival) -> None:
        """It is over, in whatever way."""
        self.sent.pop(arrival.row, None)

    def counts(self) -> list[int]:
        """Requests in flight at each replica that was ever seen."""
        found = [0] * len(self.numbers)
        for number in list(self.sent.values()):
            found[number] += 1
        return found

    def saw(self, up: Sequence[str]) -> None:
        """These replicas are there now."""
        for name in sorted(up):
            self.numbers.setdefault(name, len(self.numbers))
        self.up = list(up)

    def name(self, number: int) -> str:
        """What Ray calls the replica of that number."""
        return next(name for name, own in self.numbers.items() if own == number)


@dataclass
class Asked:
    """A request on its way to a replica: what it says, and to whom it goes.

    Ray asks ``chosen`` in the process of the one who sends. The replica gets the rest alone.
    """

    method: str
    path: str
    headers: list[tuple[bytes, bytes]]
    body: bytes = b""
    desk: Desk | None = None
    arrival: Arrival | None = None  # None: to ``number``
    number: int = 0
    error: str = field(default="", init=False)

    def __getstate__(self):
        return {**self.__dict__, "desk": None, "arrival": None}

    @property
    def prompt(self) -> str:
        """For routers of Ray's own, which look for one."""
        return str(self.prompt_or(""))

    def prompt_or(self, otherwise, longest_text: float = math.inf) -> str | list[int]:
        """What the replica's server will read, of so many characters at most; ``otherwise`` where
        it will refuse it."""
        chat = self.path.endswith("/chat/completions")
        try:
            return prompt_of(self.body, chat=chat, longest_text=longest_text)
        except ProtocolError:
            return otherwise

    def chosen(self, up: Sequence[str]) -> str | None:
        """The name of the replica that gets it; None where that is not up."""
        if self.arrival is not None:
            return self.desk.choose(self.arrival, up)
        self.desk.saw(up)
        named = self.desk.name(self.number) if self.number < len(self.desk.numbers) else None
        return named if named in up else None
