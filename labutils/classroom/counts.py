"""What a class has in common: counts of learners, exercise by exercise and part by part.

A learner counts once in every figure, however often they tried. Counts come with the number of
learners they are taken from, and are never turned into percentages: a class is small.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from labutils.classroom import vocabulary
from labutils.classroom.gathered import Gathered
from labutils.classroom.line import Line

BREAK_S = 15 * 60
"""A longer gap between two events is a break: it counts as no time at work."""

UNJUDGED = frozenset({"not_attempted", "unreadable", "too_noisy"})
"""States that say nothing about what was understood."""


@dataclass(frozen=True)
class Cause:
    """A mistake, the learners who made it at least once, and the question that re-teaches it."""

    name: str
    learners: int
    question: str


@dataclass(frozen=True)
class Item:
    """One exercise or drill: how many learners tried, missed it at first, have it by now.

    ``hinted`` and ``revealed`` count learners who asked for help at any time. ``part`` is the
    chapter or lab, of a drill the decision that it asks for.
    """

    id: str
    title: str
    part: str
    tried: int
    missed: int
    solved: int
    hinted: int
    revealed: int
    causes: tuple[Cause, ...]

    @property
    def open(self) -> int:
        """Learners who tried and are not there yet."""
        return self.tried - self.solved


@dataclass(frozen=True)
class Part:
    """A chapter or lab: how long each learner was at work in it, in minutes, rising.

    ``planned`` are the minutes that the course states for all of it, ``stated`` those of its core
    exercises alone; ``unreached`` the titles of those core exercises that no learner tried.
    """

    title: str
    minutes: tuple[float, ...]
    planned: int = 0
    stated: int = 0
    unreached: tuple[str, ...] = ()

    @property
    def median(self) -> float:
        """Minutes of the learner in the middle."""
        return statistics.median(self.minutes)


@dataclass(frozen=True)
class Ranges:
    """A prediction: how many learners gave a range in time, and in how many it held."""

    id: str
    question: str
    given: int
    held: int


@dataclass(frozen=True)
class Tally:
    """The class in numbers. Items stand with the most missed first."""

    learners: int
    exercises: tuple[Item, ...]
    drills: tuple[Item, ...]
    parts: tuple[Part, ...]
    predictions: tuple[Ranges, ...]
    drill_ranges: tuple[int, int]  # held, given
    num_lines: int
    num_damaged: int
    num_lost: int
    num_superseded: int

    @property
    def ranges(self) -> tuple[int, int]:
        """Predicted ranges of chapters: how many held, how many were given."""
        return sum(one.held for one in self.predictions), sum(one.given for one in self.predictions)


def tally(gathered: Gathered) -> Tally:
    """Count what the learners did."""
    learners = gathered.learners
    return Tally(
        learners=len(learners),
        exercises=_items(learners, "check", "hint", "reveal"),
        drills=_items(learners, "drill", "drill_hint", "drill_reveal"),
        parts=_parts(learners),
        predictions=_predictions(learners),
        drill_ranges=_drill_ranges(learners),
        num_lines=len(gathered.lines),
        num_damaged=gathered.num_damaged,
        num_lost=gathered.num_lost,
        num_superseded=gathered.num_superseded,
    )


def _items(learners: Sequence[Sequence[Line]], judged: str, hint: str, reveal: str):
    """One item for each id that somebody tried, most missed first, then most open, then by id."""
    tries, hinted, revealed = defaultdict(list), Counter(), Counter()
    for lines in learners:
        own = defaultdict(list)
        for line in lines:
            if line.event == judged and line.status not in UNJUDGED:
                own[line.id].append(line)
        for item_id, attempts in own.items():
            tries[item_id].append(attempts)
        hinted.update({x.id for x in lines if x.event == hint or (x.event == judged and x.hints)})
        revealed.update({x.id for x in lines if x.event == reveal})
    items = [
        _item(item_id, attempts, hinted[item_id], revealed[item_id])
        for item_id, attempts in tries.items()
    ]
    return tuple(sorted(items, key=lambda item: (-item.missed, -item.open, item.id)))


def _item(item_id: str, attempts: list[list[Line]], hinted: int, revealed: int) -> Item:
    return Item(
        id=item_id,
        title=title_of(item_id),
        part=vocabulary.decision_of(item_id) or part_of(item_id),
        tried=len(attempts),
        missed=sum(own[0].status != "right" for own in attempts),
        solved=sum(any(line.status == "right" for line in own) for own in attempts),
        hinted=hinted,
        revealed=revealed,
        causes=_causes(attempts),
    )


def _causes(attempts: list[list[Line]]) -> tuple[Cause, ...]:
    """Each mistake with its learners; an option of a drill goes by its text: letters change."""
    by_name: dict[str, list[Line]] = defaultdict(list)
    for own in attempts:
        for name, line in {_cause_of(line): line for line in reversed(own)}.items():
            if name:
                by_name[name].append(line)
    causes = [
        Cause(name, len(lines), min(map(_question, lines))) for name, lines in by_name.items()
    ]
    return tuple(sorted(causes, key=lambda cause: (-cause.learners, cause.name)))


def _cause_of(line: Line) -> str:
    """The mistake's name, else the state where that says what went wrong, else nothing."""
    if line.diagnosis is None:
        return line.status if line.status in vocabulary.STATES else ""
    option = vocabulary.option_of(line.id, *_numbers(line), line.diagnosis)
    return f"chose “{option}”" if option else line.diagnosis


