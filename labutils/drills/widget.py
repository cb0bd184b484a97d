"""Drills with a field and buttons, for a notebook: ``practice()`` and ``mock_desk()``.

What stands here are faces of the dialogue that the terminal holds: a button types its word, and
whatever can be typed there can be typed into the field. So the keyboard alone suffices: Enter
checks, Enter on an empty field goes on.
"""

import asyncio
from collections.abc import Mapping

from labutils.drills.asking import Asking
from labutils.drills.catalog import find
from labutils.drills.choosing import matching
from labutils.drills.desk import Desk
from labutils.drills.drill import Drill
from labutils.drills.interview import MINUTES, QUESTIONS, Mock, mock
from labutils.drills.phrases import range_in
from labutils.drills.session import drill
from labutils.drills.terminal import BYE, MOCK_HELP, Dialogue, Quit
from labutils.exercises.card import Card, Prose

BUTTONS = ("Hint", "Reveal", "Follow up", "Again", "Next")
MOCK_BUTTONS = ("Start", "Skip", "Finish")
_PLACEHOLDERS = {(True, True): "b 40 ms", (True, False): "b", (False, True): "40 ms"}


def practice(
    template_id: str | None = None,
    *,
    seed: int | None = None,
    level: int | None = None,
    form: str | None = None,
    decision: str | None = None,
    rough: bool = False,
):
    """Drills one after the other, with an answer field and buttons.

    Arguments narrow what is asked, as for ``drill``. Where there are no widgets it is ``drill``
    itself. Raises ``ValueError`` for an id, a form or a level that does not exist.
    """
    wishes = {"level": level, "form": form, "decision": decision, "rough": rough}
    if not _has_widgets():
        return drill(template_id, seed=seed, **wishes)
    _ = matching(**wishes) if template_id is None else find(template_id)  # refuse at once
    return Practice(wishes, template_id, seed)


def mock_desk(*, seed: int | None = None, **options):
    """A timed mock with an answer field and a clock, which begins with its button Start.

    ``options`` are those of ``mock``: questions, minutes. Where there are no widgets it is
    ``mock`` itself, whose clock runs at once.
    """
    return MockDesk(seed, options) if _has_widgets() else mock(seed=seed, **options)


class Practice(Dialogue):
    """The dialogue of the terminal on a desk; ``type`` is what Enter does with a line."""

    def __init__(self, wishes: Mapping, first: str | None = None, seed: int | None = None):
        self.desk = Desk(self.type, BUTTONS)
        super().__init__(wishes, say=self.desk.hear)
        self.next(first, seed)

    def __repr__(self) -> str:
        return repr(self.desk)

    def _ipython_display_(self) -> None:
        self.desk._ipython_display_()

    def ask(self, asking: Asking) -> None:
        self.asking, self.steps = asking, {}
        self.desk.ask(asking.prompt(), **_how_to_answer(asking.drill))
        self.desk.buttons["Follow up"].disabled = True

    def type(self, line: str) -> None:
        asked, tries = self.asking, self.asking.tries
        is_command = line.strip().split(" ")[0].lower() in self.commands
        if not (is_command or asked.is_done):
            line = _lettered(line, self.desk.letters.value, asked.drill)
        try:
            self.take(" ".join(line.split()))
        except Quit:
            self.desk.hear(BYE)
        if self.asking is asked:
            judged = asked.tries > tries and self.desk.letters.value is None
            if is_command or asked.is_done or judged:  # else it stays, to be mended
                self.desk.field.value = ""
            self.desk.buttons["Follow up"].disabled = not (asked.is_done and asked.has_follow_up)


class MockDesk:
    """A mock on a desk: nothing runs before Start, and the report comes when the time is up."""

    def __init__(self, seed: int | None, options: Mapping):
        self._options = {"seed": seed, **options}
        self.sitting: Mock | None = None  # from Start on
        self.desk = Desk(self.type, MOCK_BUTTONS)
        self._ticking: asyncio.Task | None = None
        number, minutes = options.get("questions", QUESTIONS), options.get("minutes", MINUTES)
        opening = (
            f"{number} drills in {minutes:g} minutes. {MOCK_HELP} The clock begins with Start."
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
        if not self._is_running:
            self._start() if word == "start" else None
        elif word == "predict" and (ends := range_in(rest)):
            self.desk.hear(self.sitting.quiet_predict(*ends))
        elif word in ("?", "help", "predict"):
            self.desk.hear(MOCK_HELP)
        else:
            self._go_on(word, line)

    def _go_on(self, word: str, line: str) -> None:
        """Answer, skip or finish; then the next question, or the report."""
        before = self.sitting.current
        if word == "finish":
            self.sitting.is_finished = True
        elif word == "skip":
            self.sitting.quiet_skip()
        elif before is not None:
            line = _lettered(line, self.desk.letters.value, before.drill)
            said = self.sitting.quiet_check(line or ...)
            if self.sitting.current is before:  # it could not be read: nothing is lost
                self.desk.hear(said)
                return
        self._show()

    def _start(self) -> None:
        self.sitting, self._is_running = mock.__wrapped__(**self._options), True
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
            self.desk.ask(self.sitting.quiet_report())
        else:
            self.desk.ask(self.sitting.card(), **_how_to_answer(now.drill))

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
                self._show()
        self.desk.clock.value = ""


def _how_to_answer(drill: Drill) -> dict:
    kind = drill.options is not None, drill.answer is not None
    letters = [*drill.options.texts] if drill.options else []
    return {"letters": letters, "placeholder": _PLACEHOLDERS[kind]}


def _lettered(line: str, letter: str | None, drill: Drill) -> str:
    """The line behind the letter that is marked, unless it begins with a letter itself."""
    first = line.strip().split(" ")[0].lower().strip("().,:;")
    if letter is None or drill.options is None or first in drill.options.texts:
        return line.strip()
    return f"{letter} {line}".strip()


def _has_widgets() -> bool:
    try:
        import ipywidgets  # noqa: F401  its presence is the question
    except ImportError:
        return False
    return True
