"""When a drill comes back: spaced repetition with the ``fsrs`` package, replayed from the journal.

Templates are scheduled, not instances: each time has a fresh seed. One learning step of ten
minutes brings what was missed back in the same sitting; what was found goes straight to days.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property

from labutils.drills.catalog import templates
from labutils.drills.definition.template import Template
from labutils.drills.repetition.attempts import Attempt, Grade, attempts, template_id
from labutils.drills.repetition.recall import recalls, seen_outcomes
from labutils.exercises.display.at_once import at_once
from labutils.exercises.display.card import Card, Prose
from labutils.exercises.journal.journal import events

STEP = timedelta(minutes=10)


@dataclass(frozen=True)
class Schedule:
    """The journal ``log``, read at the moment ``now``: when each template is due.

    With ``until``, the day of an interview, each comes back before it.
    """

    log: tuple[dict, ...]
    now: datetime
    until: date | None = None

    @classmethod
    def read(cls, now: datetime | None = None, *, until: date | str | None = None) -> "Schedule":
        """The schedule as the learner's journal tells it. Raises ``ValueError`` as ``day`` does."""
        now = now or datetime.now(UTC)
        return cls(tuple(events()), now, None if until is None else day(until, now))

    @cached_property
    def known(self) -> dict[str, Template]:
        """Every template by id, the predictions that come back included."""
        return {item.id: item for item in templates()} | recalls(self.log)

    @cached_property
    def attempts(self) -> list[Attempt]:
        return attempts(self.known, self.log)

    @cached_property
    def due_at(self) -> dict[str, datetime]:
        """When each template that was met is due again."""
        return due_times(self._reviews(), until=self.until)

    @property
    def due(self) -> list[Template]:
        """The templates whose time has come, the longest due first."""
        return [self.known[key] for key, at in self._by_time() if at <= self.now]

    @property
    def later(self) -> list[Template]:
        """The templates that were met and are not due yet, the next one first."""
        return [self.known[key] for key, at in self._by_time() if at > self.now]

    @property
    def asked(self) -> list[str]:
        """Ids of the drills that were asked or answered, in order, each run of one id once."""
        names = [name for name in map(template_id, self.log) if name in self.known]
        return [name for at, name in enumerate(names) if not at or names[at - 1] != name]

    @property
    def coming(self) -> str:
        """How many are due, now and in the days to come."""
        met = self.due_at.values()
        soon = sum(self.now < at <= self.now + timedelta(days=1) for at in met)
        week = sum(self.now < at <= self.now + timedelta(days=7) for at in met)
        return f"{_count(len(self.due))} due now; {soon} will be within a day, {week} within a week"

    def _by_time(self) -> list[tuple[str, datetime]]:
        return sorted(self.due_at.items(), key=lambda pair: pair[1])

    def _reviews(self) -> list[tuple[str, datetime, Grade]]:
        """Every review in order of time; the outcome of a prediction is the first of its recall."""
        seen = [(key, at, Grade.good) for key, (_, _, at) in seen_outcomes(self.log).items()]
        done = [(item.template.id, item.at, item.grade) for item in self.attempts]
        return sorted(seen + done, key=lambda review: review[1])


def day(wanted: date | str, now: datetime) -> date:
    """A day to come, from text such as "2026-12-04".

    Raises ``ValueError`` for a text that is no day, and for a day that is over.
    """
    wanted = wanted.date() if isinstance(wanted, datetime) else wanted
    try:
        found = date.fromisoformat(str(wanted).strip())
    except ValueError:
        raise ValueError(f"until = {wanted!r}: expected a day such as 2026-12-04") from None
    today = now.astimezone().date()
    if found <= today:
        raise ValueError(f"until = {found}: expected a day after today, {today}")
    return found


def due_times(
    reviews: list[tuple[str, datetime, Grade]], *, until: date | None = None
) -> dict[str, datetime]:
    """When each id is due after its reviews, which are in order of time.

    With ``until`` nothing waits for longer than half of the time that was left to that day at its
    last review: each comes back before it, the more often the nearer it is.

    FSRS with its published default weights and 90 % desired retention, without random jitter: the
    same journal gives the same schedule.
    """
    from fsrs import Card as Memory, Rating, Scheduler

    scheduler = Scheduler(learning_steps=(STEP,), relearning_steps=(STEP,), enable_fuzzing=False)
    memories: dict[str, Memory] = {}
    for key, at, grade in reviews:
        memory = memories.get(key) or Memory(card_id=0, due=at)
        memories[key], _ = scheduler.review_card(memory, Rating(grade.value), at)
    due = {key: memory.due for key, memory in memories.items()}
    if until is None:
        return due
    end = datetime.combine(until, time.min).astimezone()  # as the learner's clock has it
    last = {key: at for key, at, _ in reviews}
    return {key: min(due[key], at + (end - at) / 2) for key, at in last.items() if at < end}


def reached_topics(log: tuple[dict, ...]) -> set[str]:
    """Ids of the topics that the chapters and labs cover in which the learner has done something.

    The first part of an exercise's id names its chapter ("mm1." -> ``03_mm1_explosion``).
    """
    from labutils.topics import all_topics

    begun = _begun_chapters(log)
    return {
        topic.id
        for topic in all_topics()
        if any(_slug(place.path) in begun for place in topic.places)
    }


def _begun_chapters(log: tuple[dict, ...]) -> set[str]:
    from pkgutil import iter_modules

    from labutils.exercises import catalog

    done = {
        str(event.get("id", "")).partition(".")[0]
        for event in log
        if event.get("event") in ("check", "predict", "outcome")
    } - {""}
    names = [module.name for module in iter_modules(catalog.__path__)]
    return {name for name in names if any(name.startswith(prefix) for prefix in done)}


def _slug(path: str) -> str:
    """The name of a chapter without folder, number and ending."""
    return path.rpartition("/")[2].partition("_")[2].removesuffix(".ipynb")


@at_once
def due(*, until: date | str | None = None) -> Card:
    """How many drills are due, now and in the days to come. None is named: that would be a hint.

    ``until`` is the day of an interview, such as "2026-12-04": all that was met comes back before.
    """
    schedule = Schedule.read(until=until)
    reached = reached_topics(schedule.log)
    new = [item for item in templates() if item.id not in schedule.due_at]
    near = sum(bool(reached & set(item.topics)) for item in new)
    told = (
        f"{schedule.coming}. "
        f"{len(new)} you have not met yet, {near} of them from chapters that you have begun."
    )
    return Card("Due", (Prose(told),), "info")


def _count(number: int) -> str:
    """How many are due, as the beginning of a sentence."""
    return {0: "No drill is", 1: "1 drill is"}.get(number, f"{number} drills are")
