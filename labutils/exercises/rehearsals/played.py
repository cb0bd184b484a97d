"""What became of a scene: how each request ended, what the model did, which tasks died."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from labutils.exercises.rehearsals.scene import Scene
from labutils.exercises.running import guard


@dataclass(frozen=True)
class End:
    """How a request ended: "answered", "failed", "refused", "hung up", "no answer", …"""

    kind: str
    at_ms: float = float("nan")
    error: BaseException | None = field(default=None, compare=False, repr=False)

    def same(self, other: "End", slack_ms: float) -> bool:
        """Whether both ended alike, and at the same time within ``slack_ms``."""
        late = abs(self.at_ms - other.at_ms)
        return self.kind == other.kind and not late > slack_ms


@dataclass(frozen=True)
class ModelCall:
    """One batch in the model; ``blocks`` if it was called on the event loop itself."""

    start_ms: float
    end_ms: float
    names: tuple[str, ...]
    blocks: bool


@dataclass(frozen=True)
class Work:
    """A computation that clients may share: its ``end`` is "computed", "failed", "stopped", …

    What remains when all is over is kept beside them: ``start_ms`` is not a number then.
    """

    start_ms: float
    end: End


@dataclass(frozen=True)
class Death:
    """A task of the tried code's own that ended with an error."""

    at_ms: float
    error: BaseException


@dataclass(frozen=True)
class Played:
    """What became of a scene: each one's ``ends``, when each was really let in, the model's calls,
    what died on the way, the ``run`` of the code (its prints, a time limit), which coroutines were
    made and never awaited, the computations (``works``) of what shares them, by name, and whether
    it ``spins``: wakes again and again at one moment."""

    scene: Scene
    ends: Mapping[str, End]
    asked_ms: Mapping[str, float]
    calls: tuple[ModelCall, ...]
    deaths: tuple[Death, ...]
    run: guard.Run
    unawaited: tuple[str, ...] = ()
    works: Mapping[str, Work] = field(default_factory=dict)
    spins: bool = False

    @property
    def outcome(self) -> dict[str, End]:
        """How everything ended that a promise is about: requests and computations."""
        return {**self.ends, **{name: work.end for name, work in self.works.items()}}

    @property
    def error(self) -> BaseException | None:
        """The first error that the learner's code raised by itself, if there was one."""
        ended = [end.error for end in self.ends.values() if end.kind == "raised"]
        found = [death.error for death in self.deaths] or ended or [self.run.error]
        return found[0]

    @property
    def answered(self) -> int:
        """How many got their own result."""
        return sum(end.kind == "answered" for end in self.ends.values())
