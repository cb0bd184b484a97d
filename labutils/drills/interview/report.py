"""The report on a mock, as text for the screen."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from labutils.drills.asking.asking import Asking
from labutils.drills.definition.template import Decision
from labutils.drills.interview.places import section
from labutils.drills.interview.result import Result
from labutils.drills.skills.levels import Range, calibration_in_words, ranges_of
from labutils.exercises.definition.verdict import Status
from labutils.exercises.display.card import Card, Code, Prose, Shown, Table
from labutils.exercises.journal.journal import events

SLOW = 1.5  # times the stated minutes
_FEW = 3  # places to read, questions to repeat
_TITLE = 44  # characters of a title on the screen


@dataclass(frozen=True, repr=False)
class MockReport(Shown):
    """How a mock went; ``path`` is the page with the solutions, ``None`` if the disk refused."""

    results: tuple[Result, ...]
    num_questions: int
    seconds: float
    ranges: tuple[Range, ...]
    timed_out: bool = False
    path: Path | None = None

    @classmethod
    def of(
        cls,
        mock: str,
        results: Sequence[Result],
        *,
        num_questions: int,
        seconds: float,
        timed_out: bool = False,
    ) -> "MockReport":
        """The report on ``mock`` (its name), whose ranges the journal holds."""
        ranges = ranges_of(events(), mock=mock)
        return cls(tuple(results), num_questions, seconds, ranges, timed_out)

    @property
    def score(self) -> tuple[int, int]:
        """Questions right, questions asked."""
        return sum(item.is_right for item in self.results), self.num_questions

    def card(self) -> Card:
        if not self.results:
            said = "No question was answered, so there is nothing to report."
            return Card("Report", (Prose(said),), "neutral")
        parts = [Prose(self.headline()), self.questions(width=_TITLE), self.decisions()]
        parts += [Prose(text) for text in self.remarks()]
        parts.append(Prose("What to do next:\n" + "\n".join(f"- {do}" for do in self.advice())))
        if self.path:
            parts += [Prose("The same with every worked solution, to read or print:")]
            parts += [Code(str(self.path))]
        return Card("Report", tuple(parts), "info")

    def headline(self) -> str:
        """One sentence: the score and the time."""
        right, total = self.score
        minutes, seconds = divmod(round(self.seconds), 60)
        left = total - len(self.results)
        unanswered = f" {left} not reached." if left else ""
        return f"{right} of {total} right in {minutes} min {seconds} s.{unanswered}"

    def questions(self, *, width: int = 1000) -> Table:
        """A row for each question that was reached; titles are cut to ``width`` characters."""
        header = ("question", "level", "time", "planned", "result")
        rows = [
            (
                f"{number}. {shorten(item.asking.template.title, width, placeholder=' …')}",
                str(item.asking.template.level),
                f"{item.seconds / 60:.1f} min",
                f"{item.asking.template.minutes:g} min",
                _word(item),
            )
            for number, item in enumerate(self.results, 1)
        ]
        return Table(header, tuple(rows))

    def decisions(self) -> Table:
        """Right answers by decision."""
        rows = []
        for decision in Decision:
            own = [item for item in self.results if item.asking.template.decision is decision]
            if own:
                rows.append((decision.value, f"{_right(own)} of {len(own)}"))
        return Table(("by decision", "right"), tuple(rows))

    def remarks(self) -> list[str]:
        """Calibration, and the mistakes that have a name."""
        told = [calibration_in_words(self.ranges)] if self.ranges else []
        if not self.ranges:
            told = ["No ranges were predicted; one before each answer shows how sure you may be."]
        return told + [
            f"{number}. {item.asking.template.title}: {item.verdict.message}"
            for number, item in enumerate(self.results, 1)
            if item.verdict is not None and not item.is_right
        ]

    def advice(self) -> list[str]:
        """What to do next: the weakest decision, what was slow, what was missed."""
        advice = []
        if weakest := self.weakest():
            advice.append(
                f"Most was lost at “{weakest.value}”: {_practice(weakest, self._at_keyboard)}."
            )
        slow = [item for item in self.results if _is_slow(item)]
        if len(slow) > 1:
            rough = "python -m labutils drill --rough" if self._at_keyboard else "drill(rough=True)"
            advice.append(
                f"{len(slow)} took {SLOW:g} times the planned time or more: practise with one "
                f"figure, `{rough}`."
            )
        missed = [item.asking for item in self.results if not item.is_right]
        if places := self.reading():
            advice.append("\n  ".join(["Read again:", *places[:_FEW]]))
        if calls := [_call(asking) for asking in missed[:_FEW]]:
            advice.append("\n  ".join(["Once more with the same numbers:", *calls]))
            due = "python -m labutils drill --due" if self._at_keyboard else "due()"
            advice.append(f"What you missed comes back with new numbers: `{due}` says when.")
        if self.timed_out:
            advice.append(
                "Skip a question sooner: one that is not reached costs as much as one missed."
            )
        return advice or ["All right, in time. The next mock brings other questions: `mock()`."]

    def reading(self) -> list[str]:
        """The section of a chapter for each question that was missed, as far as there is one."""
        found = [section(item.asking.template) for item in self.results if not item.is_right]
        return list(dict.fromkeys(place for place in found if place))

    @property
    def _at_keyboard(self) -> bool:
        return any(item.asking.terminal for item in self.results)

    def weakest(self) -> Decision | None:
        """The decision at which most was missed; ``None`` where nothing was."""
        missed = [item.asking.template.decision for item in self.results if not item.is_right]
        return max(missed, key=missed.count, default=None)


def _practice(decision: Decision, at_keyboard: bool) -> str:
    if at_keyboard:
        return f"`python -m labutils drill --decision {decision.name}`"
    return f'`drill(decision="{decision.name}")`'


def _call(asking: Asking) -> str:
    """How to ask the same question again, as the candidate sits: notebook or terminal."""
    if asking.terminal:
        return f"`python -m labutils drill {asking.template.id} --seed {asking.seed}`"
    return f'`drill("{asking.template.id}", seed={asking.seed})`'


def _right(results: Sequence[Result]) -> int:
    return sum(item.is_right for item in results)


def _word(item: Result) -> str:
    if item.verdict is None:
        return "skipped"
    words = {Status.misconception: "a known trap", Status.right: "right", Status.unit: "wrong unit"}
    words |= {Status.close: "close", Status.scale: "wrong scale"}
    return words.get(item.verdict.status, "not right")


def _is_slow(item: Result) -> bool:
    return item.seconds > 60 * SLOW * item.asking.template.minutes
