"""What the journal says: how each question went, when a template is due, which comes next."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from labutils.drills import due
from labutils.drills.catalog import find, templates
from labutils.drills.repetition import choosing
from labutils.drills.repetition.attempts import Grade, attempts
from labutils.drills.repetition.choosing import akin, next_template
from labutils.drills.repetition.recall import recalls
from labutils.drills.repetition.schedule import Schedule, day, due_times, reached_topics
from labutils.exercises.journal.journal import record
from tests.drills.toys import bill, both, pick

KNOWN = {item.id: item for item in (bill, both, pick)}
START = datetime(2031, 3, 4, 9, 0, tzinfo=UTC)


def line(minute: float, kind: str, template=bill, *, seed: int = 1, **fields) -> dict:
    at = (START + timedelta(minutes=minute)).isoformat()
    return {"event": kind, "id": f"drill.{template.id}", "seed": seed, "at": at, **fields}


def right(minute: float, template=bill, *, seconds: float = 140, **fields) -> dict:
    return line(minute, "drill", template, status="right", seconds=seconds, **fields)


def wrong(minute: float, template=bill, **fields) -> dict:
    return line(minute, "drill", template, status="wrong", seconds=30, **fields)


def grades(*log: dict) -> list[Grade]:
    return [attempt.grade for attempt in attempts(KNOWN, log)]


@pytest.mark.parametrize(
    "log, expected",
    [
        ([right(1)], [Grade.good]),
        ([right(1, seconds=40)], [Grade.easy]),  # 2.5 minutes are planned
        ([right(1, seconds=40, mode="rough")], [Grade.good]),  # 60 seconds are planned
        ([wrong(1), right(2, seconds=40)], [Grade.good]),
        ([wrong(1), wrong(2), right(3)], [Grade.hard]),
        ([line(1, "drill_hint"), right(2, seconds=5)], [Grade.hard]),
        ([line(1, "drill_reveal"), right(2)], [Grade.again]),
        ([wrong(1), line(2, "drill_reveal")], [Grade.again]),
        ([right(1), line(2, "drill_reveal"), wrong(3)], [Grade.good]),  # closed by then
        ([wrong(1)], []),  # still open
        ([wrong(1), right(2, both)], [Grade.again, Grade.good]),  # given up
        ([wrong(1), right(2, both), right(3)], [Grade.good, Grade.good]),  # taken up again
        ([wrong(1), line(2, "drill_skip")], [Grade.again]),
        ([line(1, "drill_skip"), right(2, both)], [Grade.again, Grade.good]),  # given up
        ([line(1, "drill_skip", mock="m")], [Grade.again]),
        ([wrong(1, mock="m"), right(2, mock="m")], [Grade.again]),  # one answer in a mock
        ([line(1, "drill", status="unreadable"), right(2, seconds=20)], [Grade.easy]),
        ([right(1, seconds=14)], [Grade.good]),  # too quick to be worked out
        ([right(1), right(2, seed=2), right(3, link=1)], [Grade.good] * 3),
    ],
)
def test_each_question_gets_one_grade(log, expected):
    assert grades(*log) == expected


@pytest.mark.parametrize("seconds, expected", [(59, Grade.easy), (61, Grade.good)])
def test_the_minutes_of_a_chain_are_for_all_its_questions(seconds, expected):
    chain = find("chain_pipeline")  # 7 minutes, and its third question, a number, of four
    log = (right(1, chain, seconds=seconds - 7, link=2),)
    (attempt,) = attempts({chain.id: chain}, log)
    assert attempt.grade is expected


def test_lines_of_other_versions_are_passed_over():
    strange = [
        {"event": "drill"}, {"event": "drill", "id": 7}, {"id": "drill.toy_bill"}, {},
        line(1, "drill", seed="x", status="right"), {**right(1), "at": "yesterday"},
        {**right(1), "id": "drill.gone"}, {**right(1), "link": None},
    ]  # fmt: skip
    assert grades(*strange) == []
    assert grades({**right(1), "seconds": "nan", "diagnosis": 3}) == [Grade.good]


def test_due_times_follow_the_scheduler_and_missed_ones_come_back_soon():
    reviews = [("a", START, Grade.good), ("b", START, Grade.again), ("c", START, Grade.easy)]
    at = due_times(reviews)
    assert at["b"] == START + timedelta(minutes=10)
    # stability after a first Good is w[2] = 2.3065 days, after an Easy w[3] = 8.2956 days,
    # and at 90 % desired retention the interval is the stability, in whole days
    assert at["a"] == START + timedelta(days=2)
    assert at["c"] == START + timedelta(days=8)
    later = due_times([*reviews, ("a", at["a"], Grade.good)])
    assert later["a"] - at["a"] > timedelta(days=4)


def plan(log, *, minutes: float = 0) -> Schedule:
    return Schedule(tuple(log), START + timedelta(minutes=minutes))


def test_due_come_first_then_reached_then_easy(monkeypatch):
    monkeypatch.setattr("labutils.drills.repetition.schedule.templates", lambda: (bill, both, pick))
    monkeypatch.setattr(choosing, "akin", lambda one, two: one is two)
    log = [line(0, "drill_reveal", both), right(1, pick)]

    def chosen(log, minutes):
        schedule = plan(log, minutes=minutes)
        return {next_template((bill, both, pick), schedule=schedule).id for _ in range(12)}

    assert chosen(log, 2) == {"toy_bill"}  # nothing is due: the new one
    assert chosen([*log, line(3, "drill_asked")], 60) == {"toy_both"}  # due since minute 10
    everything = [*log, right(3), right(3.5, both, seed=4)]
    assert chosen(everything, 5)  # nothing new, nothing due: still somebody's turn


def test_never_the_same_subject_twice_in_a_row():
    everything = templates()
    log, last = [], None
    for turn in range(25):
        schedule = plan(log, minutes=turn)
        item = next_template(everything, schedule=schedule, seed=turn)
        assert last is None or not akin(item, last)
        last = item
        log.append(line(turn, "drill_asked", item))
        log.append(right(turn + 0.5, item, seed=turn))


def test_chapters_that_were_begun_reach_their_topics():
    assert reached_topics(()) == set()
    one = reached_topics(({"event": "check", "id": "little.capacity"},))
    two = reached_topics(({"event": "predict", "id": "two.fleet"},))
    assert "A01" in two and "A01" not in one  # chapter 01 covers it
    assert one and one != two


def test_predictions_come_back_against_what_was_seen(my):
    seen = [
        {"event": "outcome", "id": "little.bursts", "actual": 19.0, "at": START.isoformat()},
        {"event": "outcome", "id": "little.bursts", "actual": 23.5, "at": START.isoformat()},
        {"event": "outcome", "id": "odd", "actual": "nan", "at": START.isoformat()},
        {"event": "outcome", "id": "gone.away", "actual": 3, "at": START.isoformat()},
    ]
    found = recalls(seen)
    assert set(found) == {"recall_little_bursts", "recall_gone_away"}
    asked = found["recall_little_bursts"].drill(1)
    assert asked.answer == 23.5 and "bursts of forty" in asked.question
    assert asked.number.check(20).passed and not asked.number.check(31).passed
    record(seen[1])
    assert choosing.named("recall_little_bursts").drill(1).answer == 23.5
    with pytest.raises(ValueError, match="recall_gone_away"):
        choosing.named("recall_gone_away")
    schedule = plan(seen, minutes=60 * 24 * 3)
    assert [item.id for item in schedule.due] == ["recall_little_bursts", "recall_gone_away"]
    everything = templates()
    picked = {
        next_template(everything, schedule=schedule, recall=True, seed=n).id for n in range(9)
    }
    assert picked == {"recall_little_bursts"}  # due before new; what is gone is never asked


def test_due_counts_and_names_nothing(my):
    item = templates()[0]
    record({**line(0, "drill_reveal", item), "at": datetime.now(UTC).isoformat()})
    shown = repr(due())
    assert shown.startswith("Due. No drill is due now; 1 will be within a day")
    assert item.id not in shown and item.title not in shown


def test_a_session_while_the_clock_stood_ahead_puts_no_drill_off(my):
    item = templates()[0]
    (my / "progress").mkdir(parents=True)
    written = {**right(0, item), "link": 0, "at": "2928-01-01T00:00:00.000000Z"}
    (my / "progress" / "ahead.jsonl").write_text(json.dumps(written) + "\n")
    record({"event": "hint", "id": "mm1.peak"})
    in_a_year = datetime.now(UTC) + timedelta(days=365)
    assert [one.id for one in Schedule.read(in_a_year).due] == [item.id]


def test_all_that_was_met_comes_back_before_the_day():
    log = (right(0), right(5, both, seconds=40), right(9, pick))
    reviews = [(item.template.id, item.at, item.grade) for item in attempts(KNOWN, log)]
    until = (START + timedelta(days=3)).date()
    far, near = due_times(reviews), due_times(reviews, until=until)
    end = datetime.combine(until, datetime.min.time(), UTC)
    assert set(near) == set(far) and max(far.values()) > end
    assert all(near[key] <= far[key] and near[key] < end - timedelta(days=1) for key in far)


@pytest.mark.parametrize("wrong_day", ["soon", "2031-02-30", "4.12.2031", "2031-03-04", "2020"])
def test_a_day_that_is_none_or_over_is_named(wrong_day):
    with pytest.raises(ValueError, match=f"until = .*{wrong_day}"):
        day(wrong_day, START)


def test_a_day_to_come_is_read():
    tomorrow = START + timedelta(days=1)
    assert day(" 2031-03-05 ", START) == day(tomorrow, START) == tomorrow.date()
