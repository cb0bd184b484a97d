"""The counts of a class as cards: plain text in a terminal, tables in a notebook."""

from labutils.classroom.counts import BREAK_S, Item, Part, Tally
from labutils.exercises.display.card import Card, Prose, Table

FEW = 5
"""Up to so many learners, a part shows each one's minutes instead of a summary."""


UNNAMED = "– no mistake that has a name: read the task aloud, and ask somebody how they began."


def opening(found: Tally) -> Card:
    """Who is in the report, and what could not be read."""
    said = f"{_counted(found.learners, 'learner')}, {_counted(found.num_lines, 'event')}."
    parts = [Prose(said)]
    for number, what in (
        (found.num_damaged, "could not be read: damaged, or of a later version."),
        (found.num_lost, "of the files did not arrive."),
        (found.num_superseded, "of earlier exports were replaced by later ones."),
    ):
        if number:
            parts.append(Prose(f"{_counted(number, 'line')} {what}"))
    return Card("The class", tuple(parts))


def most_missed(found: Tally, *, top: int = 10) -> Card:
    """The exercises that most learners got wrong at first."""
    return _missed(found.exercises, "Most missed exercises", ("exercise", "part"), top)


def most_missed_drills(found: Tally, *, top: int = 10) -> Card:
    """The drills that most learners got wrong at first."""
    return _missed(found.drills, "Most missed drills", ("drill", "decision"), top)


def to_teach_again(found: Tally, *, top: int = 5, causes: int = 2) -> Card:
    """Behind the most missed: which mistake, and the question that takes it up."""
    parts: list = []
    for items in (found.exercises, found.drills):
        for item in [one for one in items if one.missed][:top]:
            parts.append(Prose(f"{item.title} (`{item.id}`)"))
            parts += [_cause(cause, item) for cause in item.causes[:causes]] or [Prose(UNNAMED)]
    if not parts:
        return Card("What to take up again", (Prose("Nobody missed anything yet."),))
    opening = Prose("How many of those who tried it made which mistake, and what to ask them.")
    return Card("What to take up again", (opening, *parts))


def times(found: Tally) -> Card:
    """How long the parts took."""
    said = (
        "Minutes at work, from the gaps between a learner's events; gaps of more than "
        f"{BREAK_S // 60} minutes are breaks. What came before a learner's first event is missing. "
        "The last two columns are minutes of the whole chapter, whatever your plan takes of it."
    )
    rows = tuple(
        (part.title, *_minutes(part), *(f"{n}" if n else "" for n in (part.planned, part.stated)))
        for part in found.parts
    )
    header = ("part", "learners", "minutes", "least to most", "whole chapter", "of it exercises")
    parts: list = [Prose(said), Table(header, rows)]
    for part in found.parts:
        if part.unreached:
            titles = "; ".join(part.unreached)
            parts.append(Prose(f"{part.title}: nobody tried {titles}."))
    return Card("Time per part", tuple(parts))


def help_used(found: Tally) -> Card:
    """Where help was asked for."""
    asked = [one for one in (*found.exercises, *found.drills) if one.hinted or one.revealed]
    asked.sort(key=lambda one: (-one.hinted - one.revealed, one.id))
    if not asked:
        return Card("Help", (Prose("Nobody asked for a hint."),))
    rows = tuple(
        (one.title, str(one.tried), str(one.hinted), str(one.revealed)) for one in asked[:10]
    )
    header = ("exercise", "tried", "asked a hint", "had it explained")
    return Card("Help", (Prose("Learners, each counted once."), Table(header, rows)))


def calibration(found: Tally, *, top: int = 100) -> Card:
    """How often a range that should hold four times in five did."""
    held, given = found.ranges
    own_held, own_given = found.drill_ranges
    parts: list = [Prose(f"{held} of {given} ranges in chapters held the outcome (80 % should).")]
    if own_given:
        parts.append(Prose(f"{own_held} of {own_given} ranges in drills did."))
    rows = tuple((one.id, f"{one.held} of {one.given}") for one in found.predictions[:top])
    parts += [Table(("prediction", "held"), rows)] if rows else []
    parts += [
        Prose(f"– `{one.id}`: {one.question}")
        for one in found.predictions[:3]
        if one.held < one.given
    ]
    return Card("Predictions", tuple(parts))


def overview(found: Tally) -> list[Card]:
    """Every card of the report, in order."""
    cards = [opening(found), most_missed(found), to_teach_again(found), times(found)]
    cards += [most_missed_drills(found)] if found.drills else []
    return [*cards, help_used(found), calibration(found)]


def _missed(items: tuple[Item, ...], label: str, names: tuple[str, str], top: int) -> Card:
    rows = tuple(
        (one.title, one.part, str(one.tried), str(one.missed), str(one.open))
        for one in items[:top]
        if one.missed
    )
    if not rows:
        return Card(label, (Prose("None was missed yet." if items else "None was tried yet."),))
    header = (*names, "tried", "missed at first", "still open")
    return Card(label, (Prose("Learners, each counted once."), Table(header, rows)))


def _cause(cause, item: Item) -> Prose:
    question = f": {cause.question}" if cause.question else ""
    return Prose(f"– {cause.learners} of {item.tried}, {cause.name.replace('_', ' ')}{question}")


def _minutes(part: Part) -> tuple[str, str, str]:
    n, shown = len(part.minutes), [f"{minutes:.0f}" for minutes in part.minutes]
    if n <= FEW:
        return str(n), "each: " + ", ".join(shown), ""
    return str(n), f"median {part.median:.0f}", f"{shown[0]} to {shown[-1]}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
