"""A prompt at the whiteboard: ask back, answer aloud or on paper, tick, compare, be asked on."""

import re
import time

from labutils.drills.whiteboard.prompt import Page, Prompt
from labutils.drills.whiteboard.rubric import AXES, QUESTION, SCORES, level
from labutils.drills.whiteboard.sketch import Sketch
from labutils.exercises.display.at_once import at_once
from labutils.exercises.display.card import Card, Code, Prose, Shown, Table
from labutils.exercises.journal.journal import record


class Board(Shown):
    """One attempt at a prompt; the clock runs from when the task is first shown.

    Nothing that you write is asked for or kept: you answer aloud or on paper, then tick what you
    said. Methods show and return cards, and never raise for what is handed in.
    """

    def __init__(self, prompt: Prompt):
        self.prompt = prompt
        self.asked: tuple[str, ...] = ()  # clarifications, in the order in which they were asked
        self.has_seen_answer = False
        self.names_calls = True  # a terminal asks instead of naming what to call
        self._since: float | None = None

    @property
    def page(self) -> Page:
        """What the prompt holds."""
        return self.prompt.page

    @property
    def seconds(self) -> float:
        """Seconds since the task was first shown."""
        return 0.0 if self._since is None else time.monotonic() - self._since

    def card(self) -> Card:
        self._start()
        return Card(
            f"{self.prompt.minutes} minutes, at the whiteboard",
            (
                Prose(self.prompt.ask),
                Prose("First ask for what is missing. Then answer aloud or on paper."),
                *self._calls("`clarify()` lists questions; `must_hits()` comes after your answer."),
            ),
        )

    @at_once
    def clarify(self, *letters: str) -> Card:
        """The questions that you may ask; with letters, the interviewer's replies."""
        self._start()
        questions = self.page.questions()
        asked = _letters(letters)
        if not asked:
            lines = [f"({key}) {item.question}" for key, item in questions.items()]
            opening = "These, or what else you would want to know."
            calls = self._calls("`clarify('a')` brings the reply.")
            return Card("You may ask", (Prose(opening), Prose("\n".join(lines)), *calls))
        if strangers := [key for key in asked if key not in questions]:
            return _unreadable(strangers[0], questions)
        self.asked += tuple(key for key in asked if key not in self.asked)
        replies = (f"{questions[key].question} {questions[key].answer}" for key in asked)
        return Card("The interviewer", tuple(map(Prose, replies)))

    @at_once
    def must_hits(self) -> Card:
        """What full marks need; look after you have answered."""
        lines = [f"({key}) {text}" for key, text in self.page.lettered().items()]
        opening = "Tick a line only if you said all of it."
        calls = self._calls("`tick('a c')` scores.")
        return Card("Must-hit list", (Prose(opening), Prose("\n".join(lines)), *calls))

    @at_once
    def tick(self, *letters: str) -> Card:
        """Score the must-hit list: the letters of what you said, as one text or several."""
        known = self.page.lettered()
        ticked = dict.fromkeys(_letters(letters))
        if strangers := [key for key in ticked if key not in known]:
            return _unreadable(strangers[0], known)
        self._record("whiteboard", ticked=len(ticked), of=len(known))
        missing = [f"({key}) {text}" for key, text in known.items() if key not in ticked]
        said = f"{len(ticked)} of {len(known)}."
        rest = "Say next time:\n" + "\n".join(missing) if missing else "Nothing is missing."
        note = "The model answer was on screen before." if self.has_seen_answer else ""
        parts = [Prose(text) for text in (said, rest, note) if text]
        return Card("Ticked", tuple(parts), "info" if missing else "success")

    @at_once
    def model_answer(self) -> Card:
        """One good answer, every number computed; there are others."""
        self.has_seen_answer = True
        self._record("whiteboard_answer")
        page = self.page
        parts = [Prose(f"— {name} —\n{text}") for name, text in page.model_answer.items()]
        parts += _sketched(page.sketch) if page.sketch else []
        threes = [f"{AXES[axis].name}: {text}" for axis, text in page.a_three.items()]
        if threes:
            parts.append(Prose("— What a 3 sounds like here —\n" + "\n".join(threes)))
        for axis, heard in page.examples.items():
            lines = [f"{score}: {text}" for score, text in enumerate(heard)]
            parts.append(Prose(f"— {AXES[axis].name}, 0 to 3 here —\n" + "\n".join(lines)))
        opening = Prose("One good answer; there are others.")
        return Card(self.prompt.title, (opening, *parts))

    @at_once
    def follow_up(self, number: int = 1, *, answer: bool = False) -> Card:
        """The interviewer moves the problem: question 1, 2 or 3, and its answer when asked."""
        follow_ups = self.page.follow_ups
        if number not in range(1, len(follow_ups) + 1):
            text = f"There are follow-ups 1 to {len(follow_ups)}, not {number!r}."
            return Card("Cannot read this", (Prose(text),), "warning")
        item = follow_ups[number - 1]
        if answer:
            return Card("An answer", (Prose(item.answer),))
        calls = self._calls(f"`follow_up({number}, answer=True)` answers.")
        return Card(f"Follow-up {number}", (Prose(item.question), *calls))

    @at_once
    def grade(self, *, moves_the_limit: bool = False, **scores: int) -> Card:
        """Score the eight axes 0 to 3, as ``rubric()`` describes them, and see the level.

        ``moves_the_limit``: you also said how the limit moves with batch, context, precision or
        hardware.
        """
        try:
            reached = level(scores, moves_the_limit=moves_the_limit)
        except ValueError as error:
            return Card("Cannot read these scores", (Prose(str(error)),), "warning")
        total = sum(scores.values())
        self._record("whiteboard_grade", scores=scores, total=total, level=reached)
        weakest = min(scores, key=lambda axis: (scores[axis], list(AXES).index(axis)))
        advice, item = "", AXES[weakest]
        if scores[weakest] < 3:
            about, more = QUESTION, item.better_than(scores[weakest])
            if heard := self.page.examples.get(weakest):
                about, more = self.prompt.title, heard[scores[weakest] + 1]
            advice = (
                f"Your weakest axis is “{item.name}”: {item.asks} For “{about}” one point more "
                f"sounds like this. {more}"
            )
        parts = [Prose(text) for text in (f"{total} of 24: {reached}.", advice) if text]
        return Card("Graded by yourself", tuple(parts))

    def _calls(self, text: str) -> tuple[Prose, ...]:
        return (Prose(text),) if self.names_calls else ()

    def _start(self) -> None:
        if self._since is None:
            self._since = time.monotonic()

    def _record(self, event: str, **fields) -> None:
        seconds = round(self.seconds, 1)
        about = {"id": f"board.{self.prompt.id}", "asked": len(self.asked), "seconds": seconds}
        record({"event": event, **about, "after_answer": self.has_seen_answer, **fields})


