"""The report on a mock, as text for the screen."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from labutils.drills.asking.asking import Asking
from labutils.drills.definition.drill import Drill
from labutils.drills.definition.template import Decision, Form
from labutils.drills.interview.lineup import FOLLOW_UP_MINUTES, Story
from labutils.drills.interview.places import section, topic_in_words
from labutils.drills.interview.result import Result
from labutils.drills.skills.levels import Range, calibration_in_words, ranges_of
from labutils.exercises.definition.verdict import Status
from labutils.exercises.display.card import Card, Code, Prose, Shown, Table
from labutils.exercises.journal.journal import events
from labutils.ground.units import format_quantity

SLOW = 1.5  # times the stated minutes
_FEW = 3  # places to read, questions to repeat
_TITLE = 44  # characters of a title on the screen


@dataclass(frozen=True, repr=False)
class MockReport(Shown):
    """How a mock went; ``path`` is the page with the solutions, ``None`` if the disk refused."""

    results: tuple[Result, ...]
    not_reached: tuple[Asking, ...]
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
        not_reached: Sequence[Asking] = (),
        seconds: float,
        timed_out: bool = False,
    ) -> "MockReport":
        """The report on ``mock`` (its name), whose ranges the journal holds."""
        ranges = ranges_of(events(), mock=mock)
        return cls(tuple(results), tuple(not_reached), seconds, ranges, timed_out)

    @property
    def score(self) -> tuple[int, int]:
        """Questions right, questions asked; those not reached are none of them."""
        return _right(self.results), len(self.results)

    def card(self) -> Card:
        if not self.results:
            said = "No question was answered, so there is nothing to report."
            return Card("Report", (Prose(said),), "neutral")
        parts = [Prose(self.headline()), self.questions(width=_TITLE), self.answers(), self.kinds()]
        parts += [Prose(text) for text in self.remarks()]
        parts.append(Prose("What to do next:\n" + "\n".join(f"- {do}" for do in self.advice())))
        if self.path:
            parts += [Prose("The same with every worked solution, to read or print:")]
            parts += [Code(str(self.path))]
        return Card("Report", tuple(parts), "info")

    def headline(self) -> str:
        """One sentence: the score and the time."""
        right, asked = self.score
        minutes, seconds = divmod(round(self.seconds), 60)
        left = len(self.not_reached)
        of_them, rest = (" asked", f"; {left} not reached") if left else ("", "")
        return f"{right} of {asked}{of_them} right in {minutes} min {seconds} s{rest}."

    def questions(self, *, width: int = 1000) -> Table:
        """A row for each question, reached or not; titles are cut to ``width`` characters."""
        header = ("question", "level", "time", "planned", "result")
        rows = [
            (
                f"{number}. {title_of(asking, width=width)}",
                str(asking.template.level),
                f"{item.seconds / 60:.1f} min" if item else "–",
                f"{minutes_of(asking):.1f} min",
                _word(item) if item else "not reached",
            )
            for number, asking, item in self.numbered()
        ]
        return Table(header, tuple(rows))

    def answers(self) -> Table:
        """What was typed, and what is right, question by question."""
        rows = [
            (f"{number}.", item.typed if item else "", right_answer(asking.drill))
            for number, asking, item in self.numbered()
        ]
        return Table(("question", "you said", "right is"), tuple(rows))

    def numbered(self) -> list[tuple[int, Asking, Result | None]]:
        """Every question with its number, and how it went where it was reached."""
        reached = [(item.asking, item) for item in self.results]
        rest = [(asking, None) for asking in self.not_reached]
        return [(number, *one) for number, one in enumerate([*reached, *rest], 1)]

    def kinds(self) -> Table:
        """Right answers by decision, by level and by topic."""
        groups: dict[str, list[Result]] = {}
        for item in self.results:
            groups.setdefault(item.asking.template.decision.value, []).append(item)
        for item in sorted(self.results, key=lambda one: one.asking.template.level):
            groups.setdefault(f"level {item.asking.template.level}", []).append(item)
        for item in self.results:
            for topic in item.asking.template.topics[:1]:
                groups.setdefault(topic_in_words(topic), []).append(item)
        rows = [(name, f"{_right(own)} of {len(own)}") for name, own in groups.items()]
        return Table(("by decision, level and topic", "right"), tuple(rows))

    def remarks(self) -> list[str]:
        """Calibration, and the mistakes that have a name."""
        told = [calibration_in_words(self.ranges)] if self.ranges else []
        if not self.ranges:
            told = ["No ranges were predicted; one before each answer shows how sure you may be."]
        for number, item in enumerate(self.results, 1):
            if item.verdict is not None and not item.verdict.passed:
                told.append(f"{number}. {title_of(item.asking)}: {item.verdict.message}")
            if item.is_late:
                told.append(f"{number}. came after the last second, and does not count.")
            if item.is_asked_again:
                told.append(f"{number}. was asked for once more: the unit, or a power of ten.")
            if item.may_be_a_guess:
                told.append(f"{number}. A letter in {item.seconds:.0f} s: right, or a lucky guess?")
        return told

    def advice(self) -> list[str]:
        """What to do next: the weakest decision, what was slow, what was missed."""
        advice = []
        if weakest := self.weakest():
            advice.append(
                f"Most was lost at “{weakest.value}”: {_practice(weakest, self._at_keyboard)}."
            )
        slow = [number for number, item in enumerate(self.results, 1) if _is_slow(item)]
        if len(slow) > 1:
            rough = "labutils drill --rough" if self._at_keyboard else "drill(rough=True)"
            advice.append(
                f"Questions {', '.join(map(str, slow))} took {SLOW:g} times the planned time or "
                f"more: practise with one figure, `{rough}`."
            )
        missed = [item.asking for item in self.results if not item.is_right]
        missed = list({one.template.id: one for one in missed}.values())  # a story once
        if places := self.reading():
            advice.append("\n  ".join(["Read again:", *places[:_FEW]]))
        if calls := [_call(asking) for asking in missed[:_FEW]]:
            advice.append("\n  ".join(["Once more with the same numbers:", *calls]))
            due = "labutils drill --due" if self._at_keyboard else "due()"
            advice.append(f"What you missed comes back with new numbers: `{due}` says when.")
        if self.timed_out:
            advice.append("Skip a question sooner: one that is not reached cannot be right either.")
        return advice or ["All right, in time. The next mock brings other questions: `mock()`."]

    def reading(self) -> list[str]:
        """The section of a chapter for each question that was missed, as far as there is one.

        What a named mistake is about comes first.
        """
        found = [section_for(item) for item in self.results if not item.is_right]
        return list(dict.fromkeys(place for place in found if place))

    @property
    def _at_keyboard(self) -> bool:
        return any(item.asking.terminal for item in self.results)

    def weakest(self) -> Decision | None:
        """The decision at which most was missed; ``None`` where none was missed twice."""
        missed = [item.asking.template.decision for item in self.results if not item.is_right]
        return max((one for one in missed if missed.count(one) > 1), key=missed.count, default=None)


def _practice(decision: Decision, at_keyboard: bool) -> str:
    if at_keyboard:
        return f"`labutils drill --decision {decision.name}`"
    return f'`drill(decision="{decision.name}")`'


def _call(asking: Asking) -> str:
    """How to ask the same question again, as the candidate sits: notebook or terminal."""
    if asking.terminal:
        return f"`labutils drill {asking.template.id} --seed {asking.seed}`"
    return f'`drill("{asking.template.id}", seed={asking.seed})`'


def section_for(item: Result) -> str:
    """What to read after a mistake: on its own topic if it has one, else on the drill's."""
    named = item.verdict.diagnosis if item.verdict else None
    mistakes = item.asking.drill.mistakes
    topic = next((one.topic for one in mistakes if one.name == named), "")
    return section(item.asking.template, first=topic)