def _question(line: Line) -> str:
    """The mistake's own message; for a drill, the one with that learner's numbers."""
    if line.diagnosis is None:
        return vocabulary.STATES.get(line.status, "")
    known = vocabulary.mistakes_of(line.id, *_numbers(line))
    return known.get(line.diagnosis, "")


def _numbers(line: Line) -> tuple[int, int]:
    return line.seed or 0, line.link or 0


def _parts(learners: Sequence[Sequence[Line]]) -> tuple[Part, ...]:
    """Parts in the order of the course; drills come last."""
    minutes = defaultdict(list)
    for lines in learners:
        for part, seconds in _seconds_by_part(lines).items():
            minutes[part].append(seconds / 60)
    tried = {line.id for lines in learners for line in lines if line.event == "check"}
    core = defaultdict(list)
    for exercise_id, exercise in vocabulary.exercises().items():
        if not exercise.optional:
            core[part_of(exercise_id)].append(exercise)
    order = {title: place for place, title in enumerate(dict.fromkeys(vocabulary.parts().values()))}
    return tuple(
        Part(
            title,
            tuple(sorted(minutes[title])),
            vocabulary.minutes().get(title, 0),
            sum(exercise.minutes for exercise in core[title]),
            tuple(exercise.title for exercise in core[title] if exercise.id not in tried),
        )
        for title in sorted(minutes, key=lambda title: (order.get(title, len(order)), title))
    )


def _seconds_by_part(lines: Iterable[Line]) -> dict[str, float]:
    """Time at work: each gap goes to the part of the event that ends it, breaks to none."""
    seconds, before = defaultdict(float), None
    for line in sorted((x for x in lines if x.t_s is not None), key=lambda x: (x.t_s, x.n)):
        gap = 0 if before is None else line.t_s - before
        seconds[part_of(line.id)] += gap if gap <= BREAK_S else 0
        before = line.t_s
    return seconds


def _predictions(learners: Sequence[Sequence[Line]]) -> tuple[Ranges, ...]:
    """Ranges of each prediction, those that held least often first."""
    given, held = Counter(), Counter()
    for line in _first_outcomes(learners):
        given[line.id] += 1
        held[line.id] += line.held
    found = [Ranges(x, title_of(x), given[x], held[x]) for x in given]
    return tuple(sorted(found, key=lambda one: (one.held - one.given, one.id)))


def _first_outcomes(learners: Sequence[Sequence[Line]]) -> list[Line]:
    """For each learner and prediction the first outcome that was scored, if it was a range."""
    first: dict[tuple[str, str], Line] = {}
    for line in (line for lines in learners for line in lines):
        if line.event == "outcome" and line.held is not None:
            first.setdefault((line.learner, line.id), line)
    return [line for line in first.values() if not line.point]


def _drill_ranges(learners: Sequence[Sequence[Line]]) -> tuple[int, int]:
    """Ranges given in drills: how many held, how many there were."""
    ranges = [
        line.held
        for lines in learners
        for line in lines
        if line.event == "drill_predict" and line.held is not None and not line.point
    ]
    return sum(ranges), len(ranges)


def title_of(item_id: str) -> str:
    """What an id stands for; the id itself where this version of the course does not know it."""
    if item_id in vocabulary.exercises():
        return vocabulary.exercises()[item_id].title
    if item_id in vocabulary.predictions():
        return vocabulary.predictions()[item_id].question
    if vocabulary.is_drill(item_id):
        return vocabulary.drills.find(item_id).title
    return item_id


def part_of(item_id: str) -> str:
    """The chapter or lab of an id, or what stands in for it."""
    if item_id.startswith("drill."):
        return "Drills"
    return vocabulary.parts().get(item_id, "Other versions of the course")