class Rubric(Shown):
    """The eight axes with an example for each score."""

    def card(self) -> Card:
        rows = tuple((axis, item.name, item.asks) for axis, item in AXES.items())
        key = "\n".join(f"{score}: {text}" for score, text in enumerate(SCORES))
        about = f"All examples answer one question: “{QUESTION}”"
        parts = [Table(("axis", "", "the question behind it"), rows), Prose(key), Prose(about)]
        for axis, item in AXES.items():
            lines = [f"{score}: {example}" for score, example in enumerate(item.examples)]
            parts.append(Prose(f"— {item.name} (`{axis}`) —\n" + "\n".join(lines)))
        note = (
            "Mid from 10 of 24, senior from 15 with `estimate` at 2, staff from 19 if you also "
            "said how the limit moves. The cut-offs are this course's own."
        )
        return Card("Rubric", (*parts, Prose(note)))


def _sketched(sketch: Sketch) -> list:
    """Drawing, components and interfaces, as parts of a card."""
    return [
        Prose("— On the board —"),
        Code(sketch.drawing),
        Prose("\n".join(sketch.components())),
        Prose("— Interfaces —"),
        Code(sketch.calls),
    ]


def _letters(texts: tuple) -> list[str]:
    """Letters in whatever form they come: "ac", "a, c", "(a) (c)", "a", "c"."""
    return re.findall(r"[a-z]", " ".join(map(str, texts)).lower())


def _unreadable(letter: str, known) -> Card:
    text = f"There is no ({letter}): expected letters among {', '.join(known)}."
    return Card("Cannot read this", (Prose(text),), "warning")
