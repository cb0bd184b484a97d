"""A timed mock: what is asked, what it keeps quiet about, what the report says."""

import random
from itertools import combinations

import pytest

from labutils.drills.asking.asking import Asking
from labutils.drills.catalog import templates
from labutils.drills.definition.template import Decision, Form
from labutils.drills.interview import sitting as sitting_room
from labutils.drills.interview.interview import mock, recently_asked
from labutils.drills.interview.lineup import letters, lineup
from labutils.drills.interview.simulated import COUNTED, Mocks
from labutils.drills.interview.sitting import MINUTES, Mock
from labutils.drills.repetition.attempts import Grade
from labutils.drills.repetition.choosing import akin, matching
from labutils.drills.repetition.schedule import Schedule
from labutils.exercises.journal.journal import events
from tests.drills.toys import bill, both, pick

pytestmark = pytest.mark.usefixtures("my")


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(sitting_room, "time", clock)
    return clock


def toy_mock(*chosen) -> Mock:
    asked = [Asking(item, 3 + at, mock="mock-1") for at, item in enumerate(chosen)]
    return Mock(asked, minutes=25)


def test_ten_questions_with_levels_and_decisions_mixed():
    everything = templates()
    for seed in range(5):
        stories = lineup(everything, 10, random.Random(seed), minutes=MINUTES)
        chosen = [story.template for story in stories]
        assert len({item.id for item in chosen}) == len(chosen)
        assert sum(story.questions for story in stories) == 10
        assert {item.level for item in chosen} >= {1, 2, 4}
        counts = [sum(item.decision is d for item in chosen) for d in Decision]
        assert max(counts) <= 5


@pytest.fixture(scope="module")
def many():
    return Mocks.simulated(1000)


def test_over_a_thousand_mocks_every_template_is_asked_and_none_too_often(many):
    shares = many.shares
    assert set(shares) == {item.id for item in templates()}
    assert max(shares.values()) <= 0.2 and min(shares.values()) >= 0.005
    forms = [{story.template.form for story in one} for one in many.lineups]
    for form in Form:  # each way of asking comes in a share of mocks that one meets in ten
        assert sum(form in one for one in forms) > 0.1 * len(forms), form
    assert "never asked: none" in many.table()


def test_every_mock_keeps_its_rules(many):
    counted = {words: set(many.each(count)) for words, count in COUNTED.items()}
    assert counted["questions of level 4"] == counted["stories in depth"] == {1}
    assert counted["letters alone"] <= {0, 1} and counted["trivia"] <= {0, 1}
    assert min(counted["questions that follow up"]) >= 3
    for one in many.lineups:  # no subject comes twice
        chosen = [story.template for story in one]
        assert not any(akin(first, other) for first, other in combinations(chosen, 2))
    minutes = many.minutes()
    assert 20 <= minutes[0] < minutes[-1] <= 27
    ids = [{story.template.id for story in one} for one in many.lineups]
    assert not any(one & (two | three) for one, two, three in zip(ids, ids[1:], ids[2:]))


def test_wishes_narrow_the_choice():
    sitting = mock(seed=1, level=3, topics=["D"], questions=4)
    for asking in sitting.asked:
        assert asking.template.level == 3
        assert any(topic.startswith("D") for topic in asking.template.topics)
    assert all(asking.template.rough for asking in mock(seed=2, rough=True).asked)
    burn = [asking.template.id for asking in mock(seed=2, topics="A15", questions=10).asked]
    assert {"budget_burn", "page_at_burn"} < set(burn)  # where nothing else is left
    chains = mock(seed=2, form="chain", decision="limit", questions=3)
    assert {asking.template.form for asking in chains.asked} == {Form.chain}
    hard = mock(seed=3, level=4)  # six templates of four minutes and more
    assert len(hard.asked) == 10 and hard.minutes > 30
    few = matching(topics="K01")
    assert len(few) < 8 and sum(len(letters(item)) for item in few) >= 10
    stories = lineup(few, 10, random.Random(1), minutes=MINUTES)
    ids = [story.template.id for story in stories]
    assert len(ids) == len(set(ids)) == len(few)  # stories go on before other numbers come
    with pytest.raises(ValueError, match="leave one of the wishes out"):
        mock(level=4, topics=["U"])


def test_what_the_last_two_mocks_asked_does_not_come_again():
    before = []
    for _ in range(4):
        sitting = mock()
        ids = {asking.template.id for asking in sitting.asked}
        assert not ids & set().union(*before[-2:])
        assert recently_asked() == set().union(*before[-2:])
        for _ in sitting.asked:
            sitting.skip()
        before.append(ids)


def test_a_story_goes_on_whatever_the_answer_was():
    asked = next(one for one in iter(lambda: mock(), None) if one.asked).asked
    story = next(a for a in asked if a.link == 0 and len(letters(a.template)) > 2 and a.drill)
    first = Asking(story.template, story.seed, mock="mock-1")
    second = first.follow_up()
    sitting = Mock([first, second], minutes=25)
    repr(sitting)
    assert not second.is_open
    sitting.skip()
    assert sitting.current is second and second.is_open
    assert " ".join(second.drill.question.split()) in " ".join(repr(sitting).split())
    page = sitting.finish().path.read_text(encoding="utf-8")
    assert "question 2" in page and "Not reached" in page


