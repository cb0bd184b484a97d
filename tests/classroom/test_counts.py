"""Counts of a class against counts by hand, and against a slow count of the same diaries."""

from labutils.classroom import tables, vocabulary
from labutils.classroom.counts import part_of, tally
from labutils.classroom.gathered import gather_texts
from labutils.classroom.handover import exported
from labutils.drills.catalog import find
from tests.classroom.pupils import diary, event


def class_of(*diaries):
    texts = [
        line
        for number, store in enumerate(diaries)
        for line in exported(store, f"{number:016x}").splitlines()
    ]
    return tally(gather_texts(texts))


def checks(item_id, *results, start=0.0, step=60.0):
    """Checks a minute apart; a result is a status, or the name of a misconception."""
    found = []
    for number, result in enumerate(results):
        known = result in ("right", "wrong", "unreadable", "not_attempted", "unit", "timed_out")
        said = {"status": result} if known else {"status": "misconception", "diagnosis": result}
        found.append(event("check", item_id, start + step * number, **said))
    return found


def test_three_learners_by_hand():
    report = class_of(
        checks("mm1.peak", "not_attempted", "unreadable", "right", "wrong"),
        checks("mm1.peak", "unit", "wrong", "right")
        + checks("little.fleet", "wrong", "timed_out", start=500)
        + [event("hint", "little.fleet", 900, level=1), event("reveal", "little.fleet", 901)],
        checks("mm1.launch", "right") + checks("little.fleet", "unit", "unit", "right", start=99),
    )
    assert report.learners == 3 and report.num_lines == 4 + 7 + 4
    fleet, peak, launch = report.exercises
    assert (fleet.id, fleet.tried, fleet.missed, fleet.solved, fleet.open) == (
        "little.fleet",
        2,
        2,
        1,
        1,
    )
    assert (fleet.hinted, fleet.revealed) == (1, 1)
    assert [(cause.name, cause.learners) for cause in fleet.causes] == [
        ("timed_out", 1),
        ("unit", 1),
    ]
    assert (peak.id, peak.tried, peak.missed, peak.solved) == ("mm1.peak", 2, 1, 2)
    assert (launch.id, launch.tried, launch.missed, launch.solved) == ("mm1.launch", 1, 0, 1)


def test_a_misconception_brings_the_question_that_re_teaches_it():
    from labutils.exercises import catalog

    wrong = catalog.exercise("mm1.load_for_ten").checker.misconceptions[1]
    other = catalog.exercise("mm1.load_for_ten").checker.misconceptions[0]
    report = class_of(
        checks("mm1.load_for_ten", wrong.name, wrong.name, other.name),
        checks("mm1.load_for_ten", wrong.name, "right"),
    )
    (item,) = report.exercises
    assert [(c.name, c.learners, c.question) for c in item.causes] == [
        (wrong.name, 2, wrong.message),
        (other.name, 1, other.message),
    ]
    assert wrong.message.split()[3] in tables.to_teach_again(report).plain()


def test_what_nobody_can_name_is_not_passed_over():
    report = class_of(checks("mm1.peak", "wrong", "wrong"), checks("mm1.launch", "right"))
    said = tables.to_teach_again(report).plain()
    assert "mm1.peak" in said and tables.UNNAMED[2:25] in said
    assert "mm1.launch" not in said


def test_a_drill_speaks_with_the_numbers_of_its_seed():
    drill = find("in_flight").drill(41)
    mistake = drill.follow_up.mistakes[0]
    about = {"status": "misconception", "diagnosis": mistake.name, "seed": 41, "link": 1}
    report = class_of([event("drill", "drill.in_flight", 3, mode="rough", hints=2, **about)])
    (item,) = report.drills
    assert (item.part, item.hinted, item.missed) == ("pick the model", 1, 1)
    assert item.causes[0].question == mistake.message


def test_time_goes_to_the_part_of_the_event_that_ends_it_and_breaks_to_none():
    report = class_of(
        checks("mm1.peak", "wrong", "right", step=300)  # 5 min
        + checks("little.fleet", "right", start=360)  # 1 min more, to the other chapter
        + checks("little.fleet", "right", start=360 + 901)  # a break
        + checks("little.fleet", "right", start=360 + 901 + 900),  # 15 min
        checks("mm1.peak", "wrong", "wrong", "right", step=90),  # 3 min
    )
    minutes = {part.title: part.minutes for part in report.parts}
    assert list(minutes) == ["Little's law", "The M/M/1 explosion"]
    assert minutes["The M/M/1 explosion"] == (3.0, 5.0)
    assert minutes["Little's law"] == (16.0,)


def test_each_prediction_counts_once_and_points_do_not():
    def outcomes(*results):
        return [event("outcome", "mm1.recovery", n, **said) for n, said in enumerate(results)]

    report = class_of(
        outcomes({}, {"held": False, "point": False}, {"held": True, "point": False}),
        outcomes({"held": True, "point": False}),
        outcomes({"held": True, "point": True}),
        outcomes({"actual": 3.0}),
    )
    (one,) = report.predictions
    assert (one.given, one.held) == (2, 1) and report.ranges == (1, 2)


def slow_count(diaries):
    """For each exercise who tried, who missed at first, who got it, straight from the diaries."""
    found = {}
    for number, store in enumerate(diaries):
        for one in store:
            if one["event"] == "check":
                found.setdefault(one["id"], {}).setdefault(number, []).append(one["status"])
    return {
        item_id: (
            len(tries),
            len([t for t in tries.values() if t[0] != "right"]),
            len([t for t in tries.values() if "right" in t]),
        )
        for item_id, tries in found.items()
    }


def test_many_learners_against_a_slow_count():
    diaries = [diary(seed, parts=2) for seed in range(17, 30)]
    report = class_of(*diaries)
    counted = {one.id: (one.tried, one.missed, one.solved) for one in report.exercises}
    assert counted == slow_count(diaries)
    missed = [one.missed for one in report.exercises]
    assert missed == sorted(missed, reverse=True) and max(missed) > min(missed)


def test_small_classes_get_counts_and_no_percentages():
    text = "\n".join(
        card.plain() for card in tables.overview(class_of(diary(1), diary(2), diary(6)))
    )
    shares = [word for word in text.split() if word.rstrip(".,;)").endswith("%")]
    assert "3 learners" in text and "each: " in text
    assert set(shares) <= {"%"} and text.count("80 %") >= 1  # the goal of a range, and messages


def test_what_nobody_reached_and_what_the_exercises_state():
    first, *others = [e for e in vocabulary.exercises().values() if not e.optional]
    part = part_of(first.id)
    same = [e for e in others if part_of(e.id) == part]
    log = [
        event("check", first.id, 0.0, status="right", seconds=0.1),
        event("check", same[0].id, 60.0, status="wrong", seconds=0.1),
    ]
    found = tally(gather_texts(exported(log, "00000000000000a1").splitlines()))
    (one,) = found.parts
    assert one.stated == first.minutes + sum(e.minutes for e in same)
    assert one.unreached == tuple(e.title for e in same[1:])
    assert one.planned == vocabulary.minutes()[part] > one.stated
    card = tables.times(found).plain()
    assert "whole chapter" in card and "whatever your plan takes" in " ".join(card.split())
    (row,) = [line.split() for line in card.splitlines() if line.startswith(part)]
    assert row[-2:] == [str(one.planned), str(one.stated)]
    assert all(title in " ".join(card.split()) for title in one.unreached)