def title_of(asking: Asking, *, width: int = 1000) -> str:
    """The title of a template, cut to ``width``; a question that follows up says which it is."""
    which = f", question {asking.link + 1}" if asking.link else ""
    return shorten(asking.template.title, width - len(which), placeholder=" …") + which


def minutes_of(asking: Asking) -> float:
    """The minutes that one question of a story is planned to take."""
    if asking.template.form is Form.chain:
        return Story(asking.template).minutes
    return FOLLOW_UP_MINUTES if asking.link else asking.template.minutes


def right_answer(drill: Drill) -> str:
    """The right answer in words: its letter and its number, or what stands at the letter."""
    right = drill.options.right if drill.options else ""
    letter = f"({right})" if right else ""
    if drill.answer is None:
        return f"{letter} {shorten(drill.options.texts[right], _TITLE, placeholder=' …')}"
    return f"{letter} {format_quantity(drill.answer, drill.unit)}".strip()


def _right(results: Sequence[Result]) -> int:
    return sum(item.is_right for item in results)


def _word(item: Result) -> str:
    if item.verdict is None:
        return "skipped"
    words = {Status.misconception: "a known trap", Status.right: "right", Status.unit: "wrong unit"}
    words |= {Status.close: "close", Status.scale: "wrong scale"}
    word = words.get(item.verdict.status, "not right")
    return f"{word}, too late" if item.is_late else word


def _is_slow(item: Result) -> bool:
    return item.seconds > 60 * SLOW * minutes_of(item.asking)
