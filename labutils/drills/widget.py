"""Drills with a field and buttons, for a notebook: ``practice()`` and ``mock_desk()``.

What stands here are faces of the dialogue that the terminal holds: a button types its word, and
whatever can be typed there can be typed into the field. So the keyboard alone suffices: Enter
checks, Enter on an empty field goes on.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from labutils.drills.asking.asking import Asking
from labutils.drills.catalog import find
from labutils.drills.definition.drill import Drill
from labutils.drills.desk import Desk
from labutils.drills.interview.interview import mock
from labutils.drills.interview.sitting import Mock
from labutils.drills.phrases import range_in
from labutils.drills.repetition.choosing import matching
from labutils.drills.session import drill
from labutils.drills.terminal import BYE, MOCK_HELP, Dialogue, Quit
from labutils.exercises.definition.read_answer import read_number
from labutils.exercises.display.card import Card, Prose
from labutils.ground.units import UnreadableQuantity, WrongDimension

BUTTONS = ("Hint", "Reveal", "Follow up", "Again", "Next")
MOCK_BUTTONS = ("Start", "Back", "Skip", "Finish")
_TIME_LEFT = re.compile(r", \d+:\d\d min left")
_MOCK_HELP = " ".join(MOCK_HELP.split())
_NO_HELP = "Not during a mock: the report explains."
_TIME_IS_UP = "The time is up. What you have typed may still be entered: it is noted as late."
GRACE_S = 15.0  # for that
_EXAMPLES = {"s": "40 ms"}  # of a number in the field; of any other unit "12"


def practice(
    template_id: str | None = None,
    *,
    seed: int | None = None,
    level: int | None = None,
    form: str | None = None,
    decision: str | None = None,
    topics: str | Sequence[str] = (),
    rough: bool = False,
    until: str | None = None,
):
    """Drills one after the other, with an answer field and buttons.

    Arguments narrow what is asked, as for ``drill``. Where there are no widgets it is ``drill``
    itself. Raises ``ValueError`` for an id, a form, a level or a day that does not exist.
    """
    wishes = {"level": level, "form": form, "decision": decision, "topics": topics, "rough": rough}
    if not _has_widgets():
        return drill(template_id, seed=seed, until=until, **wishes)
    _ = matching(**wishes) if template_id is None else find(template_id)  # refuse at once
    return Practice(wishes, template_id, seed, until=until)


def mock_desk(*, seed: int | None = None, **options):
    """A timed mock with an answer field and a clock, which begins with its button Start.

    ``options`` are those of ``mock``: questions, minutes, level, topics, rough, …. Where there
    are no widgets it is ``mock`` itself, whose clock runs at once.
    """
    return MockDesk(seed, options) if _has_widgets() else mock(seed=seed, **options)


class Practice(Dialogue):
    """The dialogue of the terminal on a desk; ``type`` is what Enter does with a line."""

    def __init__(
        self, wishes: Mapping, first: str | None = None, seed: int | None = None, *,
        until: str | None = None,
    ):  # fmt: skip
        self.desk, self.halves, self._judged = Desk(self.type, BUTTONS), None, None
        super().__init__(wishes, until=until, say=self.desk.hear)
        # as cards, not as the terminal's lines
        self.commands["reveal"] = lambda rest: self.say(self.asking.reveal())
        self.commands["show"] = lambda rest: self.say(self.asking.prompt(so_far=True))
        self.next(first, seed)

    def __repr__(self) -> str:
        return repr(self.desk)

    def _ipython_display_(self) -> None:
        self.desk._ipython_display_()

    def ask(self, asking: Asking) -> None:
        self.asking, self.steps, self._judged = asking, {}, None
        self.halves = Halves(self.desk, asking.drill)
        self.desk.ask(asking.prompt(so_far=True), **_how_to_answer(asking.drill))
        self.desk.buttons["Follow up"].disabled = True

    def type(self, line: str) -> None:
        asked = self.asking
        if not (asked.is_done or self._is_command(line)):
            whole = self.halves.joined(line)
            line = "" if not line.strip() and whole == self._judged else whole
            self._judged = whole  # Enter once more on an empty field is no second try
        try:
            self.take(" ".join(line.split()))
        except Quit:
            self.desk.hear(BYE)
        if self.asking is asked:
            self.desk.buttons["Follow up"].disabled = not (asked.is_done and asked.has_follow_up)

    def _is_command(self, line: str) -> bool:
        return line.strip().split(" ")[0].lower() in self.commands


class Halves:
    """A letter and a number, of which one may be typed after the other, in either order.

    The letter is marked in the radio buttons; the number stands grey in the empty field.
    """

    def __init__(self, desk: Desk, drill: Drill):
        self.desk, self.drill, self.number = desk, drill, ""

    def joined(self, line: str) -> str:
        """The line together with the other half, if there is one."""
        line, options = line.strip(), self.drill.options
        if options is None:
            return line
        first, _, rest = line.partition(" ")
        letter = first.lower().strip("().,:;")
        if letter in options.texts:
            self.desk.letters.value, line = letter, rest.strip()
        return f"{self.desk.letters.value or ''} {self._with_number(line)}".strip()

    def _with_number(self, line: str) -> str:
        """The line, or the number from before where it is empty; a number is kept."""
        if self.drill.answer is None or not line:
            return line or self.number
        try:
            read_number(line, self.drill.unit)
        except (UnreadableQuantity, WrongDimension):
            return line
        self.number = line
        self.desk.field.placeholder = f"{line} (kept)"
        return line


class MockDesk:
    """A mock on a desk: nothing runs before Start, and the report comes when the time is up."""

    def __init__(self, seed: int | None, options: Mapping):
        self._made = mock.__wrapped__(seed=seed, **options)  # wishes are refused at once
        self.sitting: Mock | None = None  # from Start on
        self.halves: Halves | None = None
        self.desk = Desk(self.type, MOCK_BUTTONS)
        self._ticking: asyncio.Task | None = None
        number, minutes = len(self._made.asked), self._made.minutes
        opening = (
            f"{number} questions in {minutes:g} minutes. {_MOCK_HELP} The clock begins with Start."
        )
        self.desk.ask(Card("Mock", (Prose(opening),), "info"))
        self._is_running = False
        self._let(start=True, answer=False)

    def __repr__(self) -> str:
        return repr(self.desk)

    def _ipython_display_(self) -> None:
        self.desk._ipython_display_()

    def type(self, line: str) -> None:
        """Do what Enter does with a line in the field."""
        word, _, rest = line.strip().partition(" ")
        word = word.lower()
        if not self._is_running:
            self._start() if word == "start" else None
        elif word == "predict" and (ends := range_in(rest)):
            self.desk.hear(self.sitting.quiet_predict(*ends))
        elif word in ("?", "help", "predict"):
            self.desk.hear(_MOCK_HELP)
        elif word in ("hint", "reveal", "bound", "steps"):
            self.desk.hear(_NO_HELP)
        else:
            self._go_on(word, line)

    def _go_on(self, word: str, line: str) -> None:
        """Answer, skip, go back or finish; then the next question, or the report."""
        before = self.sitting.current
        if word in ("finish", "quit", "exit"):
            self.sitting.is_finished = True
        elif word == "skip":
            self.sitting.quiet_skip()
        else:
            said = self.sitting.quiet_back() if word == "back" else self._answered(line)
            if before and self.sitting.current is before:  # not read, asked once more, none before
                self.desk.hear(said)
                return
        self._show()

    def _answered(self, line: str):
        answer = self.halves.joined(line)
        return self.sitting.quiet_check(answer) if answer else _MOCK_HELP

    def _start(self) -> None:
        self.sitting, self._is_running = self._made, True
        for asking in self.sitting.asked:
            asking.terminal = True  # it is answered in words, not in calls
        self._let(start=False, answer=True)
        self._show()
        try:
            self._ticking = asyncio.get_running_loop().create_task(self._tick())
        except RuntimeError:  # outside of a kernel nobody sees the clock
            self._ticking = None

    def _show(self) -> None:
        """The question at hand, or how it went."""
        now = self.sitting.current
        if now is None:
            self._is_running = False
            self._let(start=False, answer=False)
            for asking in self.sitting.asked:
                asking.terminal = False  # the report names calls for a notebook
            self.desk.ask(self.sitting.quiet_report())
        else:
            self.halves = Halves(self.desk, now.drill)
            card = self.sitting.card()
            label = _TIME_LEFT.sub("", card.label)  # the clock that ticks stands below
            self.desk.ask(replace(card, label=label), **_how_to_answer(now.drill))
        self.desk.clock.value = self.sitting.clock() if self._is_running else ""

    def _let(self, *, start: bool, answer: bool) -> None:
        """Which buttons can be pressed, and whether there is a field."""
        for name, button in self.desk.buttons.items():
            button.disabled = not (start if name == "Start" else answer)
        self.desk.answering.layout.display = None if answer else "none"

    async def _tick(self) -> None:
        while self._is_running:
            self.desk.clock.value = self.sitting.clock()
            await asyncio.sleep(1)
            if self._is_running and self.sitting.is_over:
                self.desk.hear(_TIME_IS_UP)
                await asyncio.sleep(GRACE_S)
                if self._is_running:
                    self._show()
        self.desk.clock.value = ""


def _how_to_answer(drill: Drill) -> dict:
    letters = [*drill.options.texts] if drill.options else []
    letter = "b" if letters else ""
    number = "" if drill.answer is None else _EXAMPLES.get(drill.unit, "12")
    return {"letters": letters, "placeholder": f"{letter} {number}".strip()}


def _has_widgets() -> bool:
    try:
        import ipywidgets  # noqa: F401  its presence is the question
    except ImportError:
        return False
    return True
