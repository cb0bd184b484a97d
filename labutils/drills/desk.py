"""A desk of widgets: a question, letters to mark, a field, buttons, and what was said last.

It knows nothing about drills. Question and answer are ordinary outputs of the cell, so that they
stay when the notebook is saved; the controls between them are widgets.
"""

import asyncio
import math
import time
import traceback
import uuid
from collections.abc import Callable, Sequence

from labutils.exercises.display.card import Card, Code, Prose, Shown

SYNC_SECONDS = 0.15  # from Enter to the text, which the page sends right behind
LATE_SECONDS = 3.0  # so much later a text is still that of the Enter, on a busy machine
_HELP = "Enter checks. Type <code>?</code> for all that you can type."
_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
_ROW = {"flex_flow": "row wrap", "align_items": "center"}


class Desk:
    """Calls ``typed(line)`` for a line that is entered; a button enters its name in small letters.

    ``question`` and ``heard`` are the cards on it. What ``typed`` raises is shown and goes on.
    """

    def __init__(self, typed: Callable[[str], None], buttons: Sequence[str]):
        self._typed = typed
        self.question, self.heard = Card("Drill"), None
        self._id, self._is_on_screen = uuid.uuid4().hex, False
        self._is_entered = False  # Enter was pressed, and what was typed may be on its way
        self._entered_at = -math.inf  # when it was last pressed
        self._build(buttons)

    def ask(self, question: Shown, *, letters: Sequence[str] = (), placeholder: str = "") -> None:
        """Put a question on the desk, the field empty, the cursor in it."""
        self.question, self.heard = question.card(), None
        self.letters.options = [*letters]
        self.letters.value = None
        self.letters.layout.display = None if letters else "none"
        self.field.value, self.field.placeholder = "", placeholder
        getattr(self.field, "focus", lambda: None)()  # ipywidgets 7 cannot
        self._put_on_screen()

    def hear(self, said) -> None:
        """Show what is said, a card or text; a screen reader reads it out."""
        self.heard = said.card() if isinstance(said, Shown) else _as_card(str(said))
        self._put_on_screen()

    def enter(self, line: str) -> None:
        """Do what Enter does with a line in the field."""
        try:
            self._typed(line)
        except Exception as error:  # a callback's error is logged where no learner looks
            self.hear("".join(traceback.format_exception_only(error)))
            raise

    # ---- the widgets ---------------------------------------------------------------------------

    def _build(self, buttons: Sequence[str]) -> None:
        import ipywidgets as widgets

        self.letters = widgets.RadioButtons(description="Choice", options=[])
        if self.letters.has_trait("orientation"):  # ipywidgets 8.1 and later
            self.letters.orientation = "horizontal"
        self.field = widgets.Text(
            description="Answer", continuous_update=False, layout={"width": "22em"}
        )
        self.field.on_msg(self._on_message)
        self.field.observe(self._on_text, "value")
        check = widgets.Button(description="Check", button_style="primary")
        check.on_click(lambda _: self._enter() if self.field.value else self._await_text())
        self.buttons = {text: widgets.Button(description=text) for text in buttons}
        for button in self.buttons.values():
            button.on_click(self._on_button)
        self.clock = widgets.HTML()
        self.answering = widgets.Box([self.field, check, widgets.HTML(_HELP)], layout=_ROW)
        below = widgets.Box([*self.buttons.values(), self.clock], layout=_ROW)
        self._panel = widgets.VBox([self.letters, self.answering, below])
        self._panel.add_class("house-drill")

    # The page reports Enter, and after that what was typed, unless it is what it was; a text that
    # the button Check brings may come after the click. A text also comes when the cursor leaves
    # the field for elsewhere, and must not count: perhaps for the button Hint.

    def _on_message(self, _, content, __) -> None:
        if content.get("event") == "submit":
            self._await_text()

    def _await_text(self) -> None:
        self._is_entered, self._entered_at = True, time.monotonic()
        self._enter_soon()

    def _on_text(self, change) -> None:
        if self._is_entered:
            self._enter()
        elif change.new and time.monotonic() - self._entered_at < LATE_SECONDS:
            self._is_entered = True
            self._enter_soon()  # soon, for it may be a click that brought it

    def _enter_soon(self) -> None:
        try:
            asyncio.get_running_loop().call_later(SYNC_SECONDS, self._enter_late)
        except RuntimeError:  # no loop, so no page that is about to send anything
            self._enter()

    def _enter_late(self) -> None:
        if self._is_entered:
            is_text_to_come, pressed_at = not self.field.value, self._entered_at
            self._enter()
            self._entered_at = pressed_at if is_text_to_come else -math.inf

    def _enter(self) -> None:
        self._forget_enter()
        line, self.field.value = self.field.value, ""  # before the answer: who reads it may type
        self.enter(line)

    def _on_button(self, button) -> None:
        self._forget_enter()  # what was typed came because of the click, and stays in the field
        self.enter(button.description.lower())

    def _forget_enter(self) -> None:
        self._is_entered, self._entered_at = False, -math.inf

    # ---- the outputs ---------------------------------------------------------------------------

    def __repr__(self) -> str:
        return "\n".join(card.plain() for card in (self.question, self.heard) if card)

    def _ipython_display_(self) -> None:
        self._is_on_screen = True
        live = {"version_major": 2, "version_minor": 0, "model_id": self._panel.model_id}
        still = "Run this cell to answer here."
        self._publish("question")
        _publish({_WIDGET_VIEW: live, "text/html": f"<p><em>{still}</em></p>", "text/plain": still})
        self._publish("said")

    def _put_on_screen(self) -> None:
        if self._is_on_screen:
            for part in ("question", "said"):
                self._publish(part, update=True)

    def _publish(self, part: str, **placement) -> None:
        card = self.question if part == "question" else self.heard
        role = 'role="alert"' if part == "said" else ""
        shown = {
            "text/html": f"<div {role}>{card.html() if card else ''}</div>",
            "text/plain": card.plain() if card else "",
        }
        _publish(shown, display_id=f"{self._id}-{part}", **placement)


def _as_card(text: str) -> Card:
    """Text as a card; lines below the first keep their spacing."""
    first, _, rest = text.partition("\n")
    parts = (Prose(first), Code(rest)) if rest else (Prose(first),)
    return Card("Drill", parts, "neutral")


def _publish(bundle: dict, **placement) -> None:
    from IPython.display import display

    display(bundle, raw=True, **placement)
