"""Days of a class against days counted by hand."""

import json

from labutils.classroom import days
from labutils.classroom.gathered import gather_texts
from labutils.classroom.handover import exported
from tests.classroom.pupils import event

HOUR = 3600.0


def check(item_id, moment, status="right"):
    return event("check", item_id, moment, status=status)


def gathered(*diaries):
    texts = [exported(diary, f"{n:016x}") for n, diary in enumerate(diaries)]
    return gather_texts(line for text in texts for line in text.splitlines())


def test_two_learners_by_hand():
    early = [
        check("mm1.peak", 0, "wrong"),
        check("mm1.peak", 600),
        check("little.fleet", 22 * HOUR, "wrong"),
        check("little.fleet", 22 * HOUR + 300, "wrong"),
    ]
    late = [check("mm1.peak", 0), check("mm1.peak", 4.9 * HOUR)]
    first, second = days.by_day(gathered(early, late))
    assert (first.learners, second.learners) == (2, 1)
    assert [(one.id, one.tried, one.missed) for one in first.exercises] == [("mm1.peak", 2, 1)]
    assert [(one.id, one.tried, one.missed) for one in second.exercises] == [("little.fleet", 1, 1)]
    assert [part.minutes for part in first.parts] == [(0.0, 10.0)]  # hours without events are none
    assert [part.minutes for part in second.parts] == [(5.0,)]


def test_a_day_begins_after_a_night_and_not_after_lunch():
    moments = (0, 1, 5, 10.1, 15.2)
    (lines,) = gathered([check("mm1.peak", hour * HOUR) for hour in moments]).learners
    assert [len(day) for day in days.days_of(lines)] == [3, 1, 1]


def test_times_that_fall_and_rise_make_no_day():
    line = {"v": 1, "learner": f"{7:016x}", "event": "hint", "id": "mm1.peak", "of": 500}
    texts = [json.dumps({**line, "n": n, "t_s": 20_000 * (n % 2)}) for n in range(500)]
    (lines,) = gather_texts(texts).learners
    assert [len(day) for day in days.days_of(lines)] == [1, 499]


def test_the_card_names_what_a_day_missed_most():
    diary = [check("mm1.peak", 0, "wrong"), check("mm1.peak", 600), check("mm1.launch", 20 * HOUR)]
    told = repr(days.card(days.by_day(gathered(diary, diary))))
    assert "(2 of 2)" in told and "more than 5 hours" in told
    assert "one day" in repr(days.card(days.by_day(gathered(diary[:2]))))
