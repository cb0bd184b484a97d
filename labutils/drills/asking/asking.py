"""One drill being asked: what was handed in, how it stands, what goes into the journal.

Nothing here shows anything by itself: every method returns a card. ``Session`` is the face in a
notebook, ``terminal`` the one in a terminal, ``widget`` the one with buttons.
"""

import time
from dataclasses import replace

from labutils.drills.asking import remarks
from labutils.drills.asking.commitments import Commitments
from labutils.drills.asking.wording import Prompt, solution, told
from labutils.drills.definition.drill import Drill
from labutils.drills.definition.template import Template
from labutils.drills.judging.judging import given_value, judge, split
from labutils.drills.judging.rough import can_be_rough
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.display.card import Card, Prose
from labutils.exercises.journal.journal import record

_FIRST = "Answer the question before this one first, or have it revealed."


class Asking:
    """A drill with this seed's numbers, at link ``link`` of its chain (0 is its first question).

    ``rough`` asks for one significant figure, where the template allows it. ``mock`` names the mock
    in which it is asked. ``before`` is the question whose follow-up this is: until that one is
    done, this one stays closed.
    """

    def __init__(
        self,
        template: Template,
        seed: int,
        *,
        link: int = 0,
        rough: bool = False,
        mock: str = "",
        before: "Asking | None" = None,
        terminal: bool = False,
    ):
        self.template, self.seed, self.link, self.mock = template, seed, link, mock
        self.before, self.terminal = before, terminal
        self.drill: Drill = template.drill(seed) if before is None else before.drill.follow_up
        self.is_rough = rough and template.rough and can_be_rough(self.drill)
        self.hints_seen = self.tries = 0
        self.said = ""  # what was handed in last
        self.last: Verdict | None = None  # the last answer that could be judged
        self.committed = Commitments(self.drill, self._record)
        self.is_right = self.is_revealed = self.is_left = False
        self._letter: object = ...  # one that was handed in without its number
        self._since: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether this question may be seen."""
        return self.before is None or self.before.is_done or self.before.is_left

    @property
    def is_done(self) -> bool:
        """Whether the answer was found, or revealed."""
        return self.is_right or self.is_revealed

    @property
    def has_follow_up(self) -> bool:
        return self.drill.follow_up is not None

    @property
    def seconds(self) -> float:
        """Seconds since the question was first shown."""
        return 0.0 if self._since is None else time.monotonic() - self._since

    def prompt(self, *, so_far: bool = False) -> Card:
        """The question; the clock starts when it is first shown.

        ``so_far`` tells the story of the questions before it again, for a page that shows one only.
        """
        if closed := self._closed():
            return closed
        self._start()
        card = self._prompt().card()
        return replace(card, parts=(*self._story_before(), *card.parts)) if so_far else card

    def told(self) -> tuple:
        """The question's parts without how to answer, whether or not it may be asked yet."""
        return self._prompt().card().parts[:-1]

    def _story_before(self) -> tuple:
        if self.before is None:
            return ()
        return (*self.before._story_before(), *told(self.before.drill.story))

    def _prompt(self) -> Prompt:
        told = self.before and self.before._stories()
        return Prompt(
            self.template, self.drill, self.link, self.is_rough, self.terminal, told or ""
        )

    def _stories(self) -> str:
        earlier = self.before._stories() if self.before else ""
        return f"{earlier} {self.drill.story}"

    def predict(self, low=..., high=...) -> Card:
        """Commit to a range that holds the answer with 80 %; before the first answer it counts."""
        closed = self._closed(needs_number=True)
        return closed or self.committed.predict(low, high, is_answered=self.tries > 0)

    def bound(self, *, at_least=..., at_most=...) -> Card:
        """Commit to a bound found in the head: it must hold, and be within a factor of 20.

        One that does not hold may be mistyped, so its side takes another; a third would search.
        """
        closed = self._closed(needs_number=True)
        return closed or self.committed.bound(at_least=at_least, at_most=at_most)

    def check(self, answer=..., choice=None, **steps) -> Verdict:
        """Judge an answer and record the verdict.

        ``...`` is no attempt and leaves no trace; neither do steps without an answer.
        """
        if not self.is_open:
            return Verdict(Status.not_attempted, _FIRST)
        self._start()
        answer, choice = self._with_letter(answer, choice)
        self.said = _in_words(answer, choice)
        verdict = judge(self.drill, answer, choice, steps, rough=self.is_rough)
        only_steps = answer is ... and (choice is None or choice is ...)
        if verdict.status is Status.not_attempted or only_steps:
            return verdict
        was_done = self.is_done
        self._note(verdict, answer, choice)
        return self._with_way_on(verdict, was_done=was_done)

    def hint(self) -> Card:
        """The next hint, with those before it; the first reacts to the last wrong answer."""
        if closed := self._closed():
            return closed
        all_seen = self.hints_seen == 3
        self.hints_seen = min(self.hints_seen + 1, 3)
        self._record("drill_hint", level=self.hints_seen)
        parts = [Prose(f"{remarks.reaction(self)} {self.drill.hints[0]}".lstrip())]
        for number in range(2, self.hints_seen + 1):
            parts.append(Prose(f"Hint {number} of 3. {self.drill.hints[number - 1]}"))
        if self.hints_seen > 1 and len(self.drill.named_steps) > 1:
            parts.append(Prose(f"Steps that you can hand in: {remarks.step_names(self.drill)}."))
        if all_seen:
            parts.append(
                Prose(f"There are no more hints; {remarks.spelled(self, 'reveal')} explains.")
            )
        return Card("Hint 1 of 3", tuple(parts), "info")

    def reveal(self) -> Card:
        """The worked solution with these numbers, and the name of what it is about."""
        if closed := self._closed():
            return closed
        self._record("drill_reveal", done=self.is_right)
        parts = [Prose(text) for text in solution(self.template, self.drill)]
        if (held := remarks.range_in_words(self)) and not self.is_done:
            parts.append(Prose(held))
        self.is_revealed = True
        parts.append(Prose(remarks.onward(self)))
        return Card(self.template.title, tuple(parts), "info")

    def skip(self) -> None:
        """Give this question up: it counts as missed, and comes back."""
        self._record("drill_skip")

    def take_back(self) -> None:
        """Take back what became of this question, in a mock: nothing tells how it stood."""
        self._record("drill_back")
        self.is_right = False

    def leave(self) -> None:
        """Go on to the next question, in a mock: whatever the answer was, the story goes on."""
        self.is_left = True

    def again(self, seed: int) -> "Asking":
        """The first question of this story with other numbers."""
        return Asking(
            self.template, seed, rough=self.is_rough, mock=self.mock, terminal=self.terminal
        )

    def follow_up(self) -> "Asking | None":
        """The next question of the same story, ``None`` after the last."""
        if not self.has_follow_up:
            return None
        return Asking(
            self.template, self.seed, link=self.link + 1, rough=self.is_rough, mock=self.mock,
            before=self, terminal=self.terminal,
        )  # fmt: skip

    def _with_letter(self, answer, choice) -> tuple[object, object]:
        """The answer with the letter that came before it, where both are asked."""
        if self.drill.options is None or self.drill.answer is None:
            return answer, choice
        number, letter = split(self.drill, answer, choice)
        if letter is not ... and (number is ... or self.mock):  # a mock asks once more
            self._letter = letter
        elif number is not ... and letter is ... and self._letter is not ...:
            choice, self._letter = self._letter, ...
        return answer, choice

    def _note(self, verdict: Verdict, answer, choice) -> None:
        if verdict.status is not Status.unreadable:
            self.tries += 1
            self.last = verdict
        value = given_value(self.drill, answer, choice)
        self._record(
            "drill",
            mode="rough" if self.is_rough else "exact",
            status=verdict.status.value,
            diagnosis=verdict.diagnosis,
            hints=self.hints_seen,
            revealed=self.is_revealed,
            seconds=round(self.seconds, 1),
            **({} if value is None else {"value": value}),
        )
        self.is_right = self.is_right or verdict.passed

    def _with_way_on(self, verdict: Verdict, *, was_done: bool) -> Verdict:
        if verdict.passed:
            lines = [verdict.note, remarks.late(self)]
            lines += [] if was_done else [remarks.range_in_words(self)]
            lines += [
                f"It was about: {self.template.title}.",
                self.drill.moral,
                remarks.onward(self),
            ]
        else:
            lines = [verdict.note, remarks.help_line(self)]
        return replace(verdict, note="\n".join(filter(None, lines)))

    def _closed(self, *, needs_number: bool = False) -> Card | None:
        """What to say where the question is not open, or what is handed in comes too late."""
        if not self.is_open:
            return Card("Not open yet", (Prose(_FIRST),), "neutral")
        if needs_number and self.drill.answer is None:
            return Card("No number here", (Prose("Only a choice is asked: answer it."),), "neutral")
        if needs_number and self.is_done:
            return Card("Too late", (Prose("The answer is on screen already."),), "neutral")
        return None

    def _start(self) -> None:
        if self._since is None:
            self._since = time.monotonic()

    def _record(self, event: str, **fields) -> None:
        where = {"id": f"drill.{self.template.id}", "seed": self.seed, "link": self.link}
        mock = {"mock": self.mock} if self.mock else {}
        record({"event": event, **where, **fields, **mock})


def _in_words(answer, choice) -> str:
    """What was handed in, as a report shows it."""
    try:
        given = [
            f"{one:.6g}" if isinstance(one, float) else str(one)
            for one in (choice, answer)
            if one is not None and one is not ...
        ]
    except Exception:  # an object that cannot even be printed
        return "an object"
    return " ".join(given)[:80]
