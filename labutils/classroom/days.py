"""A class day by day. A class file knows no date: a night is a gap of hours between two events."""

from collections.abc import Sequence
from itertools import zip_longest

from labutils.classroom.counts import Tally, tally
from labutils.classroom.gathered import Gathered
from labutils.classroom.line import Line
from labutils.exercises.display.card import Card, Prose, Table

NIGHT_S = 5 * 3600
"""A longer gap between two events of one learner: the next one is of another day."""

MISSED = 3  # exercises named for a day


def by_day(gathered: Gathered) -> tuple[Tally, ...]:
    """The class on each learner's first day, on the second, and so on.

    Who missed a day is a day behind the others: a file does not say on which date something was.
    A try counts as the first of its day.
    """
    days = zip_longest(*map(days_of, gathered.learners), fillvalue=())
    return tuple(tally(Gathered(tuple(filter(None, day)))) for day in days)


def days_of(lines: Sequence[Line]) -> list[tuple[Line, ...]]:
    """The lines of one learner, in order, cut where nothing happened for ``NIGHT_S``."""
    days: list[list[Line]] = []
    latest_s = 0  # a file whose times fall and rise has no more days for it
    for line in lines:
        if not days or (line.t_s or 0) - latest_s > NIGHT_S:
            days.append([])
        days[-1].append(line)
        latest_s = max(latest_s, line.t_s or 0)
    return list(map(tuple, days))


def card(days: Sequence[Tally]) -> Card:
    """What was done and missed on each day."""
    if len(days) < 2:
        return Card("Day by day", (Prose("All was done on one day."),))
    said = (
        f"A night is a gap of more than {NIGHT_S // 3600} hours in a learner's own events. "
        "Missed: at the first try of the day."
    )
    rows = tuple(_row(number, day) for number, day in enumerate(days, 1))
    header = ("day", "learners", "parts, median minutes at work", "most missed")
    return Card("Day by day", (Prose(said), Table(header, rows)))


def _row(number: int, day: Tally) -> tuple[str, ...]:
    parts = [f"{part.title} {part.median:.0f}" for part in day.parts if part.median >= 1]
    missed = [one for one in (*day.exercises, *day.drills) if one.missed]
    missed.sort(key=lambda one: (-one.missed, one.id))
    named = [f"{one.title} ({one.missed} of {one.tried})" for one in missed[:MISSED]]
    return str(number), str(day.learners), "; ".join(parts) or "–", "; ".join(named) or "–"
