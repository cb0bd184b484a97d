"""A timed mock under way: it asks, notes, asks once more, and hands over to the report.

An answer in another unit, or off by a power of ten, is asked for once more, as an interviewer
would. The questions of one story follow each other, whatever was answered.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

from labutils.drills.asking.asking import Asking
from labutils.drills.interview.report import MockReport
from labutils.drills.interview.report_page import saved
from labutils.drills.interview.result import Result
from labutils.exercises.definition.read_answer import expected_in_words
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.display.at_once import at_once
from labutils.exercises.display.card import Card, Prose, Shown
from labutils.exercises.journal.journal import record

MINUTES = 25.0
ONCE_MORE = (Status.unit, Status.scale)


class Mock(Shown):
    """A mock under way: shows the question at hand and the time left.

    ``check``, ``predict``, ``skip`` and ``back`` say nothing about right and wrong; ``report``
    does, once all is answered, the time is up, or ``finish`` was called.
    """

    def __init__(self, asked: Sequence[Asking], *, minutes: float = MINUTES, design: str = "d1"):
        self.asked, self.minutes, self.design_id = tuple(asked), minutes, design
        self.results: list[Result] = []
        self.is_finished = False
        self._since: float | None = None
        self._turn_since = 0.0
        self._told = False
        self._first: tuple[Verdict, str] | None = None  # what was asked for once more, as typed
        self.scrolls = False  # whether the questions before stay in sight, as in a terminal

    @property
    def name(self) -> str:
        """The name under which the journal keeps this mock."""
        return self.asked[0].mock

    @property
    def seconds(self) -> float:
        """Seconds since the first question was shown."""
        return 0.0 if self._since is None else time.monotonic() - self._since

    @property
    def seconds_left(self) -> float:
        return max(0.0, 60 * self.minutes - self.seconds)

    @property
    def is_over(self) -> bool:
        """Whether all is answered, the time is up, or it was ended."""
        return self.is_finished or len(self.results) == len(self.asked) or not self.seconds_left

    @property
    def current(self) -> Asking | None:
        """The question at hand."""
        return None if self.is_over else self.asked[len(self.results)]

    def clock(self) -> str:
        """Where the mock stands: which question, how much time."""
        minutes, seconds = divmod(round(self.seconds_left), 60)
        place = min(len(self.results) + 1, len(self.asked))
        return f"Question {place} of {len(self.asked)}, {minutes}:{seconds:02} min left"

    def card(self) -> Card:
        if self.is_over:
            at_keyboard = self.asked[0].terminal
            said = "The report follows." if at_keyboard else "`.report()` tells how it went."
            return Card("The mock is over", (Prose(said),), "neutral")
        self._start()
        prompt = self.current.prompt(so_far=not self.scrolls)
        goes_on = ", the story goes on" if self.current.link else ""
        label = f"{self.clock()} (level {self.current.template.level}){goes_on}"
        return Card(label, prompt.parts, "info")

    @at_once
    def predict(self, low=..., high=...) -> Card:
        """Commit to a range that holds the answer with 80 %, before you answer."""
        return self.quiet_predict(low, high)

    @at_once
    def check(self, answer=..., choice=None, **steps) -> Card:
        """Hand in an answer: it is noted, and the next question comes."""
        return self.quiet_check(answer, choice, **steps)

    @at_once
    def skip(self) -> Card:
        """Leave this question unanswered and go on."""
        return self.quiet_skip()

    @at_once
    def back(self) -> Card:
        """Take your last answer back: its question comes again."""
        return self.quiet_back()

    @at_once
    def hint(self) -> Card:
        """There is no help in a mock."""
        return Card("Not during a mock", (Prose("A hint waits in the report."),), "neutral")

    reveal = hint

    @at_once
    def finish(self) -> Shown:
        """End the mock now, and report."""
        self.is_finished = True
        return self.quiet_report()

    @at_once
    def report(self) -> Shown:
        """How it went: text here, and a page with worked solutions under ``my/reports``."""
        return self.quiet_report()

    @at_once
    def design(self) -> Shown:
        """Part two: a design to sketch aloud in 45 minutes."""
        return self.quiet_design()

    def quiet_predict(self, low=..., high=...) -> Card:
        """``predict`` with nothing shown; so are the other methods of this kind."""
        if self.is_over:
            return self.card()
        self._start()
        return self.current.predict(low, high)

    def quiet_check(self, answer=..., choice=None, **steps) -> Card:
        if self.is_over:
            return self._late(answer, choice, steps) or self.card()
        self._start()
        verdict = self.current.check(answer, choice, **steps)
        if verdict.status in (Status.not_attempted, Status.unreadable):
            return Card("Not noted", (Prose(verdict.message),), "warning")
        if verdict.status in ONCE_MORE and not self._first:
            self._first = verdict, self.current.said
            said = _asked_back(verdict, self.current.drill.unit)
            return Card(f"Once more? {self.clock()}", (Prose(said),), "warning")
        return self._on(verdict)

    def _late(self, answer, choice, steps) -> Card | None:
        """Note an answer that came behind the last second; it does not count."""
        is_late = not self.is_finished and len(self.results) < len(self.asked)
        if not is_late or answer is ...:
            return None
        self.is_finished = True
        asking = self.asked[len(self.results)]
        verdict = asking.check(answer, choice, **steps)
        if verdict.status in (Status.not_attempted, Status.unreadable):
            return None
        self._note(asking, verdict, is_late=True)
        said = "Your answer came after the last second: the report shows it, the score does not."
        return Card("The mock is over", (Prose(said),), "neutral")

    def quiet_skip(self) -> Card:
        if self.is_over:
            return self.card()
        self._start()
        self.current.skip()
        return self._on(None)

    def quiet_back(self) -> Card:
        if self.is_over:
            return self.card()
        if not self.results:
            return Card("Nothing to take back", (Prose("This is the first question."),), "neutral")
        taken, self._first = self.results.pop(), None
        taken.asking.take_back()
        self._turn_since -= taken.seconds  # what came since is spent on it too
        return self._now("Back")

    def quiet_report(self) -> Shown:
        if not self.is_over:
            said = f"{self.clock()}. `.finish()` ends it before the time."
            return Card("The mock is still running", (Prose(said),), "neutral")
        if self._first:  # the time ended before the second answer: the first one stands
            self._note(self.asked[len(self.results)], None)
        made = self._report()
        if not self._told:
            self._told = True
            right, asked = made.score
            record({"event": "drill_mock", "mock": self.name, "right": right, "of": asked,
                    "seconds": round(self.seconds, 1)})  # fmt: skip
        return made

    def _report(self) -> MockReport:
        made = MockReport.of(
            self.name,
            self.results,
            not_reached=self.asked[len(self.results) :],
            seconds=min(self.seconds, 60 * self.minutes),
            timed_out=not self.seconds_left
            and (len(self.results) < len(self.asked) or self.results[-1].is_late),
        )
        return saved(made, self.name) if made.results else made

    def quiet_design(self) -> Shown:
        try:
            from labutils.drills.whiteboard import prompt
        except ImportError:
            said = "The design prompts are not part of this edition: the mock ends with part one."
            return Card("No part two", (Prose(said),), "neutral")
        return prompt(self.design_id)

    def _on(self, verdict: Verdict | None) -> Card:
        """Note a result and show what comes next, the same story where it goes on."""
        asking = self.current
        self._note(asking, verdict)
        asking.leave()
        return self._now("Noted")

    def _now(self, said: str) -> Card:
        """What was done, and the question at hand."""
        card = self.card()
        return replace(card, label=f"{said}. {card.label}")

    def _note(self, asking: Asking, verdict: Verdict | None, *, is_late: bool = False) -> None:
        """Keep a result; where nothing came to a question asked once more, its first answer."""
        now, typed = self.seconds, [asking.said] if verdict else []
        first, self._first = self._first, None
        if first:
            verdict, typed = verdict or first[0], [first[1], *typed]
        spent, said = now - self._turn_since, ", then ".join(typed)
        self.results.append(Result(asking, verdict, spent, said, bool(first), is_late))
        self._turn_since = now

    def _start(self) -> None:
        if self._since is None:
            self._since = time.monotonic()


def _asked_back(verdict: Verdict, unit: str) -> str:
    """What an interviewer would say to a number in another unit, or off by a round factor.

    It says nothing about a letter beside the number.
    """
    if verdict.status is Status.unit:
        return f"In which unit? Asked is {expected_in_words(unit)}. Say it once more."
    return "Are you sure of the unit and of the power of ten? Say it once more, or say the same."