def test_a_wrong_unit_and_a_power_of_ten_are_asked_for_once_more(clock):
    sitting = toy_mock(bill, bill)
    drill = sitting.current.drill
    asked_back = repr(sitting.check("3 GB"))
    assert "Once more?" in asked_back and "Say it once more" in asked_back
    assert sitting.results == []
    sitting.check(drill.answer)
    assert sitting.results[0].is_right and sitting.results[0].is_asked_again
    drill = sitting.current.drill
    asked_back = repr(sitting.check(1000 * drill.answer))
    assert "Are you sure of the unit" in asked_back and "1,000" not in asked_back
    sitting.check(1000 * drill.answer)
    assert not sitting.results[1].is_right
    shown = repr(sitting.report())
    assert "1. was asked for once more" in shown and "1 of 2 right" in shown
    assert next(item.grade for item in graded()) is not Grade.again


def test_asked_once_more_a_letter_stays_and_is_not_judged_aloud():
    sitting = toy_mock(both, bill)
    drill = sitting.current.drill
    asked_back = repr(sitting.check(f"{drill.options.right} 3 GB"))
    assert "Once more?" in asked_back and "right" not in asked_back
    sitting.check(f"{drill.answer} s")
    (result,) = sitting.results
    assert result.is_right and result.typed == (
        f"{drill.options.right} 3 GB, then {drill.options.right} {drill.answer} s"
    )


@pytest.mark.parametrize("ending", ["finish", "time", "skip"])
def test_a_first_answer_stands_where_no_second_came(clock, ending):
    sitting = toy_mock(bill, both)
    sitting.check("3 GB")
    clock.now += 30 if ending != "time" else 26 * 60
    if ending == "skip":
        sitting.skip()
    report = sitting.report() if ending == "time" else sitting.finish()
    assert [(row[1], row[0]) for row in report.answers().rows] == [("3 GB", "1."), ("", "2.")]
    assert "wrong unit" in repr(report) and report.score == (0, 1)
    assert "1 not reached" in repr(report)


def test_back_takes_the_last_answer_back_and_asks_that_question_again(clock):
    sitting = toy_mock(bill, both, pick)
    assert "Question 1" in repr(sitting) and "Nothing to take back" in repr(sitting.back())
    first = sitting.asked[0]
    clock.now += 60
    sitting.check(first.drill.mistakes[0].value)
    clock.now += 20
    sitting.check("3 GB")  # asked for once more
    assert repr(sitting.back()).startswith("Back. Question 1 of 3") and sitting.current is first
    sitting.check(first.drill.answer)
    sitting.back()
    assert "Too late" not in repr(sitting.predict(1, 2))  # nor whether it was right
    clock.now += 10
    sitting.check(first.drill.answer)
    (result,) = sitting.results
    assert result.is_right and result.typed == f"{first.drill.answer:g}" and result.seconds == 90
    assert not sitting.finish().results[0].is_asked_again
    assert [item.grade for item in graded()] == [Grade.good]
    assert "over" in repr(sitting.back())


def test_a_page_with_one_question_tells_the_story_before_it_again():
    first = Asking(bill, 3, mock="mock-1")
    sitting = Mock([first, first.follow_up()], minutes=25)
    sitting.skip()
    assert "A shop sells" in repr(sitting) and "the story goes on" in repr(sitting)
    sitting.scrolls = True
    assert "A shop sells" not in repr(sitting) and "Packing doubles" in repr(sitting)


def test_one_miss_is_no_weakness():
    sitting = toy_mock(bill, bill, bill)
    for answer in (1e-9, None, None):
        right = sitting.current.drill.answer
        sitting.check(answer or right)
        if answer:
            sitting.check(answer)
    assert "Most was lost" not in repr(sitting.report())
    sitting = toy_mock(bill, bill)
    sitting.skip()
    sitting.skip()
    assert "Most was lost at “estimate”" in repr(sitting.report())


def test_part_two_is_a_design():
    from labutils.drills.whiteboard import prompts

    minutes = {item.id: item.minutes for item in prompts()}
    drawn = {mock(seed=seed, questions=1).design_id for seed in range(40)}
    assert len(drawn) > 5 and {minutes[name] for name in drawn} == {45}


def test_a_letter_and_its_number_may_come_in_two_lines():
    sitting = toy_mock(both, bill)
    drill = sitting.current.drill
    assert "number is missing" in repr(sitting.check(drill.options.right))
    sitting.check(f"{drill.answer} s")
    assert sitting.results[0].is_right
    assert sitting.results[0].typed == f"{drill.options.right} {drill.answer} s"


def test_a_quick_letter_may_be_a_guess_and_is_never_easy(clock):
    sitting = toy_mock(pick, bill)
    repr(sitting)
    clock.now += 4
    sitting.check(sitting.current.drill.options.right)
    shown = repr(sitting.finish())
    assert "A letter in 4 s: right, or a lucky guess?" in shown
    assert [item.grade for item in graded()] == [Grade.good]


