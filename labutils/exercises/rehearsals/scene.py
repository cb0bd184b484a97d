"""A scene: what happens and when, as data; and stories that draw its numbers anew.

Since events are data, those that a failure does not need can be left out, and what is left can be
drawn. Times are milliseconds on the virtual clock of ``labutils.serving.batcher.virtual_loop``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from labutils.exercises.comparing.drawing import Draw
from labutils.exercises.rehearsals.batcher_on_stage import BatcherOnStage
from labutils.ground.arguments import non_negative

HABITS = ("", "poison", "lost", "doubled", "zero", "none")
ASK = {
    "poison": ", with an item that the model cannot read",
    "lost": ", and the model will lose its result",
    "doubled": ", and the model will return its result twice",
    "zero": ", and the model's result for it is 0",
    "none": ", and the model's result for it is None",
}


class Opening(ABC):
    """What a scene plays: how its clients ask, and the words that a timeline uses for it.

    ``noun`` is what a learner calls it, ``clock`` how its code asks for the time, and
    ``tells_cancelled`` says whether it is told how requests end that were cancelled: from inside,
    or by somebody who hung up and is let go late.
    """

    noun: ClassVar[str]
    clock: ClassVar[str]
    tells_cancelled: ClassVar[bool] = False
    pool_busy_ms: float = 0.0

    @abstractmethod
    def on(self, stage):
        """What the clients of ``stage`` ask, made anew; ``BatcherOnStage`` shows the methods."""

    @abstractmethod
    def line(self, clients: int) -> str:
        """The first line of a timeline: the settings."""

    @abstractmethod
    def asking(self, event: "Asks") -> str:
        """What a timeline says of a request after the client's name."""


@dataclass(frozen=True)
class Opens(Opening):
    """The batcher that the scene is about, and how long its model takes for a batch of n.

    Until ``pool_busy_ms`` other code of the process holds every thread of asyncio's shared pool.
    """

    noun = "batcher"
    clock = "`self.now()`, the loop's own clock"

    max_batch: int
    window_ms: float
    max_waiting: int = 99
    fixed_ms: float = 20.25
    per_item_ms: float = 1.0
    pool_busy_ms: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)

    def batch_ms(self, size: int) -> float:
        """Milliseconds that the model takes for a batch of ``size`` items."""
        return self.fixed_ms + self.per_item_ms * size

    def on(self, stage) -> BatcherOnStage:
        return BatcherOnStage(stage)

    def line(self, clients: int) -> str:
        settings = f"max_batch {self.max_batch}, window {self.window_ms:g} ms"
        if self.max_waiting < clients:
            settings += f", room for {self.max_waiting} in the queue"
        if self.options.get("bisect"):
            settings += ", bisect"
        if self.pool_busy_ms:
            busy = f"{self.pool_busy_ms:g} ms"
            settings += f"; other code holds asyncio's shared pool until {busy}"
        return f"{settings}; a batch of n takes {self.fixed_ms:g} + {self.per_item_ms:g} n ms"

    def asking(self, event: "Asks") -> str:
        own = "" if event.patience_ms is None else f", with {event.patience_ms:g} ms of patience"
        return f"asks{own}{ASK.get(event.habit, '')}"


@dataclass(frozen=True)
class Asks:
    """Somebody sends a request, for a ``key`` or with a patience of its own perhaps.

    One that asks ``again`` does so at once if it hears an error, and once only. ``habit`` is what
    it does to a batcher's model: "poison" makes it raise for the whole batch, of a "lost" one the
    result is missing, a "doubled" one has two, that of a "zero" is 0, of a "none" None.
    """

    at_ms: float
    name: str
    patience_ms: float | None = None
    habit: str = ""
    key: Hashable = ""
    again: bool = False

    def __post_init__(self):
        non_negative("at_ms", self.at_ms)
        if self.habit not in HABITS:
            raise ValueError(f"habit = {self.habit!r}: expected one of {HABITS}")


@dataclass(frozen=True)
class HangsUp:
    """Somebody does not want the answer any more: the task that waits for it is cancelled."""

    at_ms: float
    name: str


@dataclass(frozen=True)
class Stops:
    """The server shuts down: the batcher's own task is cancelled."""

    at_ms: float
    name: str = ""  # it is nobody's


Event = Asks | HangsUp | Stops


@dataclass(frozen=True)
class Scene:
    """What it is about, and what happens, in order of time."""

    opens: Opening
    events: tuple[Event, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Who asks, in order."""
        return tuple(event.name for event in self.events if isinstance(event, Asks))

    def habit(self, name: str) -> str:
        """What the request of ``name`` does to the model: nothing, or an error or a delay."""
        return next(e.habit for e in self.events if isinstance(e, Asks) and e.name == name)

    def with_events(self, events: Iterable[Event]) -> "Scene":
        """The same opening with other events; a client that never asks does not hang up either."""
        events = list(events)
        asked = {event.name for event in events if isinstance(event, Asks)}
        kept = (event for event in events if not event.name or event.name in asked)
        return Scene(self.opens, tuple(kept))


@dataclass(frozen=True)
class AsyncStory:
    """A ``script(draw)`` that yields an ``Opening`` and then events, other numbers each time.

    ``name`` is what colleagues call it; ``saw`` is one sentence on what somebody saw who relied on
    code that does not survive it, without the reason. Keep deadlines off the moments at which
    something happens (whole milliseconds for events, halves for windows, quarters for the model):
    what comes first at one and the same moment is no part of any promise.
    """

    name: str
    script: Callable[[Draw], Iterable]
    saw: str

    def __post_init__(self):
        if not isinstance(self.name, str) or not self.name.strip():
            raise ValueError(f"name = {self.name!r}: expected a text that is not empty")
        if not callable(self.script):
            raise ValueError(f"script = {self.script!r}: expected a function of a Draw")
        if not isinstance(self.saw, str) or not self.saw.endswith((".", "?", "!")):
            raise ValueError(f"saw = {self.saw!r}: expected a sentence, with its full stop")

    def told(self, draw: Draw) -> Scene:
        """The scene with the numbers of ``draw``; ``TypeError`` for what cannot be in one."""
        opens, *events = self.script(draw)
        if not isinstance(opens, Opening):
            raise TypeError(f"story {self.name!r} begins with {opens!r}: expected an opening")
        for event in events:
            if not isinstance(event, Event):
                raise TypeError(f"story {self.name!r} holds {event!r}: expected an event")
        return Scene(opens, tuple(sorted(events, key=lambda event: event.at_ms)))
