"""A scene: what happens to a batcher and when, as data; and stories that draw its numbers anew.

Since events are data, those that a failure does not need can be left out, and what is left can be
drawn. Times are milliseconds on the virtual clock of ``labutils.serving.batcher.virtual_loop``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from labutils.arguments import non_negative
from labutils.exercises.trials.drawing import Draw

HABITS = ("", "poison", "lost", "doubled", "zero", "none")


@dataclass(frozen=True)
class Opens:
    """The batcher that the scene is about, and how long its model takes for a batch of n.

    Until ``pool_busy_ms`` other code of the process holds every thread of asyncio's shared pool.
    """

    max_batch: int
    window_ms: float
    max_waiting: int = 99
    fixed_ms: float = 20.25
    per_item_ms: float = 1.0
    pool_busy_ms: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)

    def batch_ms(self, size: int) -> float:
        """How long the model takes for so many."""
        return self.fixed_ms + self.per_item_ms * size


@dataclass(frozen=True)
class Asks:
    """Somebody sends a request, with a patience of its own perhaps.

    ``habit`` is what it does to the model: "poison" makes it raise for the whole batch, of a "lost"
    one the result is missing, a "doubled" one has two, that of a "zero" is 0, of a "none" None.
    """

    at_ms: float
    name: str
    patience_ms: float | None = None
    habit: str = ""

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
    """The batcher, and what happens, in order of time."""

    opens: Opens
    events: tuple[Event, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Who asks, in order."""
        return tuple(event.name for event in self.events if isinstance(event, Asks))

    def habit(self, name: str) -> str:
        """What this one's request does to the model."""
        return next(e.habit for e in self.events if isinstance(e, Asks) and e.name == name)

    def with_events(self, events: Iterable[Event]) -> "Scene":
        """The same batcher, and other events; nobody hangs up who never asked."""
        events = list(events)
        asked = {event.name for event in events if isinstance(event, Asks)}
        kept = (event for event in events if not event.name or event.name in asked)
        return Scene(self.opens, tuple(kept))


@dataclass(frozen=True)
class AsyncStory:
    """A ``script(draw)`` that yields first ``Opens`` and then events, other numbers each time.

    ``name`` is what colleagues call it; ``saw`` is one sentence on what somebody saw who relied on
    a batcher that does not survive it, without the reason. Keep deadlines off the moments at which
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
        if not isinstance(opens, Opens):
            raise TypeError(f"story {self.name!r} begins with {opens!r}: expected Opens")
        for event in events:
            if not isinstance(event, Event):
                raise TypeError(f"story {self.name!r} holds {event!r}: expected an event")
        return Scene(opens, tuple(sorted(events, key=lambda event: event.at_ms)))