def test_the_same_seed_asks_the_same():
    one, two, other = mock(seed=4), mock(seed=4), mock(seed=5)
    told = [[(item.template.id, item.seed) for item in it.asked] for it in (one, two, other)]
    assert told[0] == told[1] != told[2]
    assert one.name != two.name and len(one.asked) == 10


def test_nothing_is_said_until_the_report(clock):
    sitting = toy_mock(bill, both, pick)
    assert repr(sitting).startswith("Question 1 of 3, 25:00 min left (level 1).")
    clock.now += 90
    drill = sitting.current.drill
    assert "Not during a mock" in repr(sitting.hint()) and "Not during" in repr(sitting.reveal())
    assert "still running" in repr(sitting.report())
    assert "80 % sure" in repr(sitting.predict(drill.answer / 2, drill.answer * 2))
    assert "Not noted" in repr(sitting.check("soon")) and len(sitting.results) == 0
    assert "Not noted" in repr(sitting.check(...)) and len(sitting.results) == 0
    after_trap = repr(sitting.check(drill.mistakes[0].value))
    assert after_trap.startswith("Noted. Question 2 of 3, 23:30 min left")
    assert "last piece" not in after_trap and "right" not in after_trap.split("Answer:")[0]
    clock.now += 60
    assert "Question 3 of 3, 22:30" in repr(sitting.skip())
    last = repr(sitting.check(sitting.current.drill.options.right))
    assert last.startswith("Noted. The mock is over.")


def test_the_report_tells_what_went_how_and_what_to_do(clock, my):
    sitting = toy_mock(bill, both, pick)
    repr(sitting)
    first = sitting.asked[0].drill
    clock.now += 400  # 2.5 minutes are planned
    sitting.predict(first.answer * 0.9, first.answer * 1.1)
    sitting.check(first.mistakes[0].value)
    clock.now += 400
    sitting.skip()
    clock.now += 10
    sitting.check(sitting.asked[2].drill.options.right)
    report = sitting.report()
    shown = repr(report)
    assert "1 of 3 right in 13 min 30 s." in shown
    rows = {row[0][0]: row for row in report.questions().rows}
    assert [rows[n][-1] for n in "123"] == ["a known trap", "skipped", "right"]
    assert rows["1"][2] == "6.7 min" and rows["3"][2] == "0.2 min"
    assert ("estimate", "0 of 1") in report.kinds().rows
    assert ("level 1", "0 of 1") in report.kinds().rows
    said = {row[0]: row[1:] for row in report.answers().rows}
    assert said["1."][0] == f"{first.mistakes[0].value:g}" and said["2."][0] == ""
    assert said["3."][1] == f"({sitting.asked[2].drill.options.right}) the right door"
    assert "What happens after the last piece?" in shown and "1 of 1 ranges held" in shown
    assert '`drill("toy_bill", seed=3)`' in shown and "rough=True" in shown
    page = report.path.read_text(encoding="utf-8")
    assert report.path.parent == my / "reports" and report.path.suffix == ".html"
    for text in ("Pieces and price", "size over rate", "The right door is open.", "Skipped."):
        assert text in page
    assert "<script" not in page and page.count("<article") == 3
    assert [item.grade for item in graded()] == [Grade.again, Grade.again, Grade.good]
    last = events()[-1]
    assert (last["event"], last["right"], last["of"]) == ("drill_mock", 1, 3)
    repr(sitting.report())
    assert [event["event"] for event in events()].count("drill_mock") == 1


def graded():
    known = {item.id: item for item in (bill, both, pick)}
    schedule = Schedule.read()
    schedule.__dict__["known"] = known  # cached: the toys instead of the catalog
    return schedule.attempts


def test_what_comes_after_the_time_does_not_count(clock):
    sitting = toy_mock(bill, both)
    repr(sitting)
    clock.now += 25 * 60 + 1
    said = repr(sitting.check(sitting.asked[0].drill.answer))
    assert "over" in said and "after the last second" in said
    assert "over" in repr(sitting.check("b 12"))  # only the question at hand
    report = sitting.report()
    assert report.timed_out and report.score == (0, 1)
    assert len(sitting.results) == 1 and sitting.current is None
    assert "right, too late" in repr(report) and "1 not reached" in repr(report)


def test_finish_ends_it_and_a_read_only_disk_loses_the_page_alone(clock, my, monkeypatch, capsys):
    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("labutils.drills.interview.report_page.publish", refuse)
    sitting = toy_mock(bill, both)
    repr(sitting)
    sitting.check(sitting.asked[0].drill.answer)
    report = sitting.finish()
    assert report.path is None and "1 of 1 asked right in 0 min 0 s; 1 not reached." in repr(report)
    assert "cannot be saved (Read-only file system)" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", [{"questions": 0}, {"minutes": -1}, {"seed": 1.5}])
def test_impossible_mocks_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        mock(**wrong)
