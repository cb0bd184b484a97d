"""The desk: a button types its word, a marked letter goes with the number, text stays text."""

import asyncio
import sys

import pytest

from labutils.drills import widget
from labutils.drills.catalog import UnknownDrillError, templates
from labutils.drills.interview.sitting import Mock
from labutils.drills.repetition.choosing import matching
from labutils.drills.session import Session
from labutils.drills.widget import BUTTONS, mock_desk, practice
from labutils.exercises.definition.verdict import Status


@pytest.fixture(autouse=True)
def own_journal(monkeypatch, tmp_path):
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path))


def both():
    """A template that asks for a choice and a number."""
    return next(
        item
        for item in templates()
        if item.drill(5).options is not None and item.drill(5).answer is not None
    )


def test_wrong_hint_right_and_on():
    desk = practice("in_flight", seed=11)
    drill, first = desk.asking.drill, desk.asking
    desk.type(f"{drill.mistakes[0].value}")
    assert drill.mistakes[0].message in desk.desk.heard.plain().replace("\n", " ")
    assert desk.desk.buttons["Follow up"].disabled
    desk.type("hint")
    assert desk.desk.heard.label == "Hint 1 of 3"
    desk.type(f"{drill.answer}")
    assert first.is_right and not desk.desk.buttons["Follow up"].disabled
    desk.type("follow up")
    assert desk.asking.link == 1 and desk.desk.heard is None
    desk.type("next")
    assert desk.asking is not first and desk.asking.link == 0


def test_each_button_types_a_word_that_the_dialogue_knows():
    desk = practice("in_flight", seed=3)
    for text in BUTTONS:
        assert text.lower().split()[0] in desk.commands
        desk.type(text.lower())


def test_a_marked_letter_goes_with_the_number_and_a_typed_one_before_it():
    template = both()
    drill = template.drill(5)
    wrong = next(iter(drill.options.against))
    desk = practice(template.id, seed=5)
    assert desk.desk.letters.options == tuple(drill.options.texts)
    desk.desk.letters.value = wrong
    desk.type(f"{drill.answer}")
    assert desk.asking.last.status is Status.misconception
    desk.type(f"{drill.options.right} {drill.answer}")
    assert desk.asking.is_right


def test_what_cannot_be_read_is_no_try():
    desk = practice("in_flight", seed=4)
    desk.type("12 bananas")
    assert desk.asking.tries == 0
    desk.type("again")
    assert desk.desk.field.value == "" and desk.asking.seed != 4


@pytest.mark.parametrize("number_first", [True, False])
def test_letter_and_number_may_come_one_after_the_other(number_first):
    template = both()
    drill = template.drill(5)
    halves = [drill.options.right, f"{drill.answer}"]
    desk = practice(template.id, seed=5)
    for half in reversed(halves) if number_first else halves:
        assert not desk.asking.is_right and desk.asking.tries == 0
        desk.type(half)
    assert desk.asking.is_right


def test_enter_on_the_empty_field_is_no_second_try_and_another_letter_takes_the_kept_number():
    template = both()
    drill = template.drill(5)
    desk = practice(template.id, seed=5)
    desk.type(f"{next(iter(drill.options.against))} {drill.answer}")
    desk.type("")
    assert desk.asking.tries == 1 and "(kept)" in desk.desk.field.placeholder
    desk.type("no number")
    desk.type(f"({drill.options.right.upper()})")
    assert desk.asking.is_right


def test_a_mock_gives_no_help_and_counts_no_plea_as_an_answer():
    sitting = mock_desk(seed=4, questions=2, minutes=5)
    sitting.type("start")
    first = sitting.sitting.current
    for plea in ("hint", "Reveal", "?", "bound > 3"):
        sitting.type(plea)
        assert sitting.sitting.current is first and first.tries == 0
        assert "report" in sitting.desk.heard.plain()
    sitting.type("Skip")
    assert sitting.sitting.current is not first
    sitting.desk.buttons["Back"].click()
    assert sitting.sitting.current is first and "Question 1 of 2" in sitting.desk.question.plain()
    sitting.type("back")
    assert "Nothing to take back" in sitting.desk.heard.plain()


