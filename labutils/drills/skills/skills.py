"""What you can do, by decision: pick the model, estimate, name the limit, commit."""

import math
from dataclasses import dataclass

from labutils.drills.definition.template import Decision
from labutils.drills.repetition.schedule import Schedule
from labutils.drills.skills.levels import (
    WINDOW,
    Level,
    Range,
    calibration_in_words,
    levels_of,
    ranges_of,
    repeated,
)
from labutils.exercises.display.at_once import at_once
from labutils.exercises.display.card import Card, Prose, Shown, Table


@dataclass(frozen=True, repr=False)
class Skill(Shown):
    """The levels by decision, the ranges, and the mistakes that came more than once."""

    levels: tuple[Level, ...]
    ranges: tuple[Range, ...] = ()
    mistakes: tuple[tuple[str, str, int], ...] = ()  # title, name, how often

    @classmethod
    def read(cls) -> "Skill":
        """The skill as the learner's journal tells it."""
        schedule = Schedule.read()
        done = schedule.attempts
        return cls(levels_of(done), ranges_of(schedule.log), repeated(done))

    def card(self) -> Card:
        total = sum(len(level.scores) for level in self.levels)
        if not total:
            said = "No drill is done yet. `drill()` asks one."
            return Card("Skill", (Prose(said),), "neutral")
        opening = Prose(f"{total} {'question' if total == 1 else 'questions'} done.")
        return Card("Skill", (opening, self.table(), *self._remarks()), "info")

    def table(self) -> Table:
        """A row for each decision."""
        header = ("decision", "unaided", "with help", "missed", f"level (last {WINDOW})")
        return Table(header, tuple(level.cells() for level in self.levels))

    def weakest(self) -> Level | None:
        """The decision with the lowest level; ``None`` while no level is known."""
        known = [level for level in self.levels if not math.isnan(level.value)]
        return min(known, key=lambda level: level.value, default=None)

    def plot(self) -> None:
        """Draw the history by decision and, once there are ranges, the calibration."""
        from labutils.drills.skills.figure import show_skill  # matplotlib waits until it is needed

        show_skill(self.levels, self.ranges)

    def _remarks(self) -> list[Prose]:
        said = [calibration_in_words(self.ranges)] if self.ranges else []
        said += [f"{count} times `{name}`: {title}." for title, name, count in self.mistakes]
        weakest = self.weakest()
        if weakest and weakest.value < 0.95:
            said.append(f"Next, perhaps: {weakest.decision.value}, {practice(weakest.decision)}.")
        return [Prose(text) for text in said]


@at_once
def skill() -> Skill:
    """Show what the drills say about you so far; ``skill().plot()`` draws how it grew."""
    return Skill.read()


def practice(decision: Decision) -> str:
    """How to ask for drills of one decision, in a notebook and in a terminal."""
    name = decision.name
    in_a_terminal = f"`labutils drill --decision {name}`"
    return f'`drill(decision="{name}")` (in a terminal {in_a_terminal})'
