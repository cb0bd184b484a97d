"""A timed mock: ten drills in 25 minutes, no help, a report at the end; then a design to sketch."""

import random
import secrets
import time
from collections.abc import Sequence

from labutils.arguments import positive, whole
from labutils.drills.asking.asking import Asking
from labutils.drills.catalog import templates
from labutils.drills.definition.template import Form, Template
from labutils.drills.interview.report import MockReport
from labutils.drills.interview.report_page import saved
from labutils.drills.interview.result import Result
from labutils.drills.repetition.choosing import akin, first_sound
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.display.at_once import at_once
from labutils.exercises.display.card import Card, Prose, Shown
from labutils.exercises.journal.journal import record

QUESTIONS = 10
MINUTES = 25.0
TYPICAL = 2.1  # minutes that each of the others needs at least
LEVELS = (1, 2, 1, 3, 2, 4, 2, 1, 3, 3)
DESIGNS = ("d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8")


class Mock(Shown):
    """A mock under way: shows the question at hand and the time left.

    ``check``, ``predict`` and ``skip`` say nothing about right and wrong; ``report`` does, once
    all is answered, the time is up, or ``finish`` was called.
    """

    def __init__(self, asked: Sequence[Asking], *, minutes: float = MINUTES, design: str = "d1"):
        self.asked, self.minutes, self.design_id = tuple(asked), minutes, design
        self.results: list[Result] = []
        self.is_finished = False
        self._since: float | None = None
        self._turn_since = 0.0
        self._told = False

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
        prompt = self.current.prompt()
        label = f"{self.clock()} (level {self.current.template.level})"
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
            return self.card()
        self._start()
        verdict = self.current.check(answer, choice, **steps)
        if verdict.status in (Status.not_attempted, Status.unreadable):
            return Card(verdict.card().label, (Prose(verdict.message),), "warning")
        return self._on(verdict)

    def quiet_skip(self) -> Card:
        if self.is_over:
            return self.card()
        self._start()
        self.current.skip()
        return self._on(None)

    def quiet_report(self) -> Shown:
        if not self.is_over:
            said = f"{self.clock()}. `.finish()` ends it before the time."
            return Card("The mock is still running", (Prose(said),), "neutral")
        made = self._report()
        if not self._told:
            self._told = True
            right, total = made.score
            record({"event": "drill_mock", "mock": self.name, "right": right, "of": total,
                    "seconds": round(self.seconds, 1)})  # fmt: skip
        return made

    def _report(self) -> MockReport:
        made = MockReport.of(
            self.name,
            self.results,
            num_questions=len(self.asked),
            seconds=min(self.seconds, 60 * self.minutes),
            timed_out=not self.seconds_left and len(self.results) < len(self.asked),
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
        """Note a result and show what comes next."""
        now = self.seconds
        self.results.append(Result(self.current, verdict, now - self._turn_since))
        self._turn_since = now
        following = self.card()
        return Card(f"Noted. {following.label}", following.parts, following.accent)

    def _start(self) -> None:
        if self._since is None:
            self._since = time.monotonic()


@at_once
def mock(*, seed: int | None = None, questions: int = QUESTIONS, minutes: float = MINUTES) -> Mock:
    """Begin a timed mock: ten drills in 25 minutes, levels and decisions mixed.

    The clock starts with the first question. The same ``seed`` asks the same questions.
    """
    seed = secrets.randbelow(10**6) if seed is None else whole("seed", seed, at_least=0)
    number, minutes = whole("questions", questions), positive("minutes", minutes)
    draw, name = random.Random(f"mock/{seed}"), f"mock-{seed}-{secrets.token_hex(3)}"
    chosen = mixed(templates(), number, draw, minutes=minutes)
    seeds = iter(lambda: draw.randrange(1, 10**5), None)
    asked = [Asking(item, first_sound(item, seeds), mock=name) for item in chosen]
    return Mock(asked, minutes=minutes, design=draw.choice(DESIGNS))


def mixed(
    candidates: Sequence[Template], number: int, draw: random.Random, *, minutes: float = MINUTES
) -> list[Template]:
    """``number`` templates for ``minutes``: levels as in ``LEVELS``, decisions and forms spread.

    Never two of a subject in a row, no template twice, where there are enough.
    """
    chosen: list[Template] = []
    for turn in range(number):
        wanted = LEVELS[turn % len(LEVELS)]
        spent = sum(item.minutes for item in chosen)
        most = minutes - spent - TYPICAL * (number - turn - 1)  # the others need theirs
        burdens = {
            item.id: (max(0.0, item.minutes - most), *_burden(item, wanted, chosen), draw.random())
            for item in _allowed(candidates, chosen)
        }
        best = min(burdens, key=burdens.get)
        chosen.append(next(item for item in candidates if item.id == best))
    return chosen


def _burden(item: Template, wanted: int, chosen: list[Template]) -> tuple[float, float]:
    """How badly a template fits as the next one: by level, then by what was asked already.

    A plain number counts half as much as the other forms: about half of a mock is numbers.
    """
    same_form = sum(other.form is item.form for other in chosen)
    asked = sum(other.decision is item.decision for other in chosen)
    asked += sum(akin(other, item) for other in chosen)
    return abs(item.level - wanted), asked + same_form * (0.5 if item.form is Form.number else 1)


def _allowed(candidates: Sequence[Template], chosen: list[Template]) -> list[Template]:
    """What may come next; the rules are given up one by one where nothing else is left."""
    others = [item for item in candidates if not chosen or not akin(item, chosen[-1])]
    fresh = [item for item in others if item not in chosen]
    return fresh or others or list(candidates)