def test_the_worked_solution_is_a_card_and_not_the_terminals_lines():
    desk = practice("in_flight", seed=6)
    desk.type("reveal")
    assert desk.desk.heard.label == desk.asking.template.title
    assert "==" not in desk.desk.heard.plain()


def test_the_field_shows_an_example_of_what_is_asked():
    assert practice("in_flight", seed=6).desk.field.placeholder == "12"
    assert practice("chain_answer", seed=6).desk.field.placeholder == "b 40 ms"
    assert practice("missing_stay", seed=6).desk.field.placeholder == "b"


def test_without_widgets_it_is_the_plain_drill(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    assert isinstance(practice("in_flight", seed=2), Session)


def test_what_does_not_exist_is_refused_before_anything_is_shown():
    with pytest.raises(UnknownDrillError):
        practice("in_fligth")
    with pytest.raises(ValueError, match="level = 9"):
        practice(level=9)


def test_a_mock_begins_with_start_and_ends_in_a_report():
    sitting = mock_desk(seed=3, questions=3, minutes=5)
    sitting.type("12")
    assert sitting.sitting is None and sitting.desk.answering.layout.display == "none"
    sitting.type("start")
    first = sitting.sitting.current
    sitting.type("no answer at all")
    assert sitting.sitting.current is first and sitting.desk.heard is not None
    for asking in sitting.sitting.asked[:2]:
        options, answer = asking.drill.options, asking.drill.answer
        if options:
            sitting.desk.letters.value = options.right
        sitting.type("" if answer is None else str(answer))
        assert asking.is_right and "Right" not in repr(sitting)
    sitting.type("skip")
    assert sitting.sitting.is_over and "2 of 3" in repr(sitting)
    assert "drill(" in repr(sitting) and "python -m" not in repr(sitting)
    assert all(button.disabled for button in sitting.desk.buttons.values())


def test_a_wish_that_nothing_fits_is_refused_before_start_and_more_minutes_are_told():
    with pytest.raises(ValueError, match="leave one of the wishes out"):
        mock_desk(level=4, topics="U")
    sitting = mock_desk(level=4, minutes=None)
    assert f"in {sitting._made.minutes:g} minutes" in repr(sitting)
    sitting.type("start")
    assert {asking.template.level for asking in sitting.sitting.asked} == {4}


def test_topics_may_stand_in_one_text():
    for topics in ("d07, B", ["D07", "b"], "B D07"):
        found = matching(topics=topics)
        assert found == matching(topics=("B", "D07"))
        assert all({"D07"} & set(t.topics) or any(i[0] == "B" for i in t.topics) for t in found)
    assert practice(topics="D07").asking.template in matching(topics="D07")
    with pytest.raises(ValueError, match="until = 'soon'"):
        practice(until="soon")


def test_the_story_before_a_follow_up_stays_on_the_desk():
    desk = practice("in_flight", seed=11)
    story = desk.asking.drill.story.split(".")[0]
    desk.type(f"{desk.asking.drill.answer}")
    desk.type("follow up")
    assert story in " ".join(repr(desk).split()) and desk.asking.link == 1


def test_what_was_typed_when_the_time_ended_may_still_be_entered(monkeypatch):
    monkeypatch.setattr(widget, "GRACE_S", 0.3)
    sitting = mock_desk(seed=3, questions=2, minutes=5)

    async def sit(*, types: bool) -> str:
        sitting.type("start")
        sitting.sitting.minutes = 0.001
        while sitting.desk.heard is None:
            await asyncio.sleep(0.05)
        assert "may still be entered" in repr(sitting)
        drill = sitting.sitting.asked[0].drill
        if types:
            sitting.type(" ".join(map(str, filter(None, (_letter(drill), drill.answer)))))
        await sitting._ticking
        return repr(sitting)

    assert "right, too late" in asyncio.run(sit(types=True))
    sitting = mock_desk(seed=3, questions=2, minutes=5)
    assert "nothing to report" in asyncio.run(sit(types=False))


def _letter(drill) -> str:
    return drill.options.right if drill.options else ""


def test_a_mock_without_widgets_is_the_plain_one(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    assert isinstance(mock_desk(seed=1, questions=2), Mock)
