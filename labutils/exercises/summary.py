"""The progress table: per chapter, what is solved, where hints helped, how predictions did."""

from dataclasses import dataclass
from types import ModuleType

from labutils.exercises import catalog
from labutils.exercises.definition.verdict import Status
from labutils.exercises.display.at_once import at_once
from labutils.exercises.display.card import Card, Prose, Table
from labutils.exercises.journal.history import history

_HEADER = ("chapter", "solved", "hinted", "revealed", "exercise minutes")


@dataclass(frozen=True)
class Row:
    """One chapter: its exercises solved, hinted and revealed, and their minutes."""

    title: str
    num_exercises: int
    solved: int
    hinted: int
    revealed: int
    minutes_solved: int
    minutes: int

    def cells(self) -> tuple[str, ...]:
        return (
            self.title,
            f"{self.solved} of {self.num_exercises}",
            str(self.hinted),
            str(self.revealed),
            f"{self.minutes_solved} of {self.minutes}",
        )


@at_once
def progress() -> Card:
    """Return a card with a row per chapter, and how the predictions did so far."""
    solved_at = _solved_at()
    helped = [_asked_before(solved_at, kind) for kind in ("hint", "reveal")]
    rows = [_row(m, set(solved_at), *helped) for m in catalog.chapters()]
    table = Table(_HEADER, tuple(row.cells() for row in rows if row.num_exercises))
    solved, total = sum(r.solved for r in rows), sum(r.num_exercises for r in rows)
    opening = Prose(f"{solved} of {total} exercises solved.")
    return Card("Progress", (opening, table, *_calibration(), *_drills(), *updates()), "info")


def _solved_at() -> dict[str, str]:
    """Solved exercises, with the time of the first check that said so."""
    solved: dict[str, str] = {}
    for event in history("check"):
        if event.get("status") == Status.right.value:
            solved.setdefault(event["id"], str(event.get("at", "")))
    return solved


def _asked_before(solved_at: dict[str, str], kind: str) -> set[str]:
    """Exercises for which help was asked while they were open: later, it helped to nothing."""
    return {
        event["id"]
        for event in history(kind)
        if event["id"] not in solved_at or str(event.get("at", "")) < solved_at[event["id"]]
    }


def _row(module: ModuleType, solved: set[str], hinted: set[str], revealed: set[str]) -> Row:
    exercises = catalog.exercises_of(module)
    return Row(
        title=catalog.title_of(module),
        num_exercises=len(exercises),
        solved=sum(item.id in solved for item in exercises),
        hinted=sum(item.id in hinted for item in exercises),
        revealed=sum(item.id in revealed for item in exercises),
        minutes_solved=sum(item.minutes for item in exercises if item.id in solved),
        minutes=sum(item.minutes for item in exercises),
    )


def _calibration() -> tuple[Prose, ...]:
    """How many ranges held the outcome; each prediction counts once, at its first outcome."""
    first: dict[str, dict] = {}
    for event in history("outcome"):
        if "held" in event:
            first.setdefault(event["id"], event)
    ranges = [event for event in first.values() if not event.get("point")]
    if not ranges:
        return ()
    held = sum(bool(event["held"]) for event in ranges)
    return (Prose(f"{held} of {len(ranges)} predicted ranges held the outcome (80 % should)."),)


def _drills() -> tuple[Prose, ...]:
    """How many drill questions are done, by the journal alone: found, or revealed."""
    found = [event for event in history("drill") if event.get("status") == Status.right.value]
    done = {_question(event) for event in (*found, *history("drill_reveal"))}
    if not done:
        return ()
    alone = {_question(e) for e in found if not e.get("hints") and not e.get("revealed")}
    noun = "question" if len(done) == 1 else "questions"
    said = f"{len(done)} drill {noun} done, {len(alone)} of them without a hint"
    return (Prose(f"{said}; `skill()` of labutils.drills tells more."),)


def updates() -> tuple[Prose, ...]:
    """A line for each chapter with an update beside a changed copy: a hub shows it nowhere else."""
    from labutils.workspace import waiting  # it loads much, and a check does not need it

    try:
        names = waiting()
    except OSError:  # no checkout, or one that cannot be read
        return ()
    return tuple(
        Prose(
            f"{name} has an update: `!labutils carry {name.partition('_')[0]}` in a cell brings "
            "your answers into it."
        )
        for name in names
    )


def _question(event: dict) -> tuple[str, str, str]:
    """Which question of the drills an event is about: the template, its seed, its link."""
    return event["id"], str(event.get("seed")), str(event.get("link", 0))
