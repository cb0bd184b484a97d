"""What the desk takes for a line: texts of the page come in pieces, early and late."""

import asyncio

import pytest

from labutils.drills import desk as module
from labutils.drills.desk import Desk

NOT_YET, LATE = 0.02, 0.06  # before and after the desk has stopped to wait


class Page:
    """What a browser sends: Enter, and beside it the text, if it is another than before."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr(module, "SYNC_SECONDS", 0.04)
        self.lines = []
        self.desk = Desk(self.lines.append, ["Hint"])

    def enter(self):
        self.desk.field._handle_custom_msg({"event": "submit"}, [])

    def text(self, value):
        self.desk.field.set_state({"value": value})

    def click(self, name):
        self.desk.buttons[name].click()

    def check(self):
        self.desk.answering.children[1].click()

    def hear(self, *steps):
        """The lines that the desk took after these steps; a number is a pause in seconds."""

        async def run():
            for step in (*steps, LATE):
                await asyncio.sleep(step) if isinstance(step, float) else step()

        asyncio.run(run())
        return self.lines


@pytest.fixture
def page(monkeypatch):
    return Page(monkeypatch)


@pytest.mark.parametrize("pause", [0.0, NOT_YET])
def test_enter_and_the_text_behind_it_are_one_line(page, pause):
    assert page.hear(page.enter, pause, lambda: page.text("12 ms")) == ["12 ms"]
    assert page.desk.field.value == ""


def test_enter_alone_is_an_empty_line_or_the_text_that_came_before(page):
    assert page.hear(page.enter) == [""]
    assert page.hear(lambda: page.text("7"), page.enter) == ["", "7"]


def test_a_text_that_a_busy_machine_brings_late_is_not_lost(page):
    assert page.hear(page.enter, LATE, lambda: page.text("12")) == ["", "12"]


def test_a_text_without_enter_waits_for_a_button(page):
    assert page.hear(lambda: page.text("12"), LATE) == []
    assert page.hear(page.check) == ["12"]


@pytest.mark.parametrize("pause", [0.0, LATE])
def test_a_click_on_check_may_come_before_the_text(page, pause):
    lines = page.hear(page.check, pause, lambda: page.text("12"))
    assert lines == (["", "12"] if pause else ["12"])


def test_a_late_enter_and_a_click_take_one_line(page):
    steps = page.enter, LATE, lambda: page.text("12"), page.check
    assert page.hear(*steps) == ["", "12"]


def test_a_button_leaves_the_text_in_the_field(page):
    steps = page.enter, LATE, lambda: page.text("12"), lambda: page.click("Hint")
    assert page.hear(*steps) == ["", "hint"]
    assert page.desk.field.value == "12"


def test_after_a_line_no_text_is_waited_for(page):
    steps = page.enter, lambda: page.text("12"), LATE, lambda: page.text("13")
    assert page.hear(*steps) == ["12"]


def test_an_error_of_the_dialogue_is_shown_and_goes_on(page):
    page.desk._typed = lambda line: 1 / 0
    with pytest.raises(ZeroDivisionError):
        page.desk.enter("x")
    assert "division by zero" in repr(page.desk)
