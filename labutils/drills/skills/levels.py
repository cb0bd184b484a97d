"""Levels, ranges and mistakes, counted from what the journal holds; nothing here is shown."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from labutils.drills.catalog import templates
from labutils.drills.definition.template import Decision
from labutils.drills.repetition.attempts import Attempt
from labutils.exercises.guess import CONFIDENCE

WINDOW = 12  # questions over which a level is taken
FEWEST = 3  # questions before a level is shown


@dataclass(frozen=True)
class Range:
    """A range that was predicted, and the value that it should have held."""

    low: float
    high: float
    actual: float

    @property
    def held(self) -> bool:
        return self.low <= self.actual <= self.high


@dataclass(frozen=True)
class Level:
    """One decision: how many questions went how, and the level over the last ``WINDOW``."""

    decision: Decision
    scores: tuple[float, ...]  # 1 unaided, 0.5 with help, 0 missed; in order of time

    @property
    def value(self) -> float:
        """Mean score of the last ``WINDOW`` questions; NaN before the first ``FEWEST``."""
        recent = self.scores[-WINDOW:]
        return sum(recent) / len(recent) if len(recent) >= FEWEST else math.nan

    def history(self) -> list[tuple[int, float]]:
        """The level after each question from the first ``FEWEST`` on: (how many, level)."""
        upto = range(FEWEST, len(self.scores) + 1)
        return [(n, Level(self.decision, self.scores[:n]).value) for n in upto]

    def cells(self) -> tuple[str, ...]:
        counts = [str(self.scores.count(score)) for score in (1.0, 0.5, 0.0)]
        value = self.value
        recent = min(len(self.scores), WINDOW)
        level = "–" if math.isnan(value) else f"{100 * value:.0f} % of {recent}"
        return (self.decision.value, *counts, level)


def levels_of(done: Iterable[Attempt]) -> tuple[Level, ...]:
    """A level for each decision; predictions that came back count as none of them."""
    own = {item.id for item in templates()}
    done = [item for item in done if item.template.id in own]
    return tuple(
        Level(decision, tuple(a.grade.score for a in done if a.template.decision is decision))
        for decision in Decision
    )


def ranges_of(log: Iterable[dict], *, mock: str | None = None) -> tuple[Range, ...]:
    """The ranges predicted in drills, the last for each question; of one ``mock`` if named."""
    found: dict[tuple, Range] = {}
    for event in log:
        if event.get("event") != "drill_predict" or mock not in (None, event.get("mock")):
            continue
        ends = [event.get(name) for name in ("low", "high", "actual")]
        if all(isinstance(end, int | float) for end in ends) and ends[0] < ends[1]:
            found[event.get("id"), event.get("seed"), event.get("link")] = Range(*ends)
    return tuple(found.values())


def calibration_in_words(ranges: Sequence[Range]) -> str:
    """How many ranges held, against the four in five that should; what to change."""
    held, total = sum(item.held for item in ranges), len(ranges)
    said = f"{held} of {total} ranges held the answer ({100 * CONFIDENCE:.0f} % should)."
    if total < 5:
        return said
    if held / total < CONFIDENCE - 0.15:
        return f"{said} Make them wider: you are less sure than you think."
    if held == total >= 10:
        return f"{said} You can afford narrower ones."
    return said


def repeated(done: Iterable[Attempt], *, most: int = 3) -> tuple[tuple[str, str, int], ...]:
    """The named mistakes made more than once: title, name, count, the most frequent first."""
    counts = Counter(
        (attempt.template.title, name)
        for attempt in done
        for name in set(attempt.diagnoses)
        if ":" not in name  # a step or an option: no name of its own
    )
    often = [(title, name, count) for (title, name), count in counts.most_common(most)]
    return tuple(item for item in often if item[2] > 1)
