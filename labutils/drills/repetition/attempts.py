"""What became of each question, told by the journal alone: there is no second store.

A question is a template with a seed and a link. It counts once, when it closes: at the first right
answer, when it is revealed, or when another one is begun after a wrong answer. What is done with it
later counts no more, since the answer is known; what was taken back, in a mock, never did.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum

from labutils.drills.definition.drill import Drill
from labutils.drills.definition.template import Form, Template
from labutils.drills.judging.rough import SECONDS
from labutils.exercises.definition.verdict import Status
from labutils.exercises.journal.journal import events

FAST = 0.5  # of the stated minutes: a first answer that quick was easy
QUICK_S = 15.0  # sooner nothing is worked out: known by heart, or guessed


class Grade(IntEnum):
    """How well a question went, on the scale of the ``fsrs`` package."""

    again = 1
    hard = 2
    good = 3
    easy = 4

    @property
    def score(self) -> float:
        """1 unaided, 0.5 with help, 0 missed."""
        return {Grade.again: 0.0, Grade.hard: 0.5}.get(self, 1.0)


@dataclass(frozen=True)
class Attempt:
    """A question that is closed; ``diagnoses`` are the named mistakes made on the way."""

    template: Template
    seed: int
    link: int
    at: datetime
    grade: Grade
    seconds: float
    hints: int = 0
    tries: int = 0
    mode: str = "exact"
    mock: str = ""
    diagnoses: tuple[str, ...] = ()


@dataclass
class _Open:
    """A question on its way, as far as the journal has been read."""

    template: Template
    seed: int
    link: int
    at: datetime | None = None
    seconds: float = 0.0
    hints: int = 0
    tries: int = 0
    mode: str = "exact"
    mock: str = ""
    diagnoses: list[str] = field(default_factory=list)
    closed: Attempt | None = None

    def take(self, event: dict, at: datetime) -> None:
        """Read one event of this question."""
        if self.closed:
            return
        self.at, self.mock = at, str(event.get("mock", ""))
        if event["event"] == "drill_hint":
            self.hints += 1
        elif event["event"] in ("drill_reveal", "drill_skip"):
            self.close(Grade.again)
        elif event.get("status") not in (Status.unreadable, Status.not_attempted):
            self.answer(event)

    def answer(self, event: dict) -> None:
        self.tries += 1
        self.mode, self.seconds = str(event.get("mode", "exact")), _number(event.get("seconds"))
        if event.get("status") == Status.right:
            self.close(self.right())
            return
        if isinstance(event.get("diagnosis"), str):
            self.diagnoses.append(event["diagnosis"])
        asked_again = self.tries == 1 and event.get("status") in (Status.unit, Status.scale)
        if self.mock and not asked_again:
            self.close(Grade.again)

    def right(self) -> Grade:
        if self.hints or self.tries > 2:
            return Grade.hard
        is_quick = self.tries == 1 and QUICK_S <= self.seconds <= self._limit()
        return Grade.easy if is_quick and not self._is_letter() else Grade.good

    def _limit(self) -> float:
        """The seconds within which an answer was quick; a chain's minutes are for all of it."""
        if self.mode == "rough":
            return FAST * SECONDS
        is_chain = self.template.form is Form.chain
        return FAST * 60 * self.template.minutes / (len(self._story()) if is_chain else 1)

    def _is_letter(self) -> bool:
        """Whether a letter was all that this question asked."""
        return any(drill.answer is None for drill in self._story()[self.link : self.link + 1])

    def _story(self) -> list[Drill]:
        """The questions of the story, from the first."""
        found, drill = [], self.template.drill(self.seed)
        while drill is not None:
            found.append(drill)
            drill = drill.follow_up
        return found

    def close(self, grade: Grade) -> Attempt:
        self.closed = Attempt(
            self.template, self.seed, self.link, self.at, grade, self.seconds, self.hints,
            self.tries, self.mode, self.mock, tuple(self.diagnoses),
        )  # fmt: skip
        return self.closed


def attempts(known: dict[str, Template], log: Iterable[dict] | None = None) -> list[Attempt]:
    """Every closed question in order of closing; ``known`` maps ids to templates.

    ``log`` are the journal's events. Lines of other versions, and of templates that no longer
    exist, are passed over. The last question that was begun is still open.
    """
    questions: dict[tuple, _Open] = {}
    last = None
    for event in events() if log is None else log:
        read = _read(event, known)
        if read is None:
            continue
        last, at = read
        if event["event"] == "drill_back":
            questions.pop(last, None)
            continue
        questions.setdefault(last, _Open(known[last[0]], *last[1:])).take(event, at)
    for key, question in questions.items():
        if not question.closed and question.tries and key != last:
            question.close(Grade.again)  # given up: another one was begun
    closed = [question.closed for question in questions.values() if question.closed]
    return sorted(closed, key=lambda attempt: attempt.at)


def time_of(event: dict) -> datetime | None:
    """When an event was recorded (UTC); ``None`` where it does not say."""
    try:
        at = datetime.fromisoformat(str(event.get("at", "")))
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def template_id(event: dict) -> str:
    """The id of the template that an event is about, "" where it is about none."""
    kind, name = str(event.get("event", "")), event.get("id")
    is_drill = kind.startswith("drill") and isinstance(name, str)
    return name.removeprefix("drill.") if is_drill else ""


_KINDS = ("drill", "drill_hint", "drill_reveal", "drill_skip", "drill_back")


def _read(event: dict, known: dict[str, Template]) -> tuple[tuple, datetime] | None:
    """The question that an event is about, and when; ``None`` for anything else."""
    name, at = template_id(event), time_of(event)
    seed, link = event.get("seed"), event.get("link", 0)
    if event.get("event") not in _KINDS or name not in known or at is None:
        return None
    if not isinstance(seed, int) or not isinstance(link, int):
        return None
    return (name, seed, link), at


def _number(value) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
